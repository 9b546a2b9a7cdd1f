"""A sentence for each term on demand: where a term stands in the results, and all of a page's terms in a list below."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import traitlets

from sizing.base import texts
from sizing.base.texts import say


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


class Terms(anywidget.AnyWidget):
    """Stands at the end of a page. The browser finds the terms: only it knows what the page shows just now.

    terms: [key, name, forms, sentence] of each.   title: of the list.   language: of the words, for their order.
    """

    _esm = Path(__file__).parent / "static" / "terms.js"

    terms: Any = traitlets.List().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    language = traitlets.Unicode().tag(sync=True)

    def __init__(self, language: str) -> None:
        super().__init__(
            terms=[[*term[:2], list(term.forms), term.says] for term in terms(language)],
            title=say("ui.terms.title", language),
            language=language,
        )
