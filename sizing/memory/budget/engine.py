"""The engine's release and the settings that decide its memory at start, with vLLM's defaults."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sizing.errors import SizingError
from sizing.memory.budget.checks import count, number

# Releases where vLLM's accounting of memory changed (source: vllm-kv-rules; the sampling kernel: vllm-33538).
KERNEL_SAMPLING = (0, 17)
GRAPHS_IN_SHARE = (0, 20)
CONSUMED_BY_DRIVER = (0, 28)  # what the driver sees consumed counts, contexts and workspaces included
NEWEST = "0.33"

# Defaults of a server by the card's memory (source: vllm-kv-rules).
LARGE_CARD_GIB = 70
HUGE_CARD_GIB = 160
_AMPERE = (8, 0)  # the engine gives cards of this generation the small batch however large their memory is

DRIVER_GAP_GIB = 0.55  # middle of 0.44 to 0.67 GiB between driver and CUDA (source: memory-budget)


def version_key(version: str) -> tuple[int, int]:
    """Major and minor number of a release such as "0.33.0" or "0.20.2rc1.dev249".

    >>> version_key("0.20.2rc1.dev249")
    (0, 20)
    """
    found = re.match(r"v?(\d{1,3})\.(\d{1,4})(?!\d)", version) if isinstance(version, str) else None
    if found is None:
        raise SizingError("engine_version_unreadable", input="version", value=version)
    return int(found[1]), int(found[2])


@dataclass(frozen=True, slots=True)
class Engine:
    """One release with its settings.

    max_num_batched_tokens: tokens of the profiling step. [tokens]   max_num_seqs: sequences sampled in it. [-]
    unified_memory: host and card share one memory.   enforce_eager: no CUDA graphs.
    """

    version: str
    max_num_batched_tokens: int
    max_num_seqs: int
    unified_memory: bool = False
    enforce_eager: bool = False

    def __post_init__(self) -> None:
        version_key(self.version)
        count(self.max_num_batched_tokens, "max_num_batched_tokens", 1)
        count(self.max_num_seqs, "max_num_seqs", 1)

    @property
    def samples_by_kernel(self) -> bool:
        """Whether sampling runs in a kernel instead of sorting all logits."""
        return version_key(self.version) >= KERNEL_SAMPLING

    @property
    def graphs_in_share(self) -> bool:
        """Whether the estimate for CUDA graphs is taken out of the utilisation share."""
        return version_key(self.version) >= GRAPHS_IN_SHARE

    @property
    def counts_as_driver(self) -> bool:
        """Whether everything that the driver sees consumed at start counts beside the weights."""
        return version_key(self.version) >= CONSUMED_BY_DRIVER

    @property
    def default_utilization(self) -> float:
        """--gpu-memory-utilization when it is not given. [-]"""
        return 0.92 if self.graphs_in_share else 0.9


def engine_defaults(
    total_gib: float,
    *,
    version: str = NEWEST,
    compute_capability: tuple[int, int] | None = None,
    unified_memory: bool = False,
    max_num_batched_tokens: int | None = None,
    max_num_seqs: int | None = None,
    enforce_eager: bool = False,
) -> Engine:
    """The engine as its server starts on a card, settings not given by its defaults. [GiB], [tokens]

    total_gib: memory that CUDA sees, which decides the defaults.   Source: vllm-kv-rules.

    >>> engine_defaults(94.97).max_num_batched_tokens, engine_defaults(44.4).max_num_seqs
    (8192, 256)
    """
    number(total_gib, "total_gib", low=0, above=True)
    large = total_gib >= LARGE_CARD_GIB and not unified_memory and compute_capability != _AMPERE
    batched = (16384 if total_gib >= HUGE_CARD_GIB else 8192) if large else 2048
    return Engine(
        version=version,
        max_num_batched_tokens=batched if max_num_batched_tokens is None else max_num_batched_tokens,
        max_num_seqs=(1024 if large else 256) if max_num_seqs is None else max_num_seqs,
        unified_memory=unified_memory,
        enforce_eager=enforce_eager,
    )


def visible_gib(reported_gib: float) -> float:
    """Memory that CUDA sees on a card whose driver reports ``reported_gib``. [GiB]

    A typical figure (the gap is 0.44 to 0.67 GiB); a card's own, where published, is better. Source: memory-budget.
    """
    return number(reported_gib, "reported_gib", low=DRIVER_GAP_GIB, above=True) - DRIVER_GAP_GIB
