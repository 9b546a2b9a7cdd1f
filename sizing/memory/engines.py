"""The engines whose rules are known. Each is a folder beside this file, with its facts in data/engines/<name>.toml."""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, cast

from sizing.base.errors import SizingError
from sizing.base.files import data_dir
from sizing.memory.starting import EngineRules

if TYPE_CHECKING:
    from sizing.memory.startup_log import StartupLog


@functools.cache
def names() -> tuple[str, ...]:
    """Names of all engines."""
    return tuple(sorted(path.stem for path in (data_dir() / "engines").glob("*.toml")))


@functools.cache
def engine(name: str) -> EngineRules:
    """The rules of an engine, which load when they are first asked for. SizingError where none are known.

    >>> engine("vllm").rules("0.33.0").default_utilization
    0.92
    """
    if name not in names():
        raise SizingError("engine_rules_unknown", input="engine", value=name, known=", ".join(names()))
    return cast(EngineRules, importlib.import_module(f"sizing.memory.{name}"))


def read_log(text: str) -> StartupLog:
    """What a start-up log says, read by the first engine that knows one of its lines. SizingError where none does."""
    trouble: SizingError | None = None
    for name in names():
        try:
            return engine(name).read_log(text)
        except SizingError as error:
            trouble = trouble or error
    raise trouble or SizingError("log_nothing_found", input="log")
