"""A start-up log beside what the rules predict for it, and what explains the difference."""

from sizing.log_check.compare import Check, Compared, check

__all__ = ["Check", "Compared", "check"]
