"""The page's address holds the scenario: a reload brings it back, and links to the other pages carry it along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sizing.base.texts import say
from sizing.catalogue.links import FOREIGN

LONGEST_QUERY = 8000
HOME = "index.ipynb"


class Address(anywidget.AnyWidget):
    """Name of the product, navigation between the pages, and the query of the address.

    home: (file name of the notebook, title) of the first page.   pages: of each other page.   current: the one shown.
    query: the scenario as a link's query; the browser puts it into the address without a reload.
    read: the address that the page shows. A browser that came to another one tells it first.
    own: every parameter that this page's query may hold.   foreign: those of other pages and of the look, which stay in
        the address as they are. What nobody knows was said when the link was read, and leaves the address.
    language: of the page; in the address where it is not the first one.   label: of the navigation.
    """

    _esm = Path(__file__).parent / "static" / "address.js"

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
        self._here: Callable[[str], object] = lambda query: None
        self.on_msg(self._receive)

    def speak(self, language: str, pages: Sequence[tuple[str, str]]) -> None:
        """The pages' titles in a language."""
        with self.hold_sync():
            self.pages = [list(page) for page in pages]
            self.home = [HOME, say("ui.frame.workbook", language)]
            self.label = say("ui.region.pages", language)
            self.language = language

    def on_here(self, here: Callable[[str], object]) -> None:
        """Call ``here`` with the query of the address that the browser came to, where it is another than ``read``."""
        self._here = here

    def _receive(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        match content:
            case {"kind": "here", "query": str() as query}:
                query = query.removeprefix("?")[:LONGEST_QUERY]
                self._here(query)
                # Even where it could not be shown: the browser waits for this word.
                self.read = query
                self.send({"kind": "read"})
