"""Patterns over the names of modules, as quantisation sections write them.

Checkpoints spell one module in many ways; a pattern is cut at "layers.<number>." and the rest is compared with every
spelling. Regular expressions are never run: the few forms that published files use are translated, anything else is
UntoldError.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from sizing.memory.config.weights.modules import UntoldError

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
