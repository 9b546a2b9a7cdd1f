"""What stands around every page: head, navigation and address, tools, messages, terms."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import traitlets

from sizing.base import texts
from sizing.base.texts import LANGUAGES, say
from sizing.catalogue.links import FOREIGN
from sizing.sheet.figures import theme
from sizing.ui.widgets.widget import Widget, text, whole

LONGEST_QUERY = 8000
HOME = "index.ipynb"


class Head(Widget, hears={"ping": {"asked": whole}}):
    """The first widget of every page: a link to the results, the page's heading, its look, and an eye on the kernel.

    The look is brought only where the template has not done so.

    A kernel that has been stopped (idle too long, killed, server gone) leaves a page that looks alive and does nothing.
    The head asks it for a sign of life while the page is in view, and when a visitor touches the page after a silence;
    without an answer the page says what happened and offers to reload. A page left untouched for half an hour stops
    asking, so that its kernel can be given back.
    """

    css = traitlets.Unicode().tag(sync=True)
    sentences: Any = traitlets.Dict().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)

    def __init__(self, language: str = "en") -> None:
        in_voila = os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
        super().__init__(css="" if in_voila else _look())
        self.speak(language)
        self.listen(ping=lambda asked: self.send({"kind": "pong", "asked": asked}))

    def speak(self, language: str, title: str = "") -> None:
        """The sentences in a language. title: the page's name, its first heading; "" where a page has its own."""
        sentences = {name: say(f"ui.frame.{name}", language) for name in ("gone", "unreachable", "reload", "behind")}
        with self.hold_sync():
            self.sentences = sentences | {"to_results": say("ui.top.to_results", language)}
            self.title = title


def _look() -> str:
    """The look of the pages without the template around them, for JupyterLab."""
    files = (theme.TEMPLATE / "static" / name for name in ("theme.css", "page.css", "parts.css", "call.css"))
    return "".join(file.read_text(encoding="utf-8") for file in files)


class Address(Widget, hears={"here": {"query": text(LONGEST_QUERY + 1)}}):
    """The page's address holds the scenario: a reload brings it back, and links to the other pages carry it along.

    Name of the product, navigation between the pages, and the query of the address.

    home: (file name of the notebook, title) of the first page.   pages: of each other page.   current: the one shown.
    query: the scenario as a link's query; the browser puts it into the address without a reload.
    read: the address that the page shows. A browser that came to another one tells it first.
    own: every parameter that this page's query may hold.   foreign: those of other pages and of the look, which stay in
        the address as they are. What nobody knows was said when the link was read, and leaves the address.
    language: of the page; in the address where it is not the first one.   label: of the navigation.
    """

    home: Any = traitlets.List().tag(sync=True)
    pages: Any = traitlets.List().tag(sync=True)
    own: Any = traitlets.List().tag(sync=True)
    foreign: Any = traitlets.List(list(FOREIGN)).tag(sync=True)
    current = traitlets.Unicode().tag(sync=True)
    query = traitlets.Unicode().tag(sync=True)
    read = traitlets.Unicode().tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)

    def __init__(self, *, current: str, own: Sequence[str], read: str) -> None:
        super().__init__(current=current, own=list(own), read=read.removeprefix("?"))

    def speak(self, language: str, pages: Sequence[tuple[str, str]]) -> None:
        """The pages' titles in a language."""
        with self.hold_sync():
            self.pages = [list(page) for page in pages]
            self.home = [HOME, say("ui.frame.workbook", language)]
            self.label = say("ui.region.pages", language)
            self.language = language

    def hear(self, kind: str, *fields: Any) -> None:
        """The browser came to another address than ``read``; even where it cannot be shown, it waits for the word."""
        query = str(fields[0]).removeprefix("?")[:LONGEST_QUERY]
        super().hear(kind, query)
        self.read = query
        self.send({"kind": "read"})


TOOL_WORDS = ("back", "back_what", "forward", "forward_what", "theme", "system", "light", "dark", "language")


class Tools(Widget, hears={"back": {}, "forward": {}, "language": {"language": text(20)}}):
    """The right end of a page's head: back and forward through what was tried, theme and language.

    words: texts by name.   languages: (code, name in itself) of each.   language: the one spoken.

    back, forward: what the move changed that would be undone or made again; None where there is none.
    """

    words: Any = traitlets.Dict().tag(sync=True)
    languages: Any = traitlets.List().tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)
    back: Any = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    forward: Any = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self) -> None:
        super().__init__(languages=[[code, say("ui.tools.itself", code)] for code in LANGUAGES])

    def speak(self, language: str) -> None:
        """The words in a language."""
        with self.hold_sync():
            self.words = {name: say(f"ui.tools.{name}", language, what="{what}") for name in TOOL_WORDS}
            self.language = language

    def show(self, back: str | None, forward: str | None) -> None:
        """What would be undone, and what would be made again."""
        with self.hold_sync():
            self.back, self.forward = back, forward


class Messages(Widget):
    """The message area of a page, which screen readers hear (``role="alert"``).

    Each message is a pair: what is wrong, what to do. It stands under a slot, so that one callback's success does not
    clear what another had to say.
    """

    sentences: Any = traitlets.List().tag(sync=True)

    def __init__(self) -> None:
        super().__init__()
        self._slots: dict[str, tuple[str, str]] = {}

    def say(self, what: str, fix: str = "", *, slot: str = "") -> None:
        """Show a message in place of the slot's last one."""
        self._slots[slot] = (what, fix)
        self.sentences = list(self._slots.values())

    def clear_all(self, starting: str = "") -> None:
        """No slot whose name starts so has anything to say any more."""
        self._slots = {slot: said for slot, said in self._slots.items() if not slot.startswith(starting)}
        self.sentences = list(self._slots.values())

    def clear(self, slot: str = "") -> None:
        """The slot has nothing to say any more."""
        self._slots.pop(slot, None)
        self.sentences = list(self._slots.values())


class Term(NamedTuple):
    """name: as the list shows it.   forms: how it may stand in a text.   says: one sentence."""

    key: str
    name: str
    forms: tuple[str, ...]
    says: str


@functools.cache
def terms(language: str) -> tuple[Term, ...]:
    """Every term of texts/<language>/terms.toml."""
    keys = [key.split(".")[1] for key in texts.catalogue(language) if key.startswith("term.") and key.endswith(".name")]
    return tuple(
        Term(
            key,
            say(f"term.{key}.name", language),
            tuple(say(f"term.{key}.forms", language).split("|")),
            say(f"term.{key}.says", language),
        )
        for key in keys
    )


class Glossary(Widget):
    """A sentence for each term on demand: where it stands in the results, and all of a page's terms in a list below.

    Stands at the end of a page. The browser finds the terms: only it knows what the page shows just now.

    terms: [key, name, forms, sentence] of each.   title: of the list.   language: of the words, for their order.
    """

    terms: Any = traitlets.List().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)

    def __init__(self, language: str) -> None:
        super().__init__(
            terms=[[*term[:2], list(term.forms), term.says] for term in terms(language)],
            title=say("ui.terms.title", language),
            language=language,
        )
