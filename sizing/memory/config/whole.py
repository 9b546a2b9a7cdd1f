"""Models that one reader describes whole, since they do not fit "kind of layer times geometry"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from sizing.base.dataclass import dataclass
from sizing.memory.architecture import Layer, LeftOut
from sizing.memory.caches import BoundedAttention, CompressedAttention, CrossAttention, FullAttention, SlidingWindow
from sizing.memory.config.attention import attention_heads, head_dim, latent
from sizing.memory.config.class_defaults import REQUIRED
from sizing.memory.config.fields import FULL, HEAD_DIM_MAX, HEADS_MAX, LAYERS_MAX, TOKENS_MAX, Fields
from sizing.memory.terms import Cache

# What a reader of a whole model hands over.


@dataclass(frozen=True)
class Reading:
    """The layers of a model.

    heads: query heads, 0 where it has none. [-]
    mtp_layer: what one layer for multi-token prediction holds.
    left_out: parts that the layers do not hold.
    kinds: what the estimate of the weights needs to know of each layer, None where there is no estimate for it.
    recurrent: the state that some layers keep.
    """

    layers: tuple[Layer, ...]
    heads: int
    mtp_layer: Layer = field(default_factory=Layer)
    left_out: tuple[LeftOut, ...] = ()
    kinds: tuple[str, ...] | None = None
    recurrent: Cache | None = None


# Compressed attention (DeepSeek V4): a window of records, beyond it one record for several tokens.

# Records for each ratio; 0 keeps the window alone. Other ratios have no cache layout that we know of.
_RATIOS = (0, 4, 128)
_INDEXED_RATIO = 4


def compressed(fields: Fields) -> Reading | None:
    """One ratio a layer; entries past the last layer belong to multi-token prediction."""
    if not fields.has("compress_ratios") and not fields.has("compress_rates"):
        return None
    if fields.has("kv_lora_rank"):
        raise fields.contradiction("compress_ratios", "kv_lora_rank")
    entry = fields.count("head_dim", high=HEAD_DIM_MAX)
    rope = fields.count("qk_rope_head_dim", high=entry)
    window = fields.count("sliding_window", high=TOKENS_MAX)
    index = fields.count("index_head_dim", high=HEAD_DIM_MAX)
    fields.use("num_key_value_heads", "index_n_heads", "index_topk", "qk_nope_head_dim", "layer_types")

    def layer(ratio: int) -> Layer:
        if ratio not in _RATIOS:
            raise fields.unknown_value("compress_ratios", ratio)
        return Layer((CompressedAttention(entry, rope, window, ratio, index if ratio == _INDEXED_RATIO else 0),))

    ratios = _ratios(fields)
    return Reading(
        tuple(layer(ratio) for ratio in ratios),
        attention_heads(fields),
        layer(0),
        (LeftOut("compressor_state"),),
        kinds=tuple(str(ratio) for ratio in ratios),
    )


def _ratios(fields: Fields) -> tuple[int, ...]:
    layers = fields.layer_count
    if fields.has("compress_ratios"):
        ratios = fields.counts("compress_ratios", high=1 << 16, longest=2 * LAYERS_MAX)
        if len(ratios) < layers:
            raise fields.length_error("compress_ratios", len(ratios), layers)
        return ratios[:layers]
    rates = fields.table_at("compress_rates")
    words = fields.words("layer_types", layers)
    if rates is None:
        raise fields.missing("compress_rates")
    return tuple(rates.optional_count(word, low=0, high=1 << 16) or 0 for word in words)


# Encoders, which keep no cache, and encoder-decoders, whose decoder reads the encoder's output.

_ENCODER_KEYS = ("type_vocab_size", "relative_attention_num_buckets", "seq_classif_dropout")


def encoder(fields: Fields) -> Reading | None:
    """Models that read every token at once: BERT and its heirs, ModernBERT, decoders turned both ways."""
    if fields.has("decoder_layers", "max_source_positions"):
        return None
    if fields.flag("is_encoder_decoder"):
        raise fields.unknown_value("is_encoder_decoder", True)
    if not _reads_both_ways(fields):
        return None
    return Reading((Layer(),) * fields.layer_count, attention_heads(fields), kinds=_estimated(fields))


def _estimated(fields: Fields) -> tuple[str, ...] | None:
    """Only the BERT kind has an estimate of its weights; it needs nothing of the single layers."""
    return () if fields.has("type_vocab_size") else None


def _reads_both_ways(fields: Fields) -> bool:
    # Segments, relative buckets without a decoder, or heads for questions and classes: BERT, MPNet, DistilBERT.
    bert = any(fields.has(key) for key in _ENCODER_KEYS) and not fields.flag("is_decoder")
    modern = (
        fields.has("local_attention")
        and (fields.has("global_attn_every_n_layers") or fields.has("layer_types"))
        and not fields.flag("is_decoder")
    )
    turned = fields.get("use_bidirectional_attention") is True or fields.get("is_causal") is False
    return bert or modern or turned


def encoder_decoder(fields: Fields) -> Reading | None:
    """Whisper: the decoder's own attention, at most its positions, and attention to the encoder's frames."""
    if not fields.has("decoder_layers", "max_source_positions"):
        return None
    fields.use("is_encoder_decoder", "num_hidden_layers", "num_attention_heads")
    heads = fields.count("decoder_attention_heads", high=HEADS_MAX)
    width = fields.count("d_model")
    if width % heads:
        raise fields.contradiction("d_model", "decoder_attention_heads")
    dim = width // heads
    own = BoundedAttention(heads, dim, dim, fields.count("max_target_positions", high=TOKENS_MAX))
    cross = CrossAttention(heads, dim, dim, fields.count("max_source_positions", high=1 << 24))
    return Reading((Layer((own, cross)),) * fields.count("decoder_layers", high=LAYERS_MAX), heads, kinds=())


# Layers from architecture search: each has its own number of heads in a group, or no attention (Nemotron NAS).


def searched_blocks(fields: Fields) -> Reading | None:
    """One object a layer, which says how many query heads share a KV head."""
    if not fields.has("block_configs"):
        return None
    heads = attention_heads(fields)
    dim = head_dim(fields, heads)
    fields.use("num_key_value_heads")
    blocks = fields.items("block_configs", fields.layer_count)
    layers = tuple(_layer(fields, index, block, heads, dim) for index, block in enumerate(blocks))
    return Reading(layers, heads)


def _layer(fields: Fields, index: int, block: object, heads: int, dim: int) -> Layer:
    where = f"block_configs[{index}]"
    part = Fields({where: block}, fields.where).table_at(where)
    attention = part.table_at("attention") if part else None
    if attention is None:
        raise fields.missing(f"{where}.attention")
    if attention.flag("no_op") or attention.flag("replace_with_linear"):
        return Layer()
    group = attention.count("n_heads_in_group", high=heads)
    if heads % group:
        raise fields.contradiction("num_attention_heads", "block_configs")
    window = attention.optional_count("window_length", high=TOKENS_MAX)
    kept = FullAttention(heads // group, dim, dim)
    return Layer((SlidingWindow(heads // group, dim, dim, window) if window else kept,))


# Layers that hold two attention blocks each, around a shortcut to the experts (LongCat).


def shortcut_pairs(fields: Fields) -> Reading | None:
    """Two latent caches a layer; such configs count layers as num_layers and have experts that do nothing."""
    if not fields.has("zero_expert_num", "num_layers"):
        return None
    attends = latent(fields)
    if attends is None:
        raise fields.missing("kv_lora_rank")
    pairs = fields.count("num_layers", high=LAYERS_MAX // 2)
    blocks = fields.optional_count("num_hidden_layers", high=LAYERS_MAX) or 2 * pairs
    if blocks != 2 * pairs:
        raise fields.contradiction("num_hidden_layers", "num_layers")
    one = attends(0, FULL)
    return Reading((Layer(one + one),) * pairs, attention_heads(fields), Layer(one))


_READERS: tuple[tuple[str, Callable[[Fields], Reading | None]], ...] = (
    ("max_source_positions", encoder_decoder),
    ("type_vocab_size", encoder),
    ("compress_ratios", compressed),
    ("block_configs", searched_blocks),
    ("zero_expert_num", shortcut_pairs),
)


def whole(fields: Fields, both_ways: bool = False) -> Reading | None:
    """What the one reader says that these fields belong to; None where they belong to none.

    both_ways: the engine reads every token at once, so that nothing is kept.
    """
    needed = REQUIRED.get(fields.model_type, [])
    if needed and not any(fields.has(key) for key in needed):
        raise fields.missing(needed[0])
    if both_ways:
        return Reading((Layer(),) * fields.layer_count, attention_heads(fields), kinds=_estimated(fields))
    found: Reading | None = None
    by = ""
    for key, reader in _READERS:
        reading = reader(fields)
        if reading is None:
            continue
        if found is not None:
            raise fields.contradiction(by, key)
        found, by = reading, key
    return found
