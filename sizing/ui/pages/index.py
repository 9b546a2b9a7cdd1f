"""The landing page: what each page answers, in a line, with a small picture."""

from __future__ import annotations

from collections.abc import Sequence

import ipywidgets as widgets

from sizing.ui.page import Page, section
from sizing.ui.reports.index_report import doors


class IndexPage(Page):
    """Every page, one click away. It shows nothing of the scenario, and carries it along."""

    NAME = "index"
    INPUTS = ()

    def body(self) -> Sequence[widgets.Widget]:
        """The messages and the list of pages."""
        self.list = section("doors", self.language)
        body = widgets.VBox([self.messages, self.list])
        body.add_class("sizing-index")
        return (body,)

    def draw(self) -> None:
        """The links follow the scenario and the language."""
        self.list.show(doors(self.query(), self.language))


def page(query: str | None = None) -> IndexPage:
    """The page, ready to be shown by a notebook's last line."""
    return IndexPage(query)
