"""What explains a difference between a start-up log and its prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sizing.memory import budget, vllm
from sizing.memory.startup_log import StartupLog
from sizing.notes import Note
from sizing.size import Sizing
from sizing.texts import Word

if TYPE_CHECKING:
    from sizing.log_check.compare import Compared
    from sizing.log_check.setup import Setup

RULES_SOURCE = "vllm-kv-rules"
BUDGET_SOURCE = "memory-budget"
_RANK = {"stop": 0, "warn": 1, "hint": 2}
TOKENS_BY_CONCURRENCY = (0, 20, 2)
_SENTENCES = {"reason": "refusal", "remedy": "remedy"}


def notes(
    log: StartupLog,
    settings: Setup,
    sizing: Sizing,
    started: vllm.Startup | None,
    split: budget.EngineBudget | None,
    compared: Mapping[str, Compared],
    found: list[Note],
) -> list[Note]:
    """The verdict first, then what explains it, then what was assumed."""
    verdict = list(_verdict(log, started, compared))
    causes = [
        *_weights(compared),
        *_ranks(log, settings),
        *_rounding(compared),
        *_window_batch(settings, sizing, started),
        *_asked(log),
        *_utilization(log, settings),
        *_graphs(log, settings),
        *_memory(log, split, compared),
        *_formula(settings, sizing),
        *_evidence(started),
    ]
    rest = sorted([*found, *settings.notes, *causes], key=lambda note: _RANK[note.level])
    return [*verdict, *rest]


def _verdict(log: StartupLog, started: vllm.Startup | None, compared: Mapping[str, Compared]) -> Iterator[Note]:
    if started is None:
        return
    refused_in_log = log.needed_gib or log.state_blocks or log.no_memory
    if not started.starts:
        level = "hint" if refused_in_log else "warn"
        key = "log_refusal_matches" if refused_in_log else "log_refusal_predicted"
        yield Note(level, key, values=_why(started))  # type: ignore[arg-type]
        return
    if refused_in_log and log.kv_tokens is None:
        yield Note("warn", "log_start_predicted")
        return
    tokens = compared.get("kv_tokens") or compared.get("num_blocks") or compared.get("concurrency")
    if tokens is None:
        yield Note("hint", "log_no_tokens_line")
    elif tokens.predicted == tokens.printed:
        yield Note("hint", "log_exact")
    elif tokens.agrees:
        yield Note("hint", "log_within_rounding", values={"low": tokens.low, "high": tokens.high})
    elif tokens.difference is not None:
        yield Note("warn", "log_off", values={"percent": tokens.difference * 100})


def _why(started: vllm.Startup) -> dict[str, Word]:
    """Why it does not start and what would, as texts of whatever language."""
    refusal = started.refusal
    if refusal is None:
        return {}
    mentioned = tuple({**refusal.values, "flag": refusal.flag, "number": refusal.number}.items())
    return {name: Word(f"vllm.{kind}.{refusal.key}", mentioned) for name, kind in _SENTENCES.items()}


def _weights(compared: Mapping[str, Compared]) -> Iterator[Note]:
    weights = compared.get("weights_gib")
    if weights is not None and not weights.agrees:
        values = {"printed_gib": weights.printed, "predicted_gib": weights.predicted}
        yield Note("warn", "log_weights_differ", values=values)


def _ranks(log: StartupLog, settings: Setup) -> Iterator[Note]:
    cards = [found.value for found in log.available_gib]
    if len(cards) > 1 and max(cards) > min(cards):
        values = {"least_gib": min(cards), "most_gib": max(cards), "cards": len(cards)}
        yield Note("hint", "log_poorest_card", RULES_SOURCE, values)
    elif len(cards) == 1 and settings.tp * settings.pp > 1:
        yield Note("hint", "log_one_card", RULES_SOURCE, {"cards": settings.tp * settings.pp})


def _rounding(compared: Mapping[str, Compared]) -> Iterator[Note]:
    tokens = compared.get("kv_tokens")
    if tokens is not None and tokens.high > tokens.low:
        yield Note("hint", "log_rounding", values={"low": tokens.low, "high": tokens.high})


def _window_batch(settings: Setup, sizing: Sizing, started: vllm.Startup | None) -> Iterator[Note]:
    if started is None or settings.max_num_batched_tokens is not None:
        return
    if sizing.architecture.windowed_bytes_per_token:
        values = {"tokens": started.max_num_batched_tokens, "in_flight": started.in_flight_tokens}
        yield Note("warn", "log_batch_assumed", RULES_SOURCE, values)


def _asked(log: StartupLog) -> Iterator[Note]:
    if log.fixed_gib is not None:
        yield Note("hint", "log_fixed_memory", RULES_SOURCE, {"fixed_gib": log.fixed_gib.value})
    if log.blocks_override is not None:
        yield Note("warn", "log_blocks_override", RULES_SOURCE, {"blocks": log.blocks_override.value})


def _utilization(log: StartupLog, settings: Setup) -> Iterator[Note]:
    if log.fixed_gib is not None:
        return
    default = budget.Engine(settings.version, 1, 1).default_utilization
    if settings.utilization is None:
        yield Note("hint", "log_utilization_assumed", RULES_SOURCE, {"default": default, "version": settings.version})
    elif settings.utilization != default:
        values = {
            "utilization": settings.utilization,
            "default": default,
            "gib": (settings.utilization - default) * settings.total_gib,
        }
        yield Note("hint", "log_utilization", RULES_SOURCE, values)


def _graphs(log: StartupLog, settings: Setup) -> Iterator[Note]:
    in_share = budget.Engine(settings.version, 1, 1).graphs_in_share
    if settings.enforce_eager:
        yield Note("hint", "log_graphs_off", RULES_SOURCE)
    elif in_share and log.graphs_estimated_gib is not None:
        values = {"estimated_gib": log.graphs_estimated_gib.value}
        if log.graphs_gib is None:
            yield Note("hint", "log_graphs_estimated", RULES_SOURCE, values)
        else:
            yield Note("hint", "log_graphs_taken", RULES_SOURCE, {**values, "graphs_gib": log.graphs_gib.value})
    elif not in_share and log.graphs_gib is not None:
        yield Note("hint", "log_graphs_on_top", RULES_SOURCE, {"graphs_gib": log.graphs_gib.value})


def _memory(log: StartupLog, split: budget.EngineBudget | None, compared: Mapping[str, Compared]) -> Iterator[Note]:
    left = compared.get("available_gib")
    if split is None or left is None:
        return
    if left.agrees:
        yield Note("hint", "log_memory_in_band", BUDGET_SOURCE)
        return
    key = "log_memory_more" if left.printed > left.high else "log_memory_less"
    yield Note("warn", key, BUDGET_SOURCE, {"gib": abs(left.printed - left.predicted)})
    if log.activation_gib is not None:
        values = {"printed_gib": log.activation_gib.value, "predicted_gib": split.activation_gib}
        yield Note("hint", "log_activation", BUDGET_SOURCE, values)


def _formula(settings: Setup, sizing: Sizing) -> Iterator[Note]:
    """Before 0.20.2 the tokens of a model with several kinds of layers were counted in another way."""
    several = len({group.kind for group in sizing.architecture.groups if group.kind != "none"}) > 1
    if several and _release(settings.version) < TOKENS_BY_CONCURRENCY:
        yield Note("hint", "log_old_formula", RULES_SOURCE)


def _release(version: str) -> tuple[int, ...]:
    parts = version.removeprefix("v").split(".")
    digits = ["".join(c for c in part if c.isdigit())[:6] for part in parts[:3]]
    return tuple(int(digit or 0) for digit in digits)


def _evidence(started: vllm.Startup | None) -> Iterator[Note]:
    if started is not None and started.evidence == "code":
        yield Note("warn", "log_evidence", RULES_SOURCE)
