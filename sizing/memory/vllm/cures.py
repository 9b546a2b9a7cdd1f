"""Which single setting makes a refused start work, found by asking the start-up calculation itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sizing.memory.architecture import Architecture
from sizing.memory.starting import Launch, Refusal, Remedy, releases
from sizing.memory.vllm.releases import NAME, read_version
from sizing.memory.vllm.settings import FLAGS
from sizing.memory.vllm.start import start_up

# The settings that are tried, in the order in which a user would rather give something up: nothing of the context or
# the precision as long as batches, blocks or another release do it.
_TRIED = (
    "max_num_seqs",
    "max_num_batched_tokens",
    "block_size",
    "state_mode",
    "utilization",
    "version",
    "dcp",
    "kv_dtype",
    "max_model_len",
)
_SMALLEST_BATCH = 512
_LARGEST_SHARE = 0.98
_BLOCKS = (16, 32, 64, 128, 256)


def remedies(
    architecture: Architecture, launch: Launch, available_gib: Callable[[Launch], float]
) -> tuple[Remedy, ...]:
    """For each setting the smallest change that cures a refused start, with what is then printed; nothing if it starts.

    launch: completed.   available_gib: what a launch leaves for the cache on each card; a change of batch, sequences,
    share or release moves it, unless the figure was measured. [GiB]
    """
    refused = start_up(architecture, launch, available_gib(launch))
    if refused.starts:
        return ()
    found = (_first(architecture, launch, name, available_gib, refused.refusal) for name in _TRIED)
    return tuple(each for each in found if each is not None)


def _first(
    architecture: Architecture,
    launch: Launch,
    name: str,
    available_gib: Callable[[Launch], float],
    refusal: Refusal | None,
) -> Remedy | None:
    flag = FLAGS.get(name, "")  # none for another release
    told = [refusal.number] if refusal and refusal.flag == flag and refusal.number else []
    for value in (*told, *_values(name, launch)):
        changed = replace(launch, **{name: value})
        left_gib = available_gib(changed)
        start = start_up(architecture, changed, left_gib)
        if start.starts:
            return Remedy(NAME, name, flag, value, left_gib, start)
    return None


def _values(name: str, launch: Launch) -> Iterator[Any]:
    """What a setting may become beside what the refusal itself names, the nearest first."""
    asked = getattr(launch, name)
    match name:
        case "max_num_seqs" | "max_num_batched_tokens":
            least = 1 if name == "max_num_seqs" else _SMALLEST_BATCH
            power = 1 << max(0, (asked - 1).bit_length() - 1)
            while power >= least:
                yield power
                power //= 2
        case "block_size":
            yield from (size for size in (None, *_BLOCKS) if size != asked)
        case "state_mode" if asked != "align":
            yield "align"
        case "utilization":
            steps = range(int(asked * 100) + 1, int(_LARGEST_SHARE * 100) + 1)
            yield from (step / 100 for step in steps)
        case "version":
            here = read_version(asked)
            others = [each for each in releases(NAME) if read_version(each) != here]
            newer = [each for each in others if read_version(each) > here]
            yield from (*newer, *reversed(others[: len(others) - len(newer)]))
        case "kv_dtype" if asked != "fp8":
            yield "fp8"
