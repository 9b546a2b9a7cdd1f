"""Weights of the feed-forward parts: dense, experts, shared experts, and which layer has which."""

from __future__ import annotations

from sizing.memory.config.fields import LAYERS_MAX, Fields
from sizing.memory.config.weights.class_traits import UNGATED
from sizing.memory.config.weights.modules import Linear, Part, UntoldError

EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
_EXPERTS_MAX = 1 << 16
_WIDTH_MAX = 1 << 20


def expert_count(fields: Fields) -> int:
    """Routed experts of a layer, 0 for a dense model. [-]"""
    return fields.optional_count(*EXPERTS, low=0, high=_EXPERTS_MAX) or 0


def sparse_layers(fields: Fields, layers: int) -> tuple[bool, ...]:
    """Which layers have routed experts."""
    if not expert_count(fields):
        return (False,) * layers
    if fields.has("mlp_layer_types"):
        words = fields.words("mlp_layer_types")
        known = {"sparse": True, "dense": False, "moe": True, "hash_moe": True}
        if len(words) < layers or set(words) - set(known):
            raise UntoldError
        return tuple(known[word] for word in words[:layers])
    return tuple(_is_sparse(fields, index, layers) for index in range(layers))


def _is_sparse(fields: Fields, index: int, layers: int) -> bool:
    frequency = fields.get("moe_layer_freq")
    if isinstance(frequency, list):
        return bool(frequency[index]) if index < len(frequency) else True
    first = fields.optional_count("first_k_dense_replace", "num_dense_layers", low=0, high=LAYERS_MAX) or 0
    if index < first:
        return False
    if fields.has("moe_layer_freq"):
        return index % fields.count("moe_layer_freq", high=LAYERS_MAX) == 0
    if fields.has("expert_layer_period"):
        offset = fields.count("expert_layer_offset", low=0, high=LAYERS_MAX)
        return index % fields.count("expert_layer_period", high=LAYERS_MAX) == offset
    if fields.has("interleave_moe_layer_step"):
        return (index + 1) % fields.count("interleave_moe_layer_step", high=LAYERS_MAX) == 0
    dense = fields.get("mlp_only_layers")
    if isinstance(dense, list) and (len(dense) > LAYERS_MAX or index in dense):
        if len(dense) > LAYERS_MAX:
            raise UntoldError
        return False
    step = fields.optional_count("decoder_sparse_step", high=LAYERS_MAX) or 1
    return (index + 1) % step == 0


def _matrices(fields: Fields, name: str, width: int, inner: int, copies: int = 1) -> tuple[Linear, ...]:
    up = (Linear(f"{name}up_proj", inner, width, copies),)
    gate = () if not _gated(fields) else (Linear(f"{name}gate_proj", inner, width, copies),)
    return (*gate, *up, Linear(f"{name}down_proj", width, inner, copies))


def _gated(fields: Fields) -> bool:
    return fields.model_type not in UNGATED


def dense_part(fields: Fields, index: int) -> Part:
    """The feed-forward part of a layer without routed experts."""
    width = fields.count("hidden_size")
    own = ("intermediate_size_mlp", "dense_intermediate_size")  # where intermediate_size is that of the experts
    inner = fields.optional_count(*own, high=_WIDTH_MAX) or fields.count("intermediate_size", high=_WIDTH_MAX)
    if fields.flag("use_double_wide_mlp"):
        shared = fields.optional_count("num_kv_shared_layers", low=0, high=LAYERS_MAX) or 0
        inner *= 2 if shared and index >= fields.layer_count - shared else 1
    bias = fields.flag("mlp_bias")
    return Part(_matrices(fields, "ffn.", width, inner), 2 * inner + width if bias else 0)


def sparse_part(fields: Fields, index: int) -> Part:
    """Router, routed experts and shared experts of a layer."""
    width = fields.count("hidden_size")
    experts = expert_count(fields)
    inner = fields.optional_count("moe_intermediate_size", "expert_intermediate_size", high=_WIDTH_MAX)
    inner = inner or fields.count("intermediate_size", high=_WIDTH_MAX)
    latent = fields.optional_count("moe_latent_size", "routed_expert_hidden_size")
    beside = fields.flag("enable_moe_block")
    part = Part(_matrices(fields, "bare.experts." if beside else "ffn.experts.", latent or width, inner, experts))
    if latent:
        part += Part((Linear("ffn.fc1_latent_proj", latent, width), Linear("ffn.fc2_latent_proj", width, latent)))
    part += Part((), experts * width, experts if _has_router_bias(fields) else 0)
    if fields.flag("attention_bias") and fields.has("experts_per_token"):
        part += Part((), experts * (2 * inner + width) + experts)  # gpt-oss: biases of the experts and the router
    if beside:
        return part + Part((), width + experts + 3 * width) + dense_part(fields, index)
    return part + _shared(fields, width, inner)


def _has_router_bias(fields: Fields) -> bool:
    return fields.get("topk_method") == "noaux_tc" or fields.flag("use_routing_bias")


def _shared(fields: Fields, width: int, inner: int) -> Part:
    """Experts that every token passes, in the ways configs size them."""
    own = ("moe_shared_expert_intermediate_size", "shared_expert_intermediate_size", "share_expert_dim")
    explicit = fields.optional_count(*own, low=0, high=_WIDTH_MAX)
    if explicit is None:
        explicit = fields.optional_count("shared_intermediate_size", low=0, high=_WIDTH_MAX)
    count = fields.optional_count("n_shared_experts", "num_shared_experts", low=0, high=1 << 10)
    if explicit is None:
        # Llama 4: one shared expert as wide as a routed one, and no number of them.
        explicit = inner if fields.has("intermediate_size_mlp") else (count or 0) * inner
    if not explicit:
        return Part()
    gate = width if fields.has("shared_expert_intermediate_size") and fields.has("decoder_sparse_step") else 0
    if fields.has("shared_expert_intermediate_size") and fields.has("linear_num_value_heads"):
        gate = width
    return Part(_matrices(fields, "ffn.shared.", width, explicit), gate)
