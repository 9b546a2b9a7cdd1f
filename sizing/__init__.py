"""Sizing of servers that run large language models.

>>> import sizing
>>> s = sizing.Scenario(checkpoint="nvidia/Llama-3.3-70B-Instruct-FP8", cards=4, context_tokens=8192, kv_dtype="fp8")
>>> sizing.size(s).layout(copies=1, tp=4).conversations
211
"""

from __future__ import annotations

from typing import Any

from sizing.errors import SizingError
from sizing.memory.config import read_config
from sizing.scenario import Scenario
from sizing.size import Sizing, size

__version__ = "0.1.0"
__all__ = ["Scenario", "Sizing", "SizingError", "read_config", "size", "sweep"]


def __getattr__(name: str) -> Any:
    # sweep needs numpy, which most callers never do; it is loaded when asked for.
    if name == "sweep":
        from sizing.sweep import sweep

        return sweep
    raise AttributeError(f"module 'sizing' has no attribute {name!r}")
