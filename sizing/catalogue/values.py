"""Some inputs with a value each, as one frozen value: what a Scenario and each of its parts are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from sizing.base.display import Shown, line
from sizing.base.errors import SizingError
from sizing.base.frozen import Frozen
from sizing.base.numbers import write_number
from sizing.catalogue import links
from sizing.catalogue.inputs import Input, every_input


class Values(Frozen, Shown):
    """Inputs of one part, made and replaced by name: each checked once, frozen, equal where all values are.

    INPUTS: the inputs by name.   DEFAULTS: what is held where nothing is said.
    """

    INPUTS: ClassVar[Mapping[str, Input]] = {}
    DEFAULTS: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls, part: str = "") -> None:
        if part:
            cls.INPUTS = {name: spec for name, spec in every_input().items() if spec.part == part}
            cls.DEFAULTS = {name: spec.check(spec.default) for name, spec in cls.INPUTS.items()}

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(self.DEFAULTS)
        self._take(values)

    def replace(self, **changes: Any) -> Self:
        """The same with other values. SizingError for a value out of bounds, or a name that is not an input."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._take(changes)
        return made

    def _take(self, changes: dict[str, Any]) -> None:
        """Check what changes, and hold it; only before anybody has the value in hands."""
        held = self.__dict__
        for name, value in changes.items():
            held[name] = self._input(name).check(value)

    @classmethod
    def _input(cls, name: str) -> Input:
        # A misspelt name is bad input like any other, and says which names there are.
        if name not in cls.INPUTS:
            raise SizingError("unknown_input", input=str(name)[:60], known=", ".join(cls.INPUTS))
        return cls.INPUTS[name]

    def as_dict(self) -> dict[str, Any]:
        """Every value by name, in the order of data/inputs.toml."""
        return dict(self.__dict__)

    def defaults(self) -> Mapping[str, Any]:
        """What each input is where nobody set it. [its unit]"""
        return self.DEFAULTS

    def default_of(self, name: str) -> Any:
        """What an input is where nobody set it. [its unit]"""
        return self.defaults()[name]

    def changed(self) -> tuple[str, ...]:
        """Names of the inputs that are not at their default, in the order of data/inputs.toml."""
        defaults = self.defaults()
        return tuple(name for name, value in self.__dict__.items() if value != defaults[name])

    def link_pairs(self) -> list[tuple[str, str]]:
        """What a link says of it: name in a link and text of every input that is not at its default."""
        values = {name: getattr(self, name) for name in self.changed()}
        return [
            (self.INPUTS[name].short, write_number(value) if isinstance(value, float) else links.written(str(value)))
            for name, value in values.items()
        ]

    @classmethod
    def read_link(cls, query: str) -> tuple[Self, list[SizingError]]:
        """What a link says of these inputs, and an error for each part of it that had to be dropped."""
        values, dropped = links.read(query, {spec.short: spec for spec in cls.INPUTS.values()})
        return cls(**values), dropped

    def _facts(self) -> Iterator[tuple[str, Any]]:
        """What is not at its default."""
        return ((name, getattr(self, name)) for name in self.changed())

    def __repr__(self) -> str:
        said = ", ".join(
            f"{name}={line(value) if isinstance(value, str) else repr(value)}" for name, value in self._facts()
        )
        return f"{type(self).__name__}({said})"
