"""Which format each matrix of a checkpoint is in, from the section on quantisation."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.memory.config.declared import EXCEPTIONS
from sizing.memory.config.fields import Fields
from sizing.memory.config.weights.parts import UntoldError

# Bytes of a matrix in the formats in which checkpoints hold them, scales included.


@dataclass(frozen=True)
class Format:
    """One way to store a matrix.

    bits: of one value. [bit]   scale_bytes: of one scale. [bytes]
    block: values that share a scale, as (rows, columns); 0 stands for all of them. [-]
    zero_bits: of the zero point beside each scale. [bit]   besides: bytes a matrix takes on top. [bytes]
    index_bytes: for each input, where groups are reordered. [bytes]
    """

    bits: float
    scale_bytes: int = 0
    block: tuple[int, int] = (0, 0)
    zero_bits: float = 0
    besides: int = 0
    index_bytes: int = 0

    def bytes(self, rows: int, columns: int) -> float:
        """One matrix of ``rows`` outputs and ``columns`` inputs. [bytes]"""
        total = rows * columns * self.bits / 8 + self.besides + self.index_bytes * columns
        if self.scale_bytes or self.zero_bits:
            high, wide = self.block[0] or rows, self.block[1] or columns
            scales = -(-rows // high) * -(-columns // wide)
            total += scales * (self.scale_bytes + self.zero_bits / 8)
        return total


FP8_TENSOR = Format(8, scale_bytes=4, besides=4)
FP8_CHANNEL = Format(8, scale_bytes=2, block=(1, 0))
NVFP4 = Format(4, scale_bytes=1, block=(1, 16), besides=8)
MXFP4 = Format(4, scale_bytes=1, block=(1, 32))
MXFP8 = Format(8, scale_bytes=1, block=(1, 32))


def fp8_block(rows: int, columns: int, scale_bytes: int = 4) -> Format:
    """FP8 with one scale for each block."""
    return Format(8, scale_bytes=scale_bytes, block=(rows, columns))


def integer_groups(bits: int, group: int, zeros: bool, reordered: bool = False, shape_bytes: int = 0) -> Format:
    """Packed integers with one 16-bit scale for each group of inputs (0: one for each output).

    reordered: an index for every input beside them.   shape_bytes: the unpacked shape, kept beside them. [bytes]
    """
    return Format(
        bits,
        scale_bytes=2,
        block=(1, group),
        zero_bits=bits if zeros else 0,
        besides=shape_bytes,
        index_bytes=4 if reordered else 0,
    )


# Patterns over the names of modules, as quantisation sections write them. Checkpoints spell one module in many ways;
# a pattern is cut at "layers.<number>." and the rest is compared with every spelling. Regular expressions are never
# run: the few forms that published files use are translated, anything else is UntoldError.

# Spellings of the canonical first word of a module's name.
_BLOCKS = {
    "attn": ("self_attn", "attn", "mixer", "attention"),
    "linear": ("linear_attn", "mixer", "mamba"),
    "ffn": ("mlp", "ffn", "block_sparse_moe", "feed_forward", "mixer"),
    "bare": ("",),
}
_SHARED = ("shared_experts", "shared_expert", "shared_mlp")
PATTERNS_MAX = 2_500
_EXPRESSIONS_MAX = 200
_LENGTH_MAX = 300
# Comparisons before an estimate is given up, so that no list takes long.
_WORK_MAX = 20_000
_ALTERNATIVES_MAX = 32
_UNSAFE = re.compile(r"[\[\]{}+?\\^$|()]")


def spellings(name: str) -> tuple[str, ...]:
    """Every spelling of a canonical module name."""
    first, _, rest = name.partition(".")
    blocks = _BLOCKS.get(first, (first,))
    names = [f"{block}.{rest}" if block else rest for block in blocks]
    if ".shared." in name:
        names = [spelled.replace("shared.", f"{word}.") for spelled in names for word in _SHARED]
    return tuple(names)


class Patterns:
    """A set of patterns, sorted so that a layer meets only those that speak of it."""

    def __init__(self, texts: Iterable[object]) -> None:
        self.work = 0
        expressions = 0
        self.globs: list[str] = []  # over the whole name
        self.runs: list[str] = []  # a run of words anywhere in the name
        self.tails: dict[str, list[str]] = {}  # by layer number: globs over the name inside the layer
        self.starts: list[tuple[str, str]] = []  # (first digits of a layer number, rest)
        for count, text in enumerate(texts):
            if not isinstance(text, str) or count >= PATTERNS_MAX or len(text) > _LENGTH_MAX:
                raise UntoldError
            if text.startswith("re:"):
                expressions += 1
                if expressions > _EXPRESSIONS_MAX:
                    raise UntoldError
                self.globs += _translate(text[3:])
            else:
                self._add(text)

    def _add(self, text: str) -> None:
        if _UNSAFE.search(text) or re.search(r"\bexperts\.\d", text):
            raise UntoldError
        place = re.fullmatch(r"(?:[\w.]*\.)?layers\.(\d+|\*)(.*)", text)
        if place is None or "mtp" in text:
            (self.globs if "*" in text else self.runs).append(text)
            return
        number, rest = place.groups()
        if number == "*":
            self.globs += [f"*layers.*{rest}", f"*layers.*{rest}.*"]
        elif rest in ("", ".*", ".") or rest.startswith("."):
            tail = rest[1:] or "*"
            self.tails.setdefault(number, []).extend([tail, f"{tail}.*"] if "*" not in tail else [tail])
        elif rest.startswith("*"):
            self.starts.append((number, rest))
        else:
            raise UntoldError

    def of_layer(self, index: int) -> tuple[str, ...]:
        """The globs that speak of one layer alone."""
        number = str(index)
        self._spend(len(self.starts))
        own = list(self.tails.get(number, ()))
        own += [rest for digits, rest in self.starts if number.startswith(digits)]
        return tuple(sorted(set(own)))

    def hits(self, own: tuple[str, ...], places: tuple[str, ...], name: str) -> bool:
        """Whether a module is meant.

        own: the globs of its layer.   places: ways to say where it stands ("layers.3.", "mtp.layers.0.").
        """
        for spelled in spellings(name):
            self._spend(len(own) + len(places) * (len(self.globs) + len(self.runs)))
            if any(matches(glob, spelled) for glob in own):
                return True
            for place in places:
                whole = place + spelled
                if any(matches(glob, whole) for glob in self.globs):
                    return True
                dotted = f".{whole}."
                if any(f".{run}." in dotted for run in self.runs):
                    return True
        return False

    def _spend(self, comparisons: int) -> None:
        self.work += comparisons
        if self.work > _WORK_MAX:
            raise UntoldError

    def names(self, word: str) -> bool:
        """Whether a module outside the layers, such as lm_head, is meant."""
        return any(run.split(".")[-1] == word for run in self.runs) or any(matches(g, word) for g in self.globs)


def matches(glob: str, text: str) -> bool:
    """Whether a text fits a pattern of literal parts and ``*``. Takes time in proportion to their lengths."""
    parts = glob.split("*")
    if len(parts) == 1:
        return glob == text
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]) or len(text) < len(parts[0]) + len(parts[-1]):
        return False
    at, end = len(parts[0]), len(text) - len(parts[-1])
    for part in parts[1:-1]:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def _translate(expression: str) -> list[str]:
    """A simple regular expression, tried from the start of a name, as globs."""
    body = expression.removeprefix("^")
    closed = body.endswith("$")
    body = body.removesuffix("$").replace(r"\.", "\0")
    choices: list[list[str]] = []
    for piece in re.split(r"(\([\w|\0]*\))", body):
        choices.append(piece[1:-1].split("|") if piece.startswith("(") else [piece])
    globs: list[str] = []
    for combination in itertools.islice(itertools.product(*choices), _ALTERNATIVES_MAX + 1):
        text = "".join(combination).replace(".*", "*").replace(r"\d+", "*")
        if _UNSAFE.search(text) or "." in text or len(globs) >= _ALTERNATIVES_MAX:
            raise UntoldError
        globs.append(text.replace("\0", ".") + ("" if closed else "*"))
    return globs


_ALGORITHMS = {
    "FP8": FP8_TENSOR,
    "FP8_PER_CHANNEL_PER_TOKEN": FP8_CHANNEL,
    "FP8_PB_WO": fp8_block(128, 128),
    "NVFP4": NVFP4,
    "W4A16_NVFP4": NVFP4,
    "NVFP4_AWQ": NVFP4,
    "MXFP4": MXFP4,
    "W4A8_MXFP4_FP8": MXFP4,
    "MXFP8": MXFP8,
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
        # The packer loads no modules for multi-token prediction: they are copied in the model's own precision.
        return Scheme((Rule(_algorithm(section.get("quant_algo"))),), _skipped(section, "mtp.*"))
    if section.get("config_groups"):
        return _grouped(section)
    if method == "fp8":
        return Scheme((*experts, Rule(_fp8(section))), _skipped(section))
    if method == "mxfp4":
        return Scheme((Rule(MXFP4, experts=True),), _skipped(section))
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
    return (Rule(MXFP4, experts=True),) if word == "fp4" else ()


def _skipped(section: Fields, *always: str) -> Patterns:
    for name in EXCEPTIONS:
        value = section.get(name)
        if isinstance(value, list):
            return Patterns([*value, *always])
        if value is not None:
            raise UntoldError
    return Patterns(always)


def _algorithm(word: object) -> Format:
    found = _ALGORITHMS.get(str(word).upper())
    if found is None:
        raise UntoldError
    return found


def _fp8(section: Fields) -> Format:
    block = section.get("weight_block_size")
    if block is None:
        return FP8_TENSOR
    if not isinstance(block, list) or len(block) != 2 or not all(type(n) is int and 0 < n <= 1 << 20 for n in block):
        raise UntoldError
    return fp8_block(block[0], block[1], 1 if section.get("scale_fmt") == "e8m0" else 4)


def _integers(section: Fields, method: str) -> Format:
    bits, group = section.get("bits"), section.get("group_size")
    if bits not in (2, 3, 4, 8) or type(group) is not int or not -1 <= group <= 1 << 16:
        raise UntoldError
    return integer_groups(bits, max(group, 0), zeros=True, reordered=method == "gptq")


def _listed(section: Fields, method: str, experts: tuple[Rule, ...]) -> Scheme:
    """Formats by name of module; the rest in FP8 where the method says so, else unpacked."""
    listed = section.table_at("quantized_layers")
    if listed is None or len(listed.table) > PATTERNS_MAX:
        raise UntoldError
    by_algorithm: dict[str, list[str]] = {}
    for name, entry in listed.table.items():
        algorithm = entry.get("quant_algo") if isinstance(entry, Mapping) else None
        if not isinstance(algorithm, str):
            raise UntoldError
        by_algorithm.setdefault(algorithm, []).append(name)
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
    if size is not None and (type(size) is not int or not 0 < size <= 1 << 16):
        raise UntoldError
    layout = str(group.get("format") or section.get("format") or "")
    if kind == "float" and bits == 8:
        block = weights.get("block_structure")
        if strategy == "block" and isinstance(block, list) and len(block) == 2:
            if not all(type(n) is int and 0 < n <= 1 << 20 for n in block):
                raise UntoldError
            return fp8_block(block[0], block[1], 2)
        if strategy == "group" and size == 32:
            return MXFP8
        return FP8_CHANNEL if strategy == "channel" else FP8_TENSOR
    if kind == "float" and bits == 4:
        return MXFP4 if layout.startswith("mxfp4") or size == 32 else NVFP4
    if kind == "int" and bits in (4, 8):
        symmetric = weights.get("symmetric") is not False
        return integer_groups(bits, size or 0, zeros=not symmetric, shape_bytes=8)
    raise UntoldError
