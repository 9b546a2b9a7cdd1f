"""What of a card's memory is left for weights and cache: planning rules, and an estimate of what the engine leaves."""

from sizing.memory.budget.estimate import (
    Engine,
    EngineBudget,
    Images,
    Widths,
    engine_budget,
    engine_defaults,
    read_widths,
    visible_gib,
)
from sizing.memory.budget.rules import (
    CUSTOM,
    RULE_NAMES,
    RULES,
    MemoryRule,
    ReportedMemory,
    reported_memory,
    resolve_rule,
    usable_gib,
)
from sizing.memory.budget.steps import engine_steps

__all__ = [
    "CUSTOM",
    "RULES",
    "RULE_NAMES",
    "Engine",
    "EngineBudget",
    "Images",
    "MemoryRule",
    "ReportedMemory",
    "Widths",
    "engine_budget",
    "engine_defaults",
    "engine_steps",
    "read_widths",
    "reported_memory",
    "resolve_rule",
    "usable_gib",
    "visible_gib",
]
