"""What a power cap costs, as published: a range for each study and cap, never one curve through unlike measurements.

From pairs in the published results (``results.cap_pairs``) and from data/power_caps.csv, for what is published only as
a range or a series of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from sizing.base.files import Day, Number, Record, SourceKey, Text
from sizing.catalogue import results
from sizing.catalogue.loader import default
from sizing.catalogue.schemas import TOLD

FILE = "power_caps.csv"


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Stated:
    """A row of data/power_caps.csv: a range of shares, or two values. SizingError where it has neither."""

    id: str
    study: str
    card: str
    cards: int
    model: str
    workload: str
    phase: str
    concurrency: int | None
    cap_w: float
    base_w: float
    kept_low: float | None
    kept_high: float | None
    value: float | None
    base_value: float | None
    unit: str
    source: str
    read_on: str
    note: str

    @property
    def kept(self) -> tuple[float, float]:
        """Share of the speed kept, lowest and highest; from values for each rated watt by the ratings."""
        if self.kept_low is not None and self.kept_high is not None:
            return self.kept_low, self.kept_high
        share = (self.value or 0.0) / (self.base_value or 1.0)  # both there, by the description of the file
        if self.unit == "tokens/s per W":
            share *= self.cap_w / self.base_w
        return share, share


def _complete(row: dict[str, object], place: object) -> None:
    has_range = row["kept_low"] is not None and row["kept_high"] is not None
    if not has_range and (row["value"] is None or row["base_value"] is None):
        place.refuse("data_missing_key", value="kept_low, kept_high")  # type: ignore[attr-defined]


SCHEMA = Record(
    fields={
        "id": Text(pattern=r"[a-z0-9-]+", says="small letters, digits and hyphens"),
        "study": Text(),
        "card": Text(),
        "cards": Number(low=1, high=64, whole=True),
        "model": Text(),
        "workload": Text(),
        "phase": Text(choices=("all", "prefill", "decode")),
        "concurrency": Number(optional=True, low=1, whole=True),
        "cap_w": Number(low=50, high=2000),
        "base_w": Number(low=50, high=2000),
        "kept_low": Number(optional=True, low=0, high=1.5),
        "kept_high": Number(optional=True, low=0, high=1.5),
        "value": Number(optional=True),
        "base_value": Number(optional=True),
        "unit": Text(optional=True, default="", choices=("tokens/s", "tokens/s per W")),
        "source": SourceKey(),
        "read_on": Day(),
        "note": TOLD,
    },
    build=Stated,
    rising=(("kept_low", "kept_high"), ("cap_w", "base_w")),
    join=_complete,
)


@functools.cache
def stated() -> tuple[Stated, ...]:
    """Every row of data/power_caps.csv."""
    return tuple(default().rows(FILE, SCHEMA, lambda row: row.id))


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
