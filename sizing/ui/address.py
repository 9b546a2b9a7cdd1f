"""The page's address holds the scenario: a reload brings it back, and links to the other pages carry it along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets


class Address(anywidget.AnyWidget):
    """Navigation between the pages, and the query of the address.

    pages: (file name of the notebook, title) of each page.   current: the one shown.
    query: the scenario as a link's query; the browser puts it into the address without a reload.
    own: every parameter that this page's query may hold; others in the address stay as they are.
    """

    _esm = Path(__file__).parent / "static" / "address.js"

    pages: Any = traitlets.List().tag(sync=True)
    own: Any = traitlets.List().tag(sync=True)
    current = traitlets.Unicode().tag(sync=True)
    query = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
