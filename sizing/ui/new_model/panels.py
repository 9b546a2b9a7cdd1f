"""Choices that belong to one part of the page: the models to compare with, the layout to start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sizing import catalogue
from sizing.answers import wording
from sizing.base.texts import say
from sizing.memory.layouts import Layout
from sizing.ui.widgets.forms import Form, form_words

BEST = "best"
"""Value of the layout's choice where the best one is wanted, whichever that is."""


def panel(fields: list[dict[str, Any]], held: Mapping[str, str], language: str) -> Form:
    """A form without groups and without a button to reset it."""
    form = Form(fields, values(held), form_words(language))
    form.add_class("sizing-panel")
    return form


def models(names: Iterable[str], language: str) -> list[dict[str, Any]]:
    """A choice of any model of the catalogue for each of ``names``."""
    entries = [{"value": id, "label": id} for id in catalogue.checkpoint_ids()]
    help = say("ui.model.beside.help", language)
    more = {"kind": "id", "options": entries, "search": True}
    return [_field(name, say(f"ui.model.beside.{name}", language), help, **more) for name in names]


def layouts(found: Iterable[Layout], language: str) -> list[dict[str, Any]]:
    """A choice of one layout, or of the best."""
    options = [{"value": BEST, "label": say("ui.model.engine.best", language)}]
    options += [{"value": key(each), "label": wording.layout_name(each, language)} for each in found]
    label, help = (say(f"ui.model.engine.{name}", language) for name in ("layout", "layout_help"))
    return [_field("layout", label, help, kind="choice", options=options)]


def values(held: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What each field holds, as a form takes it."""
    return {
        name: {"text": value, "raw": value, "number": None, "error": "", "changed": ""} for name, value in held.items()
    }


def key(layout: Layout) -> str:
    """Name of a layout in its choice."""
    return "x".join(str(number) for number in layout.name)


def _field(name: str, label: str, help: str, **more: Any) -> dict[str, Any]:
    shown = {"name": name, "group": "panel", "group_label": "", "folded": False, "label": label, "help": help}
    return {**shown, "unit": "", **more}
