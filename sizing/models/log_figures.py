"""One figure of a start-up log beside its prediction, or beside the range that the log leaves open."""

from __future__ import annotations

from dataclasses import replace

from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.notes import Note
from sizing.memory import engines
from sizing.memory.starting import EngineBudget, EngineStart, Launch
from sizing.memory.startup_log import StartupLog
from sizing.models.log_setup import Setup, like_its_own

HALF_STEP_GIB = 0.005
"""The engine prints memory with two decimals. [GiB]"""

_HALF_CONCURRENCY = 0.005
_DRAFTS_FROM, _EXPLAINS_WITHIN, _MOST_DRAFT_LAYERS = 1.02, 0.005, 64
"""A draft is thought of from here on [-], explains a print so near to it [-], and has at most so many layers. [-]"""


@dataclass(frozen=True)
class Compared(Shown, facts=("name", "printed", "predicted", "low", "high", "agrees")):
    """One figure as printed and as predicted.

    name: "kv_tokens", "concurrency", "block_size", "available_gib", "weights_gib" or "longest_tokens".
    predicted: None where the log leaves open what decides it, so that only the range is known.
    low, high: between which the print agrees with the prediction.
    """

    name: str
    printed: float
    predicted: float | None
    low: float
    high: float

    @property
    def agrees(self) -> bool:
        """The print lies within what the prediction allows."""
        return self.low <= self.printed <= self.high

    @property
    def difference(self) -> float | None:
        """Prediction against print, as a share of the print. [-]"""
        return self.predicted / self.printed - 1 if self.printed and self.predicted is not None else None


def run(log: StartupLog, settings: Launch, sizing: Sizing, available_gib: float, seqs: int | None) -> EngineStart:
    """The start of a ``log``'s ``settings`` with ``seqs`` at most and ``available_gib`` for the cache of ``sizing``."""
    return engines.engine(log.engine).start_up(sizing.architecture, replace(settings, max_num_seqs=seqs), available_gib)


def seqs(settings: Launch, log: StartupLog) -> int | None:
    """Sequences to reckon with by ``settings``: an engine whose ``log`` prints tokens alone had few. [-]"""
    return 1 if settings.max_num_seqs is None and log.kv_tokens is not None else settings.max_num_seqs


def token_figures(
    settings: Setup,
    sizing: Sizing,
    started: EngineStart | None,
    printed_gib: float | None,
    available_gib: float | None,
    log: StartupLog,
) -> list[Compared]:
    """Tokens, concurrency and block size of a ``log``, with what the rounding of ``printed_gib`` leaves open. [GiB]

    settings, sizing: of the set-up.   started: with ``available_gib``, None where nothing can be reckoned. [GiB]
    """
    if started is None or available_gib is None:
        return []
    if settings.others:
        return _open(settings, sizing, started, printed_gib, available_gib, log)
    found: list[Compared] = []
    if started.starts and started.kv_tokens is not None and started.max_concurrency is not None:
        tokens, ratios, pools = _ends(settings, sizing, started, printed_gib, available_gib, log)
        if log.kv_tokens is not None:
            found.append(Compared("kv_tokens", log.kv_tokens.value, started.kv_tokens, *tokens))
        if log.concurrency is not None:
            found.append(Compared("concurrency", log.concurrency.value, started.max_concurrency, *ratios))
        if log.blocks is not None and started.num_blocks is not None:
            found.append(Compared("num_blocks", log.blocks.value, started.num_blocks, *pools))
    if log.block_size is not None and started.block_size:
        found.append(_exact("block_size", log.block_size.value, started.block_size))
    if log.needed_gib is not None and started.needed_gib is not None:
        needed = started.needed_gib
        found.append(
            Compared("needed_gib", log.needed_gib.value, needed, needed - HALF_STEP_GIB * 2, needed + HALF_STEP_GIB * 2)
        )
    if log.longest_tokens is not None and started.longest_max_model_len is not None:
        found.append(_exact("longest_tokens", log.longest_tokens.value, started.longest_max_model_len))
    if log.state_blocks is not None and started.highest_max_num_seqs is not None:
        found.append(_exact("state_blocks", log.state_blocks.value, started.highest_max_num_seqs))
    return found


Ends = tuple[float, float]


def _ends(
    settings: Launch,
    sizing: Sizing,
    started: EngineStart,
    printed_gib: float | None,
    available_gib: float,
    log: StartupLog,
) -> tuple[Ends, Ends, Ends]:
    """Tokens, concurrency and blocks at both ends of what the rounding of the printed memory leaves open."""
    half = HALF_STEP_GIB if printed_gib is not None else 0.0
    within = engines.engine(log.engine).PRINTED_WITHIN
    ends = [run(log, settings, sizing, available_gib + sign * half, seqs(settings, log)) for sign in (-1, 1)]
    tokens = [end.kv_tokens if end.kv_tokens is not None else started.kv_tokens or 0 for end in ends]
    ratios = [end.max_concurrency if end.max_concurrency is not None else started.max_concurrency or 0 for end in ends]
    few, many = (end.num_blocks or started.num_blocks or 0 for end in ends)
    return (
        (tokens[0] * (1 - within), tokens[1] * (1 + within)),
        (ratios[0] - _HALF_CONCURRENCY, ratios[1] + _HALF_CONCURRENCY),
        (few, many),
    )


def _open(
    settings: Setup,
    sizing: Sizing,
    first: EngineStart,
    printed_gib: float | None,
    available_gib: float,
    log: StartupLog,
) -> list[Compared]:
    """The same where the log leaves a setting open: from the least to the most of what it may have been, no figure."""
    starts = [run(log, other, sizing, available_gib, seqs(settings, log)) for other in settings.others]
    tried = list(zip((settings, *settings.others), (first, *starts), strict=True))
    spans = [_ends(each, sizing, begun, printed_gib, available_gib, log) for each, begun in tried if begun.starts]
    if not spans:
        return []
    # It has started, so that one request of full length fits, whatever was loaded.
    refused = any(not begun.starts for _, begun in tried)
    least = (0.0 if first.tokens_in_blocks else float(settings.max_model_len), 1.0, 0.0)
    names = (("kv_tokens", log.kv_tokens), ("concurrency", log.concurrency), ("num_blocks", log.blocks))
    return [
        Compared(
            name,
            printed.value,
            None,
            least[place] if refused else min(span[place][0] for span in spans),
            max(span[place][1] for span in spans),
        )
        for place, (name, printed) in enumerate(names)
        if printed is not None
    ]


def drafter(
    settings: Setup, sizing: Sizing, started: EngineStart | None, available_gib: float | None, log: StartupLog
) -> list[Note]:
    """The draft that would explain a print below the prediction, where the log names none or does not say which.

    settings, sizing: of the set-up without it.   started: with ``available_gib``. [GiB]   log: with the print.
    """
    printed = log.kv_tokens.value if log.kv_tokens is not None else None
    unknown = bool(settings.others) or (log.speculative_method is None and log.speculative_tokens is None)
    if available_gib is None or not printed or not unknown or started is None or not started.kv_tokens:
        return []
    if started.kv_tokens < printed * _DRAFTS_FROM:
        return []
    tokens = settings.speculative_tokens or 1
    for layers in range(1, _MOST_DRAFT_LAYERS + 1):
        if (draft := like_its_own(sizing.architecture, layers)) is None:
            return []
        tried = replace(settings, draft=draft, speculative_tokens=tokens)
        found = run(log, tried, sizing, available_gib, seqs(settings, log)).kv_tokens
        if found is not None and abs(found / printed - 1) <= _EXPLAINS_WITHIN:
            times = started.kv_tokens / printed
            return [
                Note(
                    "warn",
                    "log_draft_explains",
                    engines.engine(log.engine).RULES_SOURCE,
                    {"layers": layers, "times": times},
                )
            ]
    return []


def _exact(name: str, printed: float, predicted: float) -> Compared:
    return Compared(name, printed, predicted, predicted, predicted)


def memory_figures(split: EngineBudget | None, weights_gib: float | None, log: StartupLog) -> list[Compared]:
    """Weights and budget of a ``log`` beside ``weights_gib`` and the ``split`` that was reckoned. [GiB]"""
    found: list[Compared] = []
    if log.weights_gib is not None and weights_gib is not None:
        # Loading counts buffers and padding too; within 5 % the weights are the same ones.
        found.append(
            Compared("weights_gib", log.weights_gib.value, weights_gib, weights_gib * 0.95, weights_gib * 1.05)
        )
    if split is not None and log.poorest_gib is not None:
        found.append(
            Compared("available_gib", log.poorest_gib, split.typical_gib, split.pessimistic_gib, split.optimistic_gib)
        )
    return found
