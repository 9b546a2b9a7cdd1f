"""The written parts of a call: its steps, the need, the offer, what else would do, what was pinned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sizing.answers import sentence, wording
from sizing.answers.wording import source_title
from sizing.base.markup import Markup, join, table, tag
from sizing.base.texts import say
from sizing.catalogue.inputs import asked_on, inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand.call import Call
from sizing.demand.goal import Proposal, Proposals
from sizing.sharing.shared import Shared
from sizing.sheet.bill import lines, total
from sizing.sheet.request import Request
from sizing.ui import controls
from sizing.ui.reports import common, sharing_report, sizing_report

Pinned = tuple[Call, Shared | None]
"""A scenario's answers, and those of its services where it has several."""


def need(call: Call, language: str) -> Markup:
    """The sentence about the people, its figures, the three counts, and the working."""
    demand, counts = call.demand, call.counts
    parts = [
        tag("h2", say("ui.region.call_need", language)),
        tag("p", _sentence(call, language), class_="sizing-second"),
    ]
    if demand:
        figures = (
            ("arrivals", say("call.figure.per_minute", language, value=demand.arrivals_per_s * 60)),
            ("seconds", _seconds(call, language)),
            ("mean", say("unit.decimal", language, value=demand.mean)),
            ("peak", say("unit.integer", language, value=demand.peak)),
        )
        parts.append(common.figures((say(f"call.figure.{name}", language), text) for name, text in figures))
    if counts:
        rows = [
            [
                say(f"call.count.{name}", language),
                say("unit.integer", language, value=tokens),
                say("ui.no_limit", language) if count is None else say("unit.integer", language, value=count),
            ]
            for name, tokens, count in (
                ("full", counts.context_tokens, counts.at_full_context),
                ("final", counts.mean_final_tokens, counts.at_mean_final_length),
                ("resident", counts.mean_resident_tokens, counts.at_mean_resident_length),
            )
        ]
        head = [say(f"call.column.{name}", language) for name in ("counted", "tokens", "conversations")]
        servers = call.scenario.servers
        caption = "call.count.caption" if servers == 1 else "call.count.caption_many"
        parts.append(table(say(caption, language, servers=servers), head, rows))
    found = [each for each in (demand, counts) if each]
    if found:
        steps = lambda: [step for each in found for step in each.working]  # noqa: E731
        parts.append(common.section("working-call_need", steps, language))
    return join(parts)


def _sentence(call: Call, language: str) -> str:
    scenario, demand = call.scenario, call.demand
    if scenario.wanted_conversations:
        return say("call.people.wanted", language, wanted=scenario.wanted_conversations)
    if demand is None:
        return say("call.people.unknown" if scenario.staff else "call.people.none", language, staff=scenario.staff)
    key, percent = "measured" if demand.measured else "estimated", 100 * scenario.peak_percentile
    return say(f"call.people.{key}", language, staff=scenario.staff, peak=demand.peak, percent=percent)


def _seconds(call: Call, language: str) -> str:
    assert call.demand is not None
    value = say("call.figure.seconds_value", language, value=call.demand.seconds_per_request)
    return value if call.seconds_from == "input" else f"{value} · {say(f'call.seconds.{call.seconds_from}', language)}"


def answer(call: Call, shared: Shared | None, language: str, *, stale: bool) -> Markup:
    """The sizing's or the services' answer, and below it the verdict on the need."""
    if shared is not None:
        power = tag("p", wording.connection(call.sizing, language), class_="sizing-second")
        return join([sharing_report.answer(shared, language, stale=stale), power])
    return sizing_report.answer(call.answer, None, language, stale=stale)


def offer(request: Request, language: str) -> Markup:
    """Every line with quantity, reason and price, and the sum of the priced ones."""
    found = lines(request)
    remark = say("sheet.parts.servers", language, servers=request.servers) if request.servers > 1 else ""
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
    if summed := total(found):
        said = say("call.offer.total", language, amount=summed[0], currency=summed[1])
        shown.append(tag("p", said, class_="sizing-second"))
    return join(shown)


def goals(found: Proposals, language: str) -> tuple[str, list[dict[str, Any]]]:
    """The sentence above, and a card for each answer; where there is none, the nearest one with its reasons."""
    if found.answers:
        intro = say("call.goal.answers", language, looked_at=found.looked_at)
        return intro, [_card(str(number), each, language) for number, each in enumerate(found.answers)]
    intro = say("call.goal.none", language, looked_at=found.looked_at)
    return intro, [_card("0", found.nearest, language)] if found.nearest else []


def _card(key: str, answer: Proposal, language: str) -> dict[str, Any]:
    lines = [(_figures(answer, language), "")]
    lines += [(miss.note.say(language), "bad") for miss in answer.misses]
    lines += [(note.say(language), "good") for note in answer.gains]
    lines += [(say("call.goal.gives_up", language, what=note.say(language)), "") for note in answer.gives_up]
    return {
        "key": key,
        "title": _title(answer, language),
        "lines": [list(line) for line in lines],
        "button": say("call.goal.take", language),
    }


def _title(answer: Proposal, language: str) -> str:
    servers = say("goal.servers.one" if answer.servers == 1 else "goal.servers.many", language, count=answer.servers)
    return say(
        "call.goal.title_one" if answer.scenario.cards == 1 else "call.goal.title",
        language,
        servers=servers,
        cards=answer.scenario.cards,
        layout=wording.layout_phrase(answer.layout, language),
        precision=wording.precision(answer.kv_dtype, language),
    )


def _figures(answer: Proposal, language: str) -> str:
    count = (
        say("ui.no_limit", language)
        if answer.conversations is None
        else say("call.goal.holds", language, conversations=answer.conversations, context_tokens=answer.context_tokens)
    )
    power = say("call.goal.power", language, kw=answer.power_w / 1000, cap_w=answer.cap_w)
    parts = [count, power]
    if answer.price is not None:
        parts.append(say("call.goal.price", language, price=answer.price, currency=answer.scenario.offer_currency))
    return " · ".join(parts)


def pins(shown: Pinned, pins: Sequence[Pinned], language: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Heads and rows: every input in which any of them differs, then every result; the page's own first."""
    columns = [say("call.pins.now", language)]
    columns += [say("call.pins.pin_name", language, number=number) for number in range(1, len(pins) + 1)]
    everything = [shown, *pins]
    rows: list[dict[str, Any]] = []
    differing = [name for name in inputs() if len({getattr(call.scenario, name) for call, _ in everything}) > 1]
    rows.append(_part(say("call.pins.inputs" if differing else "call.pins.same_inputs", language)))
    for name in differing:
        spec = inputs()[name]
        texts = [controls.said(spec, call.scenario, language) for call, _ in everything]
        rows.append(_row(spec.label(language), texts))
    if any(shared for _, shared in everything):
        rows.append(_row(say("call.pins.services", language), [_services(each, language) for each in everything]))
    rows.append(_part(say("call.pins.results", language)))
    found = [_results(call, shared, language) for call, shared in everything]
    rows += [_row(label, [dict(each)[label] for each in found]) for label, _ in found[0]]
    return columns, rows


def _results(call: Call, shared: Shared | None, language: str) -> list[tuple[str, str]]:
    """The figures that a call compares, each with its label."""
    sizing = call.sizing
    none = say("call.pins.none_value", language)
    held = none if shared else sentence.count(call.answer, language)
    if call.holds and not shared and call.scenario.servers > 1:
        values = {"one": held, "holds": call.holds, "servers": call.scenario.servers}
        held = say("call.pins.all_servers", language, **values)
    placed = none
    if shared:
        needs = shared.placement.needs
        placed = say("ui.sharing.of", language, part=len(needs) - len(shared.placement.left_out), whole=len(needs))
    layout = kv_gib = weights_gib = none
    if not shared:
        layout = wording.layout_name(sizing.best, language)
        kv_gib = say("unit.gib_exact", language, value=sizing.kv_gib_per_conversation)
        weights_gib = say("unit.gib", language, value=sizing.weights_gib)
    verdict = f"call.connection_{sizing.circuit.connection.verdict}"
    found = {
        "call.figure.needed": say("unit.integer", language, value=call.needed) if call.needed else none,
        "ui.figure_name.conversations": held,
        "call.figure.layout": layout,
        "call.figure.placed": placed,
        "ui.figure_name.per_conversation": kv_gib,
        "ui.figure_name.weights": weights_gib,
        "ui.figure_name.server": say("unit.kw", language, value=sizing.server_w / 1000),
        "call.figure.connection": say(verdict, language, circuit=sizing.circuit.name),
        "ui.figure_name.air": say("unit.cfm_m3", language, cfm=sizing.cfm, m3_per_h=sizing.m3_per_h),
    }
    return [(say(key, language), text) for key, text in found.items()]


def _services(pinned: Pinned, language: str) -> str:
    _, shared = pinned
    if shared is None:
        return say("call.pins.none_value", language)
    return "; ".join(f"{each.copies} × {each.checkpoint}" for each in shared.plan.services)


def _part(label: str) -> dict[str, Any]:
    return {"label": label, "cells": [], "part": True}


def _row(label: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"label": label, "cells": [[text, text != texts[0]] for text in texts], "part": False}


# The five steps of a call: which inputs each shows, and what it has come to in a few words.


NAMES = ("need", "model", "server", "site", "offer")

_STEPS = {name: asked_on(f"call.{name}") for name in NAMES}
INPUTS = tuple(name for step in _STEPS.values() for name in step)

# What says nothing where several services run, each with a model and a context of its own.
_MIX = tuple(name for name in _STEPS["need"] if name.startswith(("short_", "document_", "agent_")))
_GOAL = tuple(name for name in _STEPS["server"] if inputs()[name].group == "goal")
_OWN = {*_STEPS["model"], *_GOAL, *_MIX, "prompt_tokens", "answer_tokens", "servers_offered"}
_ONE_MODEL = _OWN - {"engine_version"}


def inputs_of(step: str, scenario: Scenario) -> tuple[str, ...]:
    """The inputs that a step shows."""
    names = _STEPS[step]
    if scenario.workload == "several":
        names = tuple(name for name in names if name not in _ONE_MODEL)
    if scenario.seconds_per_request:
        names = tuple(name for name in names if name not in ("prompt_tokens", "answer_tokens"))
    return names


def summaries(call: Call, shared: Shared | None, language: str) -> list[dict[str, str]]:
    """Each step with its title, what it has come to, and whether that holds ("good", "bad" or "")."""
    scenario, sizing = call.scenario, call.sizing
    people = say("call.step.need_none", language)
    if call.needed:
        key = "need_wished" if scenario.wanted_conversations else "need"
        people = say(f"call.step.{key}", language, needed=call.needed)
    servers = shared.plan.servers if shared else scenario.servers
    hardware = {"cards": scenario.cards, "card": sizing.card.name, "servers": servers}
    said = {
        "need": people,
        "model": _model(call, shared, language),
        "server": say("call.step.server" if servers == 1 else "call.step.servers", language, **hardware),
        "site": say("call.step.site", language, kw=sizing.site.connected_w / 1000, circuit=sizing.circuit.name),
        "offer": say("call.step.offer", language),
    }
    state = {
        "need": {True: "good", False: "bad", None: ""}[call.enough],
        "model": "good" if (shared.placement.fits if shared else sizing.fits) else "bad",
        "server": "",
        "site": "bad" if sizing.site.stops else "good",
        "offer": "",
    }
    return [
        {"name": name, "title": say(f"call.step.title.{name}", language), "summary": said[name], "state": state[name]}
        for name in NAMES
    ]


def _model(call: Call, shared: Shared | None, language: str) -> str:
    if shared is not None:
        whole = len(shared.placement.needs)
        return say("call.step.services", language, part=whole - len(shared.placement.left_out), whole=whole)
    return say(
        "call.step.model",
        language,
        model=call.sizing.checkpoint.name,
        context_tokens=call.scenario.context_tokens,
        precision=wording.precision(call.sizing.kv_dtype, language),
    )
