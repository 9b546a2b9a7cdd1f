"""The estimate against every published result it can answer, and why it cannot answer the others.

A result is answered where it is a rate of decoding with its card, model, number of requests and context stated, at the
power limit the kernels were measured at. What stands in for something not stated is data (kernels.toml), and such
answers are counted apart. The ratio is estimate to published: errors are shown, not hidden.
"""

from __future__ import annotations

import functools
from collections import Counter
from statistics import median

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.catalogue.amounts import usable_memory, weights
from sizing.catalogue.results import Published, published
from sizing.catalogue.scenario import Scenario
from sizing.memory import layouts
from sizing.speed import operations
from sizing.speed.limit import limit
from sizing.speed.measured import Gap
from sizing.speed.tables import StandIn, tables

_RATES = ("tokens/s", "tokens/s per user")


@dataclass(frozen=True)
class ComparedSpeed:
    """A published result beside the estimate. [tokens/s]

    assumed: something is taken for granted.   limit: what physics allows, None where it is not known.
    ratio: estimate to published. [-]
    """

    result: Published
    estimate: float
    limit: float | None
    assumed: bool

    @property
    def ratio(self) -> float:
        """Estimate to published. [-]"""
        return self.estimate / self.result.value

    @property
    def factor(self) -> float:
        """How far apart they are, whichever is larger. [-]"""
        return max(self.ratio, 1 / self.ratio)


@dataclass(frozen=True)
class Accuracy:
    """Every published result, answered or not.

    compared: those answered.   unanswered: how many for each reason, as a text ``unanswered.<reason>``.
    """

    compared: tuple[ComparedSpeed, ...]
    unanswered: dict[str, int]

    def part(self, *, assumed: bool) -> tuple[ComparedSpeed, ...]:
        """Those whose conditions are all stated, or those where something is assumed."""
        return tuple(each for each in self.compared if each.assumed is assumed)


def summary(compared: tuple[ComparedSpeed, ...]) -> tuple[float, float, float, float] | None:
    """Median ratio, lowest, highest, and the worst factor either way; None for none."""
    if not compared:
        return None
    ratios = [each.ratio for each in compared]
    return median(ratios), min(ratios), max(ratios), max(each.factor for each in compared)


@functools.cache
def accuracy() -> Accuracy:
    """Compares every published result, which takes a second or two the first time. Source: aiconfigurator-core."""
    found: list[ComparedSpeed] = []
    missed: Counter[str] = Counter()
    for row in published():
        answer = compare(row)
        if isinstance(answer, ComparedSpeed):
            found.append(answer)
        else:
            missed[answer] += 1
    return Accuracy(tuple(found), dict(missed.most_common()))


def compare(row: Published) -> ComparedSpeed | str:
    """One result with its estimate, or the reason why it has none."""
    if reason := _not_asked(row):
        return reason
    stand_in = next((each for each in tables().stand_ins if _stands(each, row)), None)
    if stand_in is None:
        return "model"
    card_id = tables().siblings.get(row.card, row.card)
    if card_id not in tables().systems:
        return "card"
    return _compare(row, stand_in, catalogue.card(card_id))


def _not_asked(row: Published) -> str:
    """Why the estimate does not speak of such a result, or ""."""
    if row.unit not in _RATES:
        return "unit"
    if row.speculative:
        return "speculative"
    if row.case != "decode" or row.concurrency is None or row.context_tokens is None:
        return "load"
    if row.power_cap_w is not None and row.power_cap_w < tables().library.reference_cap_w:
        return "capped"
    return ""


def _stands(stand_in: StandIn, row: Published) -> bool:
    return (stand_in.family, stand_in.precision) == (row.family, row.precision)


def _compare(row: Published, stand_in: StandIn, card: catalogue.Card) -> ComparedSpeed | str:
    granted = tables().publishers.get(row.suite)
    tp = row.tp or (granted.tp if granted else None)
    if tp is None or row.concurrency is None or row.context_tokens is None:
        return "split"
    model = catalogue.checkpoint(stand_in.checkpoint)
    held = row.context_tokens + (row.answer_tokens or 0)
    kv_dtype = model.architecture.resolve_kv_dtype("auto")
    if not _fits(card, model, kv_dtype, tp, held, row.concurrency):
        return "memory"
    engine = next((name for name in tables().engines if name in row.software.lower()), None)
    engine = engine or (granted.engine if granted else Scenario().engine)
    measured = operations.find(card, model, engine=engine, kv_dtype=kv_dtype, tp=tp, pp=1)
    if isinstance(measured, Gap):
        return "library" if measured.key in ("not_installed", "not_usable") else "kernels"
    context = max(1, row.context_tokens + (row.answer_tokens or 0) // 2)
    bound = limit(card, model, kv_dtype=kv_dtype, tp=tp, pp=1)
    least_ms = bound.decode(row.concurrency, context).ms if bound else 0.0
    step_ms = max(measured.decode_ms(row.concurrency, context), least_ms)
    return ComparedSpeed(
        result=row,
        estimate=1000 * row.concurrency / step_ms,
        limit=1000 * row.concurrency / least_ms if least_ms else None,
        assumed=stand_in.assumed or granted is not None or card.id != row.card,
    )


def _fits(card: catalogue.Card, model: catalogue.Checkpoint, kv_dtype: str, tp: int, held: int, requests: int) -> bool:
    """Whether so many requests run at once, by our own count. A run without context needs none counted."""
    if not held:
        return True
    layout = layouts.evaluate(
        (1, tp, 1),
        layouts.stages(model.architecture, kv_dtype, tp, 1),
        weights_bytes=weights(model)[0],
        usable_gib_per_card=usable_memory(Scenario(), card),
        context_tokens=held,
    )
    return layout.conversations is None or layout.conversations >= requests
