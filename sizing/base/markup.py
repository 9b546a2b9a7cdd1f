"""HTML from plain values. Everything that is put in is escaped, so that no text of a visitor can be markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


class Markup(str):
    """HTML that this module made."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | bool | None) -> Markup:
    """An element. Attribute names end in "_" where Python keeps the word for itself; "_" inside becomes "-".

    >>> tag("p", "a < b", class_="x")
    '<p class="x">a &lt; b</p>'
    """
    opening = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.rstrip("_").replace("_", "-")
        opening.append(written if value is True else f'{written}="{escape(str(value), quote=True)}"')
    return Markup(f"<{' '.join(opening)}>{join(children)}</{name}>")


def join(parts: Iterable[str]) -> Markup:
    """Parts one after another, text escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts))


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, marked: int | None = None, numeric: int = 1
) -> Markup:
    """A table with a caption, a header row and a header cell in each row.

    marked: number of the row that is "your choice".   numeric: columns from this one on hold figures.
    """

    def cells(row: Sequence[str], kind: str) -> Markup:
        made = []
        for number, cell in enumerate(row):
            name, scope = ("th", "col") if kind == "head" else ("th", "row") if number == 0 else ("td", None)
            made.append(tag(name, cell, scope=scope, class_="sizing-cell" if number >= numeric else None))
        return join(made)

    body = [
        tag("tr", cells(row, "body"), class_="sizing-chosen" if number == marked else None)
        for number, row in enumerate(rows)
    ]
    made = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", cells(head, "head"))),
        tag("tbody", join(body)),
        class_="sizing-table",
    )
    return tag("div", made, class_="sizing-scroll", tabindex="0", role="group", aria_label=caption)


def folded(key: str, summary: str, *children: str) -> Markup:
    """A section that opens on demand. key: unique on the page, by which it stays open when its content changes."""
    return tag("details", tag("summary", summary), *children, data_key=key, class_="sizing-folded")
