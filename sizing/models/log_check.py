"""Prediction beside print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sizing.answers import engine
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.errors import SizingError
from sizing.base.notes import Note, by_level
from sizing.base.texts import Word
from sizing.base.units import bytes_from_gib
from sizing.memory import engines, layouts
from sizing.memory.layouts import Layout
from sizing.memory.starting import EngineBudget, EngineStart
from sizing.memory.startup_log import StartupLog
from sizing.models.log_figures import Compared, drafter, memory_figures, run, seqs, token_figures
from sizing.models.log_setup import Setup, setup

# What explains a difference between a start-up log and its prediction.


def explain(
    log: StartupLog,
    settings: Setup,
    sizing: Sizing,
    started: EngineStart | None,
    split: EngineBudget | None,
    compared: Mapping[str, Compared],
    found: list[Note],
) -> list[Note]:
    """The verdict first, then what explains it, then what was assumed."""
    verdict = list(_verdict(log, started, compared))
    causes = [
        *_printed(log, settings, compared),
        *_window_batch(settings, sizing, started),
        *_utilization(log, settings),
        *_graphs(log, settings),
        *_memory_notes(log, split, compared),
        *_rules_of(sizing, started),
    ]
    rest = by_level((*found, *settings.notes, *causes))
    return [*verdict, *rest]


def _rules(about: StartupLog | EngineStart) -> str:
    """Source of the rules of an engine."""
    return engines.engine(about.engine).RULES_SOURCE


def _verdict(log: StartupLog, started: EngineStart | None, compared: Mapping[str, Compared]) -> Iterator[Note]:
    if started is None:
        return
    tokens = compared.get("kv_tokens") or compared.get("num_blocks") or compared.get("concurrency")
    if tokens is not None and tokens.predicted is None:
        key = "log_open_agrees" if tokens.agrees else "log_open_off"
        yield Note("warn", key, values={"low": tokens.low, "high": tokens.high})
        return
    refused_in_log = log.needed_gib or log.state_blocks or log.no_memory
    if started.refusal is not None:
        level = "hint" if refused_in_log else "warn"
        key = "log_refusal_matches" if refused_in_log else "log_refusal_predicted"
        yield Note(level, key, values=started.refusal.words)  # type: ignore[arg-type]
        return
    if refused_in_log and log.kv_tokens is None:
        yield Note("warn", "log_start_predicted")
        return
    if tokens is None:
        yield Note("hint", "log_no_tokens_line")
    elif tokens.predicted == tokens.printed:
        yield Note("hint", "log_exact")
    elif tokens.agrees:
        yield Note("hint", "log_within_rounding", values={"low": tokens.low, "high": tokens.high})
    elif tokens.difference is not None:
        yield Note("warn", "log_off", values={"percent": tokens.difference * 100})


def _printed(log: StartupLog, settings: Setup, compared: Mapping[str, Compared]) -> Iterator[Note]:
    """Of the figures that the log prints: weights, memory of the cards, and what rounding leaves open."""
    weights = compared.get("weights_gib")
    if weights is not None and not weights.agrees and weights.predicted is not None:
        values = {"printed_gib": weights.printed, "predicted_gib": weights.predicted}
        yield Note("warn", "log_weights_differ", values=values)
    cards = [found.value for found in log.available_gib]
    if len(cards) > 1 and max(cards) > min(cards):
        values = {"least_gib": min(cards), "most_gib": max(cards), "cards": len(cards)}
        yield Note("hint", "log_poorest_card", _rules(log), values)
    elif len(cards) == 1 and settings.tp * settings.pp > 1:
        yield Note("hint", "log_one_card", _rules(log), {"cards": settings.tp * settings.pp})
    tokens = compared.get("kv_tokens")
    if tokens is not None and tokens.high > tokens.low and tokens.predicted is not None:
        yield Note("hint", "log_rounding", values={"low": tokens.low, "high": tokens.high})


def _window_batch(settings: Setup, sizing: Sizing, started: EngineStart | None) -> Iterator[Note]:
    if started is None or settings.max_num_batched_tokens is not None:
        return
    if sizing.architecture.windowed_bytes_per_token:
        values = {"tokens": started.max_num_batched_tokens, "in_flight": started.in_flight_tokens}
        yield Note("warn", "log_batch_assumed", _rules(started), values)


def _utilization(log: StartupLog, settings: Setup) -> Iterator[Note]:
    if log.blocks_override is not None:
        yield Note("warn", "log_blocks_override", _rules(log), {"blocks": log.blocks_override.value})
    if log.fixed_gib is not None:
        yield Note("hint", "log_fixed_memory", _rules(log), {"fixed_gib": log.fixed_gib.value})
        return
    rules = engines.engine(log.engine)
    default = rules.rules(settings.version).default_utilization
    if settings.utilization is None:
        yield Note(
            "hint", "log_utilization_assumed", rules.RULES_SOURCE, {"default": default, "version": settings.version}
        )
    elif settings.utilization != default:
        values = {
            "utilization": settings.utilization,
            "default": default,
            "gib": (settings.utilization - default) * settings.card_gib,
        }
        yield Note("hint", "log_utilization", rules.RULES_SOURCE, values)


def _graphs(log: StartupLog, settings: Setup) -> Iterator[Note]:
    rules = engines.engine(log.engine)
    in_share = rules.rules(settings.version).graphs_in_share
    if settings.enforce_eager:
        yield Note("hint", "log_graphs_off", rules.RULES_SOURCE)
    elif in_share and log.graphs_estimated_gib is not None:
        values = {"estimated_gib": log.graphs_estimated_gib.value}
        if log.graphs_gib is None:
            yield Note("hint", "log_graphs_estimated", rules.RULES_SOURCE, values)
        else:
            yield Note("hint", "log_graphs_taken", rules.RULES_SOURCE, {**values, "graphs_gib": log.graphs_gib.value})
    elif not in_share and log.graphs_gib is not None:
        yield Note("hint", "log_graphs_on_top", rules.RULES_SOURCE, {"graphs_gib": log.graphs_gib.value})


def _memory_notes(log: StartupLog, split: EngineBudget | None, compared: Mapping[str, Compared]) -> Iterator[Note]:
    left = compared.get("available_gib")
    if split is None or left is None:
        return
    source = engines.engine(log.engine).BUDGET_SOURCE
    if left.agrees:
        yield Note("hint", "log_memory_in_band", source)
        return
    key = "log_memory_more" if left.printed > left.high else "log_memory_less"
    yield Note("warn", key, source, {"gib": abs(left.printed - split.typical_gib)})
    if log.activation_gib is not None:
        values = {"printed_gib": log.activation_gib.value, "predicted_gib": split.activation_gib}
        yield Note("hint", "log_activation", source, values)


def _rules_of(sizing: Sizing, started: EngineStart | None) -> Iterator[Note]:
    """What to know of the rules themselves.

    Older releases counted the tokens of a model with several kinds of layers in another way.
    """
    several = len({group.kind for group in sizing.architecture.groups if group.kind != "none"}) > 1
    if several and started is not None and started.tokens_in_blocks:
        yield Note("hint", "log_old_formula", _rules(started))
    if started is not None and started.evidence == "code":
        yield Note("warn", "log_evidence", _rules(started))


@dataclass(frozen=True)
class Check(Shown, facts=("available_gib", "startup"), lists=("compared", "notes")):
    """A log, what the rules say to it, and what explains the difference.

    available_gib: memory for the cache that the prediction starts from; ``available_printed`` says that the log names
        it, else it is the estimate. [GiB]
    startup: what the rules predict, None where they cannot.   budget: of the memory, None where it cannot be estimated.
    notes: what explains the difference, and what was assumed.
    """

    log: StartupLog
    setup: Setup
    available_gib: float | None
    available_printed: bool
    startup: EngineStart | None
    budget: EngineBudget | None
    compared: tuple[Compared, ...]
    notes: tuple[Note, ...]

    def figure(self, name: str) -> Compared | None:
        """One comparison by name."""
        return next((each for each in self.compared if each.name == name), None)


def check(log: StartupLog, sizing: Sizing, layout: Layout | None = None) -> Check:
    """A log against the sizing's model and card. SizingError: a card whose engine rules are not known.

    layout: what a log was most likely started as where it does not name its tensor parallelism; a single card where the
    printed figures agree better with that, and where none is given. A note says which was taken.
    """
    split = (layout.tp, layout.pp) if layout else (1, 1)
    if log.tp is not None or split == (1, 1):
        return _check(log, sizing, setup(log, sizing))
    of_page, of_one = (_check(log, sizing, setup(log, sizing, tried)) for tried in (split, (1, 1)))
    return of_one if _misses(of_one) < _misses(of_page) else of_page


def _misses(found: Check) -> int:
    """Figures that the log prints and that were not predicted, all of them where nothing was."""
    return sum(not each.agrees for each in found.compared) if found.compared else len(Check.__dataclass_fields__)


def _check(log: StartupLog, sizing: Sizing, settings: Setup) -> Check:
    weights_gib = _weights_gib(log, settings, sizing)
    split = _budget(log, settings, sizing, weights_gib)
    printed = log.poorest_gib if log.poorest_gib is not None else log.fixed_gib.value if log.fixed_gib else None
    if printed is None and log.short_gib is not None:
        printed = log.short_gib.value
    available = printed if printed is not None else split.typical_gib if split is not None else None
    notes: list[Note] = []
    started = _startup(settings, sizing, available, log, notes)
    compared = (
        *token_figures(settings, sizing, started, printed, available, log),
        *memory_figures(split, weights_gib, log),
    )
    by_name = {each.name: each for each in compared}
    notes += drafter(settings, sizing, started, available, log)
    explained = explain(log, settings, sizing, started, split, by_name, notes)
    return Check(log, settings, available, printed is not None, started, split, compared, tuple(explained))


def _weights_gib(log: StartupLog, settings: Setup, sizing: Sizing) -> float | None:
    """Weights on the fullest card of the log's layout; None where the model cannot be split so. [GiB]"""
    if layouts.obstacle(sizing.architecture, settings.tp, settings.pp, log.engine) is not None:
        return None
    found = layouts.evaluate(
        (1, settings.tp, settings.pp),
        layouts.stages(sizing.architecture, sizing.kv_dtype, settings.tp, settings.pp),
        weights_bytes=bytes_from_gib(sizing.weights_gib),
        usable_gib_per_card=sizing.usable_gib_per_card,
        context_tokens=sizing.scenario.context_tokens,
    )
    return found.weights_gib_per_card


def _budget(log: StartupLog, settings: Setup, sizing: Sizing, weights_gib: float | None) -> EngineBudget | None:
    on_card = float(log.weights_gib.value) if log.weights_gib else weights_gib
    if log.fixed_gib is not None or on_card is None:
        return None
    try:
        return engines.engine(log.engine).budget(settings, widths=engine.widths(sizing.checkpoint), weights_gib=on_card)
    except SizingError:
        return None  # the comparison of memory is then left out; that of tokens stands by itself


def _startup(
    settings: Setup, sizing: Sizing, available_gib: float | None, log: StartupLog, notes: list[Note]
) -> EngineStart | None:
    if available_gib is None:
        notes.append(Note("warn", "log_no_memory_figure"))
        return None
    try:
        return run(log, settings, sizing, available_gib, seqs(settings, log))
    except SizingError as error:
        notes.append(
            Note(
                "warn",
                "log_not_predicted",
                values={"what": Word(f"error.{error.key}.what", tuple(error.values.items()))},
            )
        )
        return None
