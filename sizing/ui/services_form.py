"""The list of services as one widget of native controls: a folded row a service, with its fields inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing import catalogue
from sizing.memory.sharing import fields, preset_names
from sizing.memory.sharing.plan import OWN
from sizing.memory.sharing.remarks import letter
from sizing.memory.sharing.service import ORDER
from sizing.texts import say
from sizing.ui.plan_state import PLAN, PlanState

WORDS = (
    "title", "preset", "own_list", "add", "remove", "full", "fold", "make_fit", "as_many", "no_place",
)  # fmt: skip


class ServicesForm(anywidget.AnyWidget):
    """Rows of services and the plan's own fields.

    rows: letter, summary, state and fields of each service.   own: the plan's own fields.
    remedy: the smallest change in words, "" where there is none to make.
    """

    _esm = Path(__file__).parent / "static" / "services.js"

    rows: Any = traitlets.List().tag(sync=True)
    own: Any = traitlets.List().tag(sync=True)
    models: Any = traitlets.List().tag(sync=True)
    presets: Any = traitlets.List().tag(sync=True)
    preset = traitlets.Unicode().tag(sync=True)
    remedy = traitlets.Unicode().tag(sync=True)
    full = traitlets.Bool(False).tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, language: str) -> None:
        self.language = language
        super().__init__(
            words={name: say(f"ui.services.{name}", language) for name in WORDS},
            models=list(catalogue.checkpoint_ids()),
            presets=[[name, say(f"sharing.preset.{name}", language)] for name in preset_names()],
        )
        self._ask: Callable[[Mapping[str, Any]], None] = lambda message: None
        self.on_msg(self._receive)

    def on_ask(self, ask: Callable[[Mapping[str, Any]], None]) -> None:
        """Call ``ask`` with each message of the browser: kind "edit", "add", "remove", "preset", "make_fit"."""
        self._ask = ask

    def show(self, state: PlanState, remedy: str) -> None:
        """The services of a state."""
        with self.hold_sync():
            self.rows = [row(state, number, self.language) for number in range(len(state.plan.services))]
            names = [name for name in OWN if name != "favourite" or state.plan.aim == "most_conversations"]
            self.own = [_field(state, PLAN, name, self.language) for name in names]
            self.preset = state.preset
            self.full = state.full
            self.remedy = remedy

    def _receive(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if not isinstance(content, Mapping):
            return
        try:
            self._ask(content)
        finally:
            self.send({"kind": "done", "seq": content.get("seq")})


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
        "unit": spec.unit,
        "options": options,
        "text": state.written(number, name),
        "error": state.said(number, name),
    }
