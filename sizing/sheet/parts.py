"""The bill of materials: the site's parts, licences where the choice needs them, and prices where there are any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sizing.catalogue.records import Price
from sizing.sheet.request import Request
from sizing.site.parts import Part
from sizing.siting import site
from sizing.texts import say


@dataclass(frozen=True, slots=True)
class Line:
    """One line. quantity: None where it is not known.

    unit_price: None where none is given.   quoted: the price is a dated quote of the catalogue, with its remark.
    source: key of sources.toml or "".
    """

    what: str
    quantity: int | None
    why: str
    source: str
    unit_price: float | None = None
    currency: str = ""
    quoted: str = ""
    quote_source: str = ""

    @property
    def price(self) -> float | None:
        """Of the whole line."""
        return None if self.unit_price is None or self.quantity is None else self.unit_price * self.quantity


def lines(request: Request) -> tuple[Line, ...]:
    """Every line, in the order of the site's parts."""
    found = []
    for part in site(request.sizing.scenario, sizing=request.sizing).plan.parts:
        found.append(_line(request, part))
        if part.key == "cards":
            found += _licences(request)
    return tuple(found)


def _line(request: Request, part: Part) -> Line:
    language = request.language
    line = Line(part.what(language), part.quantity, part.why(language), part.source)
    if part.key != "cards":
        return line
    if request.price_per_card:
        return _priced(line, request.price_per_card, request.currency, "", "")
    quote = newest(request.sizing.card.prices)
    if quote is None:
        return line
    said = say("sheet.quote", language, date=quote.date, note=quote.note).strip()
    return _priced(line, quote.value, quote.currency, said, quote.source)


def _priced(line: Line, price: float, currency: str, quoted: str, source: str) -> Line:
    return Line(line.what, line.quantity, line.why, line.source, price, currency, quoted, source)


def newest(prices: tuple[Price, ...]) -> Price | None:
    """The quote with the latest date; a date may be a year alone."""
    return max(prices, key=lambda price: price.date, default=None)


def _licences(request: Request) -> Iterator[Line]:
    """Licences for virtual machines. Bare metal, MIG included, needs none."""
    if not request.virtual_machines:
        return
    language, sizing = request.language, request.sizing
    vgpu, cards = sizing.card.vgpu, sizing.scenario.cards
    if vgpu is None or not vgpu.supported:
        what, why = (say(f"sheet.licence.none.{each}", language, card=sizing.card.name) for each in ("what", "why"))
        yield Line(what, None, why, vgpu.source if vgpu else "")
        return
    key = "enterprise" if vgpu.release else "enterprise_any"
    what, why = (say(f"sheet.licence.{key}.{each}", language, release=vgpu.release) for each in ("what", "why"))
    yield Line(what, cards, why, "doc-de")
