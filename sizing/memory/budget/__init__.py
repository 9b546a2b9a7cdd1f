"""What of a card's memory is left for weights and cache: planning rules, and an estimate of what the engine leaves."""

from sizing.memory.budget.engine import Engine, engine_defaults, visible_gib
from sizing.memory.budget.estimate import EngineBudget, Images, engine_budget
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
from sizing.memory.budget.widths import Widths, read_widths

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
