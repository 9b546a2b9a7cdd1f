"""The bill of materials: the site's parts, licences where the choice needs them, and prices where there are any."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from sizing.answers.siting import Siting, site
from sizing.base.dataclass import dataclass
from sizing.base.texts import say
from sizing.base.units import bytes_from_gib
from sizing.demand import cost
from sizing.demand.cost import CURRENCIES
from sizing.sheet.request import Request
from sizing.site.parts import Part
from sizing.site.plan import SitePlan

IN_SERVER = ("processors", "memory", "nvme", "boot")
"""How the keys of parts begin that the price of a server includes, beside the chassis itself."""
CONNECTIONS = ("circuit", "circuits", "circuit_other", "circuit_others")


@dataclass(frozen=True)
class Line:
    """One line. quantity: None where it is not known.   short: the reason in a few words.

    unit_price: None where none is given.   quoted: how the price is to be read: a dated quote of the catalogue with its
    remark, or that it stands in another line's.
    source, quote_source: keys of sources.toml or "".
    """

    key: str
    what: str
    quantity: int | None
    why: str
    short: str
    source: str
    unit_price: float | None = None
    currency: str = ""
    quoted: str = ""
    quote_source: str = ""

    @property
    def price(self) -> float | None:
        """Of the whole line."""
        return None if self.unit_price is None or self.quantity is None else self.unit_price * self.quantity


def currencies(found: Iterable[Line]) -> tuple[str, ...]:
    """Currencies of the priced lines, each once."""
    return tuple(dict.fromkeys(line.currency for line in found if line.price is not None))


def total(found: Sequence[Line]) -> tuple[float, str] | None:
    """The sum of the priced lines with its currency; None where none is priced, or where currencies differ."""
    named = currencies(found)
    return (sum(line.price or 0.0 for line in found), named[0]) if len(named) == 1 else None


def site_of(request: Request) -> Siting:
    """The site of the request's server; of a shared one with all its services' files on the drives."""
    shared = request.shared
    if shared is None:
        return site(request.sizing.scenario, sizing=request.sizing)
    files_gib = {each.service.checkpoint: each.weights_gib for each in shared.placement.needs}
    in_step = max((engine.tp for engine in shared.placement.engines), default=1)
    return Siting(SitePlan(shared.plan.scenario, checkpoint_bytes=bytes_from_gib(sum(files_gib.values()))), in_step)


def lines(request: Request) -> tuple[Line, ...]:
    """Every line, in the order of the site's parts, for all servers."""
    found: list[Line] = []
    siting = site_of(request)
    planned = siting.plan
    for part in siting.parts:
        found.append(_line(request, planned, part))
        if part.key == "cards":
            found += _licences(request, planned)
    return tuple(found)


def _line(request: Request, planned: SitePlan, part: Part) -> Line:
    language = request.language
    times = request.connections if part.key in CONNECTIONS else request.servers
    quantity = None if part.quantity is None else part.quantity * times
    short = say(f"sheet.short.{part.key}", language, **part.values)
    line = Line(part.key, part.what(language), quantity, part.why(language), short, part.source)
    if part.key == "cards":
        return _card(request, planned, line)
    if not request.price_per_server:
        return line
    if part.key == "chassis":
        said = say("sheet.parts.with_inside", language)
        return dataclasses.replace(line, unit_price=request.price_per_server, currency=request.currency, quoted=said)
    if part.key.startswith(IN_SERVER):
        return dataclasses.replace(line, quoted=say("sheet.parts.inside", language))
    return line


def _card(request: Request, planned: SitePlan, line: Line) -> Line:
    """The offer where there is one, else the catalogue's newest for a new one, in the request's currency first."""
    if request.price_per_card:
        return dataclasses.replace(line, unit_price=request.price_per_card, currency=request.currency)
    wanted = sorted(CURRENCIES, key=lambda currency: currency != request.currency)
    quote = next((found for currency in wanted if (found := cost.quote(planned.card, currency))), None)
    if quote is None:
        return line
    values = {"date": quote.date, "seller": quote.seller, "vat": cost.vat(quote), "note": quote.note}
    said = say("sheet.quote", request.language, **values).strip()
    return dataclasses.replace(
        line, unit_price=quote.net, currency=quote.currency, quoted=said, quote_source=quote.source
    )


def _licences(request: Request, planned: SitePlan) -> Iterator[Line]:
    """Licences for virtual machines. Bare metal, MIG included, needs none."""
    if not request.virtual_machines:
        return
    vgpu = planned.card.vgpu
    if vgpu is None or not vgpu.supported:
        key, source = ("none", vgpu.source) if vgpu else ("unknown", "")
        yield _licence(request, key, None, source, card=planned.card.name)
        return
    key = "enterprise" if vgpu.release else "included" if vgpu.licence_years else "enterprise_any"
    source = "doc-de" if vgpu.release else vgpu.source
    values = {"release": vgpu.release, "years": vgpu.licence_years}
    yield _licence(request, key, request.servers * planned.scenario.cards, source, **values)


def _licence(request: Request, key: str, quantity: int | None, source: str, **values: object) -> Line:
    what, why, short = (
        say(f"sheet.licence.{key}.{each}", request.language, **values) for each in ("what", "why", "short")
    )
    return Line(f"licence_{key}", what, quantity, why, short, source)
