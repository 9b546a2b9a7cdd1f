"""What a power cap costs, as published: a range for each study and cap, never one curve through unlike measurements.

From pairs in the published results (``results.cap_pairs``) and from data/power_caps.csv, for what is published only as
a range or a series of its own.
"""

from __future__ import annotations

import functools
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


_ALONE, _MANY = ("mmbt-1-user", 1), ("mmbt-32-users", 32)
"""The study that ran one chip at every cap with one user and with many, and how many those were."""


def predicted(run: results.Published) -> float | None:
    """Share of its speed that a run at a cap keeps by that study, between its two loads on the logarithm. [-]

    None for another quantity than tokens, and for a cap that the study did not run. A load not stated counts as many.
    """
    shares = {
        effect.study: effect.low
        for effect in effects()
        if effect.study in (_ALONE[0], _MANY[0]) and effect.cap_w == run.power_cap_w
    }
    if len(shares) < 2 or run.unit != "tokens/s":
        return None
    requests = max(_ALONE[1], min(run.concurrency or _MANY[1], _MANY[1]))
    at = math.log(requests) / math.log(_MANY[1])
    return shares[_ALONE[0]] + at * (shares[_MANY[0]] - shares[_ALONE[0]])


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
