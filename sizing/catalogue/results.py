"""Published results: data/published_results.csv as records, and what is worked out from pairs of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from sizing.base.files import Day, Flag, Name, Number, Record, SourceKey, Text
from sizing.catalogue.loader import default
from sizing.catalogue.schemas import TOLD

FILE = "published_results.csv"


@dataclass(frozen=True, slots=True)
class Published:
    """One result as someone published it. Texts are "" and numbers None where it is not stated.

    suite, family: whose benchmark, and which model, as the inputs ``result_suite`` and ``result_model`` name them.
    card: id of a card, or of a product whose edition is not stated; card_as_printed: as its publisher writes it.
    power_cap_w: of each card. [W]   scenario: as published.   speculative: with speculative decoding.
    software_run: release that tells runs of one system apart.   value, unit: of the whole system.
    ttft_*, tpot_*: 99th percentile, and the limit it had to keep. [ms]
    """

    id: str
    suite: str
    round: str
    submitter: str
    system: str
    card: str
    card_as_printed: str
    cards: int
    power_cap_w: float | None
    tp: int | None
    model: str
    family: str
    precision: str
    scenario: str
    speculative: bool
    software_run: str
    concurrency: int | None
    context_tokens: int | None
    answer_tokens: int | None
    value: float
    unit: str
    software: str
    ttft_p99_ms: float | None
    tpot_p99_ms: float | None
    ttft_limit_ms: float | None
    tpot_limit_ms: float | None
    status: str
    source: str
    read_on: str
    note: str

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


def _text() -> Text:
    return Text(optional=True, default="")


def _name() -> Name:
    return Name(optional=True, default="")


def _number() -> Number:
    return Number(optional=True)


def _whole() -> Number:
    return Number(optional=True, whole=True)


SCHEMA = Record(
    fields={
        "id": Text(pattern=r"[a-z0-9-]+", says="small letters, digits and hyphens"),
        "suite": Text(),
        "round": _name(),
        "submitter": _text(),
        "system": _name(),
        "card": Text(),
        "card_as_printed": Name(),
        "cards": Number(low=1, high=1024, whole=True),
        "power_cap_w": _number(),
        "tp": _whole(),
        "model": Name(),
        "family": Text(),
        "precision": _text(),
        "scenario": TOLD,
        "speculative": Flag(),
        "software_run": _text(),
        "concurrency": _whole(),
        "context_tokens": _whole(),
        "answer_tokens": _whole(),
        "value": Number(),
        "unit": Text(choices=("tokens/s", "tokens/s per user", "tokens/s per W", "Gflop/s")),
        "software": _name(),
        "ttft_p99_ms": _number(),
        "tpot_p99_ms": _number(),
        "ttft_limit_ms": _number(),
        "tpot_limit_ms": _number(),
        "status": Text(choices=("mlperf-log", "mlperf-summary", "community", "quoted")),
        "source": SourceKey(),
        "read_on": Day(),
        "note": _text(),
    },
    build=Published,
)


@functools.cache
def published() -> tuple[Published, ...]:
    """Every published result, in the order of the file."""
    return tuple(default().rows(FILE, SCHEMA, lambda row: row.id))


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


@dataclass(frozen=True, slots=True)
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
