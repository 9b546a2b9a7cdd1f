"""SGLang's rules: what it prints at its start (tokens, pools, slots, requests), or why it refuses.

Written after the rules of the engine's own planning code, release by release; no line of it is the engine's. The names
here are those of ``EngineRules``, and ``startup``, the same with the figures of a log as arguments.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sizing.memory.sglang.log_lines import read_log
    from sizing.memory.sglang.releases import (
        BUDGET_SOURCE,
        NAME,
        NEWEST,
        PRINTED_WITHIN,
        RULES_SOURCE,
        check_version,
        rules,
    )
    from sizing.memory.sglang.serving import (
        FLAGS,
        budget,
        command,
        completed,
        contexts_gib,
        explain,
        remedies,
        stages_refusal,
        start_up,
    )
    from sizing.memory.sglang.start import KV_DTYPES, SglangStart, startup

_FILES = {
    "releases": "BUDGET_SOURCE NAME NEWEST PRINTED_WITHIN RULES_SOURCE check_version rules",
    "log_lines": "read_log",
    "serving": "FLAGS budget command completed contexts_gib explain remedies stages_refusal start_up",
    "start": "KV_DTYPES SglangStart startup",
}

__all__ = [
    "BUDGET_SOURCE", "FLAGS", "KV_DTYPES", "NAME", "NEWEST", "PRINTED_WITHIN", "RULES_SOURCE", "SglangStart",
    "budget", "check_version", "command", "completed", "contexts_gib", "explain", "read_log", "remedies", "rules",
    "stages_refusal", "start_up", "startup",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for file, names in _FILES.items():
        if name in names.split():
            return globals().setdefault(name, getattr(importlib.import_module(f"{__name__}.{file}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
