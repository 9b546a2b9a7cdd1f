"""The answer of a call, above every step: what the server holds, and whether it is enough."""

from __future__ import annotations

from sizing.answers import wording
from sizing.base.markup import Markup, join, tag
from sizing.demand.call import Call
from sizing.sharing.shared import Shared
from sizing.ui import report, sharing_report


def answer(call: Call, shared: Shared | None, language: str, *, stale: bool) -> Markup:
    """The sizing's or the services' answer, and below it the verdict on the need."""
    if shared is not None:
        power = tag("p", wording.second_line(call.sizing, None, language), class_="sizing-second")
        return join([sharing_report.answer(shared, language, stale=stale), power])
    return report.answer(call.answer, None, language, stale=stale)
