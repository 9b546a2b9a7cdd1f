"""Traits of model classes that change their weights and that configs leave out.

Kept as data under ``model_type``, itself a config field. Source: transformers-config.
"""

from __future__ import annotations

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
