"""Platform: some servers alike with some cards each, and what they cost."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

from sizing import catalogue
from sizing.catalogue import files
from sizing.catalogue.inputs import Input
from sizing.errors import SizingError
from sizing.quantities import write_number

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
