"""Published start-up logs beside their prediction, and what explains a difference."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sizing
from sizing.base.errors import SizingError
from sizing.memory.vllm.log_lines import read_log as read
from sizing.models import bring, log_check
from sizing.models.log_check import Check
from tests.memory.config.conftest import config


def sized(hf_id: str, weights: str = "30", more: dict[str, Any] | None = None, **scenario: Any) -> sizing.Sizing:
    model = bring.from_text(json.dumps({**config(hf_id), **(more or {})}), weights=weights, name=hf_id).checkpoint
    return sizing.size(sizing.Scenario(**{"kv_dtype": "auto", "cards": 1, **scenario}), checkpoint=model)


def log(hf_id: str, version: str, length: int, *lines: str, tp: int = 1, pp: int = 1, more: str = "") -> str:
    """A start-up log with the engine's line of its configuration."""
    first = (
        f"(EngineCore pid=5) INFO [core.py:105] Initializing a V1 LLM engine (v{version}) with config: "
        f"model='{hf_id}', speculative_config=None, max_seq_len={length}, tensor_parallel_size={tp}, "
        f"pipeline_parallel_size={pp}, kv_cache_dtype=auto{more}"
    )
    return "\n".join([first, *lines])


def keys(check: Check) -> set[str]:
    return {note.key for note in check.notes}


# (model, release, TP, PP, context, available GiB of the fullest card, tokens, concurrency) as published logs print.
# Qwen3 14B keeps 40 layers x 8 heads x 256 x 2 B = 163,840 B a token, Llama 3.1 8B 32 x 8 x 256 x 2 = 131,072 B.
PUBLISHED = [
    ("meta-llama/Meta-Llama-3.1-8B", "0.10.1.1", 1, 1, 131_072, 19.25, 157_648, 1.2),
    ("meta-llama/Meta-Llama-3.1-8B", "0.15.1", 1, 1, 131_072, 19.28, 157_936, 1.2),
    ("Qwen/Qwen3-14B", "0.28.0", 1, 1, 40_960, 9.10, 59_632, 1.46),
    ("Qwen/Qwen3-14B", "0.28.0", 2, 1, 40_960, 14.38, 188_512, 4.60),
    ("Qwen/Qwen3-14B", "0.28.0", 1, 2, 40_960, 14.04, 184_000, 4.49),
]


@pytest.mark.parametrize(("hf_id", "version", "tp", "pp", "length", "available", "tokens", "concurrency"), PUBLISHED)
def test_published_logs_agree(
    hf_id: str, version: str, tp: int, pp: int, length: int, available: float, tokens: int, concurrency: float
) -> None:
    text = log(
        hf_id,
        version,
        length,
        f"Available KV cache memory: {available} GiB",
        f"GPU KV cache size: {tokens:,} tokens",
        f"Maximum concurrency for {length:,} tokens per request: {concurrency}x",
        tp=tp,
        pp=pp,
    )
    check = log_check.check(read(text), sized(hf_id))
    for name in ("kv_tokens", "concurrency"):
        figure = check.figure(name)
        assert figure is not None
        assert figure.agrees, name
    assert {"log_exact", "log_within_rounding"} & keys(check)
    assert "log_model_differs" not in keys(check)


def test_the_tokens_by_hand() -> None:
    # 9.10 GiB / (16 tokens x 163,840 B) = 3,727.36, so 3,727 blocks and 59,632 tokens; 9.105 GiB would be 3,729 blocks.
    text = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 9.1 GiB",
               "GPU KV cache size: 59,632 tokens")  # fmt: skip
    tokens = log_check.check(read(text), sized("Qwen/Qwen3-14B")).figure("kv_tokens")
    assert tokens is not None
    assert (tokens.low, tokens.predicted, tokens.high) == (3725 * 16, 3727 * 16, 3729 * 16)


def test_the_poorest_card_decides() -> None:
    text = log("Qwen/Qwen3-14B", "0.28.0", 40_960,
               "(Worker_TP0 pid=1) Available KV cache memory: 14.9 GiB",
               "(Worker_TP1 pid=2) Available KV cache memory: 14.38 GiB",
               "GPU KV cache size: 188,512 tokens", tp=2)  # fmt: skip
    check = log_check.check(read(text), sized("Qwen/Qwen3-14B"))
    assert check.available_gib == 14.38
    assert {"log_poorest_card"} <= keys(check)
    tokens = check.figure("kv_tokens")
    assert tokens is not None
    assert tokens.agrees
    alone = log_check.check(read(text.replace("14.38", "14.9", 1).replace("188,512", "100")), sized("Qwen/Qwen3-14B"))
    assert "log_poorest_card" not in keys(alone)


def test_a_difference_is_named_in_percent_of_the_print() -> None:
    text = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 9.1 GiB",
               "GPU KV cache size: 49,632 tokens")  # fmt: skip
    check = log_check.check(read(text), sized("Qwen/Qwen3-14B"))
    off = next(note for note in check.notes if note.key == "log_off")
    assert off.level == "warn"
    assert off.values["percent"] == pytest.approx((59_632 / 49_632 - 1) * 100)
    assert check.notes[0] is off


def test_utilisation_graphs_and_activations_are_explained() -> None:
    text = log(
        "Qwen/Qwen3-14B", "0.30.0", 40_960,
        "Available KV cache memory: 50.0 GiB",
        "CUDA graph pool memory: 0.49 GiB (actual), 0.61 GiB (estimated), difference: 0.12 GiB (19.6%).",
        "Free memory on device (94.40/94.97 GiB) on startup. Desired GPU memory utilization is (0.8, 75.98 GiB). "
        "Actual usage is 28.1 GiB for consumed memory (weights + non-torch), 2.46 GiB for peak activation, "
        "and 0.49 GiB for CUDAGraph memory.",
    )  # fmt: skip
    check = log_check.check(read(text), sized("Qwen/Qwen3-14B"))
    said = {note.key: note for note in check.notes}
    # 0.92 is the default from 0.20 on: (0.8 - 0.92) x 94.97 GiB
    assert said["log_utilization"].values["gib"] == pytest.approx(-11.3964)
    assert said["log_graphs_taken"].values == {"estimated_gib": 0.61, "graphs_gib": 0.49}
    older = log_check.check(read(text.replace("v0.30.0", "v0.15.0")), sized("Qwen/Qwen3-14B"))
    assert "log_graphs_on_top" in keys(older)
    assert "log_graphs_taken" not in keys(older)


def test_the_old_formula_of_hybrids_is_explained_and_used() -> None:
    text = log("Qwen/Qwen3.6-35B-A3B", "0.19.0", 131_072, "Available KV cache memory: 47.55 GiB",
               "GPU KV cache size: 623,040 tokens",
               "Maximum concurrency for 131,072 tokens per request: 18.44x",
               more=", enable_prefix_caching=False")  # fmt: skip
    check = log_check.check(read(text), sized("Qwen/Qwen3.6-35B-A3B"))
    assert "log_old_formula" in keys(check)
    tokens = check.figure("kv_tokens")
    assert tokens is not None
    assert tokens.agrees  # published: 623,040 of a bfloat16 checkpoint in this format
    newer = log_check.check(read(text.replace("v0.19.0", "v0.25.0")), sized("Qwen/Qwen3.6-35B-A3B"))
    assert "log_old_formula" not in keys(newer)


def test_the_models_own_draft_layers_are_counted() -> None:
    lines = ("Available KV cache memory: 18.51 GiB", "GPU KV cache size: 319,232 tokens")
    plain = log("zai-org/GLM-5.1", "0.20.2rc1.dev249", 202_752, *lines, tp=8)
    drafting = plain.replace(
        "speculative_config=None", "speculative_config=SpeculativeConfig(method='mtp', model='x', num_spec_tokens=3)"
    ).replace("kv_cache_dtype=auto", "kv_cache_dtype=fp8")
    check = log_check.check(read(drafting), sized("zai-org/GLM-5.1", "420", {"model_type": "glm_moe_dsa"}))
    tokens = check.figure("kv_tokens")
    assert tokens is not None
    assert tokens.agrees  # published, with one layer more for drafting
    assert "log_draft_own" in keys(check)
    # Where the class is not known to draft, the layers are not counted, and that is said.
    unknown = log_check.check(read(drafting), sized("zai-org/GLM-5.1", "420", {"model_type": "novel"}))
    assert "log_draft_unknown" in keys(unknown)
    assert unknown.figure("kv_tokens") is not None


def drafting(text: str, method: str, model: str = "y/z", tokens: int = 3) -> str:
    draft = f"speculative_config=SpeculativeConfig(method='{method}', model='{model}', num_spec_tokens={tokens})"
    return text.replace("speculative_config=None", draft)


def test_a_draft_that_is_not_named_gives_a_range_and_a_question() -> None:
    """9.1 GiB hold 59,632 tokens of 40 layers without a draft; with 40 layers more as wide, half of them."""
    plain = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 9.1 GiB",
                "GPU KV cache size: 45,000 tokens")  # fmt: skip
    check = log_check.check(read(drafting(plain, "eagle3")), sized("Qwen/Qwen3-14B"))
    figure = check.figure("kv_tokens")
    assert figure is not None
    assert figure.predicted is None
    assert figure.difference is None
    assert figure.high == pytest.approx(59_632, rel=0.001)
    assert figure.low == 40_960  # half would not start; it has, so that one request fits
    assert check.notes[0].key == "log_open_agrees"
    assert {"log_draft_unknown", "log_draft_explains"} <= keys(check)
    # 59,632 / 45,000 is 1.325: 40 layers and 13 more
    explains = next(note for note in check.notes if note.key == "log_draft_explains")
    assert explains.values["layers"] == 13
    short = log_check.check(read(drafting(plain.replace("=40960", "=8192"), "eagle3")), sized("Qwen/Qwen3-14B"))
    half = short.figure("kv_tokens")
    assert half is not None
    assert half.low == pytest.approx(59_632 / 2, rel=0.002)
    above = log_check.check(read(drafting(plain.replace("45,000", "90,000"), "eagle3")), sized("Qwen/Qwen3-14B"))
    assert above.notes[0].key == "log_open_off"


def test_a_draft_is_thought_of_where_the_log_says_nothing_of_one() -> None:
    """58 layers' worth where the model has 40: 58 / 40 = 1.45."""
    plain = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 9.1 GiB",
                f"GPU KV cache size: {59_632 * 40 // 58:,} tokens")  # fmt: skip
    check = log_check.check(read(plain), sized("Qwen/Qwen3-14B"))
    explains = next(note for note in check.notes if note.key == "log_draft_explains")
    assert explains.values["layers"] == 18
    assert explains.values["times"] == pytest.approx(1.45, abs=0.001)
    exact = log_check.check(read(plain.replace(f"{59_632 * 40 // 58:,}", "59,632")), sized("Qwen/Qwen3-14B"))
    assert "log_draft_explains" not in keys(exact)


def test_drafting_by_what_was_said_takes_no_cache() -> None:
    plain = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 9.1 GiB",
                "GPU KV cache size: 59,632 tokens")  # fmt: skip
    check = log_check.check(read(drafting(plain, "ngram")), sized("Qwen/Qwen3-14B"))
    figure = check.figure("kv_tokens")
    assert figure is not None
    assert figure.predicted == figure.printed == 59_632
    assert "log_draft_without_layers" in keys(check)


def test_what_is_kept_of_states_is_read_or_left_open() -> None:
    """Prefix caching of Mamba layers keeps each block's state up to 0.27 unless a flag says otherwise."""
    hf_id = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"
    lines = ("Available KV cache memory: 20.0 GiB", "GPU KV cache size: 1,000,000 tokens")
    text = log(hf_id, "0.27.1", 131_072, *lines, more=", enable_prefix_caching=True")
    is_open = log_check.check(read(text), sized(hf_id))
    assert "log_state_mode_open" in keys(is_open)
    every, few = (
        log_check.check(read(f"{text}\nMamba cache mode is set to '{mode}' for X by default"), sized(hf_id))
        for mode in ("all", "align")
    )
    spans = [each.figure("kv_tokens") for each in (is_open, every, few)]
    wide, low, high = (each for each in spans if each is not None)
    assert wide.predicted is None
    assert low.predicted is not None
    assert high.predicted is not None
    assert wide.low <= low.predicted < high.predicted / 2
    assert high.predicted <= wide.high
    newer = log_check.check(read(text.replace("v0.27.1", "v0.28.0")), sized(hf_id))
    assert "log_state_mode_open" not in keys(newer)


def test_a_draft_of_the_catalogue_is_counted() -> None:
    text = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 31.0 GiB")
    drafting = text.replace(
        "speculative_config=None",
        "speculative_config=SpeculativeConfig(method='draft_model', model='Qwen/Qwen3-0.6B', num_spec_tokens=3)",
    )
    without, check = (log_check.check(read(each), sized("Qwen/Qwen3-14B")) for each in (text, drafting))
    assert "log_draft_known" in keys(check)
    assert without.startup is not None
    assert check.startup is not None
    assert check.startup.kv_tokens is not None
    assert without.startup.kv_tokens is not None
    assert check.startup.kv_tokens < without.startup.kv_tokens


def test_a_refusal_is_matched_as_a_refusal() -> None:
    # One request of 40,960 tokens takes 40,960 x 163,840 B = 6.25 GiB.
    text = log(
        "Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 4.0 GiB",
        "ValueError: To serve at least one request with the models's max seq len (40960), (6.25 GiB KV cache is "
        "needed, which is larger than the available KV cache memory (4.00 GiB). Based on the available memory, the "
        "estimated maximum model length is 26208.",
    )  # fmt: skip
    check = log_check.check(read(text), sized("Qwen/Qwen3-14B"))
    assert "log_refusal_matches" in keys(check)
    for name in ("needed_gib", "longest_tokens"):
        figure = check.figure(name)
        assert figure is not None
        assert figure.agrees, (name, figure)


def test_too_few_state_blocks_are_matched_as_a_refusal() -> None:
    lines = ("Available KV cache memory: 5.0 GiB",
             "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (90). Each decode sequence "
             "requires one Mamba cache block.")  # fmt: skip
    check = log_check.check(read(log("Qwen/Qwen3.8-27B", "0.28.0", 8192, *lines)), sized("Qwen/Qwen3.8-27B"))
    assert "log_refusal_matches" in keys(check)
    assert check.startup is not None
    assert not check.startup.starts
    assert check.startup.highest_max_num_seqs is not None


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        (("vLLM API server version 0.8.5", "GPU KV cache size: 59,632 tokens"), "log_version_unknown"),
        (("vLLM API server version 0.1.dev20073+g8e685d198",), "log_version_unknown"),
        (("GPU KV cache size: 59,632 tokens",), "log_version_missing"),
        (("vLLM API server version 0.28.0", "GPU KV cache size: 59,632 tokens"), "log_context_assumed"),
        (("reserved 4.0 GiB memory for KV Cache as specified by kv_cache_memory_bytes config",), "log_fixed_memory"),
        (("Overriding num_gpu_blocks=5120 with num_gpu_blocks_override=900",), "log_blocks_override"),
        (("Free memory on device (31.2/31.86 GiB) on startup.",), "log_card_differs"),
        (("INFO LLM engine (v0.28.0) with config: model='other/one', kv_cache_dtype=turbo9",), "log_kv_dtype_unknown"),
        (("INFO LLM engine (v0.28.0) with config: model='other/one'",), "log_model_differs"),
        (("INFO LLM engine (v0.28.0) with config: model='m', enforce_eager=True",), "log_graphs_off"),
    ],
)  # fmt: skip
def test_what_the_log_does_not_say_or_says_differently_is_said(lines: tuple[str, ...], key: str) -> None:
    check = log_check.check(read("\n".join([*lines, "Available KV cache memory: 9.1 GiB"])), sized("Qwen/Qwen3-14B"))
    said = next(note for note in check.notes if note.key == key)
    assert said.text


def test_windows_hold_the_batch_and_an_unknown_batch_is_said() -> None:
    text = log("google/gemma-3-27b-it", "0.30.0", 32_768, "Available KV cache memory: 50.0 GiB",
               "GPU KV cache size: 300,000 tokens")  # fmt: skip
    model = sized("google/gemma-3-27b-it", "55")
    assert "log_batch_assumed" in keys(log_check.check(read(text), model))
    told = text + "\nChunked prefill is enabled with max_num_batched_tokens=2048."
    check = log_check.check(read(told), model)
    assert "log_batch_assumed" not in keys(check)
    assert check.setup.max_num_batched_tokens == 2048


def test_other_weights_are_said() -> None:
    text = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Model loading took 9.37 GiB memory and 3.0 seconds",
               "Available KV cache memory: 9.1 GiB")  # fmt: skip
    # 10.06e9 B are 9.37 GiB; 29.5e9 B are 27.5.
    assert "log_weights_differ" not in keys(log_check.check(read(text), sized("Qwen/Qwen3-14B", "10.06")))
    assert "log_weights_differ" in keys(log_check.check(read(text), sized("Qwen/Qwen3-14B", "29.5")))


def test_another_makers_card_is_a_sentence() -> None:
    text = log("Qwen/Qwen3-14B", "0.28.0", 40_960, "Available KV cache memory: 9.1 GiB")
    with pytest.raises(SizingError) as refused:
        log_check.check(read(text), sized("Qwen/Qwen3-14B", card="mi300x"))
    assert refused.value.key == "engine_card_unknown"
    assert refused.value.what()


def test_hostile_values_end_in_a_check_or_a_sentence() -> None:
    for line in (
        "tensor_parallel_size=9999 pipeline_parallel_size=9999",
        "max_seq_len=999999999",
        "max_seq_len=0",
        "tensor_parallel_size=3",
        "decode_context_parallel_size=7",
    ):
        text = f"LLM engine (v0.28.0) with config: {line}\nAvailable KV cache memory: 999999.9 GiB"
        sentences: list[str]
        try:
            check = log_check.check(read(text), sized("Qwen/Qwen3-14B"))
            sentences = [note.text for note in check.notes]
        except SizingError as error:
            sentences = [error.what()]
        assert sentences
        assert all(sentences)


def without_split(hf_id: str, length: int, *lines: str) -> str:
    """A log whose line of the configuration was left out, so that nothing names the parallelism."""
    return "\n".join(
        [f"INFO Initializing a V1 LLM engine (v0.28.0) with config: model='{hf_id}', max_seq_len={length}", *lines]
    )


# As two of the published logs above print for TP=2 and for one card.
OF_TWO = ("Available KV cache memory: 14.38 GiB", "GPU KV cache size: 188,512 tokens")
OF_ONE = ("Available KV cache memory: 9.10 GiB", "GPU KV cache size: 59,632 tokens")


@pytest.mark.parametrize(
    ("lines", "tp", "note"), [(OF_TWO, 2, "log_tp_of_page"), (OF_ONE, 1, "log_tp_assumed")], ids=["two", "one"]
)
def test_a_log_without_its_parallelism_is_tried_as_the_page_has_it(lines: tuple[str, ...], tp: int, note: str) -> None:
    on_page = sized("Qwen/Qwen3-14B", cards=2)
    found = log_check.check(read(without_split("Qwen/Qwen3-14B", 40_960, *lines)), on_page, on_page.layout(tp=2))
    assert (found.setup.tp, found.setup.pp) == (tp, 1)
    figure = found.figure("kv_tokens")
    assert figure is not None
    assert figure.agrees
    assert {"log_tp_of_page", "log_tp_assumed"} & keys(found) == {note}


def test_pipeline_stages_of_the_page_are_tried_too() -> None:
    # 14.04 GiB and 184,000 tokens: the published log with two stages.
    lines = ("Available KV cache memory: 14.04 GiB", "GPU KV cache size: 184,000 tokens")
    on_page = sized("Qwen/Qwen3-14B", cards=2)
    found = log_check.check(read(without_split("Qwen/Qwen3-14B", 40_960, *lines)), on_page, on_page.layout(pp=2))
    assert (found.setup.tp, found.setup.pp) == (1, 2)
    assert "PP=2" in next(each for each in found.notes if each.key == "log_tp_of_page").text


def test_what_the_log_names_counts_whatever_the_page_shows() -> None:
    on_page = sized("Qwen/Qwen3-14B", cards=2)
    found = log_check.check(read(log("Qwen/Qwen3-14B", "0.28.0", 40_960, *OF_ONE)), on_page, on_page.layout(tp=2))
    assert (found.setup.tp, found.setup.pp) == (1, 1)
    assert not {"log_tp_of_page", "log_tp_assumed"} & keys(found)


def test_without_a_layout_one_card_is_assumed() -> None:
    found = log_check.check(read(without_split("Qwen/Qwen3-14B", 40_960, *OF_ONE)), sized("Qwen/Qwen3-14B"))
    assert found.setup.tp == 1
    assert "log_tp_assumed" in keys(found)
