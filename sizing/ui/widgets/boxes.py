"""What a visitor brings along, takes away and sets: a model, a log, a file, a sheet; inputs, choices, steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from sizing.base.texts import say
from sizing.catalogue import is_own
from sizing.memory.startup_log import MOST_CHARACTERS
from sizing.models import bring
from sizing.ui.widgets.widget import Widget, text

LINE = 300  # longest text of one line
LONGEST_QUERY = 8000
LONGEST_OWN = 20_000  # letters of an entry of the visitor's own, which is chosen from a list

BRING_WORDS = (
    "title", "way", "way_hub", "way_text", "way_catalogue", "hub_id", "hub_id_help", "revision", "revision_help",
    "quantisation", "quantisation_help", "config_from", "config_from_help", "look_up", "cancel", "progress",
    "config_help", "quant_help", "weights", "weights_help", "unit", "bytes", "name", "name_help", "more", "read",
    "file", "text", "too_long", "entry", "entry_help", "use", "change",
)  # fmt: skip


class Bring(
    Widget,
    hears={
        "look_up": dict.fromkeys(("id", "revision", "quantisation", "config_from"), text(LINE)),
        "cancel": {},
        "text": {"config": text(bring.MOST_BYTES + 1), "quant": text(bring.MOST_BYTES + 1)}
        | dict.fromkeys(("weights", "unit", "name", "changed_from"), text(LINE)),
        "entry": {"id": text(LINE)},
        "texts": {"id": text(LINE)},
    },
):
    """The box in which a visitor brings a model along: Hub, text, or an entry of the catalogue to change.

    Native controls for three ways to name a model, with progress, and a place for what went wrong.

    entries: ids of the catalogue.   status: phase ("idle", "busy", "done", "failed"), the way it is about, and words.
    """

    entries: Any = traitlets.List().tag(sync=True)
    words: Any = traitlets.Dict().tag(sync=True)
    status: Any = traitlets.Dict().tag(sync=True)
    most_bytes = traitlets.Int(bring.MOST_BYTES).tag(sync=True)

    def __init__(self, entries: list[str], language: str) -> None:
        words = {name: say(f"ui.bring.{name}", language, most_mb=bring.MOST_BYTES / 1e6) for name in BRING_WORDS}
        super().__init__(entries=entries, words=words, status={"phase": "idle", "text": ""})

    def idle(self, text: str = "") -> None:
        """Nothing under way."""
        self.status = {"phase": "idle", "text": text}

    def busy(self, text: str, done: int = 0, total: int = 0) -> None:
        """A look-up is under way; done, total: parts of its step."""
        self.status = {"phase": "busy", "way": "hub", "text": text, "done": done, "total": total}

    def done(self, way: str, text: str, title: str) -> None:
        """The model is on the page."""
        self.status = {"phase": "done", "way": way, "text": text, "title": title}

    def failed(self, way: str, what: str, fix: str, **asks: Any) -> None:
        """It did not work. asks: ``offered`` quantisations, ``wants_config`` and ``config_from``."""
        self.status = {"phase": "failed", "way": way, "text": "", "what": what, "fix": fix, **asks}

    def fill(self, texts: bring.Texts) -> None:
        """Put an entry of the catalogue into the text fields."""
        held = {"config": texts.config, "quant": texts.hf_quant_config, "weights": texts.weights}
        self.send({"kind": "texts", "name": texts.name, "unit": texts.unit, **held})


LOG_WORDS = ("label", "help", "file", "check", "clear", "cut", "shown", "edited")
SHOWN_CHARACTERS = 100_000
"""So much of a long log the text area shows: over millions of characters a browser freezes for seconds."""


class LogBox(Widget, hears={"log": {"text": text(MOST_CHARACTERS + 1)}}):
    """The box into which a visitor pastes a start-up log: a text area with a button.

    error: what is wrong with the text, beside it.
    A long text is taken up to ``most_characters`` and shown up to ``shown_characters``, before the area gets it.
    """

    words: Any = traitlets.Dict().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    most_characters = traitlets.Int(MOST_CHARACTERS).tag(sync=True)
    shown_characters = traitlets.Int(SHOWN_CHARACTERS).tag(sync=True)

    def __init__(self, language: str) -> None:
        counts = {"most_million": MOST_CHARACTERS / 1e6, "shown_thousand": SHOWN_CHARACTERS / 1e3}
        words = {name: say(f"ui.log.{name}", language, **counts) for name in LOG_WORDS}
        super().__init__(words=words)


MOST_BYTES = 200_000


class Keep(Widget, hears={"save": {}, "open": {"text": text(MOST_BYTES)}}):
    """What a visitor takes along and brings back: the link, and the scenario as a file.

    words: texts by name.   error: what is wrong with a file that was opened.   status: what became of it.
    """

    words: Any = traitlets.Dict().tag(sync=True)
    most_bytes = traitlets.Int(MOST_BYTES).tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    status = traitlets.Unicode().tag(sync=True)

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(words=dict(words))

    def hand_over(self, name: str, content: str) -> None:
        """Let the browser save a text."""
        self.send({"kind": "file", "name": name, "type": "application/json", "text": content})


MOST = 100_000
"""Characters of a field that are read; the sheet itself takes far fewer, and says so. [-]"""


class SheetBox(
    Widget,
    hears={
        "make": {"file": text(LINE), "customer": text(MOST), "remark": text(MOST), "link": text(LONGEST_QUERY)},
        "cancel": {},
    },
):
    """The sheet to take along: fields for who it is for, one button a kind of file, and how far the work is.

    The file travels in one message and is saved by the browser; the server keeps neither it nor the names.

    words: texts by name.   kinds: of files, each with its label.

    busy: a file is being made.   done, total: how far it is; total 0 where nobody knows.
    status: what to say about it.   error: what is wrong, beside the fields.
    """

    words: Any = traitlets.Dict().tag(sync=True)
    kinds: Any = traitlets.List().tag(sync=True)
    busy = traitlets.Bool(False).tag(sync=True)
    done = traitlets.Int(0).tag(sync=True)
    total = traitlets.Int(0).tag(sync=True)
    status = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init__(self, words: Mapping[str, str], kinds: list[tuple[str, str]]) -> None:
        super().__init__(words=dict(words), kinds=[list(kind) for kind in kinds])

    def working(self, status: str, done: int = 0, total: int = 0) -> None:
        """A file is being made."""
        with self.hold_sync():
            self.busy, self.status, self.done, self.total, self.error = True, status, done, total, ""

    def idle(self, status: str = "", error: str = "") -> None:
        """No file is being made."""
        with self.hold_sync():
            self.busy, self.status, self.error = False, status, error

    def hand_over(self, name: str, media_type: str, content: bytes) -> None:
        """Let the browser save a file."""
        self.send({"kind": "file", "name": name, "type": media_type}, buffers=[content])


def changes(value: Any) -> dict[str, str]:
    """The texts of a message, by input."""
    if not isinstance(value, dict):
        raise TypeError("no changes")
    return {str(name): str(text)[: LONGEST_OWN if is_own(text) else 200] for name, text in list(value.items())[:50]}


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
