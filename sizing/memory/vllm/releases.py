"""What changed in which release of vLLM: the rules of data/engines/vllm.toml. Source: vllm-kv-rules, vllm-source."""

from __future__ import annotations

import functools
import re
from dataclasses import fields, replace
from typing import Any, Literal

from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.memory.starting import facts, releases

NAME = "vllm"
NEWEST = releases(NAME)[-1]
RULES_SOURCE, BUDGET_SOURCE = "vllm-kv-rules", "memory-budget"
PRINTED_WITHIN = 0.0
Version = tuple[int, int, int]


@dataclass(frozen=True)
class Release:
    """How one release plans the cache.

    version: (major, minor, patch).
    group_slack: layer kinds are padded to equal groups of the larger count where it is below this multiple of the
        smaller one; 0 where the smaller count always decides. [-]
    tokens_by_concurrency: "GPU KV cache size" is concurrency times max_model_len; before, blocks through groups.
    every_batch_held: windows hold the tokens of every batch in flight; before, of one batch.
    second_runner: which models run on the second model runner, which keeps one batch more in flight than stages.
    states_cached: hybrids have prefix caching on by default.
    states_kept_all: prefix caching of Mamba layers keeps the state of every block where nothing else is asked for.
    states_all_known: it can still be asked for.
    state_blocks_in_batch: where states are kept at blocks' ends, a block may not be longer than a batch.
    checkpointed: kinds of state that keep one block more, to export a state from inside a prefill.
    start_check: what must hold one request: "layers" of a stage each by itself, blocks of the "first" group only, or
        of "all" groups.
    stages_narrowed: a stage is checked and sized by its own layers; before, the start check wanted the whole model's
        cache on each stage ("first"), and caches of several widths in one group took the whole model's room there.
    null_block_held: the start check leaves out the one block that stays empty.
    window_blocks: block of a sliding layer: "same" as the others, its kernel's "smallest", or the largest that "fits".
    values_filled: classes that fill their values up to the keys' width still do (data/engines/vllm.toml).
    narrow_values_fp8: every card keeps values narrower than keys in FP8; before, only Hopper's operator read them.
    pages_filled: pages that do not divide the widest are filled up to it; before, such a model was refused.
    chunks_freed: chunked attention frees what lies behind; before, it was kept like full attention.
    latent_alignment: blocks of hybrids with latent attention are multiples of this. [tokens]
    user_block_aligns: a hybrid's block is a multiple of the block size asked for.
    cross_by_batch: cross-attention is charged the encoder's budget of tokens; before, its true positions.
    latent_blocks: (major compute capability, block) that dense latent attention is set to, whatever is asked for.
    wide_windows_64: data-centre Blackwell serves models with bidirectional images on 64-token kernels.
    wide_fp8_64: Hopper serves an FP8 cache of 512-wide heads on 64-token kernels.
    sparse_fp8_plain: data-centre Blackwell keeps sparse latent FP8 as plain values, without packed scales.
    sparse_declared_fp8: Hopper serves sparse latent attention where the checkpoint declares FP8.
    sparse_fp8_default: model classes that choose FP8 there by themselves do so from this release on.
    nvfp4_everywhere: an NVFP4 cache beyond data-centre Blackwell.
    packed_counted: the start check counts compressed caches as they are packed.
    pooled_keys: index keys that stand for several tokens have a cache.
    pooled_checkpoints: models with such keys export states from inside a prefill too.
    compressed_auto: compressed caches start without a precision being asked for.
    samples_by_kernel: sampling runs in an operator of its own instead of sorting all logits (vllm-33538).
    graphs_in_share: the estimate for CUDA graphs is taken out of the utilisation share.
    counts_as_driver: what the driver sees consumed at start counts beside the weights, contexts and workspaces too.
    groups_larger: large cards take more for tensor parallelism beside weights and activations.
    states_profiled: recurrent states of all sequences are live while graphs are measured.
    huge_card_batch: cards of 160 GiB and more get the batch of 16,384 tokens by default.
    default_utilization: --gpu-memory-utilization when it is not given. [-]
    """

    version: Version
    group_slack: float
    tokens_by_concurrency: bool
    every_batch_held: bool
    second_runner: Literal["none", "dense", "all"]
    states_cached: bool
    states_kept_all: bool
    states_all_known: bool
    state_blocks_in_batch: bool
    checkpointed: frozenset[str]
    start_check: Literal["layers", "first", "all"]
    stages_narrowed: bool
    null_block_held: bool
    window_blocks: Literal["same", "smallest", "fits"]
    values_filled: bool
    narrow_values_fp8: bool
    pages_filled: bool
    chunks_freed: bool
    latent_alignment: int
    user_block_aligns: bool
    cross_by_batch: bool
    latent_blocks: tuple[tuple[int, int], ...]
    wide_windows_64: bool
    wide_fp8_64: bool
    sparse_fp8_plain: bool
    sparse_declared_fp8: bool
    sparse_fp8_default: bool
    nvfp4_everywhere: bool
    packed_counted: bool
    pooled_keys: bool
    pooled_checkpoints: bool
    compressed_auto: bool
    samples_by_kernel: bool
    graphs_in_share: bool
    counts_as_driver: bool
    groups_larger: bool
    states_profiled: bool
    huge_card_batch: bool
    default_utilization: float


_PATTERN = r"(?i)v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:[-+.]?[a-z0-9][a-z0-9.+_-]{0,60})?"


def read_version(version: object) -> Version:
    """Major, minor and patch number of a release such as "0.33.0" or "0.19.2rc1.dev134".

    >>> read_version("0.20.2rc1.dev249")
    (0, 20, 2)
    """
    match = re.fullmatch(_PATTERN, version.strip()) if isinstance(version, str) else None
    if match is None:
        raise SizingError("vllm_version_unreadable", input="version", value=str(version)[:40], newest=NEWEST)
    return int(match[1]), int(match[2]), int(match[3] or 0)


@functools.cache
def _changes() -> tuple[tuple[Version, dict[str, Any]], ...]:
    """(first release that does so, what it does), oldest first, checked against the rules that there are."""
    known = {field.name for field in fields(Release)} - {"version"}
    table = [(read_version(entry["since"]), _frozen(entry.get("does", {}))) for entry in facts(NAME)["release"]]
    for since, does in ((None, facts(NAME)["first"]), *table):
        if unknown := (set(does) ^ known if since is None else set(does) - known):
            raise ValueError(f"engines/vllm.toml: {since or 'first'}: {', '.join(sorted(unknown))}")
    if [since for since, _ in table] != sorted({since for since, _ in table}):
        raise ValueError("engines/vllm.toml: releases stand twice or out of order")
    return tuple(table)


def _frozen(rules: dict[str, Any]) -> dict[str, Any]:
    """Rules as a release keeps them: lists that never change."""
    kept: dict[str, Any] = dict(rules)
    if "checkpointed" in rules:
        kept["checkpointed"] = frozenset(rules["checkpointed"])
    if "latent_blocks" in rules:
        kept["latent_blocks"] = tuple(tuple(pair) for pair in rules["latent_blocks"])
    return kept


@functools.lru_cache(maxsize=256)
def rules(version: str) -> Release:
    """The rules of a release, whatever its age: before the oldest known one, what that one does."""
    number = read_version(version)
    made = Release(version=number, **_frozen(facts(NAME)["first"]))
    for since, does in _changes():
        if number >= since:
            made = replace(made, **does)
    return made


def release(version: str) -> Release:
    """The rules of a release; SizingError for one that is older or newer than those that are known."""
    check_version(version)
    return rules(version)


def check_version(version: object) -> None:
    """SizingError for a release whose rules are not known."""
    known = [since[:2] for since, _ in _changes()]
    if not known[0] <= read_version(version)[:2] <= known[-1]:
        ends = {name: ".".join(map(str, known[place])) for name, place in (("oldest", 0), ("newest", -1))}
        raise SizingError("vllm_version_unknown", input="version", value=version, **ends)


def first_with(rule: str) -> str:
    """The first release that does something: "0.32"."""
    since = next(since for since, does in _changes() if rule in does)
    return ".".join(map(str, since[:2]))


def unseen_since() -> Version:
    """From this release on no start-up log has confirmed hybrids and pipelines."""
    return read_version(facts(NAME)["unseen"]["since"])
