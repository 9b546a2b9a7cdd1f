"""What a checkpoint is made of: matrices that quantisation may pack, and the rest."""

from __future__ import annotations

from sizing.base.dataclass import dataclass
from sizing.memory.caches import DeltaNetState, KdaState, Mamba1State, Mamba2State, ShortConvState
from sizing.memory.config.attention import attention_heads, head_dim, kv_heads
from sizing.memory.config.class_defaults import GATED_ATTENTION, QKV_BIAS, QUERY_KEY_NORM, UNGATED
from sizing.memory.config.fields import EXPERTS, FULL, HEAD_DIM_MAX, HEADS_MAX, LAYERS_MAX, SLIDING, Fields
from sizing.memory.terms import Cache


@dataclass(frozen=True)
class Linear:
    """One matrix, or several alike.

    name: inside its layer, in canonical words ("attn.q_proj", "ffn.experts.up_proj"); see scheme for other spellings.
    rows, columns: outputs and inputs. [-]   copies: matrices alike, such as one an expert. [-]
    """

    name: str
    rows: int
    columns: int
    copies: int = 1


@dataclass(frozen=True)
class WeightPart:
    """Weights of one layer or of one of its blocks.

    plain: elements that stay in the model's own precision: norms, biases, routers, convolutions. [-]
    single: elements kept in fp32 whatever the model's precision. [-]
    """

    linears: tuple[Linear, ...] = ()
    plain: int = 0
    single: int = 0

    def __add__(self, other: WeightPart) -> WeightPart:
        return WeightPart(self.linears + other.linears, self.plain + other.plain, self.single + other.single)


class UntoldError(Exception):
    """The config does not say enough for an estimate. Never leaves this package: the estimate is None then."""


# Weights of the layers that attend.


def attention_part(fields: Fields, index: int, kind: str) -> WeightPart:
    """Projections of one layer, by its number and kind."""
    if fields.has("kv_lora_rank") and fields.flag("use_mla", default=True):
        return _latent(fields, index)
    if fields.has("compress_ratios") or fields.has("compress_rates"):
        return _compressed(fields, kind)
    return _grouped(fields, index, kind)


def _grouped(fields: Fields, index: int, kind: str) -> WeightPart:
    heads, groups, k_dim, v_dim = _geometry(fields, index, kind)
    width = fields.count("hidden_size", "n_embd", "d_model")
    gated = fields.flag("attn_output_gate", default=fields.model_type in GATED_ATTENTION)
    # Layers that read another layer's cache have their projections in the files all the same.
    linears = [
        Linear("attn.q_proj", heads * k_dim * (2 if gated else 1), width),
        Linear("attn.k_proj", groups * k_dim, width),
    ]
    # Where keys serve as values, a global layer stores no projection for the latter.
    if not (fields.flag("attention_k_eq_v") and kind != SLIDING):
        linears.append(Linear("attn.v_proj", groups * v_dim, width))
    linears.append(Linear("attn.o_proj", width, heads * v_dim))
    if fields.get("gating") is True or fields.flag("use_head_wise_attn_gate"):
        linears.append(Linear("attn.g_proj", heads, width))
    plain = 2 * k_dim if fields.flag("use_qk_norm", default=fields.model_type in QUERY_KEY_NORM) else 0
    if fields.get("qk_norm_type") == "per_layer":
        plain = heads * k_dim + groups * k_dim
    if fields.model_type in QKV_BIAS:
        plain += heads * k_dim + groups * (k_dim + v_dim)
    elif fields.flag("attention_bias"):
        plain += heads * k_dim + groups * (k_dim + v_dim) + width
    return WeightPart(tuple(linears), plain)


def _geometry(fields: Fields, index: int, kind: str) -> tuple[int, int, int, int]:
    """Query heads, KV heads, widths of a key and of a value."""
    heads = attention_heads(fields)
    groups = kv_heads(fields, heads)
    dim = head_dim(fields, heads)
    k_dim = v_dim = dim
    if fields.has("swa_num_key_value_heads"):
        v_dim = fields.optional_count("v_head_dim", high=HEAD_DIM_MAX) or dim
        if kind == SLIDING:
            heads = fields.optional_count("swa_num_attention_heads", high=HEADS_MAX) or heads
            groups = fields.count("swa_num_key_value_heads", high=HEADS_MAX)
            k_dim = fields.optional_count("swa_head_dim", high=HEAD_DIM_MAX) or dim
            v_dim = fields.optional_count("swa_v_head_dim", high=HEAD_DIM_MAX) or k_dim
    elif fields.has("attention_other_setting") and kind == SLIDING:
        other = fields.table_at("attention_other_setting") or fields
        heads = other.count("num_attention_heads", high=HEADS_MAX)
        groups = other.optional_count("num_attention_groups", "num_key_value_heads", high=HEADS_MAX) or groups
    elif fields.has("global_head_dim") and kind == FULL:
        k_dim = v_dim = fields.count("global_head_dim", high=HEAD_DIM_MAX)
        if fields.flag("attention_k_eq_v"):
            groups = fields.optional_count("num_global_key_value_heads", high=HEADS_MAX) or groups
    by_layer = fields.get("num_attention_heads_per_layer")
    if isinstance(by_layer, list) and by_layer:
        heads = by_layer[min(index, len(by_layer) - 1)]  # checked when the cache was read
    return heads, groups, k_dim, v_dim


def _latent(fields: Fields, index: int) -> WeightPart:
    heads = attention_heads(fields)
    width = fields.count("hidden_size")
    rank = fields.count("kv_lora_rank", high=1 << 14)
    nope = fields.count("qk_nope_head_dim", low=0, high=HEAD_DIM_MAX)
    rope = fields.count("qk_rope_head_dim", low=0, high=HEAD_DIM_MAX)
    value = fields.count("v_head_dim", high=HEAD_DIM_MAX)
    query_rank = fields.optional_count("q_lora_rank", high=1 << 16)
    linears = [
        Linear("attn.kv_a_proj_with_mqa", rank + rope, width),
        Linear("attn.kv_b_proj", heads * (nope + value), rank),
        Linear("attn.o_proj", width, heads * value),
    ]
    plain = rank
    if query_rank:
        linears.append(Linear("attn.q_a_proj", query_rank, width))
        linears.append(Linear("attn.q_b_proj", heads * (nope + rope), query_rank))
        plain += query_rank
    else:
        linears.append(Linear("attn.q_proj", heads * (nope + rope), width))
    if fields.flag("mla_use_output_gate"):
        linears.append(Linear("attn.g_proj", heads * value, width))
    if fields.has("index_head_dim") and query_rank and _owns_indexer(fields, index):
        index_heads = fields.count("index_n_heads", high=HEADS_MAX)
        index_dim = fields.count("index_head_dim", high=HEAD_DIM_MAX)
        linears.append(Linear("attn.indexer.wq_b", index_heads * index_dim, query_rank))
        linears.append(Linear("attn.indexer.wk", index_dim, width))
        plain += index_heads * width + 2 * index_dim
    return WeightPart(tuple(linears), plain)


def _owns_indexer(fields: Fields, index: int) -> bool:
    types = fields.get("indexer_types")
    return not isinstance(types, list) or index >= len(types) or types[index] != "shared"


def _compressed(fields: Fields, kind: str) -> WeightPart:
    """DeepSeek V4; ``kind`` is the compression ratio as a word."""
    ratio = int(kind)
    heads = attention_heads(fields)
    width = fields.count("hidden_size")
    dim = fields.count("head_dim", high=HEAD_DIM_MAX)
    rank = fields.count("q_lora_rank", high=1 << 16)
    out_rank = fields.count("o_groups", high=HEADS_MAX) * fields.count("o_lora_rank", high=1 << 16)
    linears = [
        Linear("attn.fused_wqa_wkv", rank + dim, width),
        Linear("attn.wq_b", heads * dim, rank),
        Linear("attn.wo_a", out_rank, heads * dim // fields.count("o_groups", high=HEADS_MAX)),
        Linear("attn.wo_b", width, out_rank),
    ]
    part = WeightPart(tuple(linears), rank + dim, heads)
    if ratio > 1:
        part += _compressor(width, dim, ratio)
    if ratio == 4:
        index_heads = fields.count("index_n_heads", high=HEADS_MAX)
        index_dim = fields.count("index_head_dim", high=HEAD_DIM_MAX)
        queries = Linear("attn.indexer.wq_b", index_heads * index_dim, rank)
        part += WeightPart((queries,), index_heads * width) + _compressor(width, index_dim, ratio)
    return part


def _compressor(width: int, dim: int, ratio: int) -> WeightPart:
    overlap = 2 if ratio == 4 else 1
    return WeightPart((), 2 * overlap * dim * width + dim, ratio * overlap * dim)


# Weights of the feed-forward parts: dense, experts, shared experts, and which layer has which.

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


def dense_part(fields: Fields, index: int) -> WeightPart:
    """The feed-forward part of a layer without routed experts."""
    width = fields.count("hidden_size")
    own = ("intermediate_size_mlp", "dense_intermediate_size")  # where intermediate_size is that of the experts
    inner = fields.optional_count(*own, high=_WIDTH_MAX) or fields.count("intermediate_size", high=_WIDTH_MAX)
    if fields.flag("use_double_wide_mlp"):
        shared = fields.optional_count("num_kv_shared_layers", low=0, high=LAYERS_MAX) or 0
        inner *= 2 if shared and index >= fields.layer_count - shared else 1
    bias = fields.flag("mlp_bias")
    return WeightPart(_matrices(fields, "ffn.", width, inner), 2 * inner + width if bias else 0)


def sparse_part(fields: Fields, index: int) -> WeightPart:
    """Router, routed experts and shared experts of a layer."""
    width = fields.count("hidden_size")
    experts = expert_count(fields)
    inner = fields.optional_count("moe_intermediate_size", "expert_intermediate_size", high=_WIDTH_MAX)
    inner = inner or fields.count("intermediate_size", high=_WIDTH_MAX)
    latent = fields.optional_count("moe_latent_size", "routed_expert_hidden_size")
    beside = fields.flag("enable_moe_block")
    part = WeightPart(_matrices(fields, "bare.experts." if beside else "ffn.experts.", latent or width, inner, experts))
    if latent:
        part += WeightPart((Linear("ffn.fc1_latent_proj", latent, width), Linear("ffn.fc2_latent_proj", width, latent)))
    part += WeightPart((), experts * width, experts if _has_router_bias(fields) else 0)
    if fields.flag("attention_bias") and fields.has("experts_per_token"):
        part += WeightPart((), experts * (2 * inner + width) + experts)  # gpt-oss: biases of the experts and the router
    if beside:
        return part + WeightPart((), width + experts + 3 * width) + dense_part(fields, index)
    return part + _shared(fields, width, inner)


def _has_router_bias(fields: Fields) -> bool:
    return fields.get("topk_method") == "noaux_tc" or fields.flag("use_routing_bias")


def _shared(fields: Fields, width: int, inner: int) -> WeightPart:
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
        return WeightPart()
    gate = width if fields.has("shared_expert_intermediate_size") and fields.has("decoder_sparse_step") else 0
    if fields.has("shared_expert_intermediate_size") and fields.has("linear_num_value_heads"):
        gate = width
    return WeightPart(_matrices(fields, "ffn.shared.", width, explicit), gate)


# Weights of the layers that keep a state.


def recurrent_part(fields: Fields, cache: Cache) -> WeightPart:
    """Projections, convolution and small vectors of one layer, from the geometry of its state."""
    width = fields.count("hidden_size")
    linears: tuple[Linear, ...]
    if isinstance(cache, KdaState):
        return _kimi_delta(fields, cache, width)
    if isinstance(cache, DeltaNetState):
        keys, values = cache.k_heads * cache.k_dim, cache.v_heads * cache.v_dim
        linears = (
            Linear("linear.in_proj_qkv", 2 * keys + values, width),
            Linear("linear.in_proj_z", values, width),
            Linear("linear.out_proj", width, values),
        )
        # Two scalars a head, the convolution, decay and time step, one norm.
        plain = 2 * cache.v_heads * width + cache.conv_channels * cache.conv_kernel + 2 * cache.v_heads + cache.v_dim
        return WeightPart(linears, plain)
    if isinstance(cache, Mamba2State):
        inner = cache.heads * cache.head_dim
        channels = inner + 2 * cache.groups * cache.state_dim
        linears = (
            Linear("linear.in_proj", inner + channels + cache.heads, width),
            Linear("linear.out_proj", width, inner),
        )
        return WeightPart(linears, channels * (cache.conv_kernel + 1) + 3 * cache.heads + inner)
    if isinstance(cache, Mamba1State):
        rank = _step_rank(fields, width)
        inner, states = cache.inner_dim, cache.state_dim
        linears = (
            Linear("linear.in_proj", 2 * inner, width),
            Linear("linear.x_proj", rank + 2 * states, inner),
            Linear("linear.dt_proj", inner, rank),
            Linear("linear.out_proj", width, inner),
        )
        return WeightPart(linears, inner * (cache.conv_kernel + 1 + 1 + states + 1) + rank + 2 * states)
    if isinstance(cache, ShortConvState):
        linears = (Linear("conv.in_proj", 3 * width, width), Linear("conv.out_proj", width, width))
        return WeightPart(linears, cache.channels * cache.conv_kernel)
    raise UntoldError


def _kimi_delta(fields: Fields, cache: KdaState, width: int) -> WeightPart:
    """Decay and output gate come through a narrow projection each; the gate may be of full rank instead."""
    inner = cache.v_heads * cache.v_dim
    table = fields.table_at("linear_attn_config")
    full_gate = table is not None and table.flag("use_full_rank_gate")
    names = ("q_proj", "k_proj", "v_proj")
    linears = (*(Linear(f"linear.{name}", inner, width) for name in names), Linear("linear.o_proj", width, inner))
    gate = inner * width if full_gate else cache.v_dim * (width + inner)
    decay = cache.v_dim * (width + inner) + cache.v_heads * width
    return WeightPart(linears, gate + decay + 3 * inner * cache.conv_kernel + cache.v_dim + inner + cache.v_heads)


def _step_rank(fields: Fields, width: int) -> int:
    key = "mamba_dt_rank" if fields.has("mamba_dt_rank") else "time_step_rank"
    return -(-width // 16) if fields.get(key) == "auto" else fields.count(key)
