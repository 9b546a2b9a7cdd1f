"""Which format each matrix of a checkpoint is in, from the section on quantisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sizing.memory.config.fields import Fields
from sizing.memory.config.weights import formats
from sizing.memory.config.weights.formats import Format
from sizing.memory.config.weights.modules import UntoldError
from sizing.memory.config.weights.names import PATTERNS_MAX, Patterns

_ALGORITHMS = {
    "FP8": formats.FP8_TENSOR,
    "FP8_PER_CHANNEL_PER_TOKEN": formats.FP8_CHANNEL,
    "FP8_PB_WO": formats.fp8_block(128, 128),
    "NVFP4": formats.NVFP4,
    "W4A16_NVFP4": formats.NVFP4,
    "NVFP4_AWQ": formats.NVFP4,
    "MXFP4": formats.MXFP4,
    "W4A8_MXFP4_FP8": formats.MXFP4,
    "MXFP8": formats.MXFP8,
}
_EXPERTS = ("ffn.experts.", "bare.experts.")


@dataclass(frozen=True)
class Rule:
    """Matrices that patterns name, or all of them, are in one format."""

    format: Format
    only: Patterns | None = None
    experts: bool = False


@dataclass(frozen=True)
class Scheme:
    """The formats of a checkpoint: the first rule that speaks of a matrix holds, unless it is skipped."""

    rules: tuple[Rule, ...] = ()
    skipped: Patterns = field(default_factory=lambda: Patterns(()))

    def signature(self, index: int) -> tuple[Any, ...]:
        """What the patterns say of one layer: layers with one signature are packed alike."""
        own = [rule.only.of_layer(index) for rule in self.rules if rule.only is not None]
        return (self.skipped.of_layer(index), *own)

    def format(self, signature: tuple[Any, ...], places: tuple[str, ...], name: str) -> Format | None:
        """The format of a matrix, None where it keeps the model's own precision."""
        owns = iter(signature[1:])
        if self.skipped.hits(signature[0], places, name):
            return None
        for rule in self.rules:
            own = next(owns) if rule.only is not None else ()
            if rule.experts and not name.startswith(_EXPERTS):
                continue
            if rule.only is None or rule.only.hits(own, places, name):
                return rule.format
        return None

    def head(self, word: str) -> Format | None:
        """The format of the output matrix: packed only where a rule names it."""
        if self.skipped.names(word):
            return None
        return next((rule.format for rule in self.rules if rule.only is not None and rule.only.names(word)), None)


def read_scheme(section: Fields | None, text: Fields) -> Scheme:
    """The scheme of a checkpoint; UntoldError where its method is not one we know."""
    if section is None:
        return Scheme()
    if isinstance(section.get("quantization"), Mapping):
        section = section.table_at("quantization") or section
    method = str(section.get("quant_method") or "").lower().replace("_", "-")
    experts = _expert_format(text)
    if section.get("quantized_layers"):
        return _listed(section, method, experts)
    if section.get("quant_algo"):
        return Scheme((Rule(_algorithm(section.get("quant_algo"))),), _skipped(section))
    if section.get("config_groups"):
        return _grouped(section)
    if method == "fp8":
        return Scheme((*experts, Rule(_fp8(section))), _skipped(section))
    if method == "mxfp4":
        return Scheme((Rule(formats.MXFP4, experts=True),), _skipped(section))
    if method in ("gptq", "awq"):
        return Scheme((Rule(_integers(section, method)),), _skipped(section))
    raise UntoldError


def _expert_format(text: Fields) -> tuple[Rule, ...]:
    """A format of the experts' own beside the section (DeepSeek V4)."""
    word = text.get("expert_dtype")
    if word is None:
        return ()
    if word not in ("fp4", "fp8"):
        raise UntoldError
    return (Rule(formats.MXFP4, experts=True),) if word == "fp4" else ()


def _skipped(section: Fields) -> Patterns:
    for name in ("modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers"):
        value = section.get(name)
        if isinstance(value, list):
            return Patterns(value)
        if value is not None:
            raise UntoldError
    return Patterns(())


def _algorithm(word: object) -> Format:
    found = _ALGORITHMS.get(str(word).upper())
    if found is None:
        raise UntoldError
    return found


def _fp8(section: Fields) -> Format:
    block = section.get("weight_block_size")
    if block is None:
        return formats.FP8_TENSOR
    if not isinstance(block, list) or len(block) != 2 or not all(type(n) is int and 0 < n <= 1 << 20 for n in block):
        raise UntoldError
    return formats.fp8_block(block[0], block[1], 1 if section.get("scale_fmt") == "e8m0" else 4)


def _integers(section: Fields, method: str) -> Format:
    bits, group = section.get("bits"), section.get("group_size")
    if bits not in (2, 3, 4, 8) or type(group) is not int or not -1 <= group <= 1 << 16:
        raise UntoldError
    return formats.integer_groups(bits, max(group, 0), zeros=True, reordered=method == "gptq")


def _listed(section: Fields, method: str, experts: tuple[Rule, ...]) -> Scheme:
    """Formats by name of module; the rest in FP8 where the method says so, else unpacked."""
    listed = section.table_at("quantized_layers")
    if listed is None or len(listed.table) > PATTERNS_MAX:
        raise UntoldError
    by_algorithm: dict[str, list[str]] = {}
    for name, entry in listed.table.items():
        algorithm = entry.get("quant_algo") if isinstance(entry, Mapping) else None
        by_algorithm.setdefault(str(algorithm), []).append(name)
    rules = tuple(Rule(_algorithm(word), Patterns(names)) for word, names in by_algorithm.items())
    if method == "fp8":
        # The list of what to leave out speaks of the finer format only.
        return Scheme((*rules, *experts, Rule(_fp8(section))))
    return Scheme(rules, _skipped(section))


def _grouped(section: Fields) -> Scheme:
    groups = section.table_at("config_groups")
    if groups is None or len(groups.table) > 16:
        raise UntoldError
    rules: list[Rule] = []
    for name in groups.table:
        group = groups.table_at(str(name))
        weights = group.table_at("weights") if group else None
        if group is None or weights is None:
            raise UntoldError
        targets = group.get("targets")
        if targets is not None and not isinstance(targets, list):
            raise UntoldError
        named = Patterns(targets) if targets and targets != ["Linear"] else None
        rules.append(Rule(_weights(weights, group, section), named))
    return Scheme(tuple(rules), _skipped(section))


def _weights(weights: Fields, group: Fields, section: Fields) -> Format:
    bits, kind, strategy = weights.get("num_bits"), weights.get("type"), weights.get("strategy")
    size = weights.get("group_size")
    if type(size) is int and not 0 < size <= 1 << 16:
        raise UntoldError
    layout = str(group.get("format") or section.get("format") or "")
    if kind == "float" and bits == 8:
        block = weights.get("block_structure")
        if strategy == "block" and isinstance(block, list) and len(block) == 2:
            if not all(type(n) is int and 0 < n <= 1 << 20 for n in block):
                raise UntoldError
            return formats.fp8_block(block[0], block[1], 2)
        if strategy == "group" and size == 32:
            return formats.MXFP8
        return formats.FP8_CHANNEL if strategy == "channel" else formats.FP8_TENSOR
    if kind == "float" and bits == 4:
        return formats.MXFP4 if layout.startswith("mxfp4") or size == 32 else formats.NVFP4
    if kind == "int" and bits in (4, 8):
        symmetric = weights.get("symmetric") is not False
        return formats.integer_groups(bits, size or 0, zeros=not symmetric, shape_bytes=8)
    raise UntoldError
