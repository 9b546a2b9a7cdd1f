"""The estimate against every published result it can answer, and why it cannot answer the others.

The estimates stand in data/estimates.csv, since working them out takes the tables of every system; a test does it
again (``sizing.speed.comparing``). The ratio is estimate to published: errors are shown, not hidden. Power caps are
counted apart, as the share of its speed that a run keeps. Source: aiconfigurator-core.
"""

from __future__ import annotations

import functools
from collections import Counter
from statistics import median

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, day, flag, number, source_key, text
from sizing.catalogue import results
from sizing.catalogue.loader import default
from sizing.catalogue.results import Pair, Published
from sizing.speed import caps

KINDS = ("decode", "offline", "server", "interactive", "user")
"""Kinds of published results: a rate of decoding at a stated load, MLPerf's three scenarios, the rate of one user."""
NEAR = 0.25
NEAR_SHARE = 0.10
COLUMNS = ("id", "kind", "estimate", "limit", "assumed", "reason", "source", "read_on")


@dataclass(frozen=True)
class ComparedSpeed:
    """A published result beside the estimate. [tokens/s]

    kind: one of KINDS.   assumed: something is taken for granted.   limit: what physics allows, None where it is not
    known.   ratio: estimate to published. [-]
    """

    result: Published
    kind: str
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

    @property
    def near(self) -> bool:
        """The estimate is within NEAR of what was published."""
        return abs(self.ratio - 1) <= NEAR


@dataclass(frozen=True)
class Accuracy:
    """Every published result, answered or not.

    compared: those answered.   unanswered: how many for each reason, as a text ``unanswered.<reason>``.
    caps: runs at a power cap beside the share of their speed that another study of the chip has them keep. [-]
    """

    compared: tuple[ComparedSpeed, ...]
    unanswered: dict[str, int]
    caps: tuple[tuple[Pair, float], ...]

    def part(self, *, assumed: bool) -> tuple[ComparedSpeed, ...]:
        """Those whose conditions are all stated, or those where something is assumed."""
        return tuple(each for each in self.compared if each.assumed is assumed)

    def of_kind(self, kind: str) -> tuple[ComparedSpeed, ...]:
        """Those of one of KINDS."""
        return tuple(each for each in self.compared if each.kind == kind)

    @property
    def caps_near(self) -> int:
        """Runs at a cap whose share is predicted to within NEAR_SHARE. [-]"""
        return sum(abs(share / pair.ratio - 1) <= NEAR_SHARE for pair, share in self.caps)


def summary(compared: tuple[ComparedSpeed, ...]) -> tuple[float, float, float, float] | None:
    """Median ratio, lowest, highest, and the worst factor either way; None for none."""
    if not compared:
        return None
    ratios = [each.ratio for each in compared]
    return median(ratios), min(ratios), max(ratios), max(each.factor for each in compared)


class _Row(Declared):
    """A row of data/estimates.csv."""

    id: str = text()
    kind: str = text(choices=("", *KINDS), default="")
    estimate: float | None = number(default=None)
    limit: float | None = number(default=None)
    assumed: bool = flag(default=False)
    reason: str = text(default="")
    source: str = source_key()
    read_on: str = day()


@functools.cache
def accuracy() -> Accuracy:
    """Every published result beside what stands in data/estimates.csv."""
    rows = {row.id: row for row in default().rows("estimates.csv", _Row)}
    found: list[ComparedSpeed] = []
    missed: Counter[str] = Counter()
    for result in results.published():
        row = rows[result.id]
        if row.estimate is None:
            missed[row.reason] += 1
        else:
            found.append(ComparedSpeed(result, row.kind, row.estimate, row.limit, row.assumed))
    return Accuracy(tuple(found), dict(missed.most_common()), _caps())


def _caps() -> tuple[tuple[Pair, float], ...]:
    pairs = ((pair, caps.predicted(pair.second)) for pair in results.cap_pairs())
    return tuple((pair, share) for pair, share in pairs if share is not None)
