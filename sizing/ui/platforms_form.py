"""The platforms of a comparison as rows of native controls."""

from __future__ import annotations

from typing import Any

from sizing import catalogue
from sizing.base.texts import say, unit
from sizing.demand.platforms import ORDER, OWN, PRICES, fields, preset_names
from sizing.demand.suits import letter
from sizing.ui.comparison_state import ALL, ComparisonState
from sizing.ui.rows_form import RowsForm


class PlatformsForm(RowsForm):
    """Rows of platforms and the comparison's own fields."""

    def __init__(self, language: str) -> None:
        presets = [(name, say(f"compare.preset.{name}", language)) for name in preset_names()]
        super().__init__("platforms", language, presets)

    def show(self, state: ComparisonState) -> None:
        """The platforms of a state."""
        with self.hold_sync():
            self.rows = [_row(state, number, self.language) for number in range(len(state.comparison.platforms))]
            self.own = [_field(state, ALL, name, self.language) for name in OWN]
            self.preset = state.preset
            self.full = state.full


def _row(state: ComparisonState, number: int, language: str) -> dict[str, Any]:
    return {
        "letter": letter(number),
        "summary": name(state, number, language),
        "placed": state.found.platforms[number].sizing.fits,
        "wrong": any(each == number for each, _ in state.errors),
        "fields": [_field(state, number, each, language) for each in ORDER],
    }


def name(state: ComparisonState, number: int, language: str) -> str:
    """A platform in words: "4 × H200 NVL", "2 servers of 4 × …"."""
    platform = state.comparison.platforms[number]
    key = "ui.compare.name" if platform.servers == 1 else "ui.compare.name_servers"
    card = catalogue.card(platform.card).name
    return say(key, language, servers=platform.servers, cards=platform.cards, card=card)


def _field(state: ComparisonState, number: int, each: str, language: str) -> dict[str, Any]:
    spec = fields()[each]
    options = [[choice, say(f"input.{each}.{choice}", language)] for choice in spec.choices]
    if each == "card":
        options = [[id, catalogue.card(id).name] for id in catalogue.card_ids()]
    if each == "varied":
        options = [
            [str(other + 1), f"{letter(other)} · {name(state, other, language)}"]
            for other in range(len(state.comparison.platforms))
        ]
    text = state.written(number, each)
    if each == "varied" and (number, each) not in state.pending:
        text = str(state.found.varied + 1)
    return {
        "name": each,
        "kind": "choice" if options else spec.kind,
        "label": spec.label(language),
        "help": spec.help(language),
        "unit": state.comparison.currency if each in PRICES else unit(spec.unit, language),
        "options": options,
        "text": text,
        "error": state.said(number, each),
    }
