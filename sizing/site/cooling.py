"""Air of a server: what its heat needs, what its cards need, whether the first covers the second, and where it ends."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sizing import units
from sizing.errors import SizingError
from sizing.notes import Note
from sizing.site import air, checks
from sizing.site.temperature import Rise, Temperature
from sizing.working import Given, Step

BTU_PER_H_PER_TON = 12_000.0  # a ton of refrigeration, by definition

Basis = Literal["published", "interpolated", "assumed"]


class AirflowPoint(Protocol):
    """Air that a card asks for at an inlet temperature. [°C], [CFM]"""

    @property
    def inlet_c(self) -> float: ...
    @property
    def cfm(self) -> float: ...
    @property
    def source(self) -> str: ...


@dataclass(frozen=True, slots=True)
class CardNeed:
    """Air that one card asks for. cfm: at the height of the site. [CFM]

    basis: "published" at a temperature that its maker states, "interpolated" between two of them, "assumed" below the
    lowest, where the figure of the lowest is kept, or away from sea level, where the same mass of air is taken.
    """

    cfm: float
    basis: Basis
    source: str


@dataclass(frozen=True, slots=True)
class Cooling:
    """Air of one server.

    cfm, m3_per_h: what carries its heat away at the chosen rise. [CFM], [m³/h]   density_kg_per_m3: of that air.
    btu_per_h: its heat. [BTU/h]   tons: of refrigeration.   exhaust: temperature behind it.
    card_need: of one card, None where its maker states none.   cards_cfm: of all cards. [CFM]
    covers: the chassis' air covers the cards' need; None where that is not known.
    """

    heat_w: float
    cfm: float
    m3_per_h: float
    density_kg_per_m3: float
    btu_per_h: float
    tons: float
    exhaust: Temperature
    card_need: CardNeed | None
    cards_cfm: float | None
    covers: bool | None
    notes: tuple[Note, ...]
    working: tuple[Step, ...]


def btu_per_h(heat_w: float) -> float:
    """A heat in British thermal units an hour. [BTU/h]

    >>> round(btu_per_h(3404))
    11615
    """
    return checks.number("heat_w", heat_w, 0, 10_000_000, "W") * units.BTU_PER_H_PER_W


def rise(heat_w: float, flow_cfm: float, altitude_m: float = 0.0) -> Rise:
    """How much warmer a flow of air leaves. heat_w [W], flow_cfm [CFM], altitude_m [m].

    >>> rise(600, 43).k
    24.4
    """
    checks.number("flow_cfm", flow_cfm, 1e-3, 10_000_000, "CFM")
    # The rise that one CFM makes, divided by the flow: cfm() is linear in both.
    return Rise.from_k(air.cfm(heat_w, 1.0, altitude_m) / flow_cfm)


def card_need(inlet: Temperature, points: Sequence[AirflowPoint], altitude_m: float = 0.0) -> CardNeed:
    """Air that one card asks for at an inlet temperature, from the points that its maker states (at least two).

    Between points it is a straight line. Above the warmest point there is no figure, and a SizingError says so.
    """
    if not isinstance(inlet, Temperature):
        raise SizingError("temperature_without_unit", input="inlet", value=inlet)
    ordered = sorted(points, key=lambda point: point.inlet_c)
    coldest, warmest = ordered[0], ordered[-1]
    thinner = air.pressure_pa(0) / air.pressure_pa(altitude_m)
    if inlet.c > warmest.inlet_c:
        raise SizingError("inlet_above_card", input="inlet", value_c=inlet.c, warmest_c=warmest.inlet_c)
    basis: Basis = "published"
    cfm = next((point.cfm for point in ordered if point.inlet_c == inlet.c), 0.0)
    if inlet.c < coldest.inlet_c:
        cfm, basis = coldest.cfm, "assumed"
    elif not cfm:
        for low, high in itertools.pairwise(ordered):
            if low.inlet_c < inlet.c < high.inlet_c:
                share = (inlet.c - low.inlet_c) / (high.inlet_c - low.inlet_c)
                cfm, basis = low.cfm + share * (high.cfm - low.cfm), "interpolated"
    return CardNeed(cfm * thinner, "assumed" if altitude_m else basis, coldest.source)


def cooling(
    heat_w: float,
    rise: Rise,
    inlet: Temperature,
    cards: int,
    points: Sequence[AirflowPoint] = (),
    altitude_m: float = 0.0,
) -> Cooling:
    """Air of one server: heat_w [W], the rise it may take, its inlet, its cards and their need, its height [m].

    The volume is counted at 20 °C, as fans are rated; the inlet decides the exhaust and the cards' need.
    """
    if not isinstance(rise, Rise):
        raise SizingError("temperature_without_unit", input="rise", value=rise)
    checks.count("cards", cards, 0, 1024)
    flow = air.cfm(heat_w, rise.k, altitude_m)
    need, notes = _need(inlet, points, altitude_m)
    all_cards = None if need is None else need.cfm * cards
    covers = None if all_cards is None else all_cards <= flow * (1 + 1e-12)
    steps = [air.cfm_step(heat_w, rise.k, altitude_m)]
    if need is not None and all_cards is not None:
        values = {"cards_cfm": all_cards, "cfm": flow, "cards": cards, "need_cfm": need.cfm, "inlet_c": inlet.c}
        notes.append(Note("hint" if covers else "warn", f"card_air_{need.basis}", need.source, values))
        notes.append(Note("hint" if covers else "warn", "air_covers" if covers else "air_short", need.source, values))
        steps.append(
            Step(
                "cards_cfm",
                "cards * need_cfm",
                (Given("cards", cards, "", "input"), Given("need_cfm", need.cfm, "CFM", need.source)),
                all_cards,
                "CFM",
                need.source,
            )
        )
    return Cooling(
        heat_w=heat_w,
        cfm=flow,
        m3_per_h=air.m3_per_h(heat_w, rise.k, altitude_m),
        density_kg_per_m3=air.density_kg_per_m3(altitude_m),
        btu_per_h=btu_per_h(heat_w),
        tons=btu_per_h(heat_w) / BTU_PER_H_PER_TON,
        exhaust=inlet + rise,
        card_need=need,
        cards_cfm=all_cards,
        covers=covers,
        notes=tuple(notes),
        working=tuple(steps),
    )


def _need(inlet: Temperature, points: Sequence[AirflowPoint], altitude_m: float) -> tuple[CardNeed | None, list[Note]]:
    if not points:
        return None, [Note("hint", "card_air_not_stated")]
    try:
        return card_need(inlet, points, altitude_m), []
    except SizingError as error:
        if error.key != "inlet_above_card":
            raise
        return None, [Note("stop", "inlet_above_card", points[0].source, error.values)]
