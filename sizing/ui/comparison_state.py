"""The platforms of a comparison as they change under a visitor's hands. Knows no widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS
from sizing.catalogue.scenario import Scenario
from sizing.demand.platforms import (
    MOST,
    ORDER,
    OWN,
    PRICES,
    Comparison,
    Platform,
    fields,
    parse_field,
    preset_names,
    preset_platforms,
)
from sizing.demand.side_by_side import SideBySide, compare
from sizing.ui.history import Memory

ALL = -1
"""Number that stands for the comparison's own fields where platforms are counted from 0."""


class ComparisonState:
    """The last comparison that could be made, and what was typed that could not be used.

    found: result of the newest usable one.   pending, errors: text and reason of what could not be used, by
    (platform, field); platform is ALL for the comparison's own fields.   dropped: parts of the link not read.
    """

    def __init__(self, query: str, scenario: Scenario, language: str = "en") -> None:
        self.language = language
        self._listeners: list[Callable[[], None]] = []
        self.open(query, scenario)

    def open(self, query: str, scenario: Scenario) -> None:
        """Start again from a link; who listens is told by the page."""
        self.pending: dict[tuple[int, str], str] = {}
        self.errors: dict[tuple[int, str], SizingError] = {}
        comparison, dropped = Comparison.read_query(query)
        _, known = Scenario.read_query(query)
        self.dropped = tuple(error for error in dropped if str(error) not in {str(each) for each in known})
        try:
            self.found: SideBySide = compare(comparison.replace(scenario=scenario))
        except SizingError as error:
            self.dropped = (*self.dropped, error)
            self.found = compare(Comparison(scenario=scenario))

    @property
    def comparison(self) -> Comparison:
        """The comparison that is shown."""
        return self.found.comparison

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every change."""
        self._listeners.append(listener)

    def memory(self) -> Memory:
        """What it takes to stand here again."""
        return Memory((self.comparison,), dict(self.pending), (self.found, dict(self.errors)))

    def restore(self, memory: Memory) -> None:
        """Stand where a memory was taken; who listens is told by the page."""
        self.found, errors = memory.rest
        self.pending, self.errors = dict(memory.pending), dict(errors)

    def serve(self, scenario: Scenario) -> None:
        """The same platforms for another model or site."""
        if scenario != self.comparison.scenario:
            self.found = compare(self.comparison.replace(scenario=scenario))

    def edit(self, platform: int, changes: Mapping[str, str]) -> None:
        """Take what was typed. What cannot be used stays as typed, with its error."""
        for name, text in changes.items():
            key = (platform, name)
            if (platform == ALL) != (name in OWN) or (platform != ALL and name not in ORDER):
                raise SizingError("unknown_input", input=name[:60], known=", ".join((*ORDER, *OWN)))
            if platform != ALL and not 0 <= platform < len(self.comparison.platforms):
                raise SizingError("platforms_count", input="platforms", value=platform, most=MOST)
            try:
                self.found = compare(self._changed(platform, name, text))
                self.pending.pop(key, None)
                self.errors.pop(key, None)
            except SizingError as error:
                self.pending[key], self.errors[key] = text, error
        self._tell()

    def add(self) -> None:
        """One platform more, like the last one."""
        self._take((*self.comparison.platforms, self.comparison.platforms[-1]))

    def remove(self, platform: int) -> None:
        """One platform less; the last one stays."""
        kept = tuple(each for number, each in enumerate(self.comparison.platforms) if number != platform)
        if kept:
            self._take(kept)

    def take_preset(self, name: str) -> None:
        """The platforms of a preset."""
        self._take(preset_platforms(name))

    @property
    def preset(self) -> str:
        """Name of the preset that is on the page, or ""."""
        shown = self.comparison.platforms
        return next((name for name in preset_names() if preset_platforms(name) == shown), "")

    @property
    def full(self) -> bool:
        """No more platforms can be added."""
        return len(self.comparison.platforms) >= MOST

    def written(self, platform: int, name: str) -> str:
        """A value as its field shows it; what was typed where that could not be used."""
        if (platform, name) in self.pending:
            return self.pending[platform, name]
        value = getattr(self.comparison if platform == ALL else self.comparison.platforms[platform], name)
        if name == "power_cap_w":
            value = self.comparison.platforms[platform].cap_w
        if value is None:
            return ""
        return write_number(value, DECIMAL_SIGNS[self.language]) if isinstance(value, (int, float)) else str(value)

    def said(self, platform: int, name: str) -> str:
        """What is wrong with a field, or ""."""
        error = self.errors.get((platform, name))
        return error.say(self.language) if error else ""

    def _changed(self, platform: int, name: str, text: str) -> Comparison:
        decimal = DECIMAL_SIGNS[self.language]
        if platform == ALL:
            return self.comparison.replace(**{name: fields()[name].parse(text, decimal)})
        before = self.comparison.platforms[platform]
        changes = {name: parse_field(name, text, decimal, self.comparison.currency)}
        if name == "card" and changes["card"] != before.card:
            # Price and cap belonged to the other card.
            changes |= {"card_price": None, "power_cap_w": 0.0}
        return self.comparison.with_platform(platform, before.replace(**changes))

    def _take(self, platforms: tuple[Platform, ...]) -> None:
        self.found = compare(self.comparison.replace(platforms=platforms))
        self.pending.clear()
        self.errors.clear()
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()


__all__ = ["ALL", "PRICES", "ComparisonState"]
