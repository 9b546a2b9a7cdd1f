"""The services of a shared server as a list: its state, and its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sizing import catalogue
from sizing.base.texts import say
from sizing.sharing.plan import Plan, Service, preset
from sizing.sharing.shared import Shared, shared
from sizing.ui.rows import RowsForm, RowsState
from sizing.ui.state import State


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
