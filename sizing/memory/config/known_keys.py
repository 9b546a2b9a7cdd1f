"""Refuses keys that look like cache geometry and that nobody here understands.

A key counts as geometry by the words in its name, if its value could say something about the cache: numbers, lists,
objects, words, and switches that are on. Keys that readers understand, and keys that are known not to touch the
cache, stand in known_keys.toml.
"""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path
from typing import Any

from sizing.base.errors import SizingError
from sizing.memory.config.fields import Fields, show

_GEOMETRY = (
    r"kv|attn|attention|window|head|latent|state|conv(?!er)|mamba|ssm|cache|compress|recur|sliding|chunk|index|hybrid|memor"
    r"|mem_|lru|rwkv|delta|kda|gdn|linear_|retention|hyena|loop|cycle|cross|lora_rank|layer_type|layers_type|block_type|pattern"
    r"|interval|period|share|sharing|cla_|global|(?:^|_)local|qk_|swa|sparse|segment|_sinks?(?:_|$)|every_n|layer_group|mla|gqa|mqa"
)
# Names with these endings say how numbers are computed, not what is kept.
_HARMLESS_END = (
    r"(_dropout|_dropout_prob|_dropout_rate|_pdrop|_bias|_eps|_epsilon|_token_id|_token_ids|_token_index|_token"
    r"|_multiplier|_softcapping|_softcap|_norm|_norms|_layernorm|_init|_init_value|_act|_activation|_act_fn|_coef"
    r"|_temperature|_impl|_implementation|_kernels|_kernel_backend|_std|_scale|_scaling|_theta"
    r"|_rope_parameters|_rope_scaling)$"
)
# Feed-forward parts, experts, their router and the embeddings keep nothing.
_FEED_FORWARD = r"expert|^(num_)?moe_|^mlp_|^mtp_mlp_|^router|^ffn_|swiglu|embed|^activation_|^lm_head|batch_size"
# Parts of a multimodal config that are not the language model.
_OTHER_PARTS = (
    r"(vision|visual|image|video|audio|speech|sound|talker|code2wav|token2wav|projector|mm_|vit_|img_|eo[ai]_|bo[ai]_)"
)
_NAME_MAX = 200
_KEYS_MAX = 2_000

# Geometry that means something only to certain models: present and unread is a contradiction.
_MUST_BE_READ = (
    "attention_other_setting",
    "attn_layer_period",
    "block_configs",
    "compress_ratios",
    "global_head_dim",
    "hybrid_override_pattern",
    "index_head_dim",
    "index_topk",
    "kv_lora_rank",
    "linear_attn_config",
    "linear_head_dim",
    "linear_key_head_dim",
    "linear_num_value_heads",
    "local_attention",
    "mamba_d_state",
    "mamba_num_heads",
    "num_global_key_value_heads",
    "num_kv_shared_layers",
    "sparse_attention_config",
    "ssm_state_size",
    "swa_head_dim",
    "swa_num_key_value_heads",
)


@functools.cache
def _lists() -> tuple[frozenset[str], frozenset[str], dict[str, frozenset[str]]]:
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        table = tomllib.load(file)
    known = frozenset(table["read"].split()) | frozenset(table["harmless"].split())
    outside = frozenset(table["outside"].split())
    return known, known | outside, {name: frozenset(words.split()) for name, words in table["inside"].items()}


def refuse_unknown(fields: Fields, outside: bool = False) -> None:
    """Raise for the first key that looks like cache geometry and is not on the lists.

    outside: the language model stands in a part of its own, and these are the keys beside it.
    """
    if len(fields.table) > _KEYS_MAX:
        raise SizingError("config_too_many_keys", input=fields.where or "config.json", found=len(fields.table))
    known_inside, known_outside, inside = _lists()
    known = known_outside if outside else known_inside
    unknown = [
        (name, value)
        for name, value in fields.table.items()
        if isinstance(name, str) and name not in known and _says_something(value) and _looks_like_geometry(name)
    ]
    for place, names in inside.items():
        inner = fields.table_at(place) if fields.has(place) else None
        for name, value in list(inner.table.items())[:_KEYS_MAX] if inner else ():
            if (
                str(name) not in names
                and _says_something(value)
                and not re.search(_HARMLESS_END, str(name)[:_NAME_MAX])
            ):
                unknown.append((f"{place}.{name}", value))
    if unknown:
        name, value = unknown[0]
        raise SizingError("config_key_unknown", input=fields.path(name[:_NAME_MAX]), value=show(value))


def refuse_unread(fields: Fields) -> None:
    """Raise for geometry that is there and that no reader has used."""
    for name in _MUST_BE_READ:
        value = fields.table.get(name)
        if value is not None and value != 0 and name not in fields.used:
            raise SizingError("config_key_unread", input=fields.path(name), value=show(value))


def _says_something(value: Any) -> bool:
    return not (value is None or value is False or value == 0 or (isinstance(value, (list, dict, str)) and not value))


def _looks_like_geometry(name: str) -> bool:
    if len(name) > _NAME_MAX:
        return True
    lower = name.lower()
    return bool(re.search(_GEOMETRY, lower)) and not (
        re.search(_HARMLESS_END, lower) or re.search(_FEED_FORWARD, lower) or re.match(_OTHER_PARTS, lower)
    )
