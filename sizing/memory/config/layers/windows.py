"""Rules that say which layers see a window only."""

from __future__ import annotations

from sizing.memory.config.class_defaults import WINDOW_RULES
from sizing.memory.config.fields import LAYERS_MAX, TOKENS_MAX, Fields
from sizing.memory.config.kinds import FULL, SLIDING, Pattern, every


def window_tokens(fields: Fields) -> int:
    """Tokens of a sliding layer's window."""
    window = _window(fields)
    if not window:
        raise fields.missing("sliding_window")
    return window


def _window(fields: Fields) -> int | None:
    """The window under either name; 0, and -1 under the second, switch it off."""
    window = fields.optional_count("sliding_window", low=0, high=TOKENS_MAX)
    other = fields.optional_count("sliding_window_size", low=-1, high=TOKENS_MAX)
    if window and other is not None and other not in (window, -1):
        raise fields.contradiction("sliding_window", "sliding_window_size")
    return window if window is not None else (None if other is None else max(other, 0))


def switched_on(fields: Fields, listed: bool = False) -> bool:
    """Whether a window is used at all: absent, null, 0 or switched off means no.

    listed: some list names sliding layers, so that a missing window is an error instead.
    """
    window = _window(fields)
    if window is None and listed:
        raise fields.missing("sliding_window")
    if not window:
        fields.use("use_sliding_window", "max_window_layers")
        return False
    if listed:
        if not fields.flag("use_sliding_window", default=True):
            raise fields.contradiction("layer_types", "use_sliding_window")
        return True
    # A class with max_window_layers knows the switch and has it off by default (Qwen2 and its heirs).
    return fields.flag("use_sliding_window", default=not fields.has("max_window_layers"))


def global_every_n(fields: Fields) -> Pattern | None:
    """Every n-th layer attends to everything, the others to a window (Trinity)."""
    if not fields.has("global_attn_every_n_layers") or not switched_on(fields):
        return None
    period = fields.count("global_attn_every_n_layers", high=LAYERS_MAX)
    return every(fields.layer_count, period, FULL, SLIDING, period - 1)


def window_pattern(fields: Fields) -> Pattern | None:
    """Every n-th layer attends to everything (Gemma 3, Command A), or a letter a layer: L window, G all (EXAONE)."""
    key = fields.which("sliding_window_pattern", "_sliding_window_pattern")
    if not key or not switched_on(fields):
        return None
    layers = fields.layer_count
    if isinstance(fields.get(key), str):
        letters = fields.get(key)
        if not letters or len(letters) > LAYERS_MAX or set(letters) - {"L", "G"}:
            raise fields.unknown_value(key, letters)
        kinds = [SLIDING if letters[index % len(letters)] == "L" else FULL for index in range(layers)]
        return tuple(kinds)
    period = fields.count(key, high=LAYERS_MAX)
    return every(layers, period, FULL, SLIDING, period - 1)


def without_a_list(fields: Fields) -> Pattern:
    """No key speaks of single layers: all alike, or by the rule that the model class documents."""
    layers = fields.layer_count
    if not switched_on(fields):
        return (FULL,) * layers
    if fields.has("use_sliding_window", "max_window_layers"):
        below = fields.count("max_window_layers", low=0, high=LAYERS_MAX)
        return tuple(SLIDING if index >= below else FULL for index in range(layers))
    rule = WINDOW_RULES.get(fields.model_type)
    if rule is None:
        raise fields.missing("layer_types")
    period, offset = rule
    return every(layers, period, FULL, SLIDING, offset)
