"""One look for pages, charts and paper, light and dark.

The values stand once, in ``theme.css``; figures name them as CSS variables, which the browser resolves when it draws,
and `paper` for what is printed. Two colours carry meaning: ACCENT is "your choice", LIMIT is a limit. They differ in
lightness as well as in hue, and a label says the same, so that nobody depends on telling colours apart.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any, Literal

TEMPLATE = Path(__file__).parents[2] / "serve" / "template" / "voila" / "templates" / "sizing"
Name = Literal["light", "dark"]
THEMES: tuple[Name, ...] = ("light", "dark")

GROUND = "var(--sizing-ground)"
TEXT = "var(--sizing-text)"
MUTED = "var(--sizing-muted)"
LINE = "var(--sizing-line)"
GRID = "var(--sizing-grid)"
ACCENT = "var(--sizing-accent)"
ACCENT_SOFT = "var(--sizing-accent-soft)"
ON_ACCENT = "var(--sizing-on-accent)"
LIMIT = "var(--sizing-limit)"
GREY_STRONG = "var(--sizing-grey-strong)"
GREY = "var(--sizing-grey)"
GREY_SOFT = "var(--sizing-grey-soft)"
CLEAR = "rgba(0,0,0,0)"


@functools.cache
def colours(theme: Name) -> dict[str, str]:
    """Every colour of one theme by its variable, such as ``--sizing-accent``.

    >>> colours("light")["--sizing-on-accent"]
    '#ffffff'
    """
    css = (TEMPLATE / "static" / "theme.css").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"color-scheme: (light|dark);(.*?)}", css, flags=re.DOTALL))
    return dict(re.findall(r"(--sizing-[\w-]+): (#[0-9a-f]{6});", blocks[theme]))


def paper(colour: str) -> str:
    """What a variable stands for on paper: the light theme on white.

    >>> paper(GROUND), paper(ACCENT)
    ('#ffffff', '#0a5fb4')
    """
    return colours("light")["--sizing-raised" if colour == GROUND else colour.removeprefix("var(").removesuffix(")")]


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """One style for every axis: thin line, outside ticks, quiet grid, no zoom. title: what and in which unit."""
    style: dict[str, Any] = {
        "title": {"text": title, "standoff": 6},
        "color": MUTED,
        "linecolor": LINE,
        "gridcolor": GRID,
        "showline": True,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": LINE,
        "ticklen": 4,
        "fixedrange": True,
    }
    return style | more


def layout(x: dict[str, Any] | None = None, y: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """The layout that every chart starts from. x, y: axes made by `axis`; more: what this chart adds or changes.

    >>> layout(axis("context [tokens]"), margin={"l": 80})["margin"]
    {'l': 80, 'r': 16, 't': 12, 'b': 40}
    """
    style: dict[str, Any] = {
        "font": {
            "family": "system-ui, -apple-system, Segoe UI, Roboto, Liberation Sans, Arial, sans-serif",
            "size": 12,
            "color": TEXT,
        },
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 52, "r": 16, "t": 12, "b": 40} | more.pop("margin", {}),
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": TEXT, "bordercolor": TEXT, "font": {"color": GROUND, "size": 12}},
        "separators": ".,",
        "xaxis": x or axis(),
        "yaxis": y or axis(),
    }
    return style | more
