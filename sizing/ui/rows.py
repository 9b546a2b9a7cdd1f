"""A list beside a scenario, as it changes under a visitor's hands, and as a widget with a folded row for each entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import traitlets

from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS, say, unit
from sizing.catalogue.listing import Listing, letter
from sizing.catalogue.scenario import Scenario
from sizing.ui.page import Page, Remembered
from sizing.ui.python_cell import of_listing
from sizing.ui.state import Changing
from sizing.ui.widgets.widget import Widget

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


WORDS = ("title", "preset", "own_list", "add", "remove", "full", "fold", "make_fit", "no_place")


class RowsForm(Widget):
    """Rows that can be added and removed, and fields that belong to all of them.

    rows: letter, summary, state and fields of each.   own: the fields of all.   models: to search in.
    presets: (name, title) of each; preset: the one that is shown, "" for none.
    remedy: a change on offer in words, "" where there is none.
    LISTING: what it lists, whose entries name its words, ``ui.<entries>.<word>``.
    WORDS_OF: start of those of its presets.
    """

    LISTING: type[Listing]
    WORDS_OF: str

    rows: Any = traitlets.List().tag(sync=True)
    own: Any = traitlets.List().tag(sync=True)
    models: Any = traitlets.List().tag(sync=True)
    presets: Any = traitlets.List().tag(sync=True)
    preset = traitlets.Unicode().tag(sync=True)
    remedy = traitlets.Unicode().tag(sync=True)
    full = traitlets.Bool(False).tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, language: str, models: Sequence[str] = ()) -> None:
        self.language = language
        super().__init__(
            words={word: say(f"ui.{self.LISTING.ENTRIES}.{word}", language) for word in WORDS},
            models=list(models),
            presets=[[name, say(f"{self.WORDS_OF}.preset.{name}", language)] for name in self.LISTING.PRESETS],
        )

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if not isinstance(content, Mapping):
            return
        try:
            self.hear("ask", content)  # kind "edit", "add", "remove", "preset", "make_fit"
        finally:
            self.send({"kind": "done", "seq": content.get("seq")})

    def fill(self, state: RowsState[Any, Any], own: Iterable[str], remedy: str = "") -> None:
        """Show a state. own: names of the fields of the whole that count now."""
        with self.hold_sync():
            self.rows = [self._row(state, number) for number in range(len(state.listing.entries))]
            self.own = [self._field(state, WHOLE, name) for name in own]
            self.preset = state.preset
            self.full = state.full
            self.remedy = remedy

    def summary(self, entry: Any) -> str:
        """An entry in a few words."""
        raise NotImplementedError

    def placed(self, state: Any, number: int) -> bool:
        """An entry has what it needs."""
        raise NotImplementedError

    def options(self, state: Any, name: str) -> list[list[str]]:
        """Values that a field can be chosen from, each with its words."""
        spec = (*self.LISTING.INPUTS.values(), *self.LISTING.ENTRY.INPUTS.values())
        return [
            [choice, each.choice(choice, self.language)]
            for each in spec
            if each.name == name
            for choice in each.choices
        ]

    def _row(self, state: RowsState[Any, Any], number: int) -> dict[str, Any]:
        return {
            "letter": letter(number),
            "summary": self.summary(state.listing.entries[number]),
            "placed": self.placed(state, number),
            "wrong": any(wrong == number for wrong, _ in state.errors),
            "fields": [self._field(state, number, name) for name in self.LISTING.ENTRY.INPUTS],
        }

    def _field(self, state: RowsState[Any, Any], number: int, name: str) -> dict[str, Any]:
        spec = (self.LISTING if number == WHOLE else self.LISTING.ENTRY).INPUTS[name]
        options = self.options(state, name)
        return {
            "name": name,
            "kind": "choice" if options else spec.kind,
            "label": spec.label(self.language),
            "help": spec.help(self.language),
            "unit": state.currency() if spec.unit == "currency" else unit(spec.unit, self.language),
            "options": options,
            "text": state.written(number, name),
            "error": state.said(number, name),
        }

    def _one_of(self, state: RowsState[Any, Any], summary: Callable[[Any], str]) -> list[list[str]]:
        entries = enumerate(state.listing.entries)
        return [[str(number + 1), f"{letter(number)} · {summary(entry)}"] for number, entry in entries]


class ListedPage(Page):
    """A page with a list beside its scenario. LISTED: the list's state.   ROWS: how it is shown above the inputs."""

    LISTED: type[RowsState[Any, Any]]
    WORKED_OUT_BY: tuple[str, str]
    """Module and name of the function that works the list out."""
    ROWS: Callable[[str], RowsForm]

    def prepare(self, query: str) -> None:
        """The list."""
        self.listed = self.LISTED(query, self.scenario, self.language)
        self.listed.listen(self.guard(self._change))

    def remembered(self) -> Sequence[Remembered]:
        """The scenario and the list."""
        return (self.state, self.listed)

    def restart(self, query: str) -> None:
        """Start the list again from a link."""
        self.listed.open(query, self.scenario)

    def query(self) -> str:
        """The page's link."""
        return str(self.listed.listing.to_query())

    def python(self) -> str:
        """The cell that works out the list."""
        return of_listing(self.listed.listing, *self.WORKED_OUT_BY) if self.counts else super().python()

    @property
    def counts(self) -> bool:
        """The list is what the page answers."""
        return True

    def above_form(self) -> Sequence[Widget]:
        """The rows."""
        self.rows = type(self).ROWS(self.language)
        self.rows.listen(ask=self.guard(self.ask))
        return [self.rows]

    def ask(self, message: Mapping[str, Any]) -> None:
        """What a visitor does in the list."""
        self.listed.ask(message)
