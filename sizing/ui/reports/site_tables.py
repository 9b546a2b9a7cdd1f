"""Tables of the site page: servers on each connection by cap, chassis, parts, facts."""

from __future__ import annotations

from collections.abc import Sequence

from sizing import catalogue
from sizing.answers import wording
from sizing.answers.siting import Siting
from sizing.base.markup import NOTHING, Markup, folded, join, table, tag
from sizing.base.texts import say, tell
from sizing.catalogue import Figure
from sizing.site.chassis import Judged
from sizing.ui.reports import common, site_report


def servers(siting: Siting, language: str) -> Markup:
    """How many such servers every connection of the region takes at each cap."""
    return folded("servers-table", say("ui.site.all_connections", language), lambda: _servers(siting, language))


def _servers(siting: Siting, language: str) -> Markup:
    plan = siting.plan
    caps = [one.cap_w for one in plan.caps]
    head = [say("ui.column.connection", language), *(say("unit.w", language, value=cap_w) for cap_w in caps)]
    rows = [
        [
            tell(one.circuit.name, language),
            *(say("unit.integer", language, value=row.on_circuit) for row in plan.rows(caps, one.circuit)),
        ]
        for one in plan.on_circuits
    ]
    for name in ("on_feed", "in_rack"):
        counts = [getattr(row, name) for row in plan.rows(caps)]
        if counts and counts[0] is not None:
            rows.append(
                [
                    site_report.servers_line(name, siting, language),
                    *(say("unit.integer", language, value=one) for one in counts),
                ]
            )
    chosen = next(number for number, one in enumerate(plan.on_circuits) if one.circuit == plan.circuit)
    return table(say("ui.site.servers_caption", language), head, rows, marked=chosen)


CHASSIS_SHOWN = 2
"""Servers in view, those that fit first; the others are a fold away."""


def chassis(siting: Siting, language: str) -> Markup:
    """Every listed server: does it take the cards, why not, and what its maker states; blanks are said to be blank."""
    plan = siting.plan
    head = ("chassis", "verdict", "height", "takes", "supplies", "inlet_limit")
    columns = [tag("th", say(f"ui.column.{column}", language), scope="col") for column in head]
    counts = {
        verdict: sum(one.verdict == verdict for one in plan.chassis)
        for verdict in ("fits", "conditional", "unknown", "stopped")
    }
    caption = say(
        "ui.site.chassis.caption",
        language,
        cards=site_report.cards(siting.scenario.cards, language),
        cap_w=plan.cap_w,
        **counts,
    )
    region = say("ui.region.chassis", language)

    def rows(shown: Sequence[Judged], *said: Markup | str) -> Markup:
        made = tag(
            "table",
            tag("caption", *said) if said else NOTHING,
            tag("thead", tag("tr", *columns)),
            tag("tbody", *(_chassis_row(one, language) for one in shown)),
            class_="sizing-table site-chassis",
        )
        return tag("div", made, class_="sizing-scroll", tabindex="0", role="group", aria_label=region)

    first, others = plan.chassis[:CHASSIS_SHOWN], plan.chassis[CHASSIS_SHOWN:]
    more = say("ui.site.chassis_more", language, count=len(others))
    heading = tag("span", region, class_="site-heading")
    return join([rows(first, heading, " ", caption), folded("chassis-more", more, lambda: rows(others))])


def _chassis_row(one: Judged, language: str) -> Markup:
    server = one.server
    others = [note for note in one.notes if note.level != "stop"]
    said = [note.say(language) for note in (*one.reasons, *others)]
    sources = "; ".join(catalogue.source(key).title for key in server.sources)
    basis = say(
        "ui.site.chassis.source",
        language,
        sources=sources,
        confidence=say(f"ui.site.confidence.{server.confidence}", language),
    )
    verdict = [
        tag("strong", say(f"ui.site.verdict.{one.verdict}", language)),
        " ",
        " ".join(said),
        " ",
        tag("small", basis),
    ]
    cells = (
        ("height", say("ui.site.u", language, value=server.height_u) if server.height_u else ""),
        ("takes", _takes(one, language)),
        ("supplies", _supplies(one, language)),
        ("inlet_limit", _inlet(one, language)),
    )
    return tag(
        "tr",
        tag("th", tell(server.name, language), scope="row"),
        tag("td", *verdict),
        *(
            tag(
                "td",
                value or say("ui.site.not_found", language),
                class_="" if value else "site-blank",
                data_label=say(f"ui.column.{name}", language),
            )
            for name, value in cells
        ),
        class_=f"site-{one.verdict}",
    )


def _takes(one: Judged, language: str) -> str:
    server = one.server
    stated = [
        say("ui.site.chassis.at", language, count=count, cap_w=cap_w) for cap_w, count in reversed(server.cards_at)
    ]
    if server.cards_any_cap is not None:
        stated.append(say("ui.site.chassis.any_cap", language, count=server.cards_any_cap))
    return ", ".join(stated)


def _supplies(one: Judged, language: str) -> str:
    server = one.server
    if server.supply_w is None:
        return ""
    if server.supply_count is None:
        return say("ui.site.chassis.supplies_uncounted", language, supply_w=server.supply_w)
    text = say("ui.site.chassis.supplies", language, count=server.supply_count, supply_w=server.supply_w)
    return f"{text}, {server.supply_scheme}" if server.supply_scheme else text


def _inlet(one: Judged, language: str) -> str:
    limit = one.inlet_limit
    return "" if limit is None else site_report.degrees(limit.c, limit.f, language)


def parts(siting: Siting, language: str) -> Markup:
    """The server as a list to order by, and which cards belong under which socket."""
    head = [say(f"ui.column.{column}", language) for column in ("part", "why")]
    rows = []
    for part in siting.parts:
        name = part.what(language)
        if part.quantity is not None:
            name = say("ui.site.quantity", language, quantity=part.quantity, what=name)
        source = tag("small", catalogue.source(part.source).title) if part.source else ""
        rows.append([name, join([part.why(language), " ", source])])
    sockets = [
        say(
            "ui.site.socket",
            language,
            socket=number,
            pairs=say("ui.site.pair_break", language).join(" + ".join(str(card) for card in pair) for pair in held),
        )
        for number, held in enumerate(siting.plan.pairs)
        if held
    ]
    below = say("ui.site.pairs", language, sockets="; ".join(sockets))
    region = say("ui.region.parts", language)
    listed = join([table(region, head, rows, numeric=9), tag("p", below, class_="site-small")])
    return folded("parts", region, lambda: listed)


def facts(siting: Siting, language: str) -> Markup:
    """Every figure of the catalogue that the page used, with its source and those that contradict it."""
    return folded("facts", say("ui.site.facts_summary", language), lambda: _facts(siting, language))


def _facts(siting: Siting, language: str) -> Markup:
    plan = siting.plan
    card, facts, circuit, cord = plan.card, plan.facts, plan.circuit, plan.cord

    def row(name: str, value: str, source: str, note: str = "", **more: float) -> list[str]:
        return [say(f"ui.site.fact.{name}", language, **more), value, note, common.read_on(source, language)]

    connection = f"{tell(circuit.name, language)}, {tell(circuit.connector, language)}"
    rows = [
        row("circuit", connection, circuit.source, tell(circuit.note, language)),
        row("cord", f"{cord.name}: {wording.number(cord.amps, language)} A", cord.source),
    ]
    named: list[tuple[str, Figure | None]] = [
        ("power_min", card.power_min_w),
        ("power_default", card.power_default_w),
        ("power_max", card.power_max_w),
        *(
            (f"processor_{name}", getattr(plan.processor, name))
            for name in ("tdp_w", "cores", "base_ghz", "memory_channels")
        ),
        *((name, getattr(facts, name)) for name in FACTS),
    ]
    rows += [
        common.fact(say(f"ui.site.fact.{name}", language), figure, tell(figure.note, language), language)
        for name, figure in named
        if figure is not None
    ]
    for point in card.airflow:
        rows.append(row("airflow", say("unit.cfm", language, value=point.cfm), point.source, inlet_c=point.inlet_c))
    curve = plan.efficiency
    points = ", ".join(say("ui.site.fact.point", language, load=load, efficiency=share) for load, share in curve.points)
    rows.append(row("efficiency", points, curve.source))
    head = [say(f"ui.column.{column}", language) for column in ("fact", "used", "others", "source")]
    return table(say("ui.region.facts", language), head, rows, numeric=9)


FACTS = (
    "wall_share_low",
    "wall_share_high",
    "host_idle_share",
    "power_factor",
    "inrush_a",
    "transient_factor",
    "bank_share",
    "pue",
    "price_eur_per_kwh",
)
"""Figures of data/power.toml, by their names there."""
