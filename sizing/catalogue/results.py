"""Published results: data/published_results.csv as records, and what is worked out from pairs of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, day, flag, named, number, source_key, text
from sizing.catalogue.loader import default
from sizing.catalogue.records import told


def _some(*, whole: bool = False) -> Any:
    """A number that not every result states."""
    return number(whole=whole, default=None)


class Published(Declared):
    """One result as someone published it. Texts are "" and numbers None where it is not stated.

    suite, family: whose benchmark, and which model, as the inputs ``result_suite`` and ``result_model`` name them.
    card: id of a card, or of a product whose edition is not stated; card_as_printed: as its publisher writes it.
    power_cap_w: of each card. [W]   scenario: as published.   speculative: with speculative decoding.
    software_run: release that tells runs of one system apart.   value, unit: of the whole system.
    ttft_*, tpot_*: 99th percentile, and the limit it had to keep. [ms]
    """

    id: str = text(pattern=r"[a-z0-9-]+", says="small letters, digits and hyphens")
    suite: str = text()
    round: str = named(default="")
    submitter: str = text(default="")
    system: str = named(default="")
    card: str = text()
    card_as_printed: str = named()
    cards: int = number(1, 1024, whole=True)
    power_cap_w: float | None = _some()
    tp: int | None = _some(whole=True)
    model: str = named()
    family: str = text()
    precision: str = text(default="")
    scenario: str = told()
    speculative: bool = flag()
    software_run: str = text(default="")
    concurrency: int | None = _some(whole=True)
    context_tokens: int | None = _some(whole=True)
    answer_tokens: int | None = _some(whole=True)
    value: float = number()
    unit: str = text(choices=("tokens/s", "tokens/s per user", "tokens/s per W", "Gflop/s"))
    software: str = named(default="")
    ttft_p99_ms: float | None = _some()
    tpot_p99_ms: float | None = _some()
    ttft_limit_ms: float | None = _some()
    tpot_limit_ms: float | None = _some()
    status: str = text(choices=("mlperf-log", "mlperf-summary", "community", "quoted"))
    source: str = source_key()
    read_on: str = day()
    note: str = text(default="")

    @property
    def per_card(self) -> float | None:
        """The value divided by the cards: our division, not a metric of any benchmark. None for rates of one user."""
        return self.value / self.cards if self.unit in ("tokens/s", "Gflop/s") else None

    @property
    def case(self) -> str:
        """The kind of load, as the input ``result_scenario`` names it."""
        word = self.scenario.lower()
        if word in ("offline", "server", "interactive"):
            return word
        return "decode" if word.startswith(("decode", "answers")) else "other"


@functools.cache
def published() -> tuple[Published, ...]:
    """Every published result, in the order of the file."""
    return tuple(default().rows("published_results.csv", Published))


def chosen(suite: str = "all", family: str = "all", card: str = "all", case: str = "all") -> tuple[Published, ...]:
    """The results that the filters leave."""
    return tuple(
        row
        for row in published()
        if suite in ("all", row.suite)
        and family in ("all", row.family)
        and card in ("all", row.card)
        and case in ("all", row.case)
    )


@dataclass(frozen=True)
class Pair:
    """Two results that differ in one thing. ratio: of the second to the first. [-]"""

    first: Published
    second: Published
    ratio: float


def speculative_pairs() -> tuple[Pair, ...]:
    """Runs alike but for speculative decoding: same publisher, model, cards, load and context."""
    plain = {_load(row): row for row in published() if not row.speculative and row.case == "decode"}
    return tuple(
        Pair(plain[key], row, row.value / plain[key].value)
        for row in published()
        if row.speculative and row.case == "decode" and (key := _load(row)) in plain
    )


def _load(row: Published) -> tuple[object, ...]:
    return row.suite, row.family, row.card, row.cards, row.tp, row.concurrency, row.context_tokens, row.software


def cap_pairs(rows: Iterable[Published] | None = None) -> tuple[Pair, ...]:
    """Runs alike but for the power cap, each against the highest cap, per card where the number of cards differs."""
    found: list[Pair] = []
    groups: dict[tuple[object, ...], list[Published]] = {}
    for row in rows if rows is not None else published():
        if row.power_cap_w is not None and row.per_card is not None:
            groups.setdefault(_but_cap(row), []).append(row)
    for alike in groups.values():
        base = max(alike, key=lambda row: row.power_cap_w or 0)
        for row in alike:
            if row.power_cap_w != base.power_cap_w and row.per_card and base.per_card:
                found.append(Pair(base, row, row.per_card / base.per_card))
    return tuple(found)


def _but_cap(row: Published) -> tuple[object, ...]:
    box = row.system.split(" (")[0] if row.suite == "mlperf" else row.system
    release = row.software_run if row.suite == "mlperf" else row.software
    load = row.model, row.scenario, row.concurrency, row.context_tokens, row.speculative
    return row.suite, row.round, row.submitter, box, row.card, release, row.precision, *load
