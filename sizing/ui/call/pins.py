"""Pinned scenarios beside the one on the page: the inputs and results in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sizing.answers import wording
from sizing.base.texts import say
from sizing.catalogue.inputs import inputs
from sizing.demand.call import Call
from sizing.sharing.shared import Shared
from sizing.ui import controls

Pinned = tuple[Call, Shared | None]
"""A scenario's answers, and those of its services where it has several."""


def table(shown: Pinned, pins: Sequence[Pinned], language: str) -> tuple[list[str], list[dict[str, Any]]]:
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
    found = [results(call, shared, language) for call, shared in everything]
    rows += [_row(label, [dict(each)[label] for each in found]) for label, _ in found[0]]
    return columns, rows


def results(call: Call, shared: Shared | None, language: str) -> list[tuple[str, str]]:
    """The figures that a call compares, each with its label."""
    sizing = call.sizing
    none = say("call.pins.none_value", language)
    held = none if shared else wording.promised(call.answer.conversations, language)
    if call.holds and not shared and call.scenario.servers > 1:
        values = {"one": held, "holds": call.holds, "servers": call.scenario.servers}
        held = say("call.pins.all_servers", language, **values)
    placed = none
    if shared:
        needs = shared.placement.needs
        placed = say("ui.sharing.of", language, part=len(needs) - len(shared.placement.left_out), whole=len(needs))
    circuit = sizing.circuit
    return [
        (
            say("call.figure.needed", language),
            say("unit.integer", language, value=call.needed) if call.needed else none,
        ),
        (say("ui.figure_name.conversations", language), held),
        (say("call.figure.layout", language), none if shared else wording.layout_name(sizing.best, language)),
        (say("call.figure.placed", language), placed),
        (
            say("ui.figure_name.per_conversation", language),
            none if shared else say("unit.gib_exact", language, value=sizing.kv_gib_per_conversation),
        ),
        (
            say("ui.figure_name.weights", language),
            none if shared else say("unit.gib", language, value=sizing.weights_gib),
        ),
        (say("ui.figure_name.server", language), say("unit.kw", language, value=sizing.server_w / 1000)),
        (
            say("call.figure.connection", language),
            say("call.fits" if sizing.connected_fits else "call.does_not_fit", language, circuit=circuit.name),
        ),
        (say("ui.figure_name.air", language), say("unit.cfm_m3", language, cfm=sizing.cfm, m3_per_h=sizing.m3_per_h)),
    ]


def _services(pinned: Pinned, language: str) -> str:
    _, shared = pinned
    if shared is None:
        return say("call.pins.none_value", language)
    return "; ".join(f"{each.copies} × {each.checkpoint}" for each in shared.plan.services)


def _part(label: str) -> dict[str, Any]:
    return {"label": label, "cells": [], "part": True}


def _row(label: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"label": label, "cells": [[text, text != texts[0]] for text in texts], "part": False}
