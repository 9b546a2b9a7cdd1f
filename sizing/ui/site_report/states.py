"""Idle, typical and full load with what each figure rests on, and the energy of a year."""

from __future__ import annotations

from sizing.answers.siting import Siting
from sizing.base.errors import SizingError
from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.base.units import kw


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
    return join([table(say("ui.region.states", language), head, rows), below])
