"""What a card offers and a checkpoint takes: the amounts that sizing, speed and sharing start from."""

from __future__ import annotations

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue.scenario import Scenario
from sizing.memory import budget


def reported_memory(card: catalogue.Card) -> budget.ReportedMemory:
    """What the driver reports for a card."""
    return budget.reported_memory(mib=card.memory_mib.value if card.memory_mib else None, gb=card.memory_gb.value)


def usable_memory(scenario: Scenario, card: catalogue.Card) -> float:
    """Memory of one card for weights and cache under the scenario's rule. [GiB]"""
    return budget.usable_gib(reported_memory(card).value_gib, rule=scenario.memory_rule, **own_figures(scenario))


def own_figures(scenario: Scenario) -> dict[str, float]:
    """Share [-] and reserve [GiB] that the rule "custom" takes from the scenario; nothing for any other rule."""
    if scenario.memory_rule != budget.CUSTOM:
        return {}
    return {"share": scenario.memory_share, "reserve_gib": scenario.memory_reserve_gib}


def weights(model: catalogue.Checkpoint) -> tuple[float, bool]:
    """Weights of one copy [bytes], and whether they are an estimate. SizingError where they cannot be told."""
    if model.weight_bytes is not None:
        return model.weight_bytes.value, False
    if model.architecture.weight_bytes_estimate is not None:
        return model.architecture.weight_bytes_estimate, True
    raise SizingError("weights_unknown", input="checkpoint", value=model.id)
