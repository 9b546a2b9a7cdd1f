"""Making a sheet beside the page: the request, the work in a thread, and the file for the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sizing.base.errors import SizingError
from sizing.base.texts import say
from sizing.sheet import sheets
from sizing.sheet.request import Request
from sizing.ui.aside import Aside, Cancelled, Report
from sizing.ui.errors import told
from sizing.ui.widgets.boxes import SheetBox

WORDS = ("title", "customer", "customer_help", "remark", "remark_help", "cancel", "progress")


class Making:
    """The sheets of one page. One is made at a time; nothing of it is kept.

    request: what is asked for of the page as it is now, from customer, remark and link.
    guard: makes a callback whose faults the page says.
    """

    def __init__(self, request: Callable[[str, str, str], Request], guard: Callable[..., Any]) -> None:
        self._request, self._guard = request, guard
        self.aside = Aside()

    def box(self, language: str) -> SheetBox:
        """Fields and buttons, in a language."""
        words = {name: say(f"call.sheet.{name}", language) for name in WORDS}
        self._language = language
        self._shown = SheetBox(words, [(kind, say(f"call.sheet.{kind}", language)) for kind in sheets.KINDS])
        self._shown.listen(make=self._guard(self._make), cancel=self._guard(self._cancel))
        return self._shown

    def _make(self, kind: str, customer: str, remark: str, link: str) -> None:
        if kind not in sheets.KINDS:
            raise SizingError("unknown_sheet", input="file", value=kind[:20], known=", ".join(sheets.KINDS))
        language = self._language
        try:
            # A page at an address that no sheet may link to, such as a file's, makes one without a link.
            request = self._request(customer, remark, link if link.startswith(("http://", "https://")) else "")
        except SizingError as error:
            self._shown.idle(error=error.say(language))
            return
        label = say(f"call.sheet.{kind}", language)
        self._shown.working(say("call.sheet.making", language, what=label))

        def work(report: Report, cancelled: Cancelled) -> bytes:
            def progress(done: int, total: int) -> None:
                if cancelled():
                    raise _CancelledError
                report((done, total))

            return sheets.sheet(request, kind, progress)  # type: ignore[arg-type]

        def done(made: bytes) -> None:
            self._shown.hand_over(sheets.file_name(request, kind), sheets.KINDS[kind], made)  # type: ignore[arg-type]
            self._shown.idle(say("call.sheet.made", language, what=label, kb=len(made) / 1000))

        def move(step: tuple[int, int]) -> None:
            self._shown.working(say("call.sheet.making", language, what=label), *step)

        guard = self._guard
        self.aside.start(work, progress=guard(move), done=guard(done), failed=guard(self._failed))

    def _cancel(self) -> None:
        self.aside.cancel()
        self._shown.idle(say("call.sheet.cancelled", self._language))

    def _failed(self, error: Exception) -> None:
        language = self._language
        wrong = error.say(language) if isinstance(error, SizingError) else " ".join(told(error, language))
        self._shown.idle(error=wrong)


class _CancelledError(Exception):
    """The visitor no longer wants the file."""
