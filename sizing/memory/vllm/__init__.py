"""vLLM's rules: what it prints at its start (blocks, tokens, concurrency), or why it refuses.

Written after the rules of the engine's own planning code, release by release; no line of it is the engine's. The names
here are those of ``EngineRules``, and ``startup``, the same with every setting as an argument of its own. Each loads
when it is first asked for: a sizing that asks whether a model can be dealt to pipeline stages needs nothing else.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sizing.memory.vllm.classes import stages_refusal
    from sizing.memory.vllm.cures import remedies
    from sizing.memory.vllm.estimate import budget, completed, contexts_gib
    from sizing.memory.vllm.log_lines import read_log
    from sizing.memory.vllm.releases import (
        BUDGET_SOURCE,
        NAME,
        NEWEST,
        PRINTED_WITHIN,
        RULES_SOURCE,
        check_version,
        rules,
    )
    from sizing.memory.vllm.settings import CAPABILITIES, FLAGS, KV_DTYPES, command
    from sizing.memory.vllm.start import Startup, start_up, startup
    from sizing.memory.vllm.steps import explain

__all__ = [
    "BUDGET_SOURCE", "CAPABILITIES", "FLAGS", "KV_DTYPES", "NAME", "NEWEST", "PRINTED_WITHIN", "RULES_SOURCE",
    "Startup", "budget", "check_version", "command", "completed", "contexts_gib", "explain", "read_log",
    "remedies", "rules", "stages_refusal", "start_up", "startup",
]  # fmt: skip

_FILES = {
    "classes": "stages_refusal",
    "estimate": "budget completed contexts_gib",
    "log_lines": "read_log",
    "releases": "BUDGET_SOURCE NAME NEWEST PRINTED_WITHIN RULES_SOURCE check_version rules",
    "cures": "remedies",
    "settings": "CAPABILITIES FLAGS KV_DTYPES command",
    "start": "Startup start_up startup",
    "steps": "explain",
}


def __getattr__(name: str) -> Any:
    for file, names in _FILES.items():
        if name in names.split():
            return globals().setdefault(name, getattr(importlib.import_module(f"{__name__}.{file}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
