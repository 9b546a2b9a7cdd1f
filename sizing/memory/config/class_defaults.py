"""What model classes assume where a config is silent, as documented by transformers.

Kept as data under ``model_type``, itself a config field. Source: transformers (configuration classes, 5.24).
"""

from __future__ import annotations

# Windows without a list: every n-th layer attends to everything; 0 means that all layers slide.
WINDOW_RULES: dict[str, int] = {
    "cohere2": 4,
    "gemma2": 2,
    "gemma3_text": 6,
    "gemma4_text": 6,
    "gpt_oss": 2,
    "mistral": 0,
    "mixtral": 0,
    "phi3": 0,
    "starcoder2": 0,
}

# Attention geometry that a config may leave to its class.
GEOMETRY: dict[str, dict[str, int]] = {
    "gemma3_text": {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256},
}
