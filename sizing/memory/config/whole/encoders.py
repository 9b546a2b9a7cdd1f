"""Encoders, which keep no cache, and encoder-decoders, whose decoder reads the encoder's output."""

from __future__ import annotations

from sizing.memory.architecture import Layer
from sizing.memory.caches import BoundedAttention, CrossAttention
from sizing.memory.config.attention.grouped import attention_heads
from sizing.memory.config.fields import HEADS_MAX, LAYERS_MAX, TOKENS_MAX, Fields
from sizing.memory.config.whole.reading import Reading

_ENCODER_KEYS = ("type_vocab_size", "relative_attention_num_buckets", "seq_classif_dropout")


def encoder(fields: Fields) -> Reading | None:
    """Models that read every token at once: BERT and its heirs, ModernBERT, decoders turned both ways."""
    if fields.has("decoder_layers", "max_source_positions"):
        return None
    if fields.flag("is_encoder_decoder"):
        raise fields.unknown_value("is_encoder_decoder", True)
    if not _reads_both_ways(fields):
        return None
    # Only the BERT kind has an estimate of its weights; it needs nothing of the single layers.
    kinds = () if fields.has("type_vocab_size") else None
    return Reading((Layer(),) * fields.layer_count, attention_heads(fields), kinds=kinds)


def _reads_both_ways(fields: Fields) -> bool:
    # Segments, relative buckets without a decoder, or heads for questions and classes: BERT, MPNet, DistilBERT.
    bert = any(fields.has(key) for key in _ENCODER_KEYS) and not fields.flag("is_decoder")
    modern = fields.has("global_attn_every_n_layers", "local_attention") and not fields.flag("is_decoder")
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
