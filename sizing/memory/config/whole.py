"""Models that one reader describes whole: encoders, encoder-decoders, compressed attention, searched layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sizing.memory.architecture import Layer
from sizing.memory.caches import BoundedAttention, CompressedAttention, CrossAttention, FullAttention
from sizing.memory.config.attention import HEAD_DIM_MAX, attention_heads
from sizing.memory.config.fields import HEADS_MAX, LAYERS_MAX, TOKENS_MAX, Fields


@dataclass(frozen=True)
class Whole:
    """Layers, query heads and the layers for multi-token prediction."""

    layers: tuple[Layer, ...]
    heads: int
    mtp_layer: Layer | None = None


def encoder(fields: Fields) -> Whole | None:
    """BERT and its heirs: no cache, since every token is read at once."""
    if not fields.has("type_vocab_size") or fields.flag("is_decoder"):
        return None
    return Whole((Layer(),) * fields.layer_count, attention_heads(fields))


def encoder_decoder(fields: Fields) -> Whole | None:
    """Whisper: self-attention of the decoder, at most its positions, and cross-attention to the encoder's frames."""
    if not fields.has("decoder_layers", "max_source_positions"):
        return None
    heads = fields.count("decoder_attention_heads", high=HEADS_MAX)
    width = fields.count("d_model")
    if width % heads:
        raise fields.contradiction("d_model", "decoder_attention_heads")
    dim = width // heads
    own = BoundedAttention(heads, dim, dim, fields.count("max_target_positions", high=TOKENS_MAX))
    cross = CrossAttention(heads, dim, dim, fields.count("max_source_positions", high=TOKENS_MAX))
    return Whole((Layer((own, cross)),) * fields.count("decoder_layers", high=LAYERS_MAX), heads)


def compressed(fields: Fields) -> Whole | None:
    """DeepSeek V4: one ratio a layer, 0 for the window alone; entries past the layers belong to MTP."""
    if not fields.has("compress_ratios"):
        return None
    if fields.has("kv_lora_rank"):
        raise fields.contradiction("compress_ratios", "kv_lora_rank")
    layers = fields.layer_count
    ratios = fields.counts("compress_ratios", high=1 << 16)
    if len(ratios) < layers:
        raise fields.length_error("compress_ratios", len(ratios), layers)
    entry = fields.count("head_dim", high=HEAD_DIM_MAX)
    rope = fields.count("qk_rope_head_dim", high=entry)
    window = fields.count("sliding_window", high=TOKENS_MAX)
    index = fields.count("index_head_dim", high=HEAD_DIM_MAX)

    def layer(ratio: int) -> Layer:
        if ratio not in (0, 4, 128):
            raise fields.unknown_value("compress_ratios", ratio)
        return Layer((CompressedAttention(entry, rope, window, ratio, index if ratio == 4 else 0),))

    return Whole(tuple(layer(ratio) for ratio in ratios[:layers]), attention_heads(fields), layer(0))


def searched_blocks(fields: Fields) -> Whole | None:
    """Layers from architecture search: each its own number of heads in a group, or no attention (Nemotron NAS)."""
    if not fields.has("block_configs"):
        return None
    heads = attention_heads(fields)
    width = fields.count("hidden_size")
    dim = fields.optional_count("head_dim", high=HEAD_DIM_MAX) or width // heads
    layers: list[Layer] = []
    for index, block in enumerate(fields.items("block_configs", fields.layer_count)):
        part = Fields({"block": block}, f"block_configs[{index}]").table_at("block")
        attention = part.table_at("attention") if part else None
        if attention is None:
            raise fields.missing(f"block_configs[{index}].attention")
        if attention.flag("no_op") or attention.flag("replace_with_linear"):
            layers.append(Layer())
            continue
        group = attention.count("n_heads_in_group", high=heads)
        if heads % group:
            raise fields.contradiction("num_attention_heads", "block_configs")
        layers.append(Layer((FullAttention(heads // group, dim, dim),)))
    return Whole(tuple(layers), heads)


_READERS: tuple[Callable[[Fields], Whole | None], ...] = (encoder, encoder_decoder, compressed, searched_blocks)


def whole(fields: Fields) -> Whole | None:
    """What the one reader says that these fields belong to; None where they belong to none."""
    for reader in _READERS:
        if (found := reader(fields)) is not None:
            return found
    return None
