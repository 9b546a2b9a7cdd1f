"""All weights of a checkpoint, layer by layer, in the formats that its section on quantisation names."""

from __future__ import annotations

from collections.abc import Callable

from sizing.memory.config.attention import mtp_count
from sizing.memory.config.class_defaults import MTP_OWN_EMBEDDINGS, MTP_UNCOUNTED, NORMS, TIED
from sizing.memory.config.fields import FULL, LAYER_COUNT, NONE, PARALLEL, STATE, Fields
from sizing.memory.config.weights.parts import (
    UntoldError,
    WeightPart,
    attention_part,
    dense_part,
    expert_count,
    recurrent_part,
    sparse_layers,
    sparse_part,
)
from sizing.memory.config.weights.scheme import Scheme
from sizing.memory.terms import Cache


class WeightSum:
    """Sums up the weights of a decoder.

    element_bytes: of the model's own precision. [bytes]
    total, experts: of all weights, and of routed experts among them. [bytes]
    """

    def __init__(self, top: Fields, text: Fields, scheme: Scheme, element_bytes: int) -> None:
        self.top, self.text, self.scheme, self.element_bytes = top, text, scheme, element_bytes
        self.total = 0.0
        self.experts = 0.0
        self._known: dict[object, tuple[float, float]] = {}

    def add_elements(self, count: int) -> None:
        """Parameters in the model's own precision."""
        self.total += count * self.element_bytes

    def add_layer(self, key: object, index: int, build: Callable[[], WeightPart], *places: str) -> None:
        """One layer; ``key`` is equal for layers of the same make, which are then worked out once.

        places: other ways in which names say where it stands.
        """
        signature = self.scheme.signature(index)
        known = (key, signature)
        if known not in self._known:
            self._known[known] = self._bytes(build(), signature, (f"layers.{index}.", *places))
        total, experts = self._known[known]
        self.total += total
        self.experts += experts

    def _bytes(self, part: WeightPart, signature: tuple[object, ...], places: tuple[str, ...]) -> tuple[float, float]:
        """Bytes of a part, and of the routed experts in it."""
        total = part.plain * self.element_bytes + part.single * 4.0
        experts = 0.0
        for linear in part.linears:
            found = self.scheme.format(signature, places, linear.name)
            one = (
                found.bytes(linear.rows, linear.columns) if found else linear.rows * linear.columns * self.element_bytes
            )
            total += one * linear.copies
            if ".experts." in linear.name:
                experts += one * linear.copies
        return total, experts

    def add_embeddings(self) -> None:
        """Input embedding, output matrix unless tied, last norm."""
        text = self.text
        width = text.count("hidden_size", "n_embd", "d_model")
        vocabulary = text.count("vocab_size", "padded_vocab_size", high=1 << 26)
        self.add_elements(vocabulary * width + width)
        if not self.tied():
            head = self.scheme.head("lm_head") or self.scheme.head("head")
            self.total += head.bytes(vocabulary, width) if head else vocabulary * width * self.element_bytes

    def tied(self) -> bool:
        """Whether the input embedding serves as output matrix."""
        default = bool({self.text.model_type, self.top.model_type} & TIED)
        return self.text.flag("tie_word_embeddings", default=self.top.flag("tie_word_embeddings", default=default))

    def norms(self) -> int:
        """Elements of one layer's norms."""
        return NORMS.get(self.text.model_type, 2) * self.text.count("hidden_size", "n_embd", "d_model")


def decoder(checkpoint: WeightSum, kinds: tuple[str, ...], recurrent: Cache | None) -> None:
    """Adds every layer of a model that is layers of a kind times a geometry."""
    text = checkpoint.text
    one_block = _one_block_layers(text)
    sparse = (False,) * len(kinds) if one_block else sparse_layers(text, len(kinds))
    for index, kind in enumerate(kinds):
        feed = one_block[index] if one_block else ("sparse" if sparse[index] else "dense")
        variant = _variant(text, index, len(kinds))  # a layer of another make is worked out again

        def build(index: int = index, kind: str = kind, feed: str = feed) -> WeightPart:
            part = WeightPart((), checkpoint.norms())
            if kind not in (STATE, NONE):
                part += attention_part(text, index, FULL if kind == PARALLEL else kind)
            if kind in (STATE, PARALLEL):
                if recurrent is None:
                    raise UntoldError
                part += recurrent_part(text, recurrent)
            part += _feed(text, index, feed)
            return part + _per_layer_input(text) + hyper_connections(text)

        checkpoint.add_layer((kind, feed, variant), index, build)


def _feed(text: Fields, index: int, feed: str) -> WeightPart:
    if feed == "sparse":
        return sparse_part(text, index)
    return dense_part(text, index) if feed == "dense" else WeightPart()


def _variant(text: Fields, index: int, layers: int) -> object:
    """What makes a layer differ from others of its kind: shared keys, an indexer, heads of its own."""
    shared = text.optional_count("num_kv_shared_layers", low=0, high=layers) or 0
    types = text.get("indexer_types")
    heads = text.get("num_attention_heads_per_layer")
    return (
        bool(shared) and index >= layers - shared,
        types[index] if isinstance(types, list) and index < len(types) else None,
        heads[index] if isinstance(heads, list) and index < len(heads) else None,
    )


def _one_block_layers(text: Fields) -> tuple[str, ...] | None:
    """Feed-forward part of each layer where attention, state and feed-forward are layers of their own."""
    letters = text.get("hybrid_override_pattern")
    words = text.get("layers_block_type")
    if isinstance(letters, str):
        return tuple({"E": "sparse", "-": "dense"}.get(letter, "none") for letter in letters)
    if isinstance(words, list) and {"moe", "mlp"} & {word for word in words if isinstance(word, str)}:
        return tuple({"moe": "sparse", "mlp": "dense"}.get(word, "none") for word in words)
    return None


def _per_layer_input(text: Fields) -> WeightPart:
    """Input of its own for every layer (Gemma 3n, Gemma 4): gate, projection and norm; one scalar a layer."""
    inner = text.optional_count("hidden_size_per_layer_input", low=0)
    width = text.count("hidden_size", "n_embd", "d_model")
    return WeightPart((), 2 * inner * width + width + 1) if inner else WeightPart()


def per_layer_embeddings(checkpoint: WeightSum) -> None:
    """The tables behind them."""
    text = checkpoint.text
    inner = text.optional_count("hidden_size_per_layer_input", low=0)
    if inner:
        layers = text.layer_count
        vocabulary = text.count("vocab_size_per_layer_input", high=1 << 26)
        checkpoint.add_elements(vocabulary * layers * inner + text.count("hidden_size") * layers * inner + inner)


def hyper_connections(text: Fields) -> WeightPart:
    """Mixing matrices between the parallel streams of a layer (DeepSeek V4), in fp32."""
    streams = text.optional_count("hc_mult", low=0, high=64)
    if not streams:
        return WeightPart()
    mixes = (2 + streams) * streams
    return WeightPart((), 0, 2 * (mixes * streams * text.count("hidden_size") + mixes + 3))


def _modules(text: Fields) -> int:
    """Modules for multi-token prediction in the files. A list of ratios that goes on past the layers counts them."""
    ratios = text.get("compress_ratios")
    if isinstance(ratios, list) and len(ratios) > text.layer_count:
        return len(ratios) - text.layer_count
    if text.has("num_mtp_modules"):
        return 0  # described by these configs, absent from the published files
    return mtp_count(text) or MTP_UNCOUNTED.get(text.model_type, 0)


def multi_token_prediction(checkpoint: WeightSum) -> None:
    """Modules for multi-token prediction: a layer each, the joint of two inputs, and for some their own embeddings."""
    text = checkpoint.text
    count = _modules(text)
    if not count:
        return
    width = text.count("hidden_size")
    own = MTP_OWN_EMBEDDINGS & {text.model_type}
    vocabulary = text.count("vocab_size", high=1 << 26)
    layers = text.layer_count if text.which(*LAYER_COUNT) else 0
    feed = "sparse" if expert_count(text) else "dense"
    for module in range(count):

        def build() -> WeightPart:
            kind = "0" if text.has("compress_ratios") else FULL
            part = attention_part(text, layers + 1, kind) + _feed(text, layers, feed) + hyper_connections(text)
            return part + WeightPart((), 2 * width * width + checkpoint.norms() + 3 * width)

        checkpoint.add_layer(("mtp", feed), layers + module, build, "mtp.layers.0.", "mtp.0.")
        if own:
            checkpoint.add_elements(2 * vocabulary * width)
