"""Sizing of servers that run large language models.

>>> import sizing
>>> s = sizing.Scenario(checkpoint="nvidia/Llama-3.3-70B-Instruct-FP8", cards=4, context_tokens=8192, kv_dtype="fp8")
>>> sizing.size(s).layout(copies=1, tp=4).conversations
211
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sizing.answers.size import Sizing, size
from sizing.base.errors import SizingError
from sizing.catalogue.scenario import Scenario
from sizing.memory.config import read_config

if TYPE_CHECKING:
    import pandas

__version__ = "0.1.0"
__all__ = ["Scenario", "Sizing", "SizingError", "read_config", "size", "sweep"]


def sweep(
    *,
    checkpoints: Iterable[str] | None = None,
    cards: Iterable[str] | None = None,
    card_counts: Iterable[int] = range(1, 9),
    context_tokens: Iterable[int] = (8192,),
    kv_dtypes: Iterable[str] = ("auto",),
    **fixed: Any,
) -> pandas.DataFrame:
    """Every combination of the lists, one row each with its best layout; see sizing.answers.sweep.sweep.

    Needs numpy and pandas, which are loaded when it is called.
    """
    from sizing.answers.sweep import sweep as run

    return run(
        checkpoints=checkpoints,
        cards=cards,
        card_counts=card_counts,
        context_tokens=context_tokens,
        kv_dtypes=kv_dtypes,
        **fixed,
    )
