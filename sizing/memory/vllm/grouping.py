"""Groups: layers that share one list of blocks. Source: vllm-kv-rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from sizing.base.dataclass import dataclass
from sizing.memory.vllm.hybrid import States
from sizing.memory.vllm.layers import LayerSpec, Spec
from sizing.memory.vllm.settings import RefusesError, Settings


@dataclass(frozen=True)
class Group:
    """Layers with one list of blocks: a request takes whole blocks of each group, all from one pool.

    specs: the different specs in it, one for most.   layers: how many layers. [-]
    pages: of each pipeline stage, (page, layers that have it). [bytes], [-]
    """

    specs: tuple[Spec, ...]
    layers: int
    pages: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def stage_bytes(self) -> tuple[int, ...]:
        """One block, on a card of each pipeline stage. [bytes]"""
        return tuple(sum(page * layers for page, layers in stage) for stage in self.pages)

    @property
    def whole_pages(self) -> tuple[tuple[int, int], ...]:
        """Of all stages together, (page, layers that have it). [bytes], [-]"""
        counts: dict[int, int] = {}
        for stage in self.pages:
            for page, layers in stage:
                counts[page] = counts.get(page, 0) + layers
        return tuple(counts.items())

    @property
    def whole_bytes(self) -> int:
        """One block of all stages together. [bytes]"""
        return sum(self.stage_bytes)

    @property
    def most_alike(self) -> int:
        """Layers of the most frequent page size. [-]"""
        return max(layers for _, layers in self.whole_pages)

    @property
    def block_size(self) -> int:
        """Tokens of a block. [tokens]"""
        return self.specs[0].block_size

    @property
    def family(self) -> str:
        """How its blocks are counted."""
        return self.specs[0].family


def _group(layers: Sequence[LayerSpec], pp: int) -> Group:
    pages: list[dict[int, int]] = [{} for _ in range(pp)]
    for layer in layers:
        stage = pages[layer.stage]
        stage[layer.spec.page_bytes] = stage.get(layer.spec.page_bytes, 0) + 1
    specs = tuple(dict.fromkeys(layer.spec for layer in layers))
    return Group(specs, len(layers), tuple(tuple(stage.items()) for stage in pages))


def groups(layers: Sequence[LayerSpec], settings: Settings) -> tuple[Group, ...]:
    """The groups of a model: one where all layers need the same slots, else equal shares of each kind."""
    if not layers:
        return ()
    first = layers[0].spec
    if all(layer.spec.same_slots_as(first) for layer in layers):
        return (_group(layers, settings.pp),)
    if any(layer.spec.kind == "compressed" or layer.spec.family == "ring" for layer in layers):
        return _packed(layers, settings.pp)
    return _equal_shares(_one_page(layers, settings), settings)


def _one_page(layers: Sequence[LayerSpec], settings: Settings) -> list[LayerSpec]:
    """The same layers with pages of one width: longer blocks where they divide it, else filled up."""
    widest = max(layer.spec.page_bytes for layer in layers)
    unified: dict[Spec, Spec] = {}
    for spec in {layer.spec for layer in layers}:
        if spec.page_bytes == widest:
            unified[spec] = spec
        elif spec.family == "state":
            unified[spec] = spec.with_page_bytes(widest)
        elif widest % spec.page_bytes == 0:
            unified[spec] = spec.with_block_size(spec.block_size * (widest // spec.page_bytes))
        elif spec.kind in ("latent", "indexer") or not settings.release.pages_filled:
            raise RefusesError("pages", "--block-size")
        else:
            unified[spec] = spec.with_page_bytes(widest)
    return [LayerSpec(unified[layer.spec], layer.stage) for layer in layers]


def _equal_shares(layers: Sequence[LayerSpec], settings: Settings) -> tuple[Group, ...]:
    """As many layers in each group: the smaller count, or the larger where it is only a little larger."""
    kinds: dict[Spec, list[LayerSpec]] = {}
    for layer in layers:
        kinds.setdefault(layer.spec, []).append(layer)
    counts = [len(same) for same in kinds.values()]
    share = max(counts) if max(counts) < min(counts) * settings.release.group_slack else min(counts)
    found: list[Group] = []
    for same in kinds.values():
        number = -(-len(same) // share)
        # Every number-th layer, so that each pipeline stage finds layers of every group.
        found += [_group(same[start::number], settings.pp) for start in range(number)]
    return tuple(found)


def _packed(layers: Sequence[LayerSpec], pp: int) -> tuple[Group, ...]:
    """Caches of different widths side by side in one block; the widest group decides its size."""
    buckets: list[list[LayerSpec]] = []
    for layer in layers:
        for bucket in buckets:
            if layer.spec.same_slots_as(bucket[0].spec):
                bucket.append(layer)
                break
        else:
            buckets.append([layer])
    by_page = [_by_page(bucket) for bucket in buckets]
    balanced = [len({len(same) for same in pages.values()}) == 1 for pages in by_page]
    repeats = [max(len(same) for same in pages.values()) for pages in by_page]
    whole = max((n for n, pages, even in zip(repeats, by_page, balanced, strict=True) if even and len(pages) > 1),
                default=0)  # fmt: skip
    share = _least_padding([n for n, even in zip(repeats, balanced, strict=True) if even], whole) if whole else 0
    numbers = [-(-count // share) if even and share else 1 for count, even in zip(repeats, balanced, strict=True)]
    # A group of states or rings takes no more of them than fit the block that the other groups need.
    room = max(
        (sum(-(-len(same) // number) * page for page, same in pages.items())
         for bucket, pages, number in zip(buckets, by_page, numbers, strict=True) if not _of_state(bucket)),
        default=0,
    )  # fmt: skip
    found: list[Group] = []
    for bucket, pages, number in zip(buckets, by_page, numbers, strict=True):
        if _of_state(bucket):
            number = max(number, -(-len(bucket) // max(1, room // bucket[0].spec.page_bytes)))
        if number == 1:
            found.append(_group(bucket, pp))
            continue
        patterns = list(zip(*pages.values(), strict=True))
        found += [
            _group([layer for pattern in patterns[start::number] for layer in pattern], pp) for start in range(number)
        ]
    return tuple(found)


def _of_state(bucket: Sequence[LayerSpec]) -> bool:
    return bucket[0].spec.family in ("state", "ring")


def _by_page(bucket: Sequence[LayerSpec]) -> dict[int, list[LayerSpec]]:
    pages: dict[int, list[LayerSpec]] = {}
    for layer in bucket:
        pages.setdefault(layer.spec.page_bytes, []).append(layer)
    return pages


def _least_padding(counts: Sequence[int], lowest: int) -> int:
    """The share from ``lowest`` on with which rounding up all counts adds least; the larger of equals."""
    shares = range(lowest, max(counts) + 1)
    return min(shares, key=lambda share: (sum(-count % share for count in counts), -share), default=lowest)


# Blocks that one request takes. Source: vllm-kv-rules.


@dataclass(frozen=True)
class BlockDemand:
    """What a request may hold.

    max_model_len: its longest context. [tokens]   dcp: cards that share its tokens. [-]
    in_flight_tokens: scheduled but not yet settled, which windows keep besides their own. [tokens]
    retained_tokens: kept below a window for drafting. [tokens]   encoder_tokens: budget of an encoder. [tokens]
    states: how recurrent states are kept.
    """

    max_model_len: int
    dcp: int
    in_flight_tokens: int
    retained_tokens: int
    encoder_tokens: int
    states: States | None


def blocks(group: Group, demand: BlockDemand) -> int:
    """Blocks of one group that a request of full length takes. [-]"""
    return max(_blocks(spec, demand) for spec in group.specs)


def _blocks(spec: Spec, demand: BlockDemand) -> int:
    match spec.family:
        case "full":
            return _up(_up(demand.max_model_len, demand.dcp), spec.block_size)
        case "sliding":
            # One more, since a window seldom begins where a block does.
            held = spec.window - 1 + demand.retained_tokens + demand.in_flight_tokens
            return _up(min(held, demand.max_model_len), spec.block_size) + 1
        case "chunked":
            return _up(min(spec.window + demand.in_flight_tokens, demand.max_model_len), spec.block_size)
        case "cross":
            return _up(demand.encoder_tokens, spec.block_size)
        case "ring":
            return 1
        case "state":
            if demand.states is None or demand.states.mode == "all":
                return _up(demand.max_model_len, spec.block_size)
            return demand.states.blocks
    assert_never(spec.family)


def _up(a: int, b: int) -> int:
    return -(-a // b)
