"""The shared server: which services fit on one machine, where each stands, and what a failure leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from sizing.base.markup import Markup
from sizing.base.texts import say
from sizing.catalogue.inputs import asked_on
from sizing.sharing.plan import Plan
from sizing.sharing.shared import Shared
from sizing.sheet.figures.sharing_charts import sharing_cards, sharing_services
from sizing.ui.figure import Figure
from sizing.ui.page import Page, Remembered, grid, section
from sizing.ui.reports import common, sharing_report
from sizing.ui.service_rows import PlanState, ServicesForm, ask_services
from sizing.ui.widgets.regions import Snippet

INPUTS = asked_on("shared_server")


class SharedServerPage(Page):
    """One plan: the answer, the cards as columns, conversations and losses, notes, commands, facts."""

    NAME = "shared_server"
    INPUTS = INPUTS
    PARAMETERS = Plan.parameters()

    def prepare(self, query: str) -> None:
        """The plan."""
        self.plans = PlanState(query, self.scenario, self.language)
        self.plans.listen(self.guard(self._change))

    def remembered(self) -> Sequence[Remembered]:
        """The scenario and the plan."""
        return (self.state, self.plans)

    def restart(self, query: str) -> None:
        """Start the plan again from a link."""
        self.plans.open(query, self.scenario)

    def query(self) -> str:
        """The page's link."""
        return self.plans.listing.to_query()

    def above_form(self) -> Sequence[widgets.Widget]:
        """The services."""
        self.services = ServicesForm(self.language)
        self.services.listen(ask=self.guard(self._ask))
        return [self.services]

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        self.figures = {
            sharing_cards.name: Figure(sharing_cards, self.language, height=340, working=_working),
            sharing_services.name: Figure(sharing_services, self.language, height=300),
        }
        self.answer = section("answer", self.language, polite=True)
        self.key = section("sharing_key", self.language)
        self.key.show(sharing_report.key(self.language))
        self.notes, self.table, self.facts = (
            section(name, self.language) for name in ("notes", "sharing_services", "facts")
        )
        self.commands = (Snippet(self.language), Snippet(self.language))
        charts = grid([*self.figures.values(), self.notes])
        self.figures[sharing_cards.name].children = (
            *self.figures[sharing_cards.name].children[:2],
            self.key,
            *self.figures[sharing_cards.name].children[2:],
        )
        return [self.answer, charts, self.table, *self.commands, self.facts]

    def draw(self) -> None:
        """Draw everything for the plan as it is now."""
        self.plans.serve(self.scenario)
        shared, language = self.plans.found, self.language
        self.services.show(self.plans, sharing_report.remedy(shared, language))
        stale = bool(self.state.errors or self.plans.errors)
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

    def _ask(self, message: Mapping[str, Any]) -> None:
        ask_services(self.plans, self.state, message)


def _working(shared: Shared, language: str) -> Markup:
    return common.section("working-sharing_cards", lambda: shared.working, language)


def page(query: str | None = None) -> SharedServerPage:
    """The page, ready to be shown by a notebook's last line."""
    return SharedServerPage(query)
