"""The shared server: which services fit on one machine, where each stands, and what a failure leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from sizing import catalogue
from sizing.base.markup import NOTHING, Markup
from sizing.base.texts import say
from sizing.catalogue.inputs import asked_on
from sizing.sharing.plan import Plan, Service, preset
from sizing.sharing.shared import Shared, shared
from sizing.sharing.wording import remedy
from sizing.sheet.figures.sharing_charts import sharing_cards, sharing_services
from sizing.ui.page import figures, grid, section
from sizing.ui.reports import common, sharing_report
from sizing.ui.rows import ListedPage, RowsForm, RowsState
from sizing.ui.widgets.regions import Snippet


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


INPUTS = asked_on("shared_server")
HEIGHTS = ((sharing_cards, 340), (sharing_services, 300))


class ServicesPage(ListedPage):
    """A page with services on a server."""

    PARAMETERS = Plan.parameters()
    LISTED, ROWS = PlanState, ServicesForm
    WORKED_OUT_BY = ("sizing.sharing.shared", "shared")

    def ask(self, message: Mapping[str, Any]) -> None:
        """What a visitor does in the list of services; a preset also says how many cards it is for."""
        super().ask(message)
        match message:
            case {"kind": "preset", "name": str() as name}:
                self.state.edit({"cards": str(preset(name).scenario.cards)})


class SharedServerPage(ServicesPage):
    """One plan: the answer, the cards as columns, conversations and losses, notes, commands, facts."""

    NAME = "shared_server"
    INPUTS = INPUTS

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = figures(HEIGHTS, self.language, _working)
        self.answer = section("answer", self.language, polite=True)
        self.key = section("sharing_key", self.language)
        self.key.show(sharing_report.key(self.language))
        self.notes, self.table, self.facts = (
            section(name, self.language) for name in ("notes", "sharing_services", "facts")
        )
        self.commands = (Snippet(self.language), Snippet(self.language))
        charts = grid([*self.figures.values(), self.notes])
        title, chart, below = self.figures[sharing_cards.name].children
        self.figures[sharing_cards.name].children = (title, chart, self.key, below)
        return [self.answer, charts, self.table, *self.commands, self.facts]

    def draw(self) -> None:
        """Draw everything for the plan as it is now."""
        self.listed.serve(self.scenario)
        shared, language = self.listed.found, self.language
        self.rows.show(self.listed, remedy(shared, language))
        stale = bool(self.state.errors or self.listed.errors)
        self.answer.show(sharing_report.answer(shared, language, stale=stale))
        for figure in self.figures.values():
            figure.show(shared)
        self.notes.show(common.notes(shared.notes, language))
        self.table.show(sharing_report.services(shared, language))
        for server, snippet in enumerate(self.commands):
            lines = shared.commands(server) if server < shared.plan.servers else ()
            key = "ui.sharing.commands" if shared.plan.servers == 1 else "ui.sharing.commands_of"
            snippet.show(say(key, language, number=server), "\n".join(lines))
        self.facts.show(sharing_report.facts(shared, language))


def _working(name: str, shared: Shared, language: str) -> Markup:
    if name != sharing_cards.name:
        return NOTHING
    return common.section("working-sharing_cards", lambda: shared.working, language)


page = SharedServerPage
