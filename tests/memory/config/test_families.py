"""Families beyond the table of published models: each config in the family's own spelling, each figure by hand.

Figures: bytes a token that grow, {window: bytes a token inside it}, fixed bytes; all in 16 bit, for the whole model.
"""

from __future__ import annotations

from typing import Any

import pytest

from sizing.memory.config.reader import read_config

KIMI_FULL = [4, 8, 12, 16, 20, 24, 27]
MIMO_FULL = [0, 5, 11, 17, 23, 29, 35, 41, 47]
Figures = tuple[float, dict[int, float], int]

FAMILIES: dict[str, tuple[dict[str, Any], Figures]] = {
    "windows by a rule of the class (Gemma 2)": (
        {
            "model_type": "gemma2",
            "head_dim": 256,
            "hidden_size": 3584,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "num_hidden_layers": 42,
            "sliding_window": 4096,
            "attn_logit_softcapping": 50.0,
            "cache_implementation": "hybrid",
        },
        (21 * 2 * 8 * 256 * 2, {4096: 21 * 2 * 8 * 256 * 2}, 0),
    ),
    "heads and pattern left to the class (Gemma 3 4B)": (
        {
            "model_type": "gemma3",
            "text_config": {
                "model_type": "gemma3_text",
                "hidden_size": 2560,
                "num_hidden_layers": 34,
                "sliding_window": 1024,
            },
            "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "head_dim": 72},
        },
        (5 * 2 * 4 * 256 * 2, {1024: 29 * 2 * 4 * 256 * 2}, 0),
    ),
    "windows by a number (Command A)": (
        {
            "model_type": "cohere2",
            "hidden_size": 12288,
            "num_attention_heads": 96,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "num_hidden_layers": 64,
            "sliding_window": 4096,
            "sliding_window_pattern": 4,
            "use_embedding_sharing": True,
        },
        (16 * 2 * 8 * 128 * 2, {4096: 48 * 2 * 8 * 128 * 2}, 0),
    ),
    "windows by letters and by list (EXAONE 4)": (
        {
            "model_type": "exaone4",
            "hidden_size": 5120,
            "num_attention_heads": 40,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "num_hidden_layers": 64,
            "sliding_window": 4096,
            "sliding_window_pattern": "LLLG",
            "layer_types": (["sliding_attention"] * 3 + ["full_attention"]) * 16,
        },
        (16 * 2 * 8 * 128 * 2, {4096: 48 * 2 * 8 * 128 * 2}, 0),
    ),
    "every layer slides (Mistral 7B of 2023)": (
        {
            "model_type": "mistral",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "num_hidden_layers": 32,
            "sliding_window": 4096,
        },
        (0, {4096: 32 * 2 * 8 * 128 * 2}, 0),
    ),
    "sliding layers with heads of their own (MiMo-V2)": (
        {
            "model_type": "mimo_v2_flash",
            "hidden_size": 4096,
            "num_hidden_layers": 48,
            "num_attention_heads": 64,
            "num_key_value_heads": 4,
            "head_dim": 192,
            "v_head_dim": 128,
            "swa_num_attention_heads": 64,
            "swa_num_key_value_heads": 8,
            "swa_head_dim": 192,
            "swa_v_head_dim": 128,
            "sliding_window": 128,
            "sliding_window_size": 128,
            "attention_chunk_size": 128,
            "hybrid_layer_pattern": [0 if index in MIMO_FULL else 1 for index in range(48)],
        },
        (9 * 4 * (192 + 128) * 2, {128: 39 * 8 * (192 + 128) * 2}, 0),
    ),
    "the other kind of layer in an object (Step 3.5)": (
        {
            "model_type": "step3p5",
            "hidden_size": 4096,
            "num_attention_heads": 64,
            "num_attention_groups": 8,
            "head_dim": 128,
            "num_hidden_layers": 5,
            "num_nextn_predict_layers": 1,
            "sliding_window": 512,
            "layer_types": ["full_attention", *["sliding_attention"] * 3, "full_attention", "sliding_attention"],
            "attention_other_setting": {
                "attention_type": "sliding_attention",
                "num_attention_heads": 96,
                "num_attention_groups": 4,
                "head_dim": 64,
            },
        },
        (2 * 2 * 8 * 128 * 2, {512: 3 * 2 * 4 * 64 * 2}, 0),
    ),
    "layers that read another's cache (Gemma 3n)": (
        {
            "model_type": "gemma3n",
            "text_config": {
                "model_type": "gemma3n_text",
                "hidden_size": 2048,
                "head_dim": 256,
                "num_attention_heads": 8,
                "num_key_value_heads": 2,
                "num_hidden_layers": 30,
                "num_kv_shared_layers": 10,
                "sliding_window": 512,
                "layer_types": (["sliding_attention"] * 4 + ["full_attention"]) * 6,
            },
        },
        (4 * 2 * 2 * 256 * 2, {512: 16 * 2 * 2 * 256 * 2}, 0),
    ),
    "every second layer reads the one before (Hunyuan)": (
        {
            "model_type": "hunyuan",
            "hidden_size": 6400,
            "num_attention_heads": 80,
            "num_key_value_heads": 8,
            "attention_head_dim": 128,
            "num_hidden_layers": 64,
            "use_cla": True,
            "cla_share_factor": 2,
        },
        (32 * 2 * 8 * 128 * 2, {}, 0),
    ),
    "searched layers (Nemotron Super)": (
        {
            "model_type": "nemotron-nas",
            "hidden_size": 8192,
            "num_attention_heads": 64,
            "num_key_value_heads": None,
            "num_hidden_layers": 3,
            "block_configs": [
                {"attention": {"n_heads_in_group": 8, "no_op": False, "replace_with_linear": False}},
                {"attention": {"n_heads_in_group": None, "no_op": True}},
                {"attention": {"n_heads_in_group": 16, "no_op": False}},
            ],
        },
        ((8 + 4) * 2 * 128 * 2, {}, 0),
    ),
    "latent attention and Kimi delta (Kimi Linear)": (
        {
            "model_type": "kimi_linear",
            "hidden_size": 2304,
            "head_dim": 72,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "num_hidden_layers": 27,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "mla_use_nope": True,
            "linear_attn_config": {
                "full_attn_layers": KIMI_FULL,
                "kda_layers": [number for number in range(1, 28) if number not in KIMI_FULL],
                "num_heads": 32,
                "head_dim": 128,
                "short_conv_kernel_size": 4,
            },
        },
        (7 * 576 * 2, {}, 20 * (32 * 128 * 128 * 4 + 3 * (3 * 32 * 128) * 2)),
    ),
    "the same model as transformers spells it": (
        {
            "model_type": "kimi_linear",
            "hidden_size": 2304,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "num_hidden_layers": 27,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "linear_num_heads": 32,
            "linear_head_dim": 128,
            "linear_conv_kernel_dim": 4,
            "layer_types": ["full_attention" if number in KIMI_FULL else "linear_attention" for number in range(1, 28)],
        },
        (7 * 576 * 2, {}, 20 * (32 * 128 * 128 * 4 + 3 * (3 * 32 * 128) * 2)),
    ),
    "an indexer in some layers by a rule (GLM 5.2)": (
        {
            "model_type": "glm_moe_dsa",
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "num_hidden_layers": 78,
            "kv_lora_rank": 512,
            "qk_rope_head_dim": 64,
            "qk_nope_head_dim": 192,
            "qk_head_dim": 256,
            "index_head_dim": 128,
            "index_n_heads": 32,
            "index_topk": 2048,
            "index_topk_freq": 4,
            "index_skip_topk_offset": 3,
        },
        # Layers 0, 1, 2, then every fourth from 6 on: 3 + 18 own an indexer.
        (78 * 576 * 2 + (3 + len(range(6, 78, 4))) * 132, {}, 0),
    ),
    "index keys beside grouped attention (MiniMax-M3)": (
        {
            "model_type": "minimax_m3",
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "num_hidden_layers": 60,
            "sparse_attention_config": {
                "use_sparse_attention": True,
                "sparse_attention_freq": [0] * 3 + [1] * 57,
                "sparse_disable_index_value": [0] * 3 + [1] * 57,
                "sparse_index_dim": 128,
                "sparse_num_index_heads": 4,
                "sparse_topk_blocks": 16,
            },
        },
        (60 * 2 * 4 * 128 * 2 + 57 * 128 * 2, {}, 0),
    ),
    "rates by kind of layer (DeepSeek V4 as transformers spells it)": (
        {
            "model_type": "deepseek_v4",
            "hidden_size": 4096,
            "num_attention_heads": 64,
            "num_key_value_heads": 1,
            "num_hidden_layers": 4,
            "head_dim": 512,
            "qk_rope_head_dim": 64,
            "index_head_dim": 128,
            "sliding_window": 128,
            "layer_types": [
                "sliding_attention",
                "compressed_sparse_attention",
                "heavily_compressed_attention",
                "compressed_sparse_attention",
            ],
            "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128},
        },
        (2 * (512 + 128) * 2 / 4 + 512 * 2 / 128, {128: 4 * 512 * 2}, 0),
    ),
    "two latent caches a layer (LongCat)": (
        {
            "model_type": "longcat_flash",
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "num_layers": 28,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "zero_expert_num": 256,
        },
        (28 * 2 * 576 * 2, {}, 0),
    ),
    "latent vectors expanded before they are kept (MiniCPM 3)": (
        {
            "model_type": "minicpm3",
            "hidden_size": 2560,
            "num_attention_heads": 40,
            "num_key_value_heads": 40,
            "num_hidden_layers": 62,
            "kv_lora_rank": 256,
            "qk_nope_head_dim": 64,
            "qk_rope_head_dim": 32,
        },
        (62 * 40 * (96 + 96) * 2, {}, 0),
    ),
    "a list of attention layers among Mamba-2 (Bamba)": (
        {
            "model_type": "bamba",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "num_hidden_layers": 32,
            "attn_layer_indices": [9, 18, 27],
            "mamba_n_heads": 128,
            "mamba_d_head": "auto",
            "mamba_d_state": 128,
            "mamba_n_groups": 1,
            "mamba_d_conv": 4,
            "mamba_expand": 2,
        },
        (3 * 2 * 8 * 128 * 2, {}, 29 * (128 * 64 * 128 * 2 + 3 * (8192 + 2 * 128) * 2)),
    ),
    "layers that are both (Zamba 2)": (
        {
            "model_type": "zamba2",
            "hidden_size": 2560,
            "attention_head_dim": 160,
            "kv_channels": 80,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "num_hidden_layers": 4,
            "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"],
            "n_mamba_heads": 80,
            "mamba_headdim": 64,
            "mamba_d_state": 64,
            "mamba_ngroups": 1,
            "mamba_d_conv": 4,
            "mamba_expand": 2,
        },
        (2 * 2 * 32 * 160 * 2, {}, 4 * (80 * 64 * 64 * 2 + 3 * (5120 + 2 * 64) * 2)),
    ),
    "nothing but Mamba-2": (
        {
            "model_type": "mamba2",
            "hidden_size": 4096,
            "num_hidden_layers": 64,
            "num_heads": 128,
            "head_dim": 64,
            "n_groups": 8,
            "state_size": 128,
            "conv_kernel": 4,
            "expand": 2,
        },
        (0, {}, 64 * (128 * 64 * 128 * 2 + 3 * (8192 + 2 * 8 * 128) * 2)),
    ),
    "nothing but Mamba": (
        {
            "model_type": "falcon_mamba",
            "hidden_size": 4096,
            "intermediate_size": 8192,
            "num_hidden_layers": 64,
            "state_size": 16,
            "conv_kernel": 4,
            "expand": 16,
            "time_step_rank": 256,
        },
        (0, {}, 64 * (8192 * 16 * 2 + 3 * 8192 * 2)),
    ),
    "layers named without their number (Nemotron 3 Ultra)": (
        {
            "model_type": "nemotron_h",
            "hidden_size": 8192,
            "layers_block_type": ["mamba", "moe"] * 48 + ["attention", "moe"] * 6,
            "num_attention_heads": 64,
            "num_key_value_heads": 2,
            "head_dim": 128,
            "mamba_num_heads": 256,
            "mamba_head_dim": 64,
            "ssm_state_size": 128,
            "n_groups": 8,
            "conv_kernel": 4,
            "mamba_ssm_cache_dtype": "float32",
        },
        (6 * 2 * 2 * 128 * 2, {}, 48 * (256 * 64 * 128 * 4 + 3 * (16384 + 2 * 8 * 128) * 2)),
    ),
    "lightning attention (MiniMax-01)": (
        {
            "model_type": "minimax_text_01",
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "num_hidden_layers": 80,
            "attn_type_list": [0, 0, 0, 0, 0, 0, 0, 1] * 10,
        },
        (10 * 2 * 8 * 128 * 2, {}, 70 * 64 * 128 * 128 * 2),
    ),
    "short convolutions (LFM2)": (
        {
            "model_type": "lfm2",
            "hidden_size": 2048,
            "num_attention_heads": 32,
            "num_heads": 32,
            "num_key_value_heads": 8,
            "num_hidden_layers": 16,
            "conv_L_cache": 3,
            "conv_dim": 2048,
            "layer_types": ["conv", "conv", "full_attention"] * 5 + ["conv"],
        },
        (5 * 2 * 8 * 64 * 2, {}, 11 * 2 * 2048 * 2),
    ),
    "old names (GPT-2)": (
        {"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": 1024},
        (12 * 2 * 768 * 2, {}, 0),
    ),
    "one KV head (Falcon 7B)": (
        {
            "model_type": "falcon",
            "hidden_size": 4544,
            "num_attention_heads": 71,
            "num_hidden_layers": 32,
            "num_kv_heads": 71,
            "multi_query": True,
            "new_decoder_architecture": False,
        },
        (32 * 2 * 64 * 2, {}, 0),
    ),
    "KV heads in an object (DBRX)": (
        {"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "attn_config": {"kv_n_heads": 8}},
        (40 * 2 * 8 * 128 * 2, {}, 0),
    ),
    "query groups (ChatGLM)": (
        {
            "model_type": "chatglm",
            "hidden_size": 4096,
            "num_layers": 28,
            "num_attention_heads": 32,
            "kv_channels": 128,
            "multi_query_attention": True,
            "multi_query_group_num": 2,
        },
        (28 * 2 * 2 * 128 * 2, {}, 0),
    ),
    "groups of Kimi delta and latent attention (Ling 3)": (
        {
            "model_type": "bailing_hybrid",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
            "head_dim": 128,
            "num_hidden_layers": 12,
            "layer_group_size": 6,
            "short_conv_kernel_size": 4,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
        },
        (2 * 576 * 2, {}, 10 * (32 * 128 * 128 * 4 + 3 * 3 * 32 * 128 * 2)),
    ),
    "groups of lightning attention (Ring linear)": (
        {
            "model_type": "bailing_moe_linear",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "num_hidden_layers": 32,
            "layer_group_size": 8,
        },
        (4 * 2 * 4 * 128 * 2, {}, 28 * 32 * 128 * 128 * 2),
    ),
    "an encoder without segments (MPNet)": (
        {
            "model_type": "mpnet",
            "hidden_size": 768,
            "num_attention_heads": 12,
            "num_hidden_layers": 12,
            "relative_attention_num_buckets": 32,
        },
        (0, {}, 0),
    ),
    "an encoder with other names (DistilBERT)": (
        {"model_type": "distilbert", "dim": 768, "n_heads": 12, "n_layers": 6, "seq_classif_dropout": 0.2},
        (0, {}, 0),
    ),
    "an encoder with windows (ModernBERT)": (
        {
            "model_type": "modernbert",
            "hidden_size": 768,
            "num_attention_heads": 12,
            "num_hidden_layers": 22,
            "global_attn_every_n_layers": 3,
            "local_attention": 128,
        },
        (0, {}, 0),
    ),
    "a decoder turned into an encoder (EmbeddingGemma)": (
        {
            "model_type": "gemma3_text",
            "hidden_size": 768,
            "num_attention_heads": 3,
            "num_key_value_heads": 1,
            "head_dim": 256,
            "num_hidden_layers": 24,
            "sliding_window": 512,
            "use_bidirectional_attention": True,
        },
        (0, {}, 0),
    ),
    "nested twice (Qwen3 Omni)": (
        {
            "model_type": "qwen3_omni_moe",
            "thinker_config": {
                "audio_config": {"num_hidden_layers": 32},
                "text_config": {
                    "model_type": "qwen3_omni_moe_text",
                    "hidden_size": 2048,
                    "num_attention_heads": 32,
                    "num_key_value_heads": 4,
                    "head_dim": 128,
                    "num_hidden_layers": 48,
                },
            },
        },
        (48 * 2 * 4 * 128 * 2, {}, 0),
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name: str) -> None:
    table, (growing, windows, fixed) = FAMILIES[name]
    terms = read_config(table).terms("bf16")[0]
    assert terms.growing_bytes_per_token == growing
    assert {window: rate for rate, window in terms.windows} == windows
    assert terms.fixed_bytes == fixed


def test_head_width_that_the_class_sets() -> None:
    """A config that leaves out head_dim gets its class's, not hidden size through heads (3,584 / 16 = 224)."""
    table = {"model_type": "gemma2", "hidden_size": 3584, "num_attention_heads": 16, "num_hidden_layers": 1}
    assert read_config(table).growing_bytes_per_token == 2 * 4 * 256 * 2
    assert read_config(table | {"head_dim": None}).growing_bytes_per_token == 2 * 4 * 224 * 2


def test_kv_heads_absent_or_null_are_all_heads() -> None:
    table = {"model_type": "llama", "hidden_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 2}
    assert read_config(table).growing_bytes_per_token == 2 * 2 * 8 * 128 * 2
    assert read_config(table | {"num_key_value_heads": None}).growing_bytes_per_token == 2 * 2 * 8 * 128 * 2
    assert read_config(table | {"num_key_value_heads": 2}).growing_bytes_per_token == 2 * 2 * 2 * 128 * 2


def test_a_window_that_is_switched_off_saves_nothing() -> None:
    table = {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "num_hidden_layers": 28,
        "sliding_window": 131072,
        "max_window_layers": 28,
    }
    assert read_config(table).windowed_bytes_per_token == 0
    assert read_config(table | {"use_sliding_window": False}).windowed_bytes_per_token == 0
    half = read_config(table | {"use_sliding_window": True, "max_window_layers": 14})
    assert half.windowed_bytes_per_token == half.growing_bytes_per_token == 14 * 2 * 4 * 128 * 2


def test_groups_for_the_map_of_the_layers() -> None:
    groups = read_config(FAMILIES["layers that are both (Zamba 2)"][0]).groups
    assert [(group.kind, group.count) for group in groups] == [("mamba2", 2), ("full+mamba2", 2)]


@pytest.mark.parametrize(
    ("added", "kinds"),
    [
        ({"num_nextn_predict_layers": 1}, ["full"]),
        ({"num_mtp_modules": 3, "mtp_transformer_layers": 1}, ["full"] * 3),
        ({"mtp_num_hidden_layers": 0}, []),
    ],
)
def test_layers_for_multi_token_prediction(added: dict[str, int], kinds: list[str]) -> None:
    table = {"model_type": "llama", "hidden_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 2} | added
    architecture = read_config(table)
    assert [cache.kind for layer in architecture.mtp_layers for cache in layer.caches] == kinds
    assert architecture.growing_bytes_per_token == 2 * 2 * 8 * 128 * 2


def test_longest_context() -> None:
    table = {"model_type": "llama", "hidden_size": 1024, "num_attention_heads": 8, "num_hidden_layers": 2}
    assert read_config(table).max_context_tokens is None
    assert read_config(table | {"max_position_embeddings": 4096}).max_context_tokens == 4096
    stretched = {"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 4.0}}
    assert read_config(table | stretched).max_context_tokens == 16_384
    stated = {"max_position_embeddings": 4096, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}
    assert read_config(table | stated).max_context_tokens == 4096
    assert read_config(table | {"model_max_length": 131_072, "max_position_embeddings": 8192}).max_context_tokens == (
        131_072
    )
