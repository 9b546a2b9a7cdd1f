"""Sizing of servers that run large language models.

>>> import sizing
>>> s = sizing.Scenario(checkpoint="nvidia/Llama-3.3-70B-Instruct-FP8", cards=4, context_tokens=8192, kv_dtype="fp8")
>>> sizing.size(s).layout(copies=1, tp=4).conversations
211

Each name is loaded when it is first asked for; ``sweep`` and ``frame`` then need pandas, everything else nothing.
"""

from __future__ import annotations

from importlib import import_module

from sizing.base.drawn import Drawn

TYPE_CHECKING = False  # typing itself takes longer to load than this file
if TYPE_CHECKING:
    from sizing.answers.answer import Answer, answer
    from sizing.answers.size import Sizing, size
    from sizing.answers.sweep import sweep
    from sizing.answers.tabulate import frame
    from sizing.base.errors import SizingError
    from sizing.catalogue import own
    from sizing.catalogue.scenario import Scenario
    from sizing.memory.config.reader import read_config
    from sizing.models.door import model
    from sizing.sheet.picture import plot

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Scenario",
    "Sizing",
    "SizingError",
    "answer",
    "frame",
    "model",
    "own",
    "plot",
    "read_config",
    "size",
    "sweep",
]

_HOME = {
    "Answer": "sizing.answers.answer",
    "Scenario": "sizing.catalogue.scenario",
    "Sizing": "sizing.answers.size",
    "SizingError": "sizing.base.errors",
    "answer": "sizing.answers.answer",
    "frame": "sizing.answers.tabulate",
    "model": "sizing.models.door",
    "own": "sizing.catalogue",
    "plot": "sizing.sheet.picture",
    "read_config": "sizing.memory.config.reader",
    "size": "sizing.answers.size",
    "sweep": "sizing.answers.sweep",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("sweep", "frame"):
        from sizing.base.errors import extra

        with extra("sweep"):
            import_module("pandas")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def _draw(shown: object, name: str, language: str) -> object:
    return __getattr__("plot")(shown, name, language)  # type: ignore[operator]  # it is a function


Drawn.DRAW = staticmethod(_draw)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
