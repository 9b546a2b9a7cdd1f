"""The server's log: one event a line, so that any collector of logs keeps an event whole."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
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


_KERNEL_ID = re.compile(r"(\w{8})-\w{4}-\w{4}-\w{4}-\w{12}")


def without_ids(text: str) -> str:
    """The text with each page's id cut to the number that the log says: the whole id lets anybody join the visit."""
    return _KERNEL_ID.sub(r"\1", text)


class Rate(logging.Filter):
    """Lets one kind of message through so often and no oftener, and says then how many were left out.

    A kind is the text of a message before its values are put in. clock: in seconds.
    """

    MOST, EVERY_S, KINDS = 20, 10.0, 500

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[object, tuple[float, int]] = {}  # since when, and how many, by kind

    def filter(self, record: logging.LogRecord) -> bool:
        kind, now = (record.name, str(record.msg)[:100]), self._clock()
        since, count = self._seen.get(kind, (now, 0))
        if now - since > self.EVERY_S:
            if count > self.MOST:
                record.msg = f"{record.msg} [{count - self.MOST} more of these were left out]"
            since, count = now, 0
        if len(self._seen) >= self.KINDS:
            self._seen.clear()
        self._seen[kind] = (since, count + 1)
        return count < self.MOST or record.levelno < logging.WARNING


def plain(text: object, most: int = 200) -> str:
    """Text from outside, safe to stand in a line of the log: shortened, no line breaks, no control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text)[:most])
