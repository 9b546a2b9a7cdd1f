"""What a power cap costs, as published: a range for each study and cap, never one curve through unlike measurements.

From pairs in the published results (``results.cap_pairs``) and from data/power_caps.csv, for what is published only as
a range or a series of its own.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, day, number, source_key, text
from sizing.base.files import Place
from sizing.catalogue import results
from sizing.catalogue.loader import default
from sizing.catalogue.records import told


@dataclass(frozen=True)
class CapEffect:
    """What one study found at one cap, against its highest.

    study: names the sentence ``cap_study.<study>``.   phase: "prefill", "decode" or "all" of a run.
    cap_w, base_w: [W]   low, high: share of the speed that is kept. [-]   count: of pairs behind the range. [-]
    """

    study: str
    phase: str
    card: str
    cap_w: float
    base_w: float
    low: float
    high: float
    count: int
    source: str
    note: str = ""


class Stated(Declared):
    """A row of data/power_caps.csv: a range of shares, or two values. SizingError where it has neither."""

    RISING = (("kept_low", "kept_high"), ("cap_w", "base_w"))

    id: str = text(pattern=r"[a-z0-9-]+", says="small letters, digits and hyphens")
    study: str = text()
    card: str = text()
    cards: int = number(1, 64, whole=True)
    model: str = text()
    workload: str = text()
    phase: str = text(choices=("all", "prefill", "decode"))
    concurrency: int | None = number(1, whole=True, default=None)
    cap_w: float = number(50, 2000)
    base_w: float = number(50, 2000)
    kept_low: float | None = number(0, 1.5, default=None)
    kept_high: float | None = number(0, 1.5, default=None)
    value: float | None = number(default=None)
    base_value: float | None = number(default=None)
    unit: str = text(choices=("tokens/s", "tokens/s per W"), default="")
    source: str = source_key()
    read_on: str = day()
    note: str = told()

    @classmethod
    def join(cls, read: dict[str, Any], place: Place) -> None:
        """A range or both values have to be there."""
        has_range = read["kept_low"] is not None and read["kept_high"] is not None
        if not has_range and (read["value"] is None or read["base_value"] is None):
            place.refuse("data_missing_key", value="kept_low, kept_high")

    @property
    def kept(self) -> tuple[float, float]:
        """Share of the speed kept, lowest and highest; from values for each rated watt by the ratings."""
        if self.kept_low is not None and self.kept_high is not None:
            return self.kept_low, self.kept_high
        share = (self.value or 0.0) / (self.base_value or 1.0)  # both there, by the description of the file
        if self.unit == "tokens/s per W":
            share *= self.cap_w / self.base_w
        return share, share


@functools.cache
def stated() -> tuple[Stated, ...]:
    """Every row of data/power_caps.csv."""
    return tuple(default().rows("power_caps.csv", Stated))


@functools.cache
def effects() -> tuple[CapEffect, ...]:
    """Every study's range at every cap it ran, by study and cap."""
    found: dict[tuple[str, str, float], list[tuple[float, float, CapEffect]]] = {}
    for effect in (*_from_pairs(), *_from_rows()):
        found.setdefault((effect.study, effect.phase, effect.cap_w), []).append((effect.low, effect.high, effect))
    merged = []
    for ranges in found.values():
        one = ranges[0][2]
        low, high = min(low for low, _, _ in ranges), max(high for _, high, _ in ranges)
        merged.append(
            CapEffect(
                one.study, one.phase, one.card, one.cap_w, one.base_w, low, high, len(ranges), one.source, one.note
            )
        )
    return tuple(sorted(merged, key=lambda effect: (effect.study, effect.phase, effect.cap_w)))


def _from_pairs() -> Iterator[CapEffect]:
    for pair in results.cap_pairs():
        base, capped = pair.first, pair.second
        study = base.suite
        if base.suite == "wattage":
            study = "wattage-short" if not base.context_tokens else "wattage-long"
        elif base.unit == "Gflop/s":
            study = "tensor-burn"
        phase = "decode" if base.suite == "wattage" else "prefill" if base.unit == "Gflop/s" else "all"
        yield CapEffect(
            study,
            phase,
            capped.card,
            capped.power_cap_w or 0.0,
            base.power_cap_w or 0.0,
            pair.ratio,
            pair.ratio,
            1,
            capped.source,
        )


def _from_rows() -> Iterator[CapEffect]:
    for row in stated():
        low, high = row.kept
        yield CapEffect(row.study, row.phase, row.card, row.cap_w, row.base_w, low, high, 1, row.source, row.note)


_ALONE, _MANY, _PROMPTS = ("mmbt-1-user", 1), ("mmbt-32-users", 32), "tensor-burn"
"""The study that ran one chip at every cap with one user and with many, and how many those were; and the one of
arithmetic alone, which prompts are made of."""


@functools.cache
def _series(study: str) -> tuple[tuple[float, float], ...]:
    """Caps of a study with the share kept, up to the cap it compares with. [W], [-]"""
    own = [effect for effect in effects() if effect.study == study]
    return (*((effect.cap_w, min(1.0, effect.low)) for effect in own), (own[0].base_w, 1.0)) if own else ()


def _share(study: str, cap_w: float) -> float | None:
    """On a straight line between the caps of a study; None below its lowest."""
    found = _series(study)
    if not found or cap_w < found[0][0]:
        return None
    for (low, its), (high, others) in itertools.pairwise(found):
        if cap_w <= high:
            return its + (cap_w - low) / (high - low) * (others - its)
    return 1.0


@dataclass(frozen=True)
class Kept:
    """What a cap leaves of the speed at no cap: for answers of one user and of many, and for prompts. [-]"""

    alone: float
    many: float
    prompts: float

    def answers(self, requests: int) -> float:
        """The share for ``requests`` at once, between the two on the logarithm. [-], [-]"""
        at = math.log(max(_ALONE[1], min(requests, _MANY[1]))) / math.log(_MANY[1])
        return self.alone + at * (self.many - self.alone)


def kept(cap_w: float) -> Kept | None:
    """What the studied chip keeps at ``cap_w``, None below the lowest cap that was run. [W]"""
    alone, many, prompts = (_share(study, cap_w) for study in (_ALONE[0], _MANY[0], _PROMPTS))
    return None if alone is None or many is None or prompts is None else Kept(alone, many, prompts)


def predicted(run: results.Published) -> float | None:
    """Share of its speed that a ``run`` at a cap keeps by the study of users. [-]

    None for another quantity than tokens, and for a cap that the study did not run. A load not stated counts as many.
    """
    caps_w = [cap_w for cap_w, _ in _series(_MANY[0])]
    found = kept(run.power_cap_w) if run.power_cap_w in caps_w else None
    return None if found is None or run.unit != "tokens/s" else found.answers(run.concurrency or _MANY[1])


_NEAR_W = 100


def around(cap_w: float) -> tuple[CapEffect, ...]:
    """What each study found at this cap, or at the nearest it ran below and above, if near. Empty from its base on."""
    chosen: list[CapEffect] = []
    for key in sorted({(effect.study, effect.phase) for effect in effects()}):
        own = [effect for effect in effects() if (effect.study, effect.phase) == key]
        if cap_w >= own[0].base_w:
            continue
        exact = [effect for effect in own if effect.cap_w == cap_w]
        below = [effect for effect in own if effect.cap_w < cap_w][-1:]
        above = [effect for effect in own if effect.cap_w > cap_w][:1]
        chosen += exact or [effect for effect in below + above if abs(effect.cap_w - cap_w) <= _NEAR_W]
    return tuple(chosen)


def span(found: tuple[CapEffect, ...]) -> tuple[float, float] | None:
    """The lowest and the highest share in any of them, None where there is none."""
    if not found:
        return None
    return min(effect.low for effect in found), max(effect.high for effect in found)
