"""The five steps: which inputs each shows, and what it has come to in a few words."""

from __future__ import annotations

from sizing.answers import wording
from sizing.base.texts import say
from sizing.catalogue.inputs import asked_on, inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand.call import Call
from sizing.sharing.shared import Shared

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
