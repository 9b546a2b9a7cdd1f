"""The offer: the bill of materials with its prices."""

from __future__ import annotations

from sizing.answers.wording import source_title
from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.sheet.bill import Line, lines, total
from sizing.sheet.request import Request


def section(request: Request, language: str) -> Markup:
    """Every line with quantity, reason and price, and the sum of the priced ones."""
    found = lines(request)
    remark = say("sheet.parts.servers", language, servers=request.servers) if request.servers > 1 else ""
    return _shown(found, total(found), remark, language)


def _shown(found: tuple[Line, ...], total: tuple[float, str] | None, remark: str, language: str) -> Markup:
    rows = []
    for line in found:
        price = "–" if line.price is None else f"{say('unit.money', language, value=line.price)} {line.currency}"
        why = line.why
        if line.quoted:
            why = f"{why} {line.quoted}".strip()
        source = source_title(line.quote_source or line.source, language) if line.quote_source or line.source else ""
        rows.append(
            [
                line.what,
                "–" if line.quantity is None else say("unit.integer", language, value=line.quantity),
                why,
                price,
                tag("small", source),
            ]
        )
    head = [say(f"sheet.column.{name}", language) for name in ("part", "quantity", "reason", "price", "source")]
    shown = [table(say("call.offer.caption", language), head, rows, numeric=len(head))]
    if remark:
        shown.append(tag("p", remark, class_="sizing-second"))
    if total:
        amount, currency = total
        shown.append(
            tag("p", say("call.offer.total", language, amount=amount, currency=currency), class_="sizing-second")
        )
    return join(shown)
