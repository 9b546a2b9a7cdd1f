"""Weights of encoders: for images beside a language model, and whole models that are encoders."""

from __future__ import annotations

from sizing.memory.config.fields import Fields
from sizing.memory.config.weights.parts import UntoldError


def vision_elements(fields: Fields, text_width: int) -> int:
    """Parameters of an image tower and its way into the language model. [-]"""
    if fields.has("vt_hidden_size") and not fields.has("qkv_hidden_size"):
        return _moon(fields, text_width)
    if fields.has("embed_dim", "mlp_ratio"):
        return _merging_ungated(fields)
    if fields.has("fullatt_block_indexes"):
        return _merging_gated(fields)
    if fields.has("depth", "out_hidden_size"):
        return _merging(fields)
    if fields.has("pooling_kernel_size"):
        return _pooling(fields, text_width)
    if fields.has("pixel_shuffle_ratio"):
        return _shuffling(fields, text_width)
    if fields.has("image_size") and (fields.has("rope_theta") or fields.has("rope_parameters")):
        return _rotary(fields, text_width)
    if fields.has("image_size", "layer_norm_eps", "num_hidden_layers", "intermediate_size"):
        return _plain(fields, text_width)
    raise UntoldError


def _block(width: int, inner: int) -> int:
    """A layer with biases, two norms and an ungated feed-forward part. [-]"""
    return 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width


def _merging(fields: Fields) -> int:
    """Towers that merge patches before they hand them over (Qwen3-VL and later)."""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    positions = fields.count("num_position_embeddings", high=1 << 20)
    merged = width * fields.count("spatial_merge_size", high=16) ** 2
    merger = _merger(fields, width, fields.count("out_hidden_size"))
    deep = fields.get("deepstack_visual_indexes")
    deep_mergers = len(deep) if isinstance(deep, list) else 0
    total = _patches(fields) * width + width + positions * width
    total += fields.count("depth", high=1 << 10) * _block(width, inner)
    return total + merger + 2 * width + deep_mergers * (merger + 2 * merged)


def _merging_gated(fields: Fields) -> int:
    """The same with windows and gated feed-forward parts (Qwen2.5-VL)."""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    layer = 4 * width * width + 4 * width + 3 * width * inner + 2 * inner + width + 2 * width
    total = _patches(fields) * width + fields.count("depth", high=1 << 10) * layer
    return total + width + _merger(fields, width, fields.count("out_hidden_size"))


def _merging_ungated(fields: Fields) -> int:
    """The same as Qwen2-VL spells it, where hidden_size is that of the language model."""
    width = fields.count("embed_dim")
    inner = width * fields.count("mlp_ratio", high=64)
    total = _patches(fields) * width + fields.count("depth", high=1 << 10) * _block(width, inner)
    return total + 2 * width + _merger(fields, width, fields.count("hidden_size"))


def _patches(fields: Fields) -> int:
    """Values of one patch. [-]"""
    channels = fields.optional_count("in_channels", "in_chans", high=16) or 3
    return (
        fields.count("patch_size", high=256) ** 2
        * channels
        * (fields.optional_count("temporal_patch_size", high=16) or 1)
    )


def _merger(fields: Fields, width: int, out: int) -> int:
    merged = width * fields.count("spatial_merge_size", high=16) ** 2
    return merged * merged + merged + merged * out + out


def _moon(fields: Fields, text_width: int) -> int:
    """MoonViT with a patch merger (Kimi)."""
    width, inner = fields.count("vt_hidden_size"), fields.count("vt_intermediate_size")
    patch = 3 * fields.count("patch_size", high=256) ** 2
    positions = fields.count("init_pos_emb_height", high=4096) * fields.count("init_pos_emb_width", high=4096)
    merged = 4 * width
    total = (patch + 1) * width + positions * width + 2 * width
    total += fields.count("vt_num_hidden_layers", high=1 << 10) * _block(width, inner)
    return total + 2 * width + merged * merged + merged + merged * text_width + text_width


def _pooling(fields: Fields, text_width: int) -> int:
    """Gemma 4: gated feed-forward parts, no biases, positions by axis."""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    heads, dim = fields.count("num_attention_heads", high=1 << 12), fields.count("head_dim", high=4096)
    groups = fields.optional_count("num_key_value_heads", high=1 << 12) or heads
    layer = width * dim * (2 * heads + 2 * groups) + 3 * width * inner + 2 * dim + 4 * width
    total = 3 * fields.count("patch_size", high=256) ** 2 * width
    total += 2 * fields.count("position_embedding_size", high=1 << 20) * width
    total += fields.count("num_hidden_layers", high=1 << 10) * layer + width * text_width
    return total + (2 * width if fields.flag("standardize") else 0)


def _plain(fields: Fields, text_width: int) -> int:
    """SigLIP and its like, with one matrix into the language model."""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    patch = fields.count("patch_size", high=256)
    positions = (fields.count("image_size", high=1 << 14) // patch) ** 2
    total = 3 * patch * patch * width + width + positions * width
    total += fields.count("num_hidden_layers", high=1 << 10) * _block(width, inner) + 2 * width
    return total + width * text_width + width


def _shuffling(fields: Fields, text_width: int) -> int:
    """Llama 4: patches shuffled together, an adapter of two matrices, one more into the language model."""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    patch = fields.count("patch_size", high=256)
    positions = (fields.count("image_size", high=1 << 14) // patch) ** 2 + 1
    between, out = fields.count("projector_input_dim"), fields.count("projector_output_dim")
    total = 3 * patch * patch * width + width + positions * width + 4 * width
    total += fields.count("num_hidden_layers", high=1 << 10) * _block(width, inner)
    return total + inner * between + between * out + fields.count("vision_output_dim") * text_width


def _rotary(fields: Fields, text_width: int) -> int:
    """Pixtral: gated feed-forward parts, no biases; merged patches and two matrices into the language model."""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    layer = 4 * width * width + 3 * width * inner + 2 * width
    total = 3 * fields.count("patch_size", high=256) ** 2 * width + width
    total += fields.count("num_hidden_layers", high=1 << 10) * layer
    return total + width + 4 * width * width + width * text_width + text_width * text_width


def audio_elements(fields: Fields, text_width: int) -> int:
    """Parameters of the sound tower of Gemma 4's small models and its way into the language model. [-]"""
    first, second = fields.counts("subsampling_conv_channels", 2, low=1, high=1 << 14)
    width, out = fields.count("hidden_size"), fields.count("output_proj_dims")
    heads = fields.count("num_attention_heads", high=1 << 10)
    taps = fields.count("conv_kernel_size", high=1 << 10)
    # Two feed-forward parts of 8, attention with relative positions of 5, convolution of 3 squares of the width.
    layer = 24 * width * width + taps * width + 9 * width + width // heads
    total = 9 * first + 9 * first * second + first + second + first // 4 * second * width
    total += fields.count("num_hidden_layers", high=1 << 10) * layer
    return total + width * out + out + out * text_width


def encoder_elements(fields: Fields) -> int:
    """Parameters of a BERT-like model with its pooler or head. [-]"""
    width, inner = fields.count("hidden_size"), fields.count("intermediate_size")
    tables = fields.count("vocab_size", high=1 << 26) + fields.count("max_position_embeddings", high=1 << 22)
    tables += fields.count("type_vocab_size", high=1 << 10)
    total = tables * width + 2 * width + fields.layer_count * _block(width, inner)
    return total + width * width + width


def speech_elements(fields: Fields) -> int:
    """Parameters of a Whisper model; its output matrix is the input embedding. [-]"""
    width = fields.count("d_model")
    bands = fields.count("num_mel_bins", high=4096)
    total = 3 * bands * width + width + 3 * width * width + width
    total += fields.count("max_source_positions", high=1 << 20) * width
    total += fields.count("max_target_positions", high=1 << 20) * width
    total += fields.count("vocab_size", high=1 << 26) * width
    attend = 4 * width * width + 3 * width
    for part, blocks in (("encoder", 1), ("decoder", 2)):
        inner = fields.count(f"{part}_ffn_dim", high=1 << 20)
        layer = blocks * (attend + 2 * width) + 2 * width * inner + inner + width + 2 * width
        total += fields.count(f"{part}_layers", high=2000) * layer + 2 * width
    return total
