"""Weight bytes of a checkpoint as its config implies them, for when the files' sizes are unknown.

An estimate, None where the config does not say enough. On the 38 published checkpoints whose config is complete and
whose size is known, its error is at most 0.06 %, half of them to the byte or nearly so (tests/memory/config).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing.base.errors import SizingError
from sizing.memory.architecture import Weighed
from sizing.memory.config.declared import quantization
from sizing.memory.config.fields import Fields
from sizing.memory.config.weights.checkpoint import WeightSum, decoder, multi_token_prediction, per_layer_embeddings
from sizing.memory.config.weights.parts import UntoldError
from sizing.memory.config.weights.scheme import read_scheme
from sizing.memory.config.weights.towers import audio_elements, encoder_elements, speech_elements, vision_elements
from sizing.memory.terms import Cache

# No checkpoint comes near this; a config beyond it is wrong. [bytes]
_BYTES_MAX = 1 << 46
_ELEMENT_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}


def weight_bytes(
    top: Fields,
    text: Fields,
    kinds: tuple[str, ...],
    recurrent: Cache | None,
    hf_quant_config: Mapping[str, Any] | None = None,
) -> Weighed | None:
    """The estimate, or None where it cannot be told.

    kinds: kind of every layer.   recurrent: the state that some of them keep.
    """
    try:
        return _weight_bytes(top, text, kinds, recurrent, hf_quant_config)
    except (UntoldError, SizingError):
        return None


def _weight_bytes(
    top: Fields, text: Fields, kinds: tuple[str, ...], recurrent: Cache | None, hf_quant: Mapping[str, Any] | None
) -> Weighed:
    section = quantization(top, text, hf_quant)
    scheme = read_scheme(section, text)
    checkpoint = WeightSum(top, text, scheme, _element_bytes(top, text, quantised=section is not None))
    if text.has("decoder_layers"):
        checkpoint.add_elements(speech_elements(text))
    elif text.has("type_vocab_size"):
        checkpoint.add_elements(encoder_elements(text))
    else:
        checkpoint.add_embeddings()
        decoder(checkpoint, kinds, recurrent)
        per_layer_embeddings(checkpoint)
        multi_token_prediction(checkpoint)
        if (tower := top.table_at("vision_config")) is not None:
            checkpoint.add_elements(vision_elements(tower, text.count("hidden_size")))
        _add_sound(checkpoint, top, text)
        if any(top.has(name) for name in ("thinker_config", "llm_config", "language_config")):
            raise UntoldError
    if not 0 < checkpoint.total < _BYTES_MAX:
        raise UntoldError
    return Weighed(round(checkpoint.total), round(checkpoint.experts))


def _add_sound(checkpoint: WeightSum, top: Fields, text: Fields) -> None:
    tower = top.table_at("audio_config")
    if tower is not None:
        checkpoint.add_elements(audio_elements(tower, text.count("hidden_size")))
    elif top.has("audio_token_id") and text.optional_count("hidden_size_per_layer_input", low=0):
        # Small models of this family hear: a config that has lost the tower does not tell its size.
        raise UntoldError


def _element_bytes(top: Fields, text: Fields, quantised: bool) -> int:
    for fields in (text, top):
        for name in ("dtype", "torch_dtype"):
            if (word := fields.get(name)) is not None:
                found = _ELEMENT_BYTES.get(word) if isinstance(word, str) else None
                if found is None:
                    raise UntoldError
                return found
    if quantised:
        return 2  # what is left unpacked is in 16 bit
    raise UntoldError
