"""The physical limit: no step is faster than its bytes through the memory, its arithmetic, or its traffic on the slot.

The three may overlap, so the slowest of them is the bound, not their sum. Source: hardware-notes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sizing import catalogue, units
from sizing.memory.architecture import Architecture
from sizing.speed.active import Active, active, cache_read
from sizing.speed.tables import tables
from sizing.working import Given, Step

_ARITHMETIC = ("fp4", "fp8", "bf16")
# Sums of a token are passed in 16 bit, twice a layer: after attention and after the feed-forward part.
_SUM_BYTES = 2
_SUMS_PER_LAYER = 2
_FLOPS_PER_PARAMETER = 2
SOURCE = "hardware-notes"


@dataclass(frozen=True, slots=True)
class Bound:
    """The parts of one bound, of which the largest counts. A part is 0 where nothing is known of it. [ms]"""

    memory_ms: float
    compute_ms: float
    link_ms: float

    @property
    def ms(self) -> float:
        """The bound. [ms]"""
        return max(self.memory_ms, self.compute_ms, self.link_ms)

    @property
    def by(self) -> str:
        """Which part it is: "memory", "compute" or "link"."""
        return max((("memory", self.memory_ms), ("compute", self.compute_ms), ("link", self.link_ms)), key=_second)[0]


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


@dataclass(frozen=True)
class Limit:
    """The bounds of a model on a group of ``tp`` x ``pp`` cards.

    bandwidth_gb_s: of one card's memory. [GB/s]   tflops: the fastest arithmetic its weights can run in, None where
    no source states one. [TFLOPS]   link_gb_s: between cards, one direction. [GB/s]   link: "pcie" or the link's kind.
    """

    card: catalogue.Card
    architecture: Architecture
    needs: Active
    kv_dtype: str
    tp: int
    pp: int
    bandwidth_gb_s: float
    tflops: float | None
    link_gb_s: float | None
    link: str

    def decode(self, requests: int, context_tokens: int, *, spread: bool = False) -> Bound:
        """One decoding step of a batch; with stages, one pass of the batch through all of them. [ms]

        spread: the batch's tokens pick different experts, as they will; without it, the bound that always holds.
        """
        cache = sum(terms.bytes(context_tokens) for terms in cache_read(*self._cache))
        weights = self.needs.read_bytes(requests) if spread else self.needs.weight_bytes
        read = weights / self.tp + requests * cache
        return Bound(
            memory_ms=_ms(read, self.bandwidth_gb_s),
            compute_ms=self._compute_ms(requests) if self.pp == 1 else 0.0,
            link_ms=self._link_ms(requests),
        )

    def prefill(self, prompt_tokens: int, *, spread: bool = False) -> Bound:
        """One prompt worked through. The work of attention is left out, so long prompts take longer. [ms]"""
        weights = self.needs.read_bytes(prompt_tokens) if spread else self.needs.weight_bytes
        return Bound(
            memory_ms=_ms(weights / self.tp / self.pp, self.bandwidth_gb_s),
            compute_ms=self._compute_ms(prompt_tokens),
            link_ms=self._link_ms(prompt_tokens) / self.pp,
        )

    @property
    def _cache(self) -> tuple[Architecture, str, int, int]:
        return self.architecture, self.kv_dtype, self.tp, self.pp

    def _compute_ms(self, tokens: int) -> float:
        if not self.tflops or not self.needs.parameters:
            return 0.0
        work = _FLOPS_PER_PARAMETER * self.needs.parameters * tokens / (self.tp * self.pp)
        return work / (self.tflops * units.GB)  # a TFLOPS is 1e12 a second, or 1e9 a millisecond

    def _link_ms(self, tokens: int) -> float:
        if self.tp == 1 or not self.link_gb_s or not self.architecture.hidden_size:
            return 0.0
        sums = _SUMS_PER_LAYER * len(self.architecture.layers) * self.architecture.hidden_size * _SUM_BYTES
        return _ms(2 * (self.tp - 1) / self.tp * sums * tokens, self.link_gb_s)

    def step(self, requests: int, context_tokens: int) -> Step:
        """The memory's part of a decoding step, to be recomputed."""
        cache = sum(terms.bytes(context_tokens) for terms in cache_read(*self._cache))
        bandwidth = self.card.memory_bandwidth_gb_s
        return Step(
            "limit_decode_ms",
            "(active_weight_bytes / tp + conversations_per_copy * cache_bytes_per_card)"
            " / (bandwidth_gb_s * 10 ** 9) * 1000",
            (
                Given("active_weight_bytes", self.needs.weight_bytes, "bytes", "model-configs"),
                Given("tp", self.tp, "", "input"),
                Given("conversations_per_copy", requests, "", "step"),
                Given("cache_bytes_per_card", cache, "bytes", "model-configs"),
                Given("bandwidth_gb_s", self.bandwidth_gb_s, "GB/s", bandwidth.source),
            ),
            self.decode(requests, context_tokens).memory_ms,
            "ms",
            SOURCE,
        )


def _ms(num_bytes: float, gb_s: float) -> float:
    return units.gb(num_bytes) / gb_s * 1000


def limit(card: catalogue.Card, model: catalogue.Checkpoint, *, kv_dtype: str, tp: int, pp: int) -> Limit | None:
    """The limit of a model on ``tp`` x ``pp`` cards, None where nothing says what a token reads."""
    needs = active(model)
    if needs is None:
        return None
    rate, kind = _link(card, tp)
    return Limit(
        card=card,
        architecture=model.architecture,
        needs=needs,
        kv_dtype=kv_dtype,
        tp=tp,
        pp=pp,
        bandwidth_gb_s=card.memory_bandwidth_gb_s.value,
        tflops=_tflops(card, model.weight_format),
        link_gb_s=rate,
        link=kind,
    )


def _tflops(card: catalogue.Card, weight_format: str) -> float | None:
    """Dense arithmetic of the format, or of the next wider one that the card has."""
    named = tables().formats.get(weight_format)
    if named is None:
        return None
    wider = _ARITHMETIC[_ARITHMETIC.index(named.compute) :]
    for precision in wider:
        if (figure := getattr(card, f"{precision}_tflops")) is not None:
            return float(figure.value)
    return None


def _link(card: catalogue.Card, tp: int) -> tuple[float | None, str]:
    """One direction between the cards of a group [GB/s], and what it is."""
    link = card.link
    if link is not None and link.gb_s is not None and (link.largest_group is None or tp <= link.largest_group):
        return link.gb_s.value / 2, link.kind
    rate = tables().pcie_gb_s.get(card.pcie.generation)
    lanes = card.pcie.lanes or tables().pcie_lanes
    return (None if rate is None else rate * lanes / tables().pcie_lanes), "pcie"


def other_bandwidths(card: catalogue.Card) -> tuple[tuple[float, str, str], ...]:
    """Conflicting figures for the card's memory bandwidth: value [GB/s], source, reason."""
    return tuple((each.value, each.source, each.reason) for each in card.memory_bandwidth_gb_s.others)
