"""Services and platforms, the lists beside a scenario, as they change under a visitor's hands. Knows no widget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS
from sizing.catalogue.listing import Listing
from sizing.catalogue.scenario import Scenario
from sizing.demand.platforms import Comparison
from sizing.demand.side_by_side import SideBySide, compare
from sizing.sharing.plan import Plan, preset
from sizing.sharing.shared import Shared, shared
from sizing.ui.state import Changing, State, at_once

Listed = TypeVar("Listed", bound=Listing)
Shown = TypeVar("Shown")

WHOLE = -1
"""Number that stands for the fields of the whole where entries are counted from 0."""


class RowsState(Changing[Shown, tuple[int, str]], Generic[Listed, Shown]):
    """The last list with a result; ``pending`` and ``errors`` go by (number of the entry or WHOLE, field)."""

    LISTING: type[Listed]

    def __init__(self, query: str, scenario: Scenario, language: str = "en") -> None:
        super().__init__(language)
        self.open(query, scenario)

    def solve(self, listing: Listed) -> Shown:
        """The result of a list. SizingError where it has none."""
        raise NotImplementedError

    @property
    def listing(self) -> Listed:
        """The list whose result is shown."""
        raise NotImplementedError

    def value(self) -> tuple[Any, ...]:
        """The list."""
        return (self.listing,)

    def open(self, query: str, scenario: Scenario) -> None:
        """Start again from a link; who listens is told by the page."""
        self.pending, self.errors = {}, {}
        listing, dropped = self.LISTING.read_query(query)
        _, known = Scenario.read_query(query)
        self.dropped = tuple(error for error in dropped if str(error) not in {str(each) for each in known})
        try:
            self.found = self.solve(listing.replace(scenario=scenario))
        except SizingError as error:
            self.dropped = (*self.dropped, error)
            self.found = self.solve(self.LISTING(scenario=scenario))

    def serve(self, scenario: Scenario) -> None:
        """The same list for another scenario."""
        if scenario != self.listing.scenario:
            self.found = self.solve(self.listing.replace(scenario=scenario))

    def edit(self, number: int, changes: Mapping[str, str]) -> None:
        """Take what was typed. What cannot be used stays as typed, with its error."""
        known = self.LISTING.INPUTS if number == WHOLE else self.LISTING.ENTRY.INPUTS
        for name, text in changes.items():
            key = (number, name)
            if name not in known:
                raise SizingError("unknown_input", input=name[:60], known=", ".join(known))
            if number != WHOLE and not 0 <= number < len(self.listing.entries):
                count = {"value": number, "most": len(self.listing.entries)}
                raise SizingError(f"{self.LISTING.ENTRIES}_count", input=self.LISTING.ENTRIES, **count)
            try:
                self.found = self.solve(self._changed(number, name, text))
                self.pending.pop(key, None)
                self.errors.pop(key, None)
            except SizingError as error:
                self.pending[key], self.errors[key] = text, error
        self._tell()

    def add(self) -> None:
        """One entry more, like the last one."""
        self._take((*self.listing.entries, self.listing.entries[-1]))

    def remove(self, number: int) -> None:
        """One entry less; the last one stays."""
        kept = tuple(entry for place, entry in enumerate(self.listing.entries) if place != number)
        if kept:
            self._take(kept)

    def take_preset(self, name: str) -> None:
        """The list of a preset."""
        self._take(self.LISTING.preset_entries(name))

    @property
    def preset(self) -> str:
        """Name of the preset that is on the page, or ""."""
        presets = {name: self.LISTING.preset_entries(name) for name in self.LISTING.PRESETS}
        return next((name for name, entries in presets.items() if entries == self.listing.entries), "")

    @property
    def full(self) -> bool:
        """No more entries can be added."""
        return len(self.listing.entries) >= self.LISTING.MOST

    def written(self, number: int, name: str) -> str:
        """A value as its field shows it; what was typed where that could not be used."""
        if (number, name) in self.pending:
            return self.pending[number, name]
        value = self.current(number, name)
        if value is None:
            return ""
        return write_number(value, DECIMAL_SIGNS[self.language]) if isinstance(value, (int, float)) else str(value)

    def current(self, number: int, name: str) -> Any:
        """The value that counts."""
        return getattr(self.listing if number == WHOLE else self.listing.entries[number], name)

    def said(self, number: int, name: str) -> str:
        """What is wrong with a field, or ""."""
        error = self.errors.get((number, name))
        return error.say(self.language) if error else ""

    def currency(self) -> str:
        """Currency of the prices in the list, "" where it has none."""
        return ""

    def follows(self, number: int, name: str, value: Any) -> dict[str, Any]:
        """What else of an entry changes with a field, by name."""
        return {}

    def _changed(self, number: int, name: str, text: str) -> Listed:
        decimal = DECIMAL_SIGNS[self.language]
        if number == WHOLE:
            return self.listing.replace(**{name: self.LISTING.INPUTS[name].parse(text, decimal)})
        value = self.LISTING.ENTRY.parse(name, text, decimal, self.currency())
        changes = {name: value, **self.follows(number, name, value)}
        return self.listing.with_entry(number, self.listing.entries[number].replace(**changes))

    def _take(self, entries: tuple[Any, ...]) -> None:
        self._set(self.solve(self.listing.replace(**{self.LISTING.ENTRIES: entries})))

    def ask(self, message: Mapping[str, Any]) -> None:
        """What a visitor does in the list."""
        match message:
            case {"kind": "edit", "service": int() as number, "field": str() as field, "text": str() as text}:
                self.edit(number, {field[:60]: text[:200]})
            case {"kind": "add"}:
                self.add()
            case {"kind": "remove", "service": int() as number}:
                self.remove(number)
            case {"kind": "preset", "name": str() as name}:
                self.take_preset(name)


class PlanState(RowsState[Plan, Shared]):
    """The services of a shared server."""

    LISTING = Plan

    def solve(self, listing: Plan) -> Shared:
        """The placement of a plan."""
        return shared(listing)

    @property
    def listing(self) -> Plan:
        """The plan of the placement shown."""
        return self.found.plan

    def ask(self, message: Mapping[str, Any]) -> None:
        """What a visitor does in the list; "make_fit" takes the smallest change that makes it fit."""
        if message.get("kind") != "make_fit":
            super().ask(message)
        elif self.found.changes and self.found.changes.edits:
            self._take(self.found.changes.plan.services)

    def _take(self, entries: tuple[Any, ...]) -> None:
        favourite = min(self.listing.favourite, len(entries))
        self._set(self.solve(self.listing.replace(services=entries, favourite=favourite)))


def ask_services(plans: PlanState, state: State, message: Mapping[str, Any]) -> None:
    """What a visitor does in the list of services; a preset also says how many cards it is for."""
    plans.ask(message)
    match message:
        case {"kind": "preset", "name": str() as name}:
            state.edit({"cards": str(preset(name).scenario.cards)})


class ComparisonState(RowsState[Comparison, SideBySide]):
    """The platforms of a comparison."""

    LISTING = Comparison

    def solve(self, listing: Comparison) -> SideBySide:
        """Every platform with its figures."""
        return compare(listing, measured=at_once())

    @property
    def waiting(self) -> bool:
        """Speed was left out while measured operations were not loaded."""
        return self.found.pending

    def settle(self) -> None:
        """Compare again, with the speed that was left out."""
        self.found = compare(self.listing)
        self._tell()

    @property
    def listing(self) -> Comparison:
        """The comparison that is shown."""
        return self.found.comparison

    def current(self, number: int, name: str) -> Any:
        """The value that counts: the card's own cap where none is given, a platform that there is."""
        if name == "power_cap_w":
            return self.listing.platforms[number].cap_w
        return self.found.varied + 1 if name == "varied" else super().current(number, name)

    def currency(self) -> str:
        """Currency of every price."""
        return self.listing.currency

    def follows(self, number: int, name: str, value: Any) -> dict[str, Any]:
        """Price and cap belonged to the other card."""
        other = name == "card" and value != self.listing.platforms[number].card
        return {"card_price": None, "power_cap_w": 0.0} if other else {}
