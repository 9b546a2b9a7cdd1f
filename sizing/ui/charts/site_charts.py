"""The charts of the site: connections, caps, servers in a rack, air."""

from __future__ import annotations

from typing import Any

from sizing.answers.siting import Siting
from sizing.base.texts import say, tell
from sizing.base.units import kw
from sizing.sheet.figures import marks, theme
from sizing.sheet.figures.marks import Plot, label
from sizing.sheet.figures.sizing_charts import air_alt, air_curve
from sizing.sheet.figures.theme import axis
from sizing.site.options import AtCap, OnCircuit
from sizing.ui.reports import site_report

_PARTS = (
    ("cards_w", theme.GREY_STRONG, theme.GROUND, theme.ACCENT, theme.ON_ACCENT),
    ("processors_w", theme.GREY, theme.TEXT, theme.GREY, theme.TEXT),
    ("rest_w", theme.GREY_SOFT, theme.TEXT, theme.GREY_SOFT, theme.TEXT),
)
"""Component; its colour and that of the text on it; the same for the visitor's choice."""
_ROWS = {"color": theme.MUTED, "tickfont": {"size": 11}}
"""Style of the axis of names in two lines."""


def _legend(language: str) -> marks.Mark:
    """The components in the order of the bar, above its chart."""
    squares = [
        f"<span style='color:{colour}'>■</span> {say(f'ui.power.{part}_short', language)}"
        for part, colour, *_ in _PARTS
    ]
    return label("  ".join(squares), 0, 1, None, "left", paper="xy", yanchor="bottom", yshift=16)


def _two_lines(name: str, said: str, *, chosen: bool, fits: bool) -> str:
    """A row's name above what is said of it: bold where it is the choice, in the limit's colour where it is passed."""
    name = f"<b>{name}</b>" if chosen else name
    return f"{name}<br>{said}" if fits else f"{name}<br><span style='color:{theme.LIMIT}'>{said}</span>"


# The servers by component as a share of what each connection of the region is planned to carry.

_WIDEST = 2.0
"""A bar of twice the planned load is cut off here; how far beyond it is stands beside it in figures."""
_TICKS = (0.0, 0.5, 1.0, 1.5, 2.0)


def _connections_height(siting: Siting) -> int:
    """Room for two lines of text a connection."""
    return 96 + 33 * len(siting.plan.on_circuits)


def _connections(siting: Siting, language: str) -> dict[str, Any]:
    """A stacked bar a connection; 100 % is its planned load."""
    rows, chosen = siting.plan.on_circuits, siting.plan.circuit
    names = [_connection(one, one.circuit == chosen, language) for one in rows]
    data = []
    for number, (part, colour, _, mine, _) in enumerate(_PARTS):
        shares = [one.shares[number] for one in rows]
        hover = say(f"ui.power.{part}", language) + ": %{customdata}"
        shown = [say("unit.share", language, value=share) for share in shares]
        edge = marks.outlined([mine if one.circuit == chosen else colour for one in rows])
        data.append(marks.bars(names, shares, "", hover, customdata=shown, marker=edge))
    ticks = [say("unit.share", language, value=share) for share in _TICKS]
    above = label(say("ui.site.planned", language), 1, 1, theme.LIMIT, paper="y", yanchor="bottom")
    return marks.figure(
        data,
        axis(say("ui.axis.planned_share", language), range=[0, _WIDEST], tickvals=_TICKS, ticktext=ticks),
        marks.names_axis(**_ROWS),
        language,
        labels=[_legend(language), above],
        shapes=[marks.upright(1, top=1)],
        barmode="stack",
        bargap=0.35,
        margin={"l": 8, "t": 34},
    )


def _connection(one: OnCircuit, chosen: bool, language: str) -> str:
    """The connection, and the load on it, or the limit that is passed."""
    loaded = say("ui.site.of_planned", language, load_kw=kw(one.load_w), planned_kw=kw(one.planned_w))
    if not one.connection.fits and one.limit.kind not in ("circuit", "site"):
        loaded = say(f"ui.site.over.{one.limit.kind}", language, load=one.limit.load, limit=one.limit.limit)
    return _two_lines(site_report.circuit(one.circuit, language), loaded, chosen=chosen, fits=one.connection.fits)


def _connections_alt(siting: Siting, language: str) -> str:
    parts = []
    for one in siting.plan.on_circuits:
        loaded = say("ui.site.of_planned", language, load_kw=kw(one.load_w), planned_kw=kw(one.planned_w))
        stopped = ", ".join(site_report.what(kind, language) for kind in one.connection.stopped_by)
        verdict = say("ui.site.alt_stopped", language, what=stopped) if stopped else say("ui.site.alt_runs", language)
        parts.append(f"{tell(one.circuit.name, language)}: {loaded}, {verdict}")
    return say("ui.alt.site_connections", language, parts="; ".join(parts))


# Wall power of the servers connected at every cap, by component, and what each cap saves.


def _caps(siting: Siting, language: str) -> dict[str, Any]:
    """A stacked bar a cap, the highest first; the chosen connection's planned load is a line where it is in reach."""
    rows, chosen_w = siting.plan.caps, siting.plan.cap_w
    names = [_cap(one, chosen_w, language) for one in rows]
    reach = 1.05 * max((kw(one.load_w) for one in rows), default=1.0)
    data = []
    for number, (part, colour, on, mine, mine_on) in enumerate(_PARTS):
        values = [kw(one.parts_w[number]) for one in rows]
        own = [one.cap_w == chosen_w for one in rows]
        style = marks.inside([mine_on if each else on for each in own])
        style.pop("constraintext")  # a figure that its segment has no room for is left out: uniformtext, below
        style["text"] = [say("unit.kw_number", language, value=value) for value in values]
        style["marker"] = marks.outlined([mine if each else colour for each in own])
        hover = say(f"ui.power.{part}", language) + ": %{x:.2f} kW"
        data.append(marks.bars(names, values, "", hover, **style))
    servers, planned_kw = siting.plan.servers, kw(siting.plan.on_chosen.planned_w)
    title = say("ui.axis.wall_kw" if servers == 1 else "ui.axis.wall_kw_servers", language, servers=servers)
    return marks.figure(
        data,
        axis(title, range=[0, marks.steady(reach)], nticks=6),
        marks.names_axis(**_ROWS),
        language,
        labels=[_legend(language), _planned(siting, planned_kw, reach, language)],
        shapes=[marks.upright(planned_kw, top=1)] if planned_kw < reach else [],
        barmode="stack",
        bargap=0.3,
        uniformtext={"mode": "hide", "minsize": 11},
        margin={"l": 8, "t": 34},
    )


def _cap(one: AtCap, chosen_w: float, language: str) -> str:
    """The cap, and what the server draws and saves."""
    name = say(f"ui.site.cap.{'mode' if one.mode else 'cap'}", language, cap_w=one.cap_w)
    drawn = say("unit.kw", language, value=kw(one.load_w))
    if one.saves_w > 0:
        drawn = say("ui.site.saves", language, drawn=drawn, saves_kw=kw(one.saves_w))
    return _two_lines(name, drawn, chosen=one.cap_w == chosen_w, fits=one.connection.fits)


def _planned(siting: Siting, planned_kw: float, longest: float, language: str) -> marks.Mark:
    """What the line is, or how far beyond the axis it lies."""
    inside = planned_kw < longest
    text = say(
        "ui.power.planned", language, value=planned_kw, circuit=site_report.circuit(siting.plan.circuit, language)
    )
    side = "right" if not inside or planned_kw > 0.6 * longest else "center"
    place = planned_kw if inside else longest
    return label(text if inside else f"{text} →", place, 1, theme.LIMIT, side, paper="y", yanchor="bottom")


def _caps_alt(siting: Siting, language: str) -> str:
    parts = [
        say(
            "ui.site.alt_cap",
            language,
            cap_w=one.cap_w,
            load_kw=kw(one.load_w),
            saves_kw=kw(one.saves_w),
            cards_save_w=one.cards_save_w,
        )
        for one in siting.plan.caps
    ]
    circuit = site_report.circuit(siting.plan.circuit, language)
    values = {"planned_kw": kw(siting.plan.on_chosen.planned_w), "circuit": circuit, "parts": "; ".join(parts)}
    return say("ui.alt.site_caps", language, **values)


# How many servers the connection, a rack's power and a rack's height take, against the cap.

_LINES = (
    ("on_circuit", theme.ACCENT, "solid"),
    ("on_feed", theme.GREY_STRONG, "solid"),
    ("in_rack", theme.GREY_STRONG, "dot"),
)
"""Count of a row, colour and dash of its line."""


def _servers(siting: Siting, language: str) -> dict[str, Any]:
    """A stepped line for each limit that is asked for; the chosen cap is marked with its counts."""
    rows, now = siting.plan.at_fine_caps, siting.plan.cap_w
    caps = [row.cap_w for row in rows]
    data, labels, top = [], [], 1
    # Each label at a place of its own along its line, that of the feed on the side where the chosen cap is not.
    right = now < caps[0] + 0.55 * (caps[-1] - caps[0])
    along = {"on_circuit": ("left", 0.0), "on_feed": ("left", 0.6 if right else 0.38), "in_rack": ("right", 1.0)}
    for name, colour, dash in _LINES:
        counts = [getattr(row, name) for row in rows]
        if counts[0] is None:
            continue
        top = max(top, *counts)
        said = site_report.servers_line(name, siting, language)
        data.append(marks.line(caps, counts, colour, 2, f"%{{x}} W: %{{y}} · {said}", dash=dash, shape="vh"))
        side, share = along[name]
        number = round(share * (len(caps) - 1))
        above: marks.Mark = (
            {"yanchor": "top", "yshift": -3} if name == "in_rack" else {"yanchor": "bottom", "yshift": 3}
        )
        labels.append(label(said, caps[number], counts[number], colour, side, **above))
    for row in siting.plan.at_caps:
        if row.cap_w == now:
            counts = [getattr(row, name) for name, *_ in _LINES if getattr(row, name) is not None]
            text = {"text": [f"<b>{count}</b>" for count in counts], "textposition": "top right", "cliponaxis": False}
            style = {"mode": "markers+text", "textfont": {"size": 12, "color": theme.ACCENT}}
            data.append(marks.dots([now] * len(counts), counts, theme.ACCENT, 8) | text | style)
    margin = max(10.0, (caps[-1] - caps[0]) * 0.03)
    return marks.figure(
        data,
        axis(say("ui.axis.cap_w", language), range=[caps[0] - margin, caps[-1] + margin], nticks=7),
        axis(say("ui.axis.servers", language), range=[-0.04 * top, top * 1.18], nticks=6, tickformat=",d"),
        language,
        labels=labels,
        margin={"l": 44, "r": 30},
    )


def _servers_alt(siting: Siting, language: str) -> str:
    parts = []
    for row in siting.plan.at_caps:
        counts = [
            f"{getattr(row, name)} {site_report.servers_line(name, siting, language)}"
            for name, *_ in _LINES
            if getattr(row, name) is not None
        ]
        parts.append(f"{say('ui.power.mode', language, cap_w=row.cap_w)}: {', '.join(counts)}")
    return say("ui.alt.site_servers", language, server_kw=kw(siting.plan.draw.server_w), parts="; ".join(parts))


# Air that carries the heat away at this height, with the cards' band, and their need at this inlet.


def _air(siting: Siting, language: str) -> dict[str, Any]:
    """The sizing page's curve, the chosen rise in both units, and the need at this inlet as a line."""
    plan, cool = siting.plan, siting.plan.cooling
    needs = [say("ui.site.cards_need", language, cfm=cfm, inlet_c=inlet_c) for inlet_c, cfm in plan.cards_airflow_cfm]
    labels, shapes = [], []
    need = cool.cards_cfm
    if need is not None:
        said = say("ui.site.cards_need_here", language, cfm=need, inlet=_inlet(siting, language))
        labels.append(label(said, 0.99, need, theme.ACCENT, "right", paper="x", yanchor="top"))
        shapes.append(marks.level(need, theme.ACCENT, width=1.5))
    flow = say("unit.cfm_m3", language, cfm=cool.cfm, m3_per_h=cool.m3_per_h)
    return air_curve(plan, flow, needs, language, labels, shapes)


def _inlet(siting: Siting, language: str) -> str:
    inlet = siting.plan.inlet
    return site_report.degrees(inlet.c, inlet.f, language)


def _air_alt(siting: Siting, language: str) -> str:
    text, need, cards = air_alt(siting.plan, language), siting.plan.cooling.cards_cfm, siting.scenario.cards
    if need is None:
        return text
    key = "ui.alt.site_air_one" if cards == 1 else "ui.alt.site_air"
    return f"{text} {say(key, language, cfm=need, inlet=_inlet(siting, language), cards=cards)}"


site_connections = Plot("site_connections", _connections, _connections_alt, _connections_height)
site_caps = Plot("site_caps", _caps, _caps_alt)
site_servers = Plot("site_servers", _servers, _servers_alt)
site_air = Plot("site_air", _air, _air_alt)
