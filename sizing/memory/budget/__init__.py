"""What of a card's memory is left for weights and cache: planning rules, and an estimate of what the engine leaves."""

from sizing.memory.budget.rules import (
    RULE_NAMES,
    RULES,
    MemoryRule,
    ReportedMemory,
    reported_memory,
    resolve_rule,
    usable_gib,
)

__all__ = ["RULES", "RULE_NAMES", "MemoryRule", "ReportedMemory", "reported_memory", "resolve_rule", "usable_gib"]
