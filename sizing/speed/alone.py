"""The speed of one user alone, as a range with its two usual causes on cards without a direct link.

Kernel path: the same model on the same cards with the kernels of each engine. All-reduce: what passing the partial
sums costs at its fastest and slowest as published, in place of the one in the tables.
"""

from __future__ import annotations

from collections.abc import Mapping

from sizing.base.dataclass import dataclass
from sizing.memory.layouts import Layout
from sizing.speed import Sized, operations
from sizing.speed.curve import request
from sizing.speed.interconnect import all_reduce_us
from sizing.speed.limit import limit
from sizing.speed.measured import Gap, Operations
from sizing.speed.tables import tables

_SUMS_PER_LAYER = 2
_SUM_BYTES = 2


@dataclass(frozen=True)
class Alone:
    """One user alone. [tokens/s]

    low, high: over both causes.   engines: of each engine that has kernels, by its name.
    all_reduce: with the slowest and the fastest passing of sums, None where no one published it for such a group.
    """

    low: float
    high: float
    engines: Mapping[str, float]
    all_reduce: tuple[float, float] | None


def alone(sizing: Sized, layout: Layout, engines: tuple[str, ...] | None = None) -> Alone | None:
    """The range of one layout; None where no engine has kernels for it.

    engines: whose kernels count; all where it is not given. Each is loaded once, which takes a second or two.
    """
    context = request(sizing.scenario).mean_context_tokens
    found: dict[str, Operations] = {}
    for engine in engines or tuple(tables().engines):
        one = operations.of_layout(sizing.card, sizing.checkpoint, layout, engine=engine, kv_dtype=sizing.kv_dtype)
        if not isinstance(one, Gap):
            found[engine] = one
    if not found:
        return None
    bound = limit(sizing.card, sizing.checkpoint, kv_dtype=sizing.kv_dtype, tp=layout.tp, pp=layout.pp)
    floor_ms = bound.decode(1, context).ms if bound else 0.0
    rates = {engine: 1000 / max(floor_ms, one.decode_ms(1, context)) for engine, one in found.items()}
    passed = _passing(sizing, layout)
    ends: list[float] = list(rates.values())
    of_chosen: tuple[float, float] | None = None
    if passed:
        for engine, one in found.items():
            rest = sum(part.ms for part in one.parts(1, context) if part.kind != "all_reduce")
            slow, fast = (1000 / max(floor_ms, rest + ms) for ms in (passed[1], passed[0]))
            ends += [slow, fast]
            if engine == sizing.scenario.engine:
                of_chosen = slow, fast
    return Alone(min(ends), max(ends), rates, of_chosen)


def _passing(sizing: Sized, layout: Layout) -> tuple[float, float] | None:
    """All sums of one token, fastest and slowest as published. [ms]"""
    width = sizing.architecture.hidden_size
    if sizing.card.link is not None or layout.tp == 1 or not width:
        return None
    each = all_reduce_us(width * _SUM_BYTES, layout.tp)
    if each is None:
        return None
    sums = _SUMS_PER_LAYER * len(sizing.architecture.layers)
    return each[0] * sums / 1000, each[1] * sums / 1000
