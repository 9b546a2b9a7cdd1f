"""The landing page: what each page answers, in a line, with a small picture."""

from __future__ import annotations

import os
from collections.abc import Sequence

import ipywidgets as widgets

from sizing.base.markup import Markup, join, tag
from sizing.base.texts import say
from sizing.serve.voila import PAGES
from sizing.ui.browser import in_browser
from sizing.ui.page import Page, section
from sizing.ui.widgets.widget import STATIC

PICTURES = STATIC / "pictures"


def doors(query: str, language: str) -> Markup:
    """Heading, a sentence, and a link for each page. query: of the scenario, which the links carry along."""
    items = [
        tag(
            "li",
            tag(
                "a",
                _picture(name),
                tag("span", say(f"ui.page.{name}", language), class_="sizing-door-name"),
                tag("p", say(f"index.answers.{name}", language)),
                href=f"{name}.ipynb?{query}",
                data_file=f"{name}.ipynb",
                class_="sizing-door",
            ),
            class_="sizing-first" if name == PAGES[0] else None,
        )
        for name in PAGES
    ]
    return join(
        [
            tag("h1", say("index.title", language)),
            tag("p", say("index.sentence", language)),
            tag("ul", *items, class_="sizing-doors"),
        ]
    )


EXPLORE = (
    "1_which_models_fit",
    "2_context_and_cards",
    "3_cards_on_a_circuit",
    "4_a_new_model",
    "5_your_own_log",
    "6_quantisation",
    "7_speed_and_batch",
    "8_what_a_month_costs",
)
"""Notebooks of ``notebooks/explore/``, in reading order."""


def gallery(language: str) -> Markup:
    """The question of each notebook; a link where a notebook can be opened, which the pages' server does not do."""
    served = in_browser() or os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
    items = []
    for name in EXPLORE:
        question = say(f"index.explore.{name}", language)
        items.append(tag("li", question if served else tag("a", question, href=f"explore/{name}.ipynb")))
    return join(
        [
            tag("h2", say("index.explore.heading", language)),
            tag("p", say("index.explore.sentence", language), class_="sizing-second"),
            tag("ul", *items, class_="sizing-explore"),
        ]
    )


def _picture(name: str) -> Markup:
    """The small picture of a page; one that has none of its own shows that of a sizing."""
    file = PICTURES / f"{name}.svg"
    return Markup((file if file.exists() else PICTURES / "sizing.svg").read_text(encoding="utf-8"))


class IndexPage(Page):
    """Every page, one click away. It shows nothing of the scenario, and carries it along."""

    NAME = "index"
    INPUTS = ()
    IN_PYTHON = ""

    def body(self) -> Sequence[widgets.Widget]:
        """The messages and the list of pages."""
        self.list = section("doors", self.language)
        self.explore = section("explore", self.language)
        body = widgets.VBox([self.messages, self.list, self.explore])
        body.add_class("sizing-index")
        return (body,)

    def draw(self) -> None:
        """The links follow the scenario and the language."""
        self.list.show(doors(self.query(), self.language))
        self.explore.show(gallery(self.language))


page = IndexPage
