"""The server's log: one event a line, so that any collector of logs keeps an event whole."""

from __future__ import annotations

import logging
import secrets
from typing import Any

FORMAT = "%(asctime)s %(levelname)s %(message)s"
BETWEEN_LINES = " | "


class OneLine(logging.Formatter):
    """Time, level and message; a traceback follows on the same line, its lines parted by a bar."""

    def __init__(self) -> None:
        super().__init__(FORMAT, datefmt="%Y-%m-%d %H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        lines = (line.strip() for line in super().format(record).splitlines())
        return BETWEEN_LINES.join(filter(None, lines))


def use_one_line(logger: logging.Logger | logging.LoggerAdapter[Any]) -> None:
    """Lay out what a logger writes, and what its parents write for it, in one line an event."""
    found: logging.Logger | None = logger.logger if isinstance(logger, logging.LoggerAdapter) else logger
    while found is not None:
        for handler in found.handlers:
            handler.setFormatter(OneLine())
        found = found.parent if found.propagate else None


def fault_number() -> str:
    """A number that a visitor can quote and an operator can search for."""
    return secrets.token_hex(4)


def plain(text: object, most: int = 200) -> str:
    """Text from outside, safe to stand in a line of the log: shortened, no line breaks, no control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text)[:most])
