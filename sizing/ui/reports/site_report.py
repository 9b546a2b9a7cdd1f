"""Names of connections, caps and counts as a person says them, and the answer as a sentence."""

from __future__ import annotations

import functools
from typing import Any

from sizing import catalogue
from sizing.answers.answer import Answer
from sizing.answers.siting import Siting
from sizing.base.errors import SizingError
from sizing.base.markup import Markup, folded, join, table, tag
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.site.supplies import Case
from sizing.ui.reports import common


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
    scenario = siting.scenario
    values = {
        "circuit": circuit(siting.plan.circuit, language),
        "feed_kw": scenario.rack_feed_kw,
        "rack_u": scenario.rack_u,
    }
    return say(f"ui.site.line.{name}", language, **values)


def headline(siting: Siting, language: str) -> str:
    """The answer as one sentence: it runs, or what stops it and what would carry it."""
    plan = siting.plan
    values = _values(siting, language)
    if not plan.stops:
        sentence = say(f"ui.site.headline.fits_{_number(siting)}", language, **values)
        return sentence + say("ui.site.headline.no_margin", language) if plan.connection.no_margin else sentence
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
    if siting.plan.servers > 1:
        return "servers"
    return "one" if siting.scenario.cards == 1 else "many"


def _values(siting: Siting, language: str) -> dict[str, Any]:
    plan = siting.plan
    scenario = siting.scenario
    limits = {limit.kind: limit for limit in plan.connection.limits}
    bank, lowest = limits.get("bank"), plan.card.power_min_w
    return {
        "cards": cards(siting.scenario.cards, language),
        "cards_inside": cards(siting.scenario.cards, language, inside=True),
        "servers": plan.servers,
        "card": plan.card.name,
        "cap_w": plan.cap_w,
        "min_w": lowest.value if lowest else 0,
        "max_w": plan.card.power_max_w.value,
        "circuit": circuit(plan.circuit, language),
        "load_kw": kw(limits["circuit"].load),
        "planned_kw": kw(limits["circuit"].limit),
        "server_kw": kw(plan.draw.server_w),
        "count": scenario.supplies,
        "supply_w": scenario.supply_w,
        "cord": plan.cord.name,
        "cord_a": plan.cord.amps,
        "cord_load_a": limits["cord"].load,
        "bank_a": bank.limit if bank else 0,
        "bank_load_a": bank.load if bank else 0,
        "site_kw": scenario.site_limit_kw,
        "inlet": degrees(plan.inlet.c, plan.inlet.f, language),
        "warmest_c": max((point.inlet_c for point in plan.card.airflow), default=0),
        "processor": plan.processor.name,
        "sockets": scenario.processors,
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
    if found is None or found >= siting.plan.cap_w:
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
        "va": plan.server_va.result,
        "low_kw": kw(draw.low_w),
        "high_kw": kw(draw.high_w),
        "circuit": circuit(plan.circuit, language),
    }
    parts = [say(f"ui.site.second.{'measured' if draw.measured else 'estimate'}", language, **values)]
    if not plan.connection.fits and remedies.cap_w is not None and remedies.cap_w < plan.cap_w:
        key = "highest_cap_no_margin" if remedies.no_margin else "highest_cap"
        parts.append(say(f"ui.site.second.{key}", language, cap_w=remedies.cap_w, **values))
    if "phase" in plan.stops and remedies.phases is not None:
        parts.append(say("ui.site.second.spread", language, phases=remedies.phases, **values))
    named = plan.connection.stopped_by if _several(siting) else plan.stops[:1]
    others = ", ".join(what(kind, language) for kind in plan.stops if kind not in named)
    if others:
        parts.append(say("ui.site.second.also", language, others=others))
    return " ".join(parts)


def answer(found: Answer, siting: Siting, language: str, *, stale: bool) -> Markup:
    """The top of the page. stale: some input cannot be used, so that this speaks of the last usable ones."""
    plan = siting.plan
    cool = plan.cooling
    figures = [
        ("server", say("unit.kw", language, value=kw(plan.draw.server_w))),
        ("current", say("ui.site.current", language, amps=plan.server_a.result, volts=plan.outlet_volts)),
        ("fits_here", say("unit.integer", language, value=plan.servers_on_circuit)),
        ("air", say("unit.cfm_m3", language, cfm=cool.cfm, m3_per_h=cool.m3_per_h)),
        ("heat", say("ui.site.heat", language, btu=cool.btu_per_h)),
        ("exhaust", degrees(cool.exhaust.c, cool.exhaust.f, language)),
    ]
    subject = say(
        "ui.site.subject",
        language,
        cards=siting.scenario.cards,
        card=plan.card.name,
        processors=siting.scenario.processors,
        processor=plan.processor.name,
        circuit=plan.circuit.name,
        feeds=say(f"input.feeds.{siting.scenario.feeds}", language),
    )
    return common.opening(
        found,
        subject,
        tag("p", headline(siting, language), class_="sizing-verdict" + (" sizing-no" if plan.stops else "")),
        second_line(siting, language),
        stale=stale,
        language=language,
        shown=[
            (say(f"ui.figure_name.{name}", language), value, name == "server" and not plan.draw.measured)
            for name, value in figures
        ],
    )


WIDTH, HEIGHT, GAP = 13, 26, 4


def diagram(siting: Siting, language: str) -> Markup:
    """A row a situation: supplies by feed, filled to their load, lost ones crossed out, and the verdict in words."""
    rows = [_situation(case, siting, language) for case in siting.plan.supply_cases]
    scheme = siting.plan.supply_scheme
    title = say("ui.region.supplies", language)
    values = {
        "count": siting.scenario.supplies,
        "supply_w": siting.scenario.supply_w,
        "scheme": scheme,
        "cord": siting.plan.cord.name,
    }
    lead = say("ui.site.supplies.scheme" if scheme else "ui.site.supplies.too_small", language, **values)
    return join([tag("h2", title), tag("p", lead, class_="site-lead"), *rows, _point(siting, language)])


def _situation(case: Case, siting: Siting, language: str) -> Markup:
    feeds = siting.plan.arrangement.feeds
    lost = {"all_working": (0, 0), "one_supply_lost": (1, 0), "one_feed_lost": (feeds[0], 0)}[case.name]
    drawn = [
        tag(
            "span",
            tag("span", say(f"ui.site.feed.{number}", language) if len(feeds) > 1 else ""),
            _feed(count, lost[number] if number < 2 else 0, case.share),
            class_="site-feed",
        )
        for number, count in enumerate(feeds)
    ]
    carried = "carried" if case.working > 1 else "carried_one"
    key = carried if case.fits else "not_carried" if case.working else "none_left"
    values = {
        "working": case.working,
        "available_kw": kw(case.available_w),
        "load_kw": kw(case.load_w),
        "share": case.share,
    }
    return tag(
        "div",
        tag("span", *drawn, class_="site-feeds", aria_hidden="true"),
        tag(
            "span",
            tag("strong", say(f"ui.site.supplies.{case.name}", language)),
            " ",
            say(f"ui.site.supplies.{key}", language, **values),
            class_="" if case.fits else "site-over",
        ),
        class_="site-case",
    )


def _feed(count: int, lost: int, share: float) -> Markup:
    """The supplies of one feed: filled from below to their share of the load, the lost ones empty and crossed out."""
    parts = []
    filled, box = round(min(1.0, share) * HEIGHT, 1), functools.partial(tag, "rect", width=str(WIDTH))
    for number in range(count):
        x = number * (WIDTH + GAP) + 1
        gone = number >= count - lost
        if not gone:
            kind = "site-fill" if share <= 1 else "site-fill site-full"
            parts.append(box(x=str(x), y=str(HEIGHT - filled + 1), height=str(filled), class_=kind))
        parts.append(box(x=str(x), y="1", height=str(HEIGHT), class_="site-gone" if gone else "site-box"))
        if gone:
            cross = f"M{x} 1L{x + WIDTH} {HEIGHT + 1}M{x + WIDTH} 1L{x} {HEIGHT + 1}"
            parts.append(tag("path", d=cross, class_="site-cross"))
    wide = count * (WIDTH + GAP) - GAP + 2
    return tag("svg", *parts, width=str(wide), height=str(HEIGHT + 2), viewBox=f"0 0 {wide} {HEIGHT + 2}")


def _point(siting: Siting, language: str) -> Markup:
    """Where the supplies work on their curve of efficiency."""
    point = siting.plan.operating_point
    if point.efficiency is None or point.loss_w is None:
        text = say("ui.site.supplies.no_efficiency", language, share=point.load_share)
    else:
        values = {"share": point.load_share, "efficiency": point.efficiency, "loss_w": point.loss_w}
        text = say("ui.site.supplies.efficiency", language, **values)
    return tag("p", text, class_="site-small")


def states(siting: Siting, language: str) -> Markup:
    """A row a state, and a sentence on the year."""
    plan = siting.plan
    try:
        hours: tuple[float, ...] | None = plan.energy.hours
        year = say(
            "ui.site.year",
            language,
            site_kwh=plan.energy.site_kwh,
            server_kwh=plan.energy.server_kwh,
            cost=plan.energy.cost,
            pue=siting.scenario.pue,
            price=siting.scenario.price_per_kwh,
            mean_w=plan.energy.mean_w,
        )
        below = tag("p", year, class_="site-lead")
    except SizingError as error:
        hours = None
        below = tag("p", error.say(language), class_="sizing-error")
    head = [say(f"ui.column.{column}", language) for column in ("state", "a_card", "wall", "hours")]
    rows = []
    for number, one in enumerate((plan.states.idle, plan.states.typical, plan.states.full)):
        basis = say(f"ui.site.basis.{one.basis}", language)
        card = say(f"ui.site.basis.{one.card_basis}", language)
        why = basis if one.basis == "measured" else say("ui.site.basis.both", language, card=card, server=basis)
        rows.append(
            [
                join([say(f"ui.site.state.{one.name}", language), " ", tag("small", why)]),
                say("unit.w", language, value=one.card_w),
                say("unit.kw", language, value=kw(one.server_w)),
                say("ui.site.hours", language, value=hours[number]) if hours else "",
            ]
        )
    title = say("ui.region.states", language)
    return join([folded("states", title, lambda: table(title, head, rows)), below])


def commands(siting: Siting, language: str) -> Markup:
    """Commands for a running system, a unit for each start, and how to check what holds."""
    plan = siting.plan
    made = plan.commands
    title = say("ui.region.cap", language)
    if "cap" in plan.stops:
        return join([tag("h2", title), tag("p", say("ui.site.commands.none", language), class_="site-lead")])
    lines: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("now", "\n".join(f"sudo {command}" for command in made.now), {}),
        ("unit", made.unit_file, {"path": made.unit_path}),
        ("enable", made.enable, {}),
        ("check", made.check, {}),
    )
    blocks = [
        tag(
            "div",
            tag("p", say(f"ui.site.commands.{name}", language, **values)),
            tag("pre", text, class_="site-copy", tabindex="0"),
        )
        for name, text, values in lines
    ]
    intro = say("ui.site.commands.intro", language, cap_w=plan.cap_w)
    inside = join([tag("p", intro, class_="site-lead"), tag("div", *blocks, class_="site-commands")])
    return folded("cap", title, lambda: inside)
