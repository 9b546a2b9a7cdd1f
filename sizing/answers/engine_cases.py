"""What the engine prints for one layout, by what may be left for the cache: estimate, band, planning rule."""

from __future__ import annotations

from sizing.answers import engine
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.units import gib
from sizing.base.working import Step
from sizing.catalogue.scenario import Scenario
from sizing.memory import budget
from sizing.memory.layouts import Layout
from sizing.memory.starting import EngineBudget, EngineStart

NAMES = ("typical", "optimistic", "pessimistic", "planning")


@dataclass(frozen=True)
class EngineCase:
    """One assumption about the memory left for the cache.

    name: "typical", "optimistic" or "pessimistic" of the estimate, or "planning", the documents' rule.
    available_gib: on the fullest card; what the engine calls available, below 0 where the weights take more. [GiB]
    startup: what the engine prints, or why it refuses.
    """

    name: str
    available_gib: float
    startup: EngineStart

    @property
    def request_gib(self) -> float:
        """What one request of full length takes of the fullest card's pool, blocks and padding included. [GiB]"""
        return gib(self.startup.request_bytes)


@dataclass(frozen=True)
class Cases:
    """All assumptions for one layout.

    budget: how the estimate splits a card, None with ``budget_error`` where the config does not say enough.
    cases: in the order of NAMES; those of the estimate are missing with the budget.
    rule_request_gib: cache of one conversation on the fullest card before any paging. [GiB]
    working: from the card's memory to what is typically left, and from there to the tokens.
    """

    layout: Layout
    version: str
    budget: EngineBudget | None
    budget_error: SizingError | None
    cases: tuple[EngineCase, ...]
    rule_request_gib: float
    working: tuple[Step, ...]

    @property
    def main(self) -> EngineCase:
        """The one to read first: the typical estimate, else the planning rule."""
        return self.cases[0]


def cases(sizing: Sizing, layout: Layout) -> Cases:
    """What the scenario's engine release prints for a layout. SizingError: a card or setting its rules do not know.

    >>> from sizing import Scenario, size
    >>> r = size(Scenario(cards=4, context_tokens=8192, kv_dtype="fp8"))
    >>> [case.name for case in cases(r, r.best).cases]
    ['typical', 'optimistic', 'pessimistic', 'planning']
    """
    card = seen(sizing)
    scenario, weights_gib = sizing.scenario, layout.weights_gib_per_card
    left: dict[str, float] = {}
    split: EngineBudget | None = None
    error: SizingError | None = None
    working: tuple[Step, ...] = ()
    try:
        by_default = scenario.replace(memory_rule=engine.AS_IT_STARTS)
        found = _verdict(by_default, sizing, card, layout)
        split = found.budget
        assert split is not None
        left |= {"optimistic": split.optimistic_gib, "pessimistic": split.pessimistic_gib}
        working = (*split.working, *engine.steps(found))
    except SizingError as trouble:
        error = trouble
    planned = budget.usable_gib(sizing.reported_gib_per_card, rule="planning") - weights_gib
    made = [EngineCase("typical", found.available_gib, found.startup)] if split is not None else []
    for name, available_gib in {**left, "planning": planned}.items():
        given = scenario.replace(memory_rule=engine.AS_MEASURED, measured_kv_gib=max(0.0, available_gib))
        startup = _verdict(given, sizing, card, layout).startup
        made.append(EngineCase(name, available_gib, startup))
    kv_bytes = sizing.architecture.kv_bytes(scenario.context_tokens, scenario.kv_dtype, layout.tp, layout.pp)
    return Cases(layout, engine.release(scenario), split, error, tuple(made), gib(kv_bytes), working)


def _verdict(scenario: Scenario, sizing: Sizing, card: engine.EngineCard, layout: Layout) -> engine.Verdict:
    return engine.verdict(
        scenario,
        sizing.checkpoint,
        card,
        layout.name,
        layout.weights_gib_per_card,
        dcp=layout.dcp,
        attention_dp=layout.attention_dp,
    )


def seen(sizing: Sizing) -> engine.EngineCard:
    """The sizing's card as the engine sees it. SizingError for one whose engine rules are not known."""
    card = engine.engine_card(sizing.card, sizing.reported_gib_per_card)
    if card is None:
        raise SizingError("engine_card_unknown", input="card", value=sizing.card.name)
    return card
