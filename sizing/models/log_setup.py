"""What a start-up log says about how the engine was started, and what is taken where it is silent."""

from __future__ import annotations

from dataclasses import replace

from sizing import catalogue
from sizing.answers import engine_cases
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.memory import engines
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention
from sizing.memory.starting import Launch, facts, releases
from sizing.memory.startup_log import Found, StartupLog

_KV_NAMES = {
    "bfloat16": "bf16",
    "float16": "bf16",
    "half": "bf16",
    "fp8_e4m3": "fp8",
    "fp8_e5m2": "fp8",
    "fp8_inc": "fp8",
    "fp8_ds_mla": "fp8",
}


@dataclass(frozen=True)
class Setup(Launch):
    """How the engine of a log was started.

    notes: what was assumed where the log is silent or says what is not known.
    others: what it may have been instead, where the log leaves that open: each moves the figures.
    """

    notes: tuple[Note, ...] = ()
    others: tuple[Launch, ...] = ()

    @property
    def card_gib(self) -> float:
        """Memory that the engine sees on a card. [GiB]"""
        return self.total_gib or 0.0


def setup(log: StartupLog, sizing: Sizing, split: tuple[int, int] = (1, 1)) -> Setup:
    """The settings of a log, completed by the sizing's card, context and release.

    split: tensor and pipeline parallelism to take where the log does not name them. [-]
    """
    notes: list[Note] = []
    version = _version(log, sizing, notes)
    kv_dtype = _kv_dtype(log, notes)
    length = log.max_model_len or log.concurrency_tokens
    if length is None:
        context = sizing.scenario.context_tokens
        notes.append(Note("warn", "log_context_assumed", values={"context_tokens": context}))
    if log.tp is None:
        of_page = {"tp": split[0], "pp": split[1]}
        notes.append(
            Note("hint", "log_tp_assumed") if split == (1, 1) else Note("hint", "log_tp_of_page", values=of_page)
        )
    drafted, drafts = _draft(log, sizing, version, notes)
    _card(log, sizing, notes)
    card = engine_cases.seen(sizing)
    found = Setup(
        version=version,
        compute_capability=card.compute_capability,
        tp=_count(log.tp) if log.tp else split[0],
        pp=_count(log.pp) if log.pp else 1 if log.tp else split[1],
        dcp=_count(log.dcp),
        kv_dtype=kv_dtype,
        max_model_len=max(1, int(length.value)) if length else sizing.scenario.context_tokens,
        max_num_seqs=_given(log.max_num_seqs) or _given(log.state_seqs),
        max_num_batched_tokens=_given(log.max_num_batched_tokens),
        speculative_tokens=drafted,
        draft=drafts[0],
        block_size=_given(log.asked_block_size),
        prefix_caching=log.prefix_caching.value if log.prefix_caching else None,
        state_mode=str(log.state_mode.value) if log.state_mode else None,
        enforce_eager=bool(log.enforce_eager and log.enforce_eager.value),
        utilization=float(log.utilization.value) if log.utilization and 0 < log.utilization.value <= 1 else None,
        total_gib=float(log.total_gib.value) if log.total_gib else card.total_gib,
    )
    others = [replace(found, draft=draft) for draft in drafts[1:]]
    if _mode_open(log, sizing, found):
        notes.append(Note("warn", "log_state_mode_open"))
        others += [replace(each, state_mode="align") for each in (found, *others)]
    return replace(found, notes=tuple(notes), others=tuple(others))


def _mode_open(log: StartupLog, sizing: Sizing, found: Setup) -> bool:
    """Whether prefix caching may keep the state of every block or only the last ones, and the log does not say."""
    if log.state_mode is not None or not found.prefix_caching:
        return False
    kept = (replace(found, state_mode=mode) for mode in (None, "align"))
    try:
        first, second = (engines.engine(log.engine).start_up(sizing.architecture, each, 1.0) for each in kept)
    except SizingError:
        return False
    return first.request_bytes != second.request_bytes


def _count(found: Found | None) -> int:
    return max(1, int(found.value)) if found else 1


def _given(found: Found | None) -> int | None:
    return max(1, int(found.value)) if found else None


def _version(log: StartupLog, sizing: Sizing, notes: list[Note]) -> str:
    known = releases(log.engine)
    asked = sizing.scenario.engine_version
    instead = asked if asked in known else known[-1]
    if log.version is None:
        notes.append(Note("warn", "log_version_missing", values={"version": instead}))
        return instead
    printed, program = str(log.version.value), Word(f"input.engine.{log.engine}")
    try:
        engines.engine(log.engine).check_version(printed)
    except SizingError:
        notes.append(
            Note("warn", "log_version_unknown", values={"program": program, "printed": printed, "version": instead})
        )
        return instead
    return printed


def _kv_dtype(log: StartupLog, notes: list[Note]) -> str:
    if log.kv_dtype is None:
        return "auto"
    printed = str(log.kv_dtype.value)
    named = _KV_NAMES.get(printed, printed)
    if named not in engines.engine(log.engine).KV_DTYPES:
        notes.append(Note("warn", "log_kv_dtype_unknown", values={"printed": printed}))
        return "auto"
    return named


def _draft(
    log: StartupLog, sizing: Sizing, version: str, notes: list[Note]
) -> tuple[int, tuple[Architecture | None, ...]]:
    """Tokens drafted at a time and the models that may draft them, the smallest first; says what is not known."""
    if log.speculative_tokens is None and log.speculative_method is None:
        return 0, (None,)
    method = str(log.speculative_method.value) if log.speculative_method else ""
    model = str(log.speculative_model.value) if log.speculative_model else ""
    tokens = _count(log.speculative_tokens)
    if method.lower() in facts(log.engine)["drafts_without_layers"]:
        notes.append(Note("hint", "log_draft_without_layers", values={"method": method, "tokens": tokens}))
        return tokens, (NO_LAYERS,)
    itself = _drafts_itself(log.engine, sizing, version, tokens)
    if itself and any(own in method.lower() for own in ("mtp", "nextn")):
        layers = len(sizing.architecture.mtp_layers)
        notes.append(Note("hint", "log_draft_own", values={"tokens": tokens, "layers": layers}))
        return tokens, (None,)
    if model in catalogue.checkpoint_ids() and _bare(model) != _bare(sizing.checkpoint.id):
        try:
            found = catalogue.checkpoint(model).architecture
        except SizingError:
            found = None
        if found is not None:
            notes.append(Note("hint", "log_draft_known", values={"model": model, "tokens": tokens}))
            return tokens, (found,)
    notes.append(Note("warn", "log_draft_unknown", values={"method": method or model or "?", "tokens": tokens}))
    return tokens, (NO_LAYERS, *unknown_drafts(sizing.architecture), *((None,) if itself else ()))


NO_LAYERS = Architecture(())
_USUAL_DRAFT = Layer((FullAttention(8, 128, 128),))
_FEWEST = 8
"""Layers of the largest draft made for one model that published logs name. [-]"""


def unknown_drafts(architecture: Architecture) -> tuple[Architecture, ...]:
    """Drafts that bound what one that is not named takes: as many layers as the model has, at least eight.

    With the model's own heads, and with eight of 128, the usual ones of small models.
    """
    own = _growing(architecture)
    number = max(_FEWEST, len(own))
    return tuple(Architecture((layer,) * number) for layer in {*own[:1], _USUAL_DRAFT})


def _growing(architecture: Architecture) -> list[Layer]:
    """The model's layers that keep the whole context, without what else they keep."""
    kept = ([c for c in layer.caches if c.terms("bf16").growing_bytes_per_token] for layer in architecture.layers)
    return [Layer(tuple(caches)) for caches in kept if caches]


def like_its_own(architecture: Architecture, number: int) -> Architecture | None:
    """A draft of ``number`` layers like the growing ones of ``architecture``; None where it has none. [-]"""
    own = _growing(architecture)
    return Architecture((own[0],) * number) if own else None


def _drafts_itself(engine: str, sizing: Sizing, version: str, tokens: int) -> bool:
    """Whether this release drafts with the model's own layers."""
    if not sizing.architecture.mtp_layers:
        return False
    found = engines.engine(engine).start_up(sizing.architecture, Launch(version, speculative_tokens=tokens), 1.0)
    return found.refusal is None or found.refusal.key != "no_draft"


def _card(log: StartupLog, sizing: Sizing, notes: list[Note]) -> None:
    """Says where log and page are about another model or card."""
    if log.model is not None and _bare(str(log.model.value)) != _bare(sizing.checkpoint.id):
        shown = {"printed": str(log.model.value), "model": sizing.checkpoint.name}
        notes.append(Note("warn", "log_model_differs", values=shown))
    if log.total_gib is not None:
        seen = engine_cases.seen(sizing).total_gib
        if abs(log.total_gib.value - seen) > 1.0:
            figures = {"printed_gib": log.total_gib.value, "card": sizing.card.name, "card_gib": seen}
            notes.append(Note("warn", "log_card_differs", values=figures))


def _bare(name: str) -> str:
    """A model's name without its owner or folder, and without signs that people write either way."""
    return "".join(c for c in name.rstrip("/").rpartition("/")[2].lower() if c.isalnum())
