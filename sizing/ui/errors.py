"""What happens to an exception in a page: always said, never shown raw, never swallowed.

Jupyter drops an exception in a widget's callback without a word. Here a `SizingError` becomes its own sentence in the
page's message area, and any other exception a sentence with a number that leads to its traceback in the server's log.
"""

from __future__ import annotations

import functools
import logging
import secrets
import sys
import traceback
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.ui.browser import in_browser
from sizing.ui.widgets.frame import Messages

P = ParamSpec("P")
R = TypeVar("R")


def guarded(
    callback: Callable[P, R], messages: Messages, *, language: str | Callable[[], str] = "en"
) -> Callable[P, R | None]:
    """The callback, with its faults said in `messages`; the next call that succeeds clears them.

    callback: what a widget calls (``observe``, ``on_click``).
    language: of the sentences; a function where it can change.
    Returns what the callback returns, or None where it failed.
    """

    def spoken() -> str:
        return language if isinstance(language, str) else language()

    slot = f"{getattr(callback, '__qualname__', 'callback')} {id(callback)}"

    @functools.wraps(callback)
    def run(*args: P.args, **kwargs: P.kwargs) -> R | None:
        try:
            result = callback(*args, **kwargs)
        except SizingError as error:
            messages.say(error.what(spoken()), error.fix(spoken()), slot=slot)
            return None
        except Exception as error:
            messages.say(*told(error, spoken()), slot=slot)
            return None
        messages.clear(slot)
        return result

    return run


def told(error: Exception, language: str) -> tuple[str, str]:
    """What a visitor is told of a fault, and what to do about it; its traceback goes to the log."""
    fix = "ui.fault.fix_in_browser" if in_browser() else "ui.fault.fix"
    return texts.say("ui.fault.what", language), texts.say(fix, language, number=report(error))


_numbers: dict[tuple[str, str, int], str] = {}


def report(error: Exception) -> str:
    """Write the traceback to the server's log under a short number, and return the number.

    A fault that a drag raises forty times is written once and keeps its number.
    """
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = (type(error).__name__, last[0].filename if last else "", (last[0].lineno or 0) if last else 0)
    if place not in _numbers:
        _numbers[place] = secrets.token_hex(3)
        server_log().error("fault %s", _numbers[place], exc_info=error)
    return _numbers[place]


def server_log() -> logging.Logger | logging.LoggerAdapter[Any]:
    """Where the operator reads: a kernel's stderr goes to the browser, its application's log to the server's."""
    app = getattr(sys.modules.get("ipykernel.kernelapp"), "IPKernelApp", None)
    if app is not None and app.initialized():
        log: logging.Logger | logging.LoggerAdapter[Any] = app.instance().log
        return log
    return logging.getLogger("sizing")
