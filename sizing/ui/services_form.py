"""The list of services as one widget of native controls: a folded row a service, with its fields inside."""

from __future__ import annotations

from typing import Any

from sizing import catalogue
from sizing.base.texts import say, unit
from sizing.sharing import fields, preset_names
from sizing.sharing.notes import letter
from sizing.sharing.plan import ORDER, OWN
from sizing.ui.plan_state import PLAN, PlanState
from sizing.ui.rows_form import RowsForm


class ServicesForm(RowsForm):
    """Rows of services and the plan's own fields. remedy: the smallest change in words."""

    def __init__(self, language: str) -> None:
        presets = [(name, say(f"sharing.preset.{name}", language)) for name in preset_names()]
        super().__init__("services", language, presets, catalogue.checkpoint_ids())

    def show(self, state: PlanState, remedy: str) -> None:
        """The services of a state."""
        with self.hold_sync():
            self.rows = [row(state, number, self.language) for number in range(len(state.plan.services))]
            names = [name for name in OWN if name != "favourite" or state.plan.aim == "most_conversations"]
            self.own = [_field(state, PLAN, name, self.language) for name in names]
            self.preset = state.preset
            self.full = state.full
            self.remedy = remedy


def row(state: PlanState, number: int, language: str) -> dict[str, Any]:
    """One service as its row shows it."""
    service, placement = state.plan.services[number], state.shared.placement
    key = "many" if service.copies > 1 else "one"
    summary = say(
        f"ui.services.summary_{key}",
        language,
        name=service.checkpoint.partition("/")[2],
        context_tokens=service.context_tokens,
        copies=service.copies,
    )
    return {
        "letter": letter(number),
        "summary": summary,
        "placed": number not in placement.left_out,
        "wrong": any(each == number for each, _ in state.errors),
        "fields": [_field(state, number, name, language) for name in ORDER],
    }


def _field(state: PlanState, number: int, name: str, language: str) -> dict[str, Any]:
    spec = fields()[name]
    options = [[choice, say(f"input.{name}.{choice}", language)] for choice in spec.choices]
    if name == "favourite":
        options = [
            [str(each + 1), f"{letter(each)} · {service.checkpoint.partition('/')[2]}"]
            for each, service in enumerate(state.plan.services)
        ]
    return {
        "name": name,
        "kind": "choice" if options else spec.kind,
        "label": spec.label(language),
        "help": spec.help(language),
        "unit": unit(spec.unit, language),
        "options": options,
        "text": state.written(number, name),
        "error": state.said(number, name),
    }
