"""Making a sheet beside the page: the request, the work in a thread, and the file for the browser."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from sizing.base.errors import SizingError
from sizing.base.texts import say
from sizing.sheet import sheets
from sizing.sheet.request import Request
from sizing.ui.aside import Aside, Cancelled, Report
from sizing.ui.errors import told
from sizing.ui.widgets.boxes import SheetBox

if TYPE_CHECKING:
    from sizing.ui.pages.call import CallPage

WORDS = ("title", "customer", "customer_help", "remark", "remark_help", "cancel", "progress")


class Making:
    """The sheets of one page. One is made at a time; nothing of it is kept."""

    def __init__(self, page: CallPage) -> None:
        self._page = page
        self.aside = Aside()
        self._box: SheetBox | None = None

    def box(self, language: str) -> SheetBox:
        """Fields and buttons, in a language."""
        words = {name: say(f"call.sheet.{name}", language) for name in WORDS}
        self._box = SheetBox(words, [(kind, say(f"call.sheet.{kind}", language)) for kind in sheets.KINDS])
        self._box.listen(make=self._page.guard(self._make), cancel=self._page.guard(self._cancel))
        return self._box

    def request(self, customer: str = "", remark: str = "", link: str = "") -> Request:
        """What a sheet of the page as it is now is asked for. SizingError for a name or remark too long."""
        page, scenario = self._page, self._page.scenario
        return Request(
            answer=page.state.answer,
            customer=customer,
            remark=remark,
            link=link,
            language=page.language,
            made_on=datetime.date.today(),
            demand=page.found.demand,
            counts=page.found.counts,
            shared=page.services_shown,
            virtual_machines=scenario.virtual_machines == "yes",
            price_per_card=scenario.price_per_card,
            price_per_server=scenario.price_per_server,
            currency=scenario.offer_currency,
        )

    def _make(self, kind: str, customer: str, remark: str, link: str) -> None:
        if kind not in sheets.KINDS:
            raise SizingError("unknown_sheet", input="file", value=kind[:20], known=", ".join(sheets.KINDS))
        language = self._page.language
        try:
            # A page at an address that no sheet may link to, such as a file's, makes one without a link.
            request = self.request(customer, remark, link if link.startswith(("http://", "https://")) else "")
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

        guard = self._page.guard
        self.aside.start(work, progress=guard(move), done=guard(done), failed=guard(self._failed))

    def _cancel(self) -> None:
        self.aside.cancel()
        self._shown.idle(say("call.sheet.cancelled", self._page.language))

    def _failed(self, error: Exception) -> None:
        language = self._page.language
        if isinstance(error, SizingError):
            self._shown.idle(error=error.say(language))
            return
        self._shown.idle(error=" ".join(told(error, language)))

    @property
    def _shown(self) -> SheetBox:
        assert self._box is not None
        return self._box


class _CancelledError(Exception):
    """The visitor no longer wants the file."""


__all__: list[Any] = ["Making"]
