"""The answer of the site page: the sentence, a line under it, and the figures that a call asks for."""

from __future__ import annotations

from sizing.answers.siting import Siting
from sizing.base.markup import Markup, join, tag
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.ui.site_report import words


def answer(siting: Siting, language: str, *, stale: bool) -> Markup:
    """The top of the page. stale: some input cannot be used, so that this speaks of the last usable ones."""
    plan = siting.plan
    cool = plan.cooling
    figures = [
        ("server", say("unit.kw", language, value=kw(plan.draw.server_w))),
        ("current", say("ui.site.current", language, amps=plan.amps, volts=plan.outlet_volts)),
        ("fits_here", say("unit.integer", language, value=plan.servers_on_circuit)),
        ("air", say("unit.cfm_m3", language, cfm=cool.cfm, m3_per_h=cool.m3_per_h)),
        ("heat", say("ui.site.heat", language, btu=cool.btu_per_h)),
        ("exhaust", words.degrees(cool.exhaust.c, cool.exhaust.f, language)),
    ]
    shown = [
        tag(
            "div",
            tag("dt", say(f"ui.figure_name.{name}", language)),
            tag("dd", value),
            class_="sizing-estimate" if name == "server" and not plan.draw.measured else None,
        )
        for name, value in figures
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
    runs = "" if not plan.stops else " sizing-no"
    return join(
        [
            tag("p", subject, class_="sizing-subject"),
            tag("p", words.headline(siting, language), class_="sizing-answer" + runs),
            tag("p", words.second_line(siting, language), class_="sizing-second"),
            tag("p", say("ui.stale", language), class_="sizing-stale") if stale else Markup(),
            tag("dl", *shown, class_="sizing-figures"),
        ]
    )
