"""Services and platforms as widgets of native controls: a folded row for each, with its fields inside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import traitlets

from sizing import catalogue
from sizing.base.texts import say, unit
from sizing.catalogue.listing import Listing, letter
from sizing.demand.platforms import PRICES, Comparison, Platform
from sizing.sharing.plan import Plan, Service
from sizing.ui.reports.compare_report import platform_name
from sizing.ui.rows import WHOLE, ComparisonState, PlanState, RowsState
from sizing.ui.widgets.widget import Widget

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
            "unit": state.currency() if name in PRICES else unit(spec.unit, self.language),
            "options": options,
            "text": state.written(number, name),
            "error": state.said(number, name),
        }

    def _one_of(self, state: RowsState[Any, Any], summary: Callable[[Any], str]) -> list[list[str]]:
        entries = enumerate(state.listing.entries)
        return [[str(number + 1), f"{letter(number)} · {summary(entry)}"] for number, entry in entries]


class ServicesForm(RowsForm):
    """Rows of services and the plan's own fields."""

    LISTING, WORDS_OF = Plan, "sharing"

    def __init__(self, language: str) -> None:
        super().__init__(language, catalogue.checkpoint_ids())

    def show(self, state: PlanState, remedy: str) -> None:
        """The services of a state. remedy: the smallest change in words."""
        own = [name for name in Plan.INPUTS if name != "favourite" or state.listing.aim == "most_conversations"]
        self.fill(state, own, remedy)

    def summary(self, entry: Service) -> str:
        """Model, context and copies."""
        return say(
            f"ui.services.summary_{'many' if entry.copies > 1 else 'one'}",
            self.language,
            name=entry.model,
            context_tokens=entry.context_tokens,
            copies=entry.copies,
        )

    def placed(self, state: PlanState, number: int) -> bool:
        """A service has a place."""
        return number not in state.found.placement.left_out

    def options(self, state: PlanState, name: str) -> list[list[str]]:
        """The favourite is one of the services."""
        if name == "favourite":
            return self._one_of(state, lambda service: str(service.model))
        return super().options(state, name)


class PlatformsForm(RowsForm):
    """Rows of platforms and the comparison's own fields."""

    LISTING, WORDS_OF = Comparison, "compare"

    def show(self, state: ComparisonState) -> None:
        """The platforms of a state."""
        self.fill(state, Comparison.INPUTS)

    def summary(self, entry: Platform) -> str:
        """Cards and servers."""
        return platform_name(entry, self.language)

    def placed(self, state: ComparisonState, number: int) -> bool:
        """The model fits on a platform."""
        return state.found.platforms[number].sizing.fits

    def options(self, state: ComparisonState, name: str) -> list[list[str]]:
        """Cards of the catalogue; the platform that varies is one of them."""
        if name == "card":
            return [[id, catalogue.card(id).name] for id in catalogue.card_ids()]
        return self._one_of(state, self.summary) if name == "varied" else super().options(state, name)
