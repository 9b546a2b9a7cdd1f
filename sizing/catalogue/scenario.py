"""Scenario: every input of one sizing, as one frozen value made of four parts."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from sizing.base.errors import SizingError
from sizing.catalogue import links
from sizing.catalogue.inputs import PARTS, every_input, inputs
from sizing.catalogue.parts import NeedPart, OfferPart, ServerPart, SitePart
from sizing.catalogue.values import Values

if TYPE_CHECKING:
    import inspect
    from dataclasses import dataclass

    @dataclass(frozen=True, kw_only=True)
    class _Flat(ServerPart, SitePart, NeedPart, OfferPart):
        """Scenario as it is made and read, for type checkers."""
else:
    _Flat = Values


class _Signature:
    """What an editor completes between the brackets of ``Scenario(``, made when it asks."""

    def __get__(self, instance: object, owner: type[Scenario]) -> inspect.Signature:
        from inspect import Parameter, Signature

        made = owner()
        return Signature(
            [
                Parameter(name, Parameter.KEYWORD_ONLY, default=value, annotation=type(value).__name__)
                for name, value in made.as_dict().items()
            ]
        )


class Scenario(_Flat):
    """Every input of one sizing: flat to make, to replace and to read, or part by part.

    data/inputs.toml holds each input's part, unit, bounds, default and source; ``help(Scenario.cards)`` its unit.
    server: model, cards, memory rule, engine.   site: connection, supplies, room, rack, hours.
    need: people, lengths, speed, goal.   offer: servers in all, prices.
    SizingError where a value is of the wrong kind or out of bounds.

    >>> scenario = Scenario(cards=2)
    >>> scenario.power_cap_w, scenario.server.power_cap_w, scenario
    (600.0, 600.0, Scenario(cards=2))
    """

    server: ServerPart
    site: SitePart
    need: NeedPart
    offer: OfferPart

    INPUTS = inputs()
    __signature__ = _Signature()
    DEFAULTS = MappingProxyType({"server": ServerPart(), "site": SitePart(), "need": NeedPart(), "offer": OfferPart()})

    def _take(self, changes: dict[str, Any]) -> None:
        by_part: dict[str, dict[str, Any]] = {}
        for name, value in changes.items():
            by_part.setdefault(self._input(name).part, {})[name] = value
        for part, some in by_part.items():
            self.__dict__[part] = self.__dict__[part].replace(**some)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The scenario of values by name. SizingError for a name that is not an input."""
        return cls(**values)

    @property
    def servers(self) -> int:
        """Equal servers in all. [-]"""
        return self.servers_offered or self.servers_connected

    def as_dict(self) -> dict[str, Any]:
        """Every value by name, in the order of data/inputs.toml."""
        values = {name: value for part in PARTS for name, value in getattr(self, part).as_dict().items()}
        return {name: values[name] for name in self.INPUTS}

    def default_of(self, name: str) -> Any:
        """What an input is where nobody set it: the table's default, for the power cap the chosen card's. [its unit]"""
        held: Values = getattr(self, self._input(name).part)
        return held.default_of(name)

    def changed(self) -> tuple[str, ...]:
        """Names of the inputs that are not at their default, in the order of data/inputs.toml."""
        names = {name for part in PARTS for name in getattr(self, part).changed()}
        return tuple(name for name in self.INPUTS if name in names)

    def to_json(self) -> str:
        """The scenario as JSON text, every value written out."""
        import json  # where it is written or read

        return json.dumps({"scenario": links.VERSION, **self.as_dict()}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The scenario of a JSON text; inputs it does not name are at their default, a page's own are passed over."""
        import json

        try:
            values = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise SizingError("scenario_not_json", input="scenario") from None
        if not isinstance(values, dict):
            raise SizingError("scenario_not_json", input="scenario")
        version = values.pop("scenario", links.VERSION)
        if version != links.VERSION:
            raise SizingError("scenario_version", input="scenario", version=str(version)[:20], known=links.VERSION)
        pages_own = every_input().keys() - cls.INPUTS.keys()  # files written before December 2026 hold them
        return cls(**{name: value for name, value in values.items() if name not in pages_own})

    def to_query(self) -> str:
        """The scenario as the query of a link: the version and what is not at its default.

        >>> Scenario(cards=8, context_tokens=32768).to_query()
        'v=1&ctx=32768&n=8'
        """
        from urllib.parse import urlencode  # where a link is asked for

        return urlencode([(links.VERSION_PARAMETER, links.VERSION), *self.link_pairs()], safe="/:.")

    @classmethod
    def from_query(cls, query: str) -> Self:
        """The scenario of a link's query. SizingError names the first part that cannot be read."""
        scenario, dropped = cls.read_query(query)
        if dropped:
            raise dropped[0]
        return scenario

    @classmethod
    def read_query(cls, query: str) -> tuple[Self, tuple[SizingError, ...]]:
        """The scenario of a link's query, and an error for each part that had to be dropped.

        Parts that belong to other pages or to the look (``theme=dark``) are no error; a name that nobody knows is one.
        """
        scenario, dropped = cls.read_link(query)
        return scenario, (*dropped, *links.faults(query))


for _name, _spec in inputs().items():
    setattr(Scenario, _name, property(attrgetter(f"{_spec.part}.{_name}"), doc=f"[{_spec.unit or '-'}]"))
