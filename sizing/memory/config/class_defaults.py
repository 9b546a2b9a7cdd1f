"""What model classes assume where a config is silent, as documented by transformers.

Kept as data under ``model_type``, itself a config field. Source: transformers-config (configuration classes, 5.24).
"""

from __future__ import annotations

ALL_SLIDE = (1, 1)

# Windows without a list: (period, remainder) of the layers that attend to everything, counted from 0.
WINDOW_RULES: dict[str, tuple[int, int]] = {
    "afmoe": (4, 3),
    "cohere2": (4, 3),
    "cwm": (4, 0),
    "exaone4": (4, 3),
    "gemma2": (2, 1),
    "gemma3_text": (6, 5),
    "gemma3n_text": (5, 4),
    "gemma4_text": (6, 5),
    "gemma4_unified_text": (6, 5),
    "gpt_oss": (2, 1),
    "granite_swa": (4, 0),
    "granitemoe_swa": (4, 0),
    "ministral": ALL_SLIDE,
    "mistral": ALL_SLIDE,
    "mixtral": ALL_SLIDE,
    "olmo3": (4, 3),
    "phi3": ALL_SLIDE,
    "phi3_v": ALL_SLIDE,
    "phi4mm": ALL_SLIDE,
    "phimoe": ALL_SLIDE,
    "starcoder2": ALL_SLIDE,
    "vaultgemma": (2, 1),
}

# Classes that turn the last layer into one that attends to everything, whatever the list says.
LAST_LAYER_FULL = frozenset({"gemma4_text", "gemma4_unified_text"})

# Classes that slide over this window where the key is absent (null switches it off). [tokens]
SILENT_WINDOW: dict[str, int] = {"ministral": 4096, "mistral": 4096}

# Classes that make up a mixed list of layers where the config has none; without one, nobody can tell.
MIXED_BY_DEFAULT = frozenset(
    """
    bamba beam bailing_hybrid diffusion_gemma_text dory dots3_note_text embedding_gemma2_text flint glm5_next_text
    granitemoehybrid inkling_text inkling2_text inkling2_loop_text jamba kimi_linear lara_mini lfm2 lfm2_moe lfm3
    mimo_v2_flash minimax minimax_m3_vl_text mistral_large4_text muse_spark_text nemotron_h olmo_hybrid qwen3_next
    qwen3_5_text qwen3_5_moe_text qwen4_exp_text t5_gemma_module zamba zamba2 zaya
    """.split()  # noqa: SIM905 (a list of names reads better in lines)
)

# Classes that share indexers between layers where the config does not list them.
SHARES_INDEXER_BY_DEFAULT = frozenset({"hy_v4", "hy_v4_vl_text", "mistral_large4_text"})

# Attention geometry that a config may leave to its class: (KV heads, width of a head), each where the key is absent.
# None: as many KV heads as query heads, and hidden size through heads.
GEOMETRY: dict[str, tuple[int | None, int | None]] = {
    "afmoe": (None, 128),
    "bamba": (8, None),
    "bitnet": (5, None),
    "cohere2_moe": (None, 128),
    "cwm": (8, 128),
    "ernie4_5": (2, 128),
    "ernie4_5_moe": (4, None),
    "ernie4_5_vl_moe_text": (4, None),
    "exaone": (8, None),
    "gemma": (None, 256),
    "gemma2": (4, 256),
    "gemma3_text": (4, 256),
    "gemma3n_text": (2, 256),
    "gemma4_text": (4, 256),
    "gemma4_unified_text": (4, 256),
    "glm": (2, 128),
    "glm4": (2, 128),
    "glm4_moe": (8, None),
    "glm4v_moe_text": (8, None),
    "glm4v_text": (2, None),
    "glm_ocr_text": (8, None),
    "gpt_oss": (8, 64),
    "granite_swa": (4, None),
    "helium": (None, 128),
    "hy_v3": (8, 128),
    "internlm3": (2, 128),
    "jamba": (8, None),
    "lfm2": (8, None),
    "lfm2_moe": (8, None),
    "llama4_text": (8, 128),
    "mellum": (4, 128),
    "minimax": (8, None),
    "minimax_m2": (8, 128),
    "ministral": (8, None),
    "ministral3": (8, 128),
    "mistral": (8, None),
    "mixtral": (8, None),
    "phi4_multimodal": (8, None),
    "phimoe": (8, None),
    "qwen2_5_omni_text": (4, None),
    "qwen2_5_vl_text": (8, None),
    "qwen2_vl_text": (8, None),
    "qwen3": (None, 128),
    "qwen3_5_moe_text": (2, 256),
    "qwen3_5_text": (4, 256),
    "qwen3_moe": (4, None),
    "qwen3_next": (2, 256),
    "qwen3_omni_moe_text": (4, None),
    "qwen3_vl_text": (None, 128),
    "seed_oss": (8, 128),
    "smollm3": (4, None),
    "solar_open": (8, 128),
    "starcoder2": (2, None),
    "step3p5": (8, 128),
    "vaultgemma": (4, 256),
    "voxtral_realtime_text": (8, None),
}

# The same for query heads, which published files of one class leave out.
QUERY_HEADS: dict[str, int] = {"gemma3_text": 8}

# Classes that expand the latent vector to full heads before they cache it.
EXPANDS_LATENT = frozenset({"minicpm3"})

# Classes whose number of positions already holds the stretch of a linear scaling.
CONTEXT_INCLUDES_SCALING = frozenset({"gemma3", "gemma3_text"})


# Traits of model classes that change their weights and that configs leave out. Kept as data under ``model_type``,
# itself a config field. Source: transformers-config.

# Queries come with a gate of the same width.
GATED_ATTENTION = frozenset({"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"})
# Biases on queries, keys and values only.
QKV_BIAS = frozenset(
    {"qwen2", "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_omni_text", "mimo"}
)
# Norms on the heads of queries and keys.
QUERY_KEY_NORM = frozenset(
    {
        "gemma3_text",
        "gemma4_text",
        "qwen3",
        "qwen3_moe",
        "qwen3_next",
        "qwen3_5_text",
        "qwen3_5_moe_text",
        "qwen3_vl_text",
        "qwen3_vl_moe_text",
    }
)
# The input embedding serves as output matrix where the config does not say.
TIED = frozenset(
    {
        "cohere",
        "cohere2",
        "gemma",
        "gemma2",
        "gemma3",
        "gemma3_text",
        "gemma3n",
        "gemma4",
        "gemma4_text",
        "gemma4_unified",
        "whisper",
    }
)
# Feed-forward parts without a gate: two matrices instead of three.
UNGATED = frozenset({"falcon", "gpt_neox", "nemotron", "nemotron_h", "phi", "starcoder2"})
# Norms of one layer, in widths of the model, where they are not two.
NORMS = {"gemma2": 4, "gemma3_text": 4, "gemma4_text": 4, "nemotron_h": 1, "glm4": 4}
# Modules for multi-token prediction that carry an embedding and an output matrix of their own.
MTP_OWN_EMBEDDINGS = frozenset({"deepseek_v3", "deepseek_v32", "kimi_k2", "glm4_moe"})
# Modules for multi-token prediction that checkpoints hold though the config counts none.
MTP_UNCOUNTED = {"qwen3_next": 1}
