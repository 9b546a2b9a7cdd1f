"""Checked access to a config.json: every value is a whole number, flag or list within bounds, or a SizingError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing.base.errors import SizingError

LAYERS_MAX = 2_000
DIM_MAX = 1 << 18
HEADS_MAX = 1 << 14
HEAD_DIM_MAX = 1 << 13
TOKENS_MAX = 1 << 36
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
LAYER_COUNT = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")


def show(value: Any) -> str:
    """A value in a few characters, whatever a file holds."""
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else "a number of more than 18 digits"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return repr(value[:40]) + ("…" if len(value) > 40 else "")
    if isinstance(value, Mapping):
        return "an object"
    return f"a list of {len(value)}" if isinstance(value, (list, tuple)) else f"a {type(value).__name__}"


class Fields:
    """One JSON object of a config. Null counts as absent, as the model classes have it.

    where: dotted path of the object, for error messages; "" for the top.
    assumed: keys that the class of the config fills in, since they are absent.
    Remembers which keys were read, so that geometry which nothing reads can be refused.
    """

    def __init__(self, table: Mapping[str, Any], where: str = "", used: set[str] | None = None) -> None:
        self.table = table
        self.where = where
        self.used: set[str] = set() if used is None else used
        self.assumed: tuple[str, ...] = ()

    def path(self, name: str) -> str:
        """Full name of a key, as the error shows it."""
        return f"{self.where}.{name}" if self.where else name

    def get(self, name: str) -> Any:
        """The raw value, None where absent or null."""
        self.use(name)
        return self.table.get(name)

    def use(self, *names: str) -> None:
        """Mark keys as understood."""
        self.used.update(names)

    def has(self, *names: str) -> bool:
        """Whether every one of these keys has a value."""
        get = self.table.get
        return None not in map(get, names)

    def which(self, *names: str) -> str:
        """The first of several spellings that has a value, or "". Two that disagree are an error."""
        get = self.table.get
        present = [name for name in names if get(name) is not None]
        if not present:
            return ""
        self.used.update(present)
        for other in present[1:]:
            one, two = self.table[present[0]], self.table[other]
            plain = all(isinstance(value, (bool, int, float, str)) for value in (one, two))
            if not plain or type(one) is not type(two) or one != two:
                raise self.contradiction(present[0], other)
        return present[0]

    def count(self, *names: str, low: int = 1, high: int = DIM_MAX) -> int:
        """A whole number that must be there. Several names are spellings of one thing."""
        value = self.optional_count(*names, low=low, high=high)
        if value is None:
            raise self.missing(names[0])
        return value

    def optional_count(self, *names: str, low: int = 1, high: int = DIM_MAX) -> int | None:
        """A whole number, or None where absent or null."""
        name = self.which(*names)
        return self._whole(name, self.table[name], low, high) if name else None

    def _whole(self, name: str, value: Any, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise SizingError("config_not_whole", input=self.path(name), value=show(value), low=low, high=high)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """A true or false; the class default where absent or null."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise SizingError("config_not_flag", input=self.path(name), value=show(value))
        return value

    def text(self, name: str) -> str | None:
        """A string, or None."""
        value = self.get(name)
        if value is not None and not isinstance(value, str):
            raise SizingError("config_not_text", input=self.path(name), value=show(value))
        return value

    def items(self, name: str, length: int | None = None, longest: int = LAYERS_MAX) -> list[Any]:
        """A list that must be there, of the length given."""
        value = self.get(name)
        if value is None:
            raise self.missing(name)
        if not isinstance(value, list):
            raise SizingError("config_not_list", input=self.path(name), value=show(value))
        if len(value) > longest or (length is not None and len(value) != length):
            raise self.length_error(name, len(value), longest if length is None else length)
        return value

    def counts(
        self, name: str, length: int | None = None, low: int = 0, high: int = DIM_MAX, longest: int = LAYERS_MAX
    ) -> tuple[int, ...]:
        """A list of whole numbers that must be there."""
        return tuple(self._whole(name, value, low, high) for value in self.items(name, length, longest))

    def words(self, name: str, length: int | None = None) -> tuple[str, ...]:
        """A list of strings that must be there."""
        values = self.items(name, length)
        for value in values:
            if not isinstance(value, str):
                raise self.unknown_value(name, value)
        return tuple(values)

    def table_at(self, name: str) -> Fields | None:
        """An object inside this one, or None."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise SizingError("config_not_object", input=self.path(name), value=show(value))
        return Fields(value, self.path(name))

    @property
    def model_type(self) -> str:
        """The config's model_type, by which class defaults are looked up; "" where it has none."""
        value = self.table.get("model_type")
        return value if isinstance(value, str) else ""

    @property
    def layer_count(self) -> int:
        """Layers of the decoder."""
        return self.count(*LAYER_COUNT, high=LAYERS_MAX)

    def missing(self, name: str) -> SizingError:
        """The error for a key that is needed and has no value."""
        return SizingError("config_key_missing", input=self.path(name))

    def contradiction(self, name: str, other: str) -> SizingError:
        """The error for two keys that cannot both be right."""
        return SizingError(
            "config_contradiction",
            input=self.path(name),
            value=show(self.table.get(name)),
            other=self.path(other),
            other_value=show(self.table.get(other)),
        )

    def length_error(self, name: str, found: int, layers: int) -> SizingError:
        """The error for a list that does not go with the number of layers."""
        return SizingError("config_list_length", input=self.path(name), found=found, layers=layers)

    def unknown_value(self, name: str, value: Any) -> SizingError:
        """The error for a word that names no kind of layer we know."""
        return SizingError("config_unknown_value", input=self.path(name), value=show(value))


# What a layer does with its context, before its geometry is known.

FULL = "full"  # attends to the whole context
SLIDING = "sliding"  # attends to a window
CHUNKED = "chunked"  # attends inside its chunk
STATE = "state"  # keeps a recurrent state instead of keys and values
PARALLEL = "parallel"  # keeps both, side by side
NONE = "none"  # keeps nothing: an MLP or expert layer

Pattern = tuple[str, ...]
"""Kind of every layer, in the order of the model."""


def every(layers: int, period: int, kind: str, rest: str, offset: int) -> Pattern:
    """``kind`` at every layer whose number modulo ``period`` is ``offset``, ``rest`` elsewhere."""
    return tuple(kind if index % period == offset else rest for index in range(layers))
