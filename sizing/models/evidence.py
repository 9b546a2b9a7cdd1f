"""The evidence behind the figures: published results, our own against them, start-up logs, and every source.

Cache: what vLLM printed at its start, against the prediction for the same memory. Speed: see sizing.speed.accuracy.
Source: vllm-startup-logs.
"""

from __future__ import annotations

import functools
import json
from statistics import median
from typing import Any

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, day, number, source_key, text
from sizing.catalogue import results
from sizing.catalogue.loader import default
from sizing.catalogue.parts import ResultFilters
from sizing.catalogue.records import told
from sizing.catalogue.results import Published
from sizing.memory import engines
from sizing.memory.starting import Launch

_BLOCK_TOKENS = 16
"""Tokens of a block where a log prints blocks only."""


@dataclass(frozen=True)
class PublishedLog:
    """A start-up log that someone published, beside the prediction for the same memory.

    thread: where it stands.   version: of the engine.   printed, predicted: tokens of the cache. [tokens]
    reason: why they differ, "" where nothing is to be said.
    """

    id: str
    thread: str
    checkpoint: str
    version: str
    printed: int
    predicted: int
    reason: str

    @property
    def error(self) -> float:
        """Prediction against print. [-]"""
        return self.predicted / self.printed - 1


class _Row(Declared):
    """A row of data/startup_logs.csv: how an engine was started, and what it printed."""

    id: str = text()
    thread: str = text()
    engine: str = text()
    checkpoint: str = text()
    version: str = text()
    capability: str = text()
    tp: int = number(1, whole=True)
    pp: int = number(1, whole=True)
    kv_dtype: str = text()
    max_model_len: int = number(1, whole=True)
    max_num_batched_tokens: int | None = number(whole=True, default=None)
    available_kv_gib: float = number()
    speculative_tokens: int | None = number(whole=True, default=None)
    flags: str = text(default="")
    kv_tokens: int | None = number(whole=True, default=None)
    num_blocks: int | None = number(whole=True, default=None)
    reason: str = told()
    source: str = source_key()
    read_on: str = day()


@functools.cache
def startup_logs() -> tuple[PublishedLog, ...]:
    """Every log of data/startup_logs.csv with its prediction."""
    return tuple(_predict(row) for row in default().rows("startup_logs.csv", _Row))


def _predict(row: _Row) -> PublishedLog:
    major, minor = row.capability.split(".")
    call: dict[str, Any] = {
        name: getattr(row, name)
        for name in ("max_model_len", "tp", "pp", "kv_dtype", "version", "max_num_batched_tokens")
        if getattr(row, name) is not None
    }
    for flag in row.flags.split():
        name, _, value = flag.partition("=")
        call[name] = value if name == "state_dtype" else json.loads(value)
    call |= {"compute_capability": (int(major), int(minor)), "speculative_tokens": row.speculative_tokens or 0}
    architecture = catalogue.checkpoint(row.checkpoint).architecture
    started = engines.engine(row.engine).start_up(architecture, Launch(**call), row.available_kv_gib)
    printed = row.kv_tokens or (row.num_blocks or 0) * _BLOCK_TOKENS
    predicted = started.kv_tokens or 0
    return PublishedLog(row.id, row.thread, row.checkpoint, row.version, printed, predicted, row.reason)


@dataclass(frozen=True)
class LogSummary:
    """How near the predictions come. count: logs. [-]   near: of them within one percent. [-]

    median, worst: size of the error; worst_reason: what the table says of the worst. [-]
    """

    count: int
    near: int
    median: float
    worst: PublishedLog


def log_summary() -> LogSummary:
    """How near the predictions of the cache come to the logs."""
    logs = startup_logs()
    errors = [abs(log.error) for log in logs]
    near = sum(error <= 0.01 for error in errors)
    return LogSummary(len(logs), near, median(errors), max(logs, key=lambda log: abs(log.error)))


@dataclass(frozen=True)
class ResultGroup:
    """Results of one card in one case, lowest first. value: per card by our own division. [tokens/s]"""

    card: str
    case: str
    rows: tuple[Published, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """Per card. [tokens/s]"""
        return tuple(row.per_card or 0.0 for row in self.rows)


@dataclass(frozen=True)
class Evidence:
    """What the evidence page shows of its filters.

    shown: the results that the filters leave.   groups: those that are rates of the whole server, by card and case,
    the highest first.
    """

    shown: tuple[Published, ...]
    groups: tuple[ResultGroup, ...]

    @property
    def total(self) -> int:
        """Every published result there is."""
        return len(results.published())

    @property
    def plotted(self) -> int:
        """Results on the chart."""
        return sum(len(group.rows) for group in self.groups)

    @property
    def mlperf(self) -> bool:
        """Whether a result of MLPerf is among them, so that its notice belongs beside it."""
        return any(row.suite == "mlperf" for row in self.shown)


def evidence(filters: ResultFilters) -> Evidence:
    """The published results that the filters leave."""
    shown = results.chosen(filters.result_suite, filters.result_model, filters.result_card, filters.result_scenario)
    found: dict[tuple[str, str], list[Published]] = {}
    for row in shown:
        if row.unit == "tokens/s":
            found.setdefault((row.card, row.case), []).append(row)
    groups = [
        ResultGroup(card, case, tuple(sorted(rows, key=lambda row: row.per_card or 0.0)))
        for (card, case), rows in found.items()
    ]
    return Evidence(shown, tuple(sorted(groups, key=lambda group: max(group.values), reverse=True)))


def all_sources() -> tuple[catalogue.Source, ...]:
    """Every source of every figure, in the order of sources.toml."""
    return tuple(catalogue.source(key) for key in default().sources)
