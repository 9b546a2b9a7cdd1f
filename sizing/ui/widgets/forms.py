"""What a visitor sets: the inputs of a page, cards to choose from, the steps of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from sizing.base.texts import say
from sizing.ui.widgets.widget import Widget, text


def changes(value: Any) -> dict[str, str]:
    """The texts of a message, by input."""
    if not isinstance(value, dict):
        raise TypeError("no changes")
    return {str(name): str(text)[:200] for name, text in list(value.items())[:50]}


def name_or_all(value: Any) -> str | None:
    """The input that a message speaks of; None for all."""
    return None if value is None else str(value)


def form_words(language: str) -> dict[str, str]:
    """Texts of a form itself."""
    return {name: say(f"ui.form.{name}", language) for name in ("reset", "set_back", "nothing_found", "fold")}


class Form(Widget, hears={"edit": {"changes": changes}, "reset": {"name": name_or_all}}):
    """The inputs of a page: native controls, so that keyboard, phone and screen reader work as always.

    Labelled controls in groups, each with its unit, help and error.

    fields: what does not change with a drag: group, kind, label, help, options, stops (see controls.fields).
    values: what does: text, error and whether it differs from the default, by name.
    words: texts of the form itself.   only: names of the fields that are shown now, all where it is empty.

    The browser sends one edit at a time and the newest text only: it waits for the answer to the last one, so that a
    fast drag never queues behind slow work.
    """

    fields: Any = traitlets.List().tag(sync=True)
    values: Any = traitlets.Dict().tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)
    only: Any = traitlets.List().tag(sync=True)

    def __init__(self, fields: list[dict[str, Any]], values: dict[str, Any], words: dict[str, str]) -> None:
        super().__init__(fields=fields, values=values, words=words)


class Cards(Widget, hears={"take": {"key": text(300)}}):
    """Cards to choose from: each with a title, a text and one button.

    cards: key, title, lines (text and kind: "", "good", "bad") and button of each; an empty button has none.

    title: heading above them, "" for none.   chosen: key of the card that is on the page, or "".
    """

    name = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    intro = traitlets.Unicode().tag(sync=True)
    cards: Any = traitlets.List().tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)

    def __init__(self, name: str, title: str = "") -> None:
        super().__init__(name=name, title=title)

    def show(self, cards: Sequence[Mapping[str, Any]], *, intro: str = "", chosen: str = "") -> None:
        """Other cards."""
        with self.hold_sync():
            self.cards, self.intro, self.chosen = [dict(card) for card in cards], intro, chosen


class StepsBar(Widget, hears={"go": {"step": text(300)}}):
    """The steps of a call, in any order: each with what it has come to.

    steps: name, title and summary of each.   current: the one shown.   label: of the whole, for screen readers.
    """

    steps: Any = traitlets.List().tag(sync=True)
    current = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)

    def __init__(self, label: str, current: str) -> None:
        super().__init__(label=label, current=current)

    def show(self, steps: Sequence[Mapping[str, str]], current: str) -> None:
        """Other summaries, another step."""
        with self.hold_sync():
            self.steps = [dict(step) for step in steps]
            self.current = current
