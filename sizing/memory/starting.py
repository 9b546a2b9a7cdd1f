"""What any engine is asked about its start and what it answers: the protocol that an engine's folder fills."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from sizing.base import files, texts
from sizing.base.dataclass import dataclass
from sizing.base.display import Shown
from sizing.base.units import floor_count
from sizing.base.working import Step
from sizing.memory.architecture import Architecture

if TYPE_CHECKING:  # types of the protocol alone, which a sizing by a planning rule needs nothing of
    from sizing.memory.startup_log import StartupLog
    from sizing.memory.widths import Widths


@functools.cache
def facts(engine: str) -> dict[str, Any]:
    """What data/engines states of an engine: its releases, what each changes, and its model classes."""
    place = f"engines/{engine}.toml"
    return files.read_toml(files.data_dir() / place, place)


def releases(engine: str) -> tuple[str, ...]:
    """The releases of an engine that a person may choose, oldest first."""
    return tuple(version for entry in facts(engine)["release"] for version in entry["choose"])


Limit = Literal["memory", "sequences", "state_blocks", "start_check", "none"]
Evidence = Literal["log", "code"]


@dataclass(frozen=True)
class Launch:
    """How an engine is started: everything that decides what it says, but the model and the memory left to the cache.

    version: release.   total_gib: memory that CUDA sees on a card, None where no card is meant. [GiB]
    compute_capability: of the card, such as (9, 0).   tp, pp, dcp: tensor, pipeline, decode-context parallel size. [-]
    max_model_len: longest context of a request. [tokens]
    kv_dtype: precision of the cache, "auto" for what the checkpoint declares.
    max_num_batched_tokens, max_num_seqs: of one batch, None for the engine's defaults. [tokens], [-]
    speculative_tokens: drafted at a time, by ``draft`` or else by the model's own layers. [tokens]
    block_size, prefix_caching, state_dtype: as asked for, None for the engine's choice. [tokens]
    state_mode: what is kept of recurrent states for later prompts, "align" or "all", None for the engine's choice.
    utilization: share of the card that the engine may take, None for the release's default. [-]
    enforce_eager: no CUDA graphs.   unified_memory: host and card share one memory.
    async_scheduling, hybrid_manager: as the engine has them unless switched off.
    """

    version: str
    total_gib: float | None = None
    compute_capability: tuple[int, int] = (12, 0)
    tp: int = 1
    pp: int = 1
    dcp: int = 1
    max_model_len: int = 1
    kv_dtype: str = "auto"
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    speculative_tokens: int = 0
    draft: Architecture | None = None
    block_size: int | None = None
    prefix_caching: bool | None = None
    state_dtype: str | None = None
    state_mode: str | None = None
    utilization: float | None = None
    enforce_eager: bool = False
    unified_memory: bool = False
    async_scheduling: bool = True
    hybrid_manager: bool = True


@dataclass(frozen=True)
class Refusal:
    """One reason not to start.

    engine, key: name the sentences ``<engine>.refusal.<key>`` (why) and ``<engine>.remedy.<key>`` (what would start).
    flag: the engine's flag that would help, "" where none would.   number: the value that works, None if not known.
    values: what the sentences mention.
    """

    engine: str
    key: str
    flag: str = ""
    number: int | None = None
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def words(self) -> dict[str, texts.Word]:
        """Why ("reason") and what would start ("remedy"), as texts of whatever language."""
        mentioned = tuple({**self.values, "flag": self.flag, "number": self.number}.items())
        return {
            "reason": texts.Word(f"{self.engine}.refusal.{self.key}", mentioned),
            "remedy": texts.Word(f"{self.engine}.remedy.{self.key}", mentioned),
        }

    def say(self, language: str = "en") -> str:
        """Why, in one sentence."""
        return self._say("reason", language)

    def say_remedy(self, language: str = "en") -> str:
        """What would start, in one sentence."""
        return self._say("remedy", language)

    def _say(self, name: str, language: str) -> str:
        word = self.words[name]
        return texts.say(word.key, language, **dict(word.values))


@dataclass(frozen=True)
class EngineStart(
    Shown,
    facts=(
        "starts",
        "reason",
        "remedy",
        "kv_tokens",
        "max_concurrency",
        "requests",
        "runs",
        "num_blocks",
        "block_size",
        "needed_gib",
        "longest_max_model_len",
        "max_num_seqs",
        "max_num_batched_tokens",
        "kv_dtype",
        "limit",
        "evidence",
        "assumed",
    ),
):
    """What a release prints when it starts, or why it refuses to.

    starts: this release starts with these settings.
    refusal: why not and what would start, None where it starts; ``reason`` and ``remedy`` are its sentences.
    kv_tokens: size of the cache as it is printed, None where it does not start. [tokens]
    max_concurrency: requests of max_model_len that it prints. [-]
    decoding_concurrency: the same while one request is read in and all others decode, when a layer with a window holds
        its window only and nothing in flight. [-]
    num_blocks: blocks of the pool on each card. [-]   block_size: shortest block of any group. [tokens]
    needed_gib: memory for one request of max_model_len where it does not fit, as the message rounds it. [GiB]
    longest_max_model_len: longest context that would fit where max_model_len does not; None if none would. [tokens]
    kv_dtype: precision that the cache really gets, by the engine's name.
    keeps_cache: the model keeps something for a request.
    request_bytes: what a request of max_model_len takes of the fullest card's pool, padding included. [bytes]
    tokens_in_blocks: kv_tokens are counted from blocks; otherwise concurrency times max_model_len.
    in_flight_tokens: tokens scheduled but not yet settled, which windows keep besides their own. [tokens]
    max_num_batched_tokens: tokens of one batch that the figures stand on. [tokens]
    max_num_seqs: sequences of one batch, None if neither they nor the card's memory were given. [-]
    available_kv_gib, max_model_len, dcp, speculative_tokens: as asked for. [GiB], [tokens], [-], [tokens]
    highest_max_num_seqs: above this number of sequences a model with recurrent states does not start; None without
        such states. [-]
    limit: what ends the number of requests; ``say_limit`` says it.
    evidence: "log" where start-up logs have confirmed this kind of figure, "code" where it rests on the engine's code
        alone; ``say_evidence`` says it.
    assumed: settings that were not given and follow from the usual card of the compute capability.
    """

    engine: ClassVar[str] = ""

    starts: bool
    refusal: Refusal | None = None
    kv_tokens: int | None = None
    max_concurrency: float | None = None
    decoding_concurrency: float | None = None
    num_blocks: int | None = None
    block_size: int | None = None
    needed_gib: float | None = None
    longest_max_model_len: int | None = None
    kv_dtype: str = ""
    keeps_cache: bool = True
    request_bytes: int = 0
    tokens_in_blocks: bool = False
    in_flight_tokens: int = 0
    max_num_batched_tokens: int = 0
    max_num_seqs: int | None = None
    available_kv_gib: float = 0.0
    max_model_len: int = 0
    dcp: int = 1
    speculative_tokens: int = 0
    highest_max_num_seqs: int | None = None
    limit: Limit = "memory"
    evidence: Evidence = "log"
    assumed: tuple[str, ...] = ()

    @property
    def requests(self) -> int | None:
        """Requests of full length by what is printed and the limit of sequences; None where nothing is kept. [-]"""
        return self._held(self.max_concurrency)

    @property
    def runs(self) -> int | None:
        """Requests of full length that run side by side while they decode; None where nothing is kept. [-]"""
        return self._held(self.decoding_concurrency)

    def _held(self, concurrency: float | None) -> int | None:
        if not self.starts:
            return 0
        if not self.keeps_cache:
            return None
        held = floor_count(concurrency or 0.0)
        return min(held, self.max_num_seqs or held)

    @property
    def reason(self) -> str:
        """Why it does not start, in English; "" where it starts."""
        return self.say_reason()

    def say_reason(self, language: str = "en") -> str:
        """Why it does not start; "" where it starts."""
        return "" if self.refusal is None else self.refusal.say(language)

    @property
    def remedy(self) -> str:
        """What would start, with flag and number where there is one, in English; "" where it starts."""
        return self.say_remedy()

    def say_remedy(self, language: str = "en") -> str:
        """What would start; "" where it starts."""
        return "" if self.refusal is None else self.refusal.say_remedy(language)

    def say_limit(self, language: str = "en") -> str:
        """What ends the number of requests."""
        return texts.say(f"{self.engine}.limit.{self.limit}", language)

    def say_evidence(self, language: str = "en") -> str:
        """What the figure rests on."""
        return texts.say(f"{self.engine}.evidence.{self.evidence}", language)

    @property
    def flag(self) -> str:
        """The engine's flag that would help, "" where none would or none is needed."""
        return "" if self.refusal is None else self.refusal.flag

    @property
    def number(self) -> int | None:
        """The value of ``flag`` that works."""
        return None if self.refusal is None else self.refusal.number


@dataclass(frozen=True)
class Remedy:
    """One setting with which a release starts that refused before.

    engine: whose.   setting: field of Launch.   flag: the engine's, "" for another release.   value: what to set, None
    to leave the flag out.   available_kv_gib: what is then left for the cache on each card. [GiB]
    start: what is then printed.
    """

    engine: str
    setting: str
    flag: str
    value: int | float | str | None
    available_kv_gib: float
    start: EngineStart

    @property
    def word(self) -> texts.Word:
        """What to set and how many requests then run, as a text of whatever language."""
        mentioned = {"flag": self.flag, "value": self.value, "requests": self.start.requests or 0}
        name = "left_out" if self.value is None else self.setting
        return texts.Word(f"{self.engine}.cure.{name}", tuple(mentioned.items()))


@dataclass(frozen=True)
class EngineBudget:
    """Memory of one card as the engine splits it at start. [GiB]

    optimistic_gib, typical_gib, pessimistic_gib: left for the cache; below 0 where the weights leave too little.
    requested_gib: the share of the card that the engine takes.   activation_gib: peak of the profiling step.
    non_torch_gib: contexts and workspaces.   graphs_gib: CUDA graphs, 0 where the release does not take them from the
    share.   working: from the card's memory to what is typically left.
    """

    optimistic_gib: float
    typical_gib: float
    pessimistic_gib: float
    requested_gib: float
    weights_gib: float
    activation_gib: float
    non_torch_gib: float
    graphs_gib: float
    working: tuple[Step, ...] = ()

    @property
    def reserve_gib(self) -> float:
        """Taken by the engine beside weights and cache, typical. [GiB]"""
        return self.activation_gib + self.non_torch_gib + self.graphs_gib


class ReleaseRules(Protocol):
    """How a release accounts for a card's memory.

    default_utilization: the share that it takes where none is asked for. [-]
    graphs_in_share: CUDA graphs come out of that share, not on top of it.
    """

    @property
    def default_utilization(self) -> float: ...
    @property
    def graphs_in_share(self) -> bool: ...


class EngineRules(Protocol):
    """An engine's rules: what ``sizing.memory.engines.engine(name)`` gives, and a folder beside this file offers.

    FLAGS: the engine's flag of a setting of Launch, in the order in which a start names them.
    NAME: of the folder, and of the texts ``<name>.refusal.*``, ``.remedy.*``, ``.limit.*``, ``.evidence.*``.
    PRINTED_WITHIN: how far the memory that it prints may be from what it sizes the cache by, beside rounding. [-]
    KV_DTYPES: precisions of the cache that it takes.   NEWEST: the newest release whose rules are known.
    RULES_SOURCE, BUDGET_SOURCE: keys of sources.toml, of its rules and of the estimate of what it takes for itself.
    """

    NAME: str
    FLAGS: Mapping[str, str]
    PRINTED_WITHIN: float
    KV_DTYPES: tuple[str, ...]
    NEWEST: str
    RULES_SOURCE: str
    BUDGET_SOURCE: str

    def check_version(self, version: object) -> None:
        """SizingError where the rules of a release are not known."""

    def rules(self, version: str) -> ReleaseRules:
        """How a release accounts for a card's memory."""

    def completed(self, launch: Launch) -> Launch:
        """The launch with the engine's defaults for what was left open, by its ``total_gib``."""

    def contexts_gib(self) -> float:
        """What the driver takes for each engine's contexts, which older releases do not count as the engine's. [GiB]"""

    def budget(self, launch: Launch, *, widths: Widths, weights_gib: float) -> EngineBudget:
        """What is left for the cache on one card that holds ``weights_gib``, with its band. [GiB]"""

    def start_up(self, architecture: Architecture, launch: Launch, available_kv_gib: float) -> EngineStart:
        """What the release prints with this memory for the cache on each card, or why it does not start. [GiB]"""

    def explain(self, start: EngineStart) -> tuple[Step, ...]:
        """How the figures of a start came about; SizingError for one that refuses or keeps no cache."""

    def remedies(
        self, architecture: Architecture, launch: Launch, available_gib: Callable[[Launch], float]
    ) -> tuple[Remedy, ...]:
        """For each setting the smallest change that cures a refused start; empty where it starts."""

    def stages_refusal(self, architecture: Architecture, pp: int) -> Refusal | None:
        """Why the engine cannot deal a model to ``pp`` pipeline stages, None where it can."""

    def command(self, model: str, launch: Launch, *, port: int) -> str:
        """What to type to start it: the launch's settings as flags, those left open left out."""

    def read_log(self, text: str) -> StartupLog:
        """What a start-up log of this engine says. SizingError where it is none."""
