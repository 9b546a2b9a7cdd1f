"""Fits the constants of the engine estimate on half of the start-up logs and shows them on the other half.

    python scripts/fit_budget.py

Reads tests/memory/budget/startup_logs.csv; prints the "engine" table of data/budget.toml and the errors of both
halves. The split: within each regime (see ``regime``) logs in the order of the SHA-256 of their id, dealt alternately,
the odd one out to the shown half. Every constant is the median of one quantity that the logs show, so that a single
odd log moves nothing. Some logs are sisters (one machine, one model, one flag changed); so a second proof predicts
each set-up with constants from all others.
"""

from __future__ import annotations

import csv
import hashlib
import math
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sizing.memory.starting import EngineBudget, Launch  # noqa: E402
from sizing.memory.vllm.estimate import Constants, budget  # noqa: E402
from sizing.memory.vllm.releases import Release, rules  # noqa: E402
from sizing.memory.widths import Images, Widths  # noqa: E402

LOGS = ROOT / "tests" / "memory" / "budget" / "startup_logs.csv"
BAND = 0.9

# Not fitted: no log of the table is of a release that counts so. Three public logs print weights and consumed memory,
# 51.1 and 51.66, 14.26 and 14.73, 9.96 and 10.7 GiB: 0.56 GiB apart at the median, less 0.06 GiB that count anyway.
CONSUMED_GIB = 0.5
# Not fitted either, for the same reason; data/budget.toml says what they rest on.
GROUP_LARGE_GIB, STATE_COPIES, STATE_COPIES_MOST = 2.1, 1.0, 2.5


@dataclass(frozen=True)
class Log:
    """One start-up log: what went in, and what the engine printed."""

    id: str
    launch: Launch
    widths: Widths
    total_gib: float
    utilization: float
    weights_gib: float
    available_gib: float
    images: Images | None
    unknown_draft: bool
    activation_gib: float | None
    non_torch_gib: float | None
    graph_estimate_gib: float | None
    graph_capture_gib: float | None

    @property
    def release(self) -> Release:
        """The rules of its release."""
        return rules(self.launch.version)

    @property
    def tp(self) -> int:
        """Cards a layer is split over. [-]"""
        return self.launch.tp

    @property
    def graphs_gib(self) -> float | None:
        """What the log says of CUDA graphs: the estimate, which is what counts, else what was captured. [GiB]"""
        return self.graph_estimate_gib if self.graph_estimate_gib is not None else self.graph_capture_gib

    @property
    def reserve_gib(self) -> float:
        """Taken beside weights and cache. [GiB]"""
        return self.utilization * self.total_gib - self.weights_gib - self.available_gib


def _optional(text: str) -> float | None:
    return float(text) if text else None


def read_logs() -> list[Log]:
    """Every row of the table."""
    with LOGS.open(newline="") as file:
        return [_log(row) for row in csv.DictReader(file)]


def _images(text: str) -> Images | None:
    return Images(*(int(part) for part in text.split("x"))) if text else None


def _log(row: dict[str, str]) -> Log:
    names = ("hidden_size", "vocab_size", "layers", "ffn_size", "experts_per_token", "expert_ffn_size")
    return Log(
        id=row["id"],
        launch=Launch(
            version=row["version"],
            total_gib=float(row["total_gib"]),
            tp=int(row["tp"]),
            utilization=float(row["utilization"]),
            max_num_batched_tokens=int(row["max_num_batched_tokens"]),
            max_num_seqs=int(row["max_num_seqs"]),
            unified_memory=row["unified"] == "1",
            enforce_eager=row["eager"] == "1",
        ),
        widths=Widths(**{name: int(row[name]) for name in names}),
        total_gib=float(row["total_gib"]),
        utilization=float(row["utilization"]),
        weights_gib=float(row["weights_gib"]),
        available_gib=float(row["available_gib"]),
        images=_images(row["images"]),
        unknown_draft=row["unknown_draft"] == "1",
        activation_gib=_optional(row["activation_gib"]),
        non_torch_gib=_optional(row["non_torch_gib"]),
        graph_estimate_gib=_optional(row["graph_estimate_gib"]),
        graph_capture_gib=_optional(row["graph_capture_gib"]),
    )


def regime(log: Log) -> str:
    """Which constants a log speaks about."""
    if log.launch.unified_memory:
        return "unified memory"
    if log.tp == 1:
        return "one card"
    return "group, graphs in the share" if log.release.graphs_in_share else "group"


def halves(logs: list[Log]) -> tuple[list[Log], list[Log]]:
    """Fit half and shown half."""
    fit_half: list[Log] = []
    shown_half: list[Log] = []
    for name in sorted({regime(log) for log in logs}):
        members = [log for log in logs if regime(log) == name]
        members.sort(key=lambda log: hashlib.sha256(log.id.encode()).hexdigest())
        shown_half += members[::2]
        fit_half += members[1::2]
    return fit_half, shown_half


def set_up(log: Log) -> tuple[object, ...]:
    """What sister logs share: machine, model and weights format."""
    return (log.widths, log.total_gib, log.utilization, log.tp, log.launch.max_num_batched_tokens)


def predict(log: Log, constants: Constants | None = None) -> EngineBudget:
    """The estimate for one log."""
    return budget(log.launch, widths=log.widths, weights_gib=log.weights_gib, images=log.images, constants=constants)


def _part(found: EngineBudget, name: str) -> float:
    """One candidate for the peak activation, 0 where the estimate has none. [GiB]"""
    return next((step.result for step in found.working if step.name == f"engine_{name}_part_gib"), 0.0)


def _median(values: list[float], fallback: float) -> float:
    return statistics.median(values) if values else fallback


def fit(logs: list[Log]) -> Constants:
    """Constants from these logs, one after the other. Logs with an unknown draft model take no part."""
    logs = [log for log in logs if not log.unknown_draft]
    c = Constants(
        sort_copies=1.0,
        kernel_copies=1.0,
        single_gib=0.0,
        group_gib=0.0,
        group_new_gib=0.0,
        group_large_gib=GROUP_LARGE_GIB,
        state_copies=STATE_COPIES,
        state_copies_most=STATE_COPIES_MOST,
        consumed_gib=CONSUMED_GIB,
        unified_gib=0.0,
        graph_gib=0.0,
        graph_layer_gib=0.0,
        graph_excess=1.0,
        spread_gib=0.0,
    )
    single = [log for log in logs if log.tp == 1]
    grouped = [log for log in logs if log.tp > 1]

    printed = [log.non_torch_gib for log in single if log.non_torch_gib is not None]
    c = replace(c, single_gib=_median(printed, 0.1))
    printed = [
        log.non_torch_gib for log in grouped if log.non_torch_gib is not None and not log.release.graphs_in_share
    ]
    c = replace(c, group_gib=_median(printed, 0.4))

    pools = [log.graphs_gib for log in single if log.graphs_gib is not None]
    c = replace(c, graph_gib=_median(pools, 0.7))
    rates = [(log.graphs_gib - c.graph_gib) / log.widths.layers for log in grouped if log.graphs_gib is not None]
    c = replace(c, graph_layer_gib=_median(rates, 0.05))

    for name, kernel in (("sort_copies", False), ("kernel_copies", True)):
        copies = []
        for log in logs:
            part = predict(log, c)
            activation = log.activation_gib
            if kernel and log.release.graphs_in_share and activation is not None:
                activation -= part.graphs_gib  # releases that take graphs from the share print them with activations
            elif activation is None and not log.launch.unified_memory and log.tp == 1:
                activation = log.reserve_gib - part.non_torch_gib - part.graphs_gib
            dominates = activation is not None and activation > 1.05 * max(_part(part, "token"), _part(part, "image"))
            if log.release.samples_by_kernel == kernel and dominates and activation is not None:
                copies.append(activation / _part(part, "sequence"))
        c = replace(c, **{name: _median(copies, 9.6 if not kernel else 3.85)})

    def unexplained(log: Log) -> float:
        part = predict(log, c)
        graphs = part.graphs_gib
        if log.release.graphs_in_share and log.graph_estimate_gib is not None:
            graphs = log.graph_estimate_gib
        return log.reserve_gib - part.activation_gib - part.non_torch_gib - graphs

    rest = [unexplained(log) for log in logs if log.launch.unified_memory]
    c = replace(c, unified_gib=_median(rest, 0.0))
    rest = [unexplained(log) for log in grouped if log.release.graphs_in_share]
    c = replace(c, group_new_gib=max(c.group_gib, _median(rest, c.group_gib)))

    c = replace(c, graph_excess=1.5)
    return replace(c, spread_gib=_spread(logs, c))


def _spread(logs: list[Log], c: Constants) -> float:
    """The smallest half-width with which the band holds BAND of these logs."""
    needed = []
    for log in logs:
        part = predict(log, c)
        needed.append(max(0.0, log.available_gib - part.optimistic_gib, part.pessimistic_gib - log.available_gib))
    needed.sort()
    return math.ceil(needed[math.ceil(BAND * len(needed)) - 1] * 100) / 100  # up, so that rounding loses no log


def report(title: str, logs: list[Log], c: Constants | None) -> tuple[int, int, int]:
    """Prints one line; returns logs, those within 1 GiB, those inside the band."""
    near = inside = 0
    errors = []
    for log in logs:
        part = predict(log, c)
        errors.append(abs(part.typical_gib - log.available_gib))
        near += errors[-1] <= 1.0
        inside += part.pessimistic_gib <= log.available_gib <= part.optimistic_gib
    print(
        f"{title:44} n={len(logs):2}  median error {statistics.median(errors):.2f} GiB  "
        f"within 1 GiB {near}/{len(logs)} = {near / len(logs):.0%}  in band {inside}/{len(logs)} = "
        f"{inside / len(logs):.0%}"
    )
    return len(logs), near, inside


def by_set_up(chosen: list[Log], logs: list[Log]) -> tuple[int, int, int]:
    """Set-ups whose median error is within 1 GiB, those whose logs mostly lie in the band, and all."""
    near = inside = 0
    groups = {set_up(log): [other for other in chosen if set_up(other) == set_up(log)] for log in chosen}
    for key, members in groups.items():
        c = fit([log for log in logs if set_up(log) != key])
        parts = [(predict(log, c), log.available_gib) for log in members]
        near += statistics.median(abs(part.typical_gib - left) for part, left in parts) <= 1.0
        inside += sum(part.pessimistic_gib <= left <= part.optimistic_gib for part, left in parts) * 2 > len(parts)
    return near, inside, len(groups)


def main() -> None:
    logs = read_logs()
    fit_half, shown_half = halves(logs)
    constants = fit(fit_half)
    for name in Constants.__dataclass_fields__:
        print(f"{name} = {getattr(constants, name):.3f}")
    print()
    report("fit half", fit_half, constants)
    report("shown half", shown_half, constants)
    for title, half in (("fit half", fit_half), ("shown half", shown_half)):
        report(f"{title}, draft models known", [log for log in half if not log.unknown_draft], constants)
    for title, chosen in (
        ("each set-up from all others", logs),
        ("the same, draft models known", [log for log in logs if not log.unknown_draft]),
    ):
        near, inside, count = by_set_up(chosen, logs)
        print(f"{title:44} set-ups={count}  within 1 GiB {near / count:.0%}  in band {inside / count:.0%}")
    print()
    for title, half in (("fit", fit_half), ("shown", shown_half)):
        for log in half:
            part = predict(log, constants)
            error = part.typical_gib - log.available_gib
            outside = "" if part.pessimistic_gib <= log.available_gib <= part.optimistic_gib else "  outside the band"
            print(f"{title:5} {log.id:36} reserve {log.reserve_gib:6.2f}  error {error:+6.2f}{outside}")


if __name__ == "__main__":
    main()
