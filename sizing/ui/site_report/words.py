"""Names of connections, caps and counts as a person says them, and the answer as a sentence."""

from __future__ import annotations

import functools
from typing import Any

from sizing import catalogue
from sizing.answers.siting import Siting
from sizing.base.texts import say
from sizing.base.units import kw


@functools.cache
def _several_voltages(region: str, phases: int) -> bool:
    listed = (catalogue.circuit(key) for key in catalogue.circuit_ids())
    return len({one.volts for one in listed if (one.region, one.phases) == (region, phases)}) > 1


def circuit(one: catalogue.Circuit, language: str) -> str:
    """ "16 A single-phase", with its voltage where the region has several: "208 V, 30 A single-phase"."""
    key = "with_volts" if _several_voltages(one.region, one.phases) else "plain"
    phases = say(f"ui.site.phases.{one.phases}", language)
    return say(f"ui.site.circuit.{key}", language, volts=one.volts, amps=one.amps, phases=phases)


def cards(count: int, language: str, *, inside: bool = False) -> str:
    """ "Four cards", or "four cards" inside a sentence."""
    return say(f"ui.site.{'cards_inside' if inside else 'cards'}.{count}", language)


def degrees(celsius: float, fahrenheit: float, language: str) -> str:
    """ "25 °C · 77 °F"."""
    return say("unit.degrees", language, c=celsius, f=fahrenheit)


def what(kind: str, language: str) -> str:
    """ "the circuit", "one phase", ..."""
    return say(f"ui.site.stop.{kind}", language)


def servers_line(name: str, siting: Siting, language: str) -> str:
    """ "on 16 A single-phase", "in a rack of 17 kW", "in a rack of 42 U": name is a count of a row."""
    site = siting.plan.site
    values = {
        "circuit": circuit(siting.plan.circuit, language),
        "feed_kw": kw(site.rack_feed_w or 0),
        "rack_u": site.rack_u,
        "free_u": (site.rack_u or 0) - site.reserved_u,
    }
    return say(f"ui.site.line.{name}", language, **values)


def headline(siting: Siting, language: str) -> str:
    """The answer as one sentence: it runs, or what stops it and what would carry it."""
    plan = siting.plan
    values = _values(siting, language)
    if not plan.stops:
        return say(f"ui.site.headline.fits_{_number(siting)}", language, **values)
    first = plan.stops[0]
    if first == "cap":
        key = "cap" if plan.card.power_min_w else "cap_highest"
        return say(f"ui.site.headline.{key}", language, **values)
    if first not in plan.connection.stopped_by:
        return say(f"ui.site.headline.{first}", language, **values)
    pronoun = "_one" if _number(siting) == "one" else ""
    wanted = [circuit(one, language) for one in (plan.remedies.single, plan.remedies.three) if one is not None]
    if wanted:
        sentence = _needed(siting, wanted, values, language)
    elif _several(siting):
        several = _and([what(kind, language) for kind in plan.connection.stopped_by], language)
        sentence = say(f"ui.site.headline.several_{_number(siting)}", language, several=several, **values)
    elif first in ("circuit", "phase"):
        sentence = say(f"ui.site.headline.need_none_{_number(siting)}", language, **values)
    else:
        sentence, pronoun = say(f"ui.site.headline.{first}", language, **values), "_it"
    return sentence + _at_a_lower_cap(siting, pronoun, values, language)


def _several(siting: Siting) -> bool:
    """Several limits of the connection stop it, and no larger circuit alone would help."""
    plan = siting.plan
    larger = plan.remedies.single or plan.remedies.three
    return plan.stops[:1] == plan.connection.stopped_by[:1] and len(plan.connection.stopped_by) > 1 and larger is None


def _and(names: list[str], language: str) -> str:
    """ "the circuit, one phase and the cord"."""
    return say("ui.site.headline.and", language).join([part for part in (", ".join(names[:-1]), names[-1]) if part])


def _number(siting: Siting) -> str:
    if siting.plan.site.servers > 1:
        return "servers"
    return "one" if siting.scenario.cards == 1 else "many"


def _values(siting: Siting, language: str) -> dict[str, Any]:
    plan = siting.plan
    site, loss = plan.site, plan.planned_loss
    limits = {limit.kind: limit for limit in plan.connection.limits}
    bank, lowest = limits.get("bank"), plan.card.power_min_w
    return {
        "cards": cards(siting.scenario.cards, language),
        "cards_inside": cards(siting.scenario.cards, language, inside=True),
        "servers": site.servers,
        "card": plan.card.name,
        "cap_w": site.power_cap_w,
        "min_w": lowest.value if lowest else 0,
        "max_w": plan.card.power_max_w.value,
        "circuit": circuit(plan.circuit, language),
        "load_kw": kw(limits["circuit"].load),
        "planned_kw": kw(limits["circuit"].limit),
        "server_kw": kw(plan.draw.server_w),
        "left": loss.working,
        "supply_w": site.supply_w,
        "left_kw": kw(loss.available_w),
        "cord": plan.cord.name,
        "cord_a": plan.cord.amps,
        "cord_load_a": limits["cord"].load,
        "bank_a": bank.limit if bank else 0,
        "bank_load_a": bank.load if bank else 0,
        "site_kw": kw(site.site_cap_w or 0),
        "inlet": degrees(site.inlet.c, site.inlet.f, language),
        "warmest_c": max((point.inlet_c for point in plan.card.airflow), default=0),
        "processor": plan.processor.name,
        "sockets": site.processors,
        "feed_a_kw": siting.scenario.feed_a_kw,
        "feed_b_kw": siting.scenario.feed_b_kw,
    }


def _needed(siting: Siting, wanted: list[str], values: dict[str, Any], language: str) -> str:
    needed = wanted[0] if len(wanted) == 1 else say("ui.site.headline.either", language, one=wanted[0], two=wanted[1])
    return say(f"ui.site.headline.need_{_number(siting)}", language, needed=needed, **values)


def _at_a_lower_cap(siting: Siting, pronoun: str, values: dict[str, Any], language: str) -> str:
    """The end of the sentence: the mode, or the cap, at which the chosen connection carries it."""
    remedies = siting.plan.remedies
    found = remedies.mode_w or remedies.cap_w
    if found is None or found >= siting.plan.site.power_cap_w:
        if siting.plan.card.power_min_w is None:
            return say("ui.site.headline.no_cap_known", language, **values)
        return say(f"ui.site.headline.no_cap{pronoun}", language, **values)
    return say(f"ui.site.headline.lower_cap{pronoun}", language, **{**values, "cap_w": found})


def second_line(siting: Siting, language: str) -> str:
    """What stands under the answer: draw, band, the highest cap, and whatever else is in the way."""
    plan = siting.plan
    draw, remedies = plan.draw, plan.remedies
    values = {
        "server_kw": kw(draw.server_w),
        "va": plan.va,
        "low_kw": kw(draw.low_w),
        "high_kw": kw(draw.high_w),
        "circuit": circuit(plan.circuit, language),
    }
    parts = [say(f"ui.site.second.{'measured' if draw.measured else 'estimate'}", language, **values)]
    if not plan.connection.fits and remedies.cap_w is not None and remedies.cap_w < plan.site.power_cap_w:
        parts.append(say("ui.site.second.highest_cap", language, cap_w=remedies.cap_w, **values))
    if "phase" in plan.stops and remedies.phases is not None:
        parts.append(say("ui.site.second.spread", language, phases=remedies.phases, **values))
    named = plan.connection.stopped_by if _several(siting) else plan.stops[:1]
    others = ", ".join(what(kind, language) for kind in plan.stops if kind not in named)
    if others:
        parts.append(say("ui.site.second.also", language, others=others))
    return " ".join(parts)
