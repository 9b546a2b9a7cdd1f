"""Platform: some servers alike with some cards each, and what they cost."""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sizing import catalogue
from sizing.base import files
from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.catalogue import links
from sizing.catalogue.inputs import Input
from sizing.catalogue.scenario import Scenario

SEPARATOR = "~"
ORDER = ("card", "cards", "servers", "power_cap_w", "card_price", "server_price")
PRICES = ("card_price", "server_price")


@functools.cache
def table() -> dict[str, Any]:
    """The file data/platforms.toml."""
    return files.read_toml(files.data_dir() / "platforms.toml", "platforms.toml")


@functools.cache
def fields() -> dict[str, Input]:
    """The fields of a platform and of a comparison by name."""
    made = {}
    for name, entry in table()["fields"].items():
        lists: dict[str, Any] = {key: tuple(entry[key]) for key in ("stops", "choices") if key in entry}
        made[name] = Input(name=name, **{**entry, **lists})
    return made


@dataclass(frozen=True, kw_only=True)
class Platform:
    """One platform. Bounds and defaults stand in data/platforms.toml.

    card: id of the catalogue.   cards: in each server. [-]   servers: alike. [-]
    power_cap_w: of a card, 0 for its own default. [W]
    card_price: of one card, None for the newest public quote in the currency of the comparison, if there is one.
    server_price: of one server without cards, None where it is not known.
    SizingError where a value is of the wrong kind or out of bounds.

    >>> Platform(card="h200-nvl", cards=2).to_text()
    'h200-nvl~2~1~0~~'
    """

    card: str = "rtx-pro-6000-server"
    cards: int = 4
    servers: int = 1
    power_cap_w: float = 0.0
    card_price: float | None = None
    server_price: float | None = None

    def __post_init__(self) -> None:
        for name in ORDER:
            value = getattr(self, name)
            if value is not None or name not in PRICES:
                object.__setattr__(self, name, fields()[name].check(value))

    @property
    def cap_w(self) -> float:
        """Power cap that counts: the one given, or the card's own default. [W]"""
        return self.power_cap_w or catalogue.card(self.card).power_default_w.value

    def replace(self, **changes: Any) -> Platform:
        """The same platform with other values."""
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Every value by name."""
        return {name: getattr(self, name) for name in ORDER}

    def to_text(self) -> str:
        """The platform as a link writes it."""
        written = (
            "" if value is None else write_number(value) if isinstance(value, (int, float)) else value
            for value in self.as_dict().values()
        )
        return SEPARATOR.join(written)

    @classmethod
    def from_dict(cls, values: Any) -> Platform:
        """The platform of a JSON object; fields it does not name are at their default."""
        if not isinstance(values, dict):
            raise SizingError("platform_not_readable", input="platforms", value=repr(values)[:60])
        if unknown := [name for name in values if name not in ORDER]:
            raise SizingError("unknown_input", input=str(unknown[0])[:60], known=", ".join(ORDER))
        return cls(**values)

    @classmethod
    def from_text(cls, text: str) -> Platform:
        """The platform of a link's part; fields left out at its end are at their default.

        >>> Platform.from_text("h200-nvl~2").cards
        2
        """
        parts = text.split(SEPARATOR)
        if len(parts) > len(ORDER) or not parts[0]:
            raise SizingError("platform_not_readable", input="platforms", value=text[:60])
        return cls(**{name: parse_field(name, part, of_link=True) for name, part in zip(ORDER, parts, strict=False)})


def parse_field(name: str, text: str, decimal: str = ".", currency: str = "", *, of_link: bool = False) -> Any:
    """What a text field or a link means by a value; None is a price that is not given.

    currency: of the comparison; a price typed in another one is refused.
    """
    if name in PRICES and not text.strip():
        return None
    return fields()[name].parse(text, decimal, currency, of_link=of_link)


def preset_names() -> tuple[str, ...]:
    """Names of the presets, in the order of the file."""
    return tuple(table()["preset"])


@functools.cache
def preset_platforms(name: str) -> tuple[Platform, ...]:
    """The platforms of a preset. SizingError names the known ones."""
    if name not in table()["preset"]:
        raise SizingError("preset_unknown", input="preset", value=str(name)[:60], known=", ".join(preset_names()))
    return tuple(Platform.from_text(text) for text in table()["preset"][name]["platforms"])


# Comparison: the whole question as one frozen value, to and from JSON and a link.

COMPARISON_VERSION = "1"
FEWEST, MOST = 1, 4
OWN = ("currency", "measure", "varied")
PARAMETER = "rig"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Up to four platforms for one model.

    scenario: model, context, precision, memory rule and site. Its card, cards and cap count for nothing here.
    currency: of every price.   measure: what a price is divided by: "conversation", "usable_gib", "nominal_gb".
    varied: number of the platform whose price the break-even chart varies, from 1. [-]
    SizingError where a value is of the wrong kind or out of bounds.
    """

    scenario: Scenario = dataclasses.field(default_factory=Scenario)
    platforms: tuple[Platform, ...] = dataclasses.field(default_factory=lambda: preset_platforms(preset_names()[0]))
    currency: str = "USD"
    measure: str = "conversation"
    varied: int = 2

    def __post_init__(self) -> None:
        for name in OWN:
            object.__setattr__(self, name, fields()[name].check(getattr(self, name)))
        object.__setattr__(self, "platforms", tuple(self.platforms))
        if not FEWEST <= len(self.platforms) <= MOST:
            raise SizingError("platforms_count", input="platforms", value=len(self.platforms), most=MOST)

    def replace(self, **changes: Any) -> Comparison:
        """The same comparison with other values; inputs of the scenario may be named, too."""
        own = {name: changes.pop(name) for name in (*OWN, "platforms", "scenario") if name in changes}
        scenario = own.pop("scenario", self.scenario)
        return dataclasses.replace(self, scenario=scenario.replace(**changes) if changes else scenario, **own)

    def with_platform(self, number: int, platform: Platform) -> Comparison:
        """The same comparison with another platform in the place ``number``, from 0."""
        return self.replace(platforms=(*self.platforms[:number], platform, *self.platforms[number + 1 :]))

    def to_json(self) -> str:
        """The comparison as JSON text, every value written out."""
        own = {name: getattr(self, name) for name in OWN}
        platforms = [platform.as_dict() for platform in self.platforms]
        whole = {"comparison": COMPARISON_VERSION, "scenario": self.scenario.as_dict(), **own, "platforms": platforms}
        return json.dumps(whole, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """The comparison of a JSON text; what it does not name is at its default."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise SizingError("scenario_not_json", input="comparison") from None
        if not isinstance(values, dict) or not isinstance(values.get("scenario", {}), dict):
            raise SizingError("scenario_not_json", input="comparison")
        if values.pop("comparison", COMPARISON_VERSION) != COMPARISON_VERSION:
            raise SizingError("comparison_version", input="comparison")
        if unknown := [name for name in values if name not in (*OWN, "scenario", "platforms")]:
            known = ", ".join((*OWN, "scenario", "platforms"))
            raise SizingError("unknown_input", input=str(unknown[0])[:60], known=known)
        made: dict[str, Any] = {name: values[name] for name in OWN if name in values}
        made["scenario"] = Scenario.from_json(json.dumps(values.get("scenario", {})))
        if "platforms" in values:
            if not isinstance(values["platforms"], list):
                raise SizingError("platform_not_readable", input="platforms", value=repr(values["platforms"])[:60])
            made["platforms"] = tuple(Platform.from_dict(each) for each in values["platforms"])
        return cls(**made)

    def to_query(self) -> str:
        """The comparison as the query of a link: the scenario's, then what is not at its default.

        >>> Comparison(currency="EUR").to_query()
        'v=1&cv=1&cur=EUR'
        """
        pairs = [("cv", COMPARISON_VERSION)]
        pairs += [
            (fields()[name].short, str(getattr(self, name)))
            for name in OWN
            if getattr(self, name) != fields()[name].default
        ]
        if self.platforms != Comparison().platforms:
            pairs += [(PARAMETER, platform.to_text()) for platform in self.platforms]
        return f"{self.scenario.to_query()}&{urlencode(pairs, safe='/:.~')}"

    @classmethod
    def from_query(cls, query: str) -> Comparison:
        """The comparison of a link's query. SizingError names the first part that cannot be read."""
        found, dropped = cls.read_query(query)
        if dropped:
            raise dropped[0]
        return found

    @classmethod
    def read_query(cls, query: str) -> tuple[Comparison, tuple[SizingError, ...]]:
        """The comparison of a link's query, and an error for each part that had to be dropped."""
        scenario, found = Scenario.read_query(query)
        dropped = list(found)
        made, own_dropped = links.read(query, {fields()[name].short: fields()[name] for name in OWN})
        dropped += own_dropped
        platforms: list[Platform] = []
        for short, text in links.pairs(query):
            try:
                if short == PARAMETER:
                    platforms.append(Platform.from_text(text))
                elif short == "cv" and text != COMPARISON_VERSION:
                    dropped.append(SizingError("comparison_version", input="comparison"))
            except SizingError as error:
                dropped.append(error)
        if len(platforms) > MOST:
            dropped.append(SizingError("platforms_count", input="platforms", value=len(platforms), most=MOST))
        if platforms:
            made["platforms"] = tuple(platforms[:MOST])
        return cls(scenario=scenario, **made), tuple(dropped)
