"""What the engine runs, proved by playing its block pool: admission, chunks, windows that are freed, preemption.

The pool here is written after ``vllm/v1/core`` of 0.33.0 (``allocate_slots``, ``remove_skipped_blocks``,
``get_num_skipped_tokens``): a step first frees the blocks wholly before the window of the next token, then takes
blocks for the tokens of the step; one block of the pool stands for nothing. Requests that find no blocks are preempted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import sizing
from sizing.memory import vllm
from sizing.memory.architecture import Architecture, Layer
from sizing.memory.caches import FullAttention, SlidingWindow

BATCH = 512


@dataclass
class Running:
    """One request. computed: tokens in the cache.   settled: those that are safe to free by, a step later. [tokens]"""

    wanted: int
    prompt: int
    computed: int = 0
    settled: int = 0
    held: list[int] = field(default_factory=list)


@dataclass
class Pool:
    """The blocks of all groups.

    windows: of each group, 0 for one that keeps all. [tokens]   most: blocks that a group of recurrent states holds at
    once, 0 for no bound (``MambaSpec``: the state before, the one being written, one for the prompt's checkpoint).
    """

    free: int
    block_sizes: tuple[int, ...]
    windows: tuple[int, ...]
    most: tuple[int, ...]

    def take(self, request: Running, tokens: int) -> bool:
        """Room for so many more tokens of a request; False and nothing taken where the pool has not enough."""
        wanted = []
        for size, window, most in zip(self.block_sizes, self.windows, self.most, strict=True):
            skipped = max(0, request.settled - window + 1) // size if window else 0
            blocks = -(-(request.computed + tokens) // size) - skipped
            wanted.append(min(blocks, most) if most else blocks)
        grown = sum(wanted) - sum(request.held or [0])
        if grown > self.free:
            return False
        self.free -= grown
        request.held = wanted
        return True

    def give_back(self, request: Running) -> None:
        self.free += sum(request.held)
        request.held, request.computed, request.settled = [], 0, 0


def preempted(pool: Pool, count: int, *, length: int, answer: int) -> int:
    """How often a request is preempted while so many of one length run side by side to their end.

    Those that decode go first in a step; what is left of the batch reads one more prompt in.
    """
    waiting = [Running(length, length - answer) for _ in range(count)]
    running: list[Running] = []
    times = 0
    # Each stays at its full length until all are there: that is what "at once" promises.
    for _ in range(100 * (count + length)):
        left = BATCH
        for request in list(running):
            if request not in running or request.computed == request.wanted:
                continue
            tokens = 1 if request.computed >= request.prompt else min(left, request.prompt - request.computed)
            if not tokens:
                continue
            while not pool.take(request, tokens):
                times += 1
                if times > 3:
                    return times
                last = running.pop()
                pool.give_back(last)
                waiting.insert(0, last)
                if last is request:
                    break
            if request not in running:
                continue
            request.settled, request.computed = request.computed, request.computed + tokens
            left -= tokens
        if waiting and left > 0 and all(each.computed >= each.prompt for each in running):
            request = waiting[0]
            tokens = min(left, request.prompt)
            if pool.take(request, tokens):
                request.computed = tokens
                running.append(waiting.pop(0))
            elif all(each.computed == each.wanted for each in running):
                return times + 1  # nobody moves any more, and one still waits
        if not waiting and all(each.computed == each.wanted for each in running):
            return times
    raise AssertionError("the pool does not come to rest")


GPT_OSS = Architecture(
    (Layer((SlidingWindow(8, 64, 64, window=128),)), Layer((FullAttention(8, 64, 64),))) * 18, attention_heads=64
)
GEMMA = Architecture(
    (*[Layer((SlidingWindow(16, 128, 128, window=1024),))] * 5, Layer((FullAttention(16, 128, 128),))) * 2,
    attention_heads=32,
)
QWEN_HYBRID = sizing.model("Qwen/Qwen3.5-27B").architecture
DEEPSEEK_V4 = sizing.model("deepseek-ai/DeepSeek-V4-Flash").architecture
LLAMA = Architecture((Layer((FullAttention(8, 128, 128),)),) * 8, attention_heads=32)


@pytest.mark.parametrize(
    ("model", "available_gib", "length"),
    [
        (GPT_OSS, 0.5, 2048),
        (GPT_OSS, 0.3, 1536),
        (GEMMA, 1.5, 4096),
        (GEMMA, 2.0, 2048),
        (LLAMA, 0.51, 2048),
        (LLAMA, 0.5, 2048),
        (QWEN_HYBRID, 8.0, 12_000),
        (DEEPSEEK_V4, 1.5, 4096),
        (DEEPSEEK_V4, 0.7, 9000),
    ],
)
def test_what_runs_runs_without_preemption_and_little_more_does(
    model: Architecture, available_gib: float, length: int
) -> None:
    started = vllm.startup(
        model, available_kv_gib=available_gib, max_model_len=length, max_num_batched_tokens=BATCH, max_num_seqs=150
    )
    assert started.starts
    assert started.runs is not None
    assert started.num_blocks is not None
    sizes = tuple(group.block_size for group in started.groups)
    windows = tuple(max(spec.window for spec in group.specs) for group in started.groups)
    most = tuple(3 if group.family == "state" else 0 for group in started.groups)

    def pool() -> Pool:
        return Pool(started.num_blocks - 1, sizes, windows, most)  # type: ignore[operator]  # it starts

    assert preempted(pool(), started.runs, length=length, answer=64) == 0
    # The print reserves window and batch for every request; what runs is more, and not far below what the pool bears.
    # Where the blocks divide without a rest, the print counts the one that stands for nothing: one fewer runs.
    bears = next(n for n in range(started.runs, 10_000) if preempted(pool(), n + 1, length=length, answer=64))
    assert started.requests is not None
    exact = started.num_blocks % started.blocks_per_request == 0
    assert started.requests - exact <= started.runs <= bears
    assert bears - started.runs <= max(1, 0.12 * bears)
