"""Refuses keys that could change what layers keep and that nobody here understands.

What engines do decides: of a model type that a release serves, a key counts only where the type's class reads it. Only
of a type that no release knows does a key count by the words in its name. Keys that readers understand, keys that are
known not to touch the cache, and those that classes read for reasons unknown here stand in known_keys.toml.
"""

from __future__ import annotations

import functools
import re
import tomllib
from pathlib import Path
from typing import Any

from sizing.base.errors import SizingError
from sizing.memory.config.fields import Fields, show
from sizing.memory.config.model_types import known, reads, vocabulary

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


def understood() -> frozenset[str]:
    """Names that stand on the lists."""
    return _lists()[1]


def refuse_unknown(fields: Fields, *others: Fields, outside: bool = False) -> None:
    """Raise for the first key that could change the cache and that nobody here understands.

    Of a type that an engine's release serves: what its class reads and could change the cache. Of any other type
    whatever looks like geometry, and whatever no class of any engine reads and could count layers or passes.

    others: the parts beside these fields, whose type and class count as well.
    outside: the language model stands in a part of its own, and these are the keys beside it.
    """
    if len(fields.table) > _KEYS_MAX:
        raise SizingError("config_too_many_keys", input=fields.where or "config.json", found=len(fields.table))
    known_inside, known_outside, inside = _lists()
    left = fields.table.keys() - (known_outside if outside else known_inside)
    if left:
        served = known(fields, *others)
        suspects = reads(fields, *others)
        for name in fields.table:
            if name not in left or not isinstance(name, str):
                continue
            value = fields.table[name]
            if _says_something(value) and (
                name in suspects if served else len(name) > _NAME_MAX or _could_matter(name, value)
            ):
                raise SizingError("config_key_unknown", input=fields.path(name[:_NAME_MAX]), value=show(value))
    for place, names in inside.items():
        inner = fields.table_at(place) if fields.has(place) else None
        for name, value in list(inner.table.items())[:_KEYS_MAX] if inner else ():
            if (
                str(name) not in names
                and _says_something(value)
                and not re.search(_HARMLESS_END, str(name)[:_NAME_MAX])
            ):
                raise SizingError(
                    "config_key_unknown", input=fields.path(f"{place}.{name}"[:_NAME_MAX]), value=show(value)
                )


@functools.lru_cache(4096)
def _nobodys(name: str) -> tuple[bool, bool]:
    """Whether a name looks like geometry, and whether no class of any engine reads it."""
    if says_nothing(name):
        return False, False
    return bool(re.search(_GEOMETRY, name.lower())), name not in vocabulary() and not name.endswith(("_id", "_index"))


def _could_matter(name: str, value: Any) -> bool:
    looks, nobodys = _nobodys(name)
    counts = isinstance(value, (list, dict)) or (
        isinstance(value, (int, float)) and not isinstance(value, bool) and value > 1
    )
    return looks or (nobodys and counts)


def refuse_unread(fields: Fields) -> None:
    """Raise for geometry that is there and that no reader has used."""
    for name in _MUST_BE_READ:
        value = fields.table.get(name)
        if value is not None and value != 0 and name not in fields.used:
            raise SizingError("config_key_unread", input=fields.path(name), value=show(value))


def says_nothing(name: str) -> bool:
    """Whether a name is of how numbers are computed, of feed-forward parts or of another part of the model."""
    lower = name.lower()
    return bool(re.search(_HARMLESS_END, lower) or re.search(_FEED_FORWARD, lower) or re.match(_OTHER_PARTS, lower))


def _says_something(value: Any) -> bool:
    return not (value is None or value is False or value == 0 or (isinstance(value, (list, dict, str)) and not value))
