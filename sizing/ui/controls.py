"""What the form shows: one entry for each input of data/inputs.toml, in words and numbers of one language."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sizing import catalogue
from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS, say
from sizing.catalogue.inputs import Input, every_input, inputs
from sizing.catalogue.scenario import Scenario
from sizing.catalogue.values import Values
from sizing.ui.state import State

GROUPS = (
    "people",
    "mix",
    "model",
    "server",
    "goal",
    "speed",
    "evidence",
    "site",
    "supplies",
    "room",
    "rack",
    "energy",
    "host",
    "measured",
    "assumptions",
    "engine",
    "offer",
)
KINDS = {"checkpoints": "checkpoint", "drafts": "checkpoint", "cards": "card", "circuits": "circuit"}
"""What the entries of a list are, by the name that data/inputs.toml gives it; any other are processors."""

FOLDED = ("mix", "goal", "rack", "energy", "host", "measured", "assumptions", "engine")
CAP_STEP_W = 10


def fields(state: State, names: tuple[str, ...] | None = None) -> list[dict[str, Any]]:
    """The controls of ``names``, or of every input of a scenario, group by group."""
    longest = state.sizing.architecture.max_context_tokens
    own = tuple(value for value in _ids(state.scenario) if catalogue.is_own(value))
    return _fields(names, state.language, state.sizing.card.id, longest, state.scenario.offer_currency, own)


def _ids(scenario: Scenario) -> list[str]:
    return [getattr(scenario, name) for name, spec in inputs().items() if spec.kind == "id"]


@functools.lru_cache(maxsize=64)
def _fields(
    names: tuple[str, ...] | None, language: str, card: str, longest: int | None, currency: str, own: tuple[str, ...]
) -> list[dict[str, Any]]:
    """The same for all that they depend on, so that a drag does not make them again. longest: context. [tokens]

    own: ids of the visitor's own hardware and models that the scenario holds.
    """
    table = [every_input()[name] for name in _in_order(names)]
    stops = functools.partial(_stops, card=catalogue.card(card), longest=longest)
    return [_field(spec, stops, currency, language, own) for group in GROUPS for spec in table if spec.group == group]


def _in_order(names: tuple[str, ...] | None) -> list[str]:
    return list(inputs()) if names is None else [name for name in every_input() if name in names]


def _field(
    spec: Input, stops: Callable[[Input], list[float]], currency: str, language: str, own: tuple[str, ...]
) -> dict[str, Any]:
    field: dict[str, Any] = {
        "name": spec.name,
        "kind": spec.kind,
        "group": spec.group,
        "group_label": say(f"ui.group.{spec.group}", language),
        "folded": spec.group in FOLDED,
        "label": spec.label(language),
        "help": spec.help(language),
        "unit": _unit(spec, currency, language),
    }
    if spec.kind == "choice":
        field["options"] = [{"value": choice, "label": spec.choice(choice, language)} for choice in spec.choices]
    elif spec.kind == "id":
        listed = [*_entries(spec.catalogue, language), *_owned(spec, own, language)]
        field["options"] = [{"value": value, "label": label} for value, label in listed]
        field["search"] = spec.catalogue in ("checkpoints", "drafts")
    else:
        field["stops"] = [_stop(spec, stop, language) for stop in stops(spec)]
    return field


def _unit(spec: Input, currency: str, language: str) -> str:
    """Unit of an input; of money the currency that the scenario is in."""
    return currency if spec.unit == "currency" else texts.unit(spec.unit, language)


def _entries(name: str, language: str) -> list[tuple[str, str]]:
    match name:
        case "checkpoints":
            # The Hub id is what people search for, and naming every file would mean reading them all.
            return [(key, key) for key in catalogue.checkpoint_ids()]
        case "drafts":
            return [
                ("none", say("input.draft_model.none", language)),
                *((key, key) for key in catalogue.checkpoint_ids()),
            ]
        case "cards":
            return [(key, catalogue.card(key).name) for key in catalogue.card_ids()]
        case "circuits":
            return [(key, texts.tell(catalogue.circuit(key).name, language)) for key in catalogue.circuit_ids()]
        case _:
            return [(key, catalogue.processor(key).name) for key in catalogue.processor_ids()]


def _owned(spec: Input, own: tuple[str, ...], language: str) -> list[tuple[str, str]]:
    """Those of the visitor's own that go into this list."""
    found: list[tuple[str, str]] = []
    for id in own:
        try:
            found.append((id, _entry(spec, id, language)))
        except SizingError:  # of another list
            continue
    return found


def _entry(spec: Input, id: str, language: str) -> str:
    """An entry of the catalogue, or of the visitor's own, as the form names it."""
    if catalogue.is_own(id):
        return catalogue.called(KINDS.get(spec.catalogue, "processor"), id, language)
    return dict(_entries(spec.catalogue, language)).get(id, id)


def _stops(spec: Input, card: catalogue.Card, longest: int | None) -> list[float]:
    """Where the slider of an input snaps, given the card and the model's longest context. [tokens]"""
    if spec.name == "context_tokens" and longest is not None:
        return sorted({stop for stop in spec.stops if stop < longest} | {longest})
    if spec.name == "power_cap_w":
        top = int(card.power_max_w.value)
        low = int(card.power_min_w.value) if card.power_min_w else top
        return [*range(low, top, CAP_STEP_W), top]
    return list(spec.stops)


def _stop(spec: Input, stop: float, language: str) -> dict[str, Any]:
    return {"number": stop, "text": written(spec, stop, language), "raw": _raw(stop, language)}


def _raw(value: Any, language: str) -> str:
    return write_number(value, DECIMAL_SIGNS[language]) if isinstance(value, float) else str(value)


def written(spec: Input, value: Any, language: str) -> str:
    """A value as its field shows it."""
    if spec.kind == "integer" or (isinstance(value, float) and value == int(value)):
        return say("unit.integer", language, value=int(value))
    if spec.kind == "number":
        return _raw(value, language)
    return str(value)


def said(spec: Input, scenario: Scenario, language: str) -> str:
    """A scenario's value as a table shows it: a choice and an entry by name, a number with its unit."""
    value = getattr(scenario, spec.name)
    if spec.kind == "choice":
        return spec.choice(value, language)
    if spec.kind == "id":
        return _entry(spec, str(value), language)
    unit = _unit(spec, scenario.offer_currency, language)
    return _zero(spec, value, language) or f"{written(spec, value, language)} {unit}".strip()


def values(state: State, names: tuple[str, ...] | None = None) -> dict[str, dict[str, Any]]:
    """What each field holds: text, what the control compares (raw, number), error, and the mark of a change."""
    shown: dict[str, dict[str, Any]] = {}
    for name in _in_order(names):
        spec, held = every_input()[name], state.holding(name)
        value = getattr(held, name)
        pending = state.pending.get(name)
        number = value if spec.kind in ("integer", "number") else None
        error = state.errors.get(name)
        shown[name] = {
            "text": pending if pending is not None else written(spec, value, state.language),
            "raw": pending if pending is not None else _raw(value, state.language),
            "number": number,
            "error": error.say(state.language) if error else "",
            "changed": _changed(
                spec,
                held,
                _unit(spec, state.scenario.offer_currency, state.language),
                pending is not None,
                state.language,
            ),
            "also": _also(spec, value, state.language),
        }
    return shown


def _also(spec: Input, value: Any, language: str) -> str:
    """What stands below a field beside its number: the same in °F, or what its 0 means; "" for most."""
    if (fahrenheit := spec.in_fahrenheit(value) if spec.scale else None) is not None:
        return say(f"ui.also.{spec.scale}", language, value=fahrenheit)
    return _zero(spec, value, language)


def _zero(spec: Input, value: Any, language: str) -> str:
    """What an input's 0 means, "" where that is just 0, or for another value."""
    zero = f"input.{spec.name}.zero"
    return say(zero, language) if value == 0 and zero in texts.catalogue(language) else ""


def _changed(spec: Input, held: Values, unit: str, pending: bool, language: str) -> str:
    """The mark of an input that is not at its default, naming the default; "" where it is."""
    value, default = getattr(held, spec.name), held.default_of(spec.name)
    if value == default and not pending:
        return ""
    named = written(spec, default, language)
    if spec.kind == "choice":
        named = spec.choice(default, language)
    elif spec.kind == "id":
        named = _entry(spec, default, language)
    return say("ui.changed", language, default=named, unit=unit)
