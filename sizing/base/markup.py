"""HTML from plain values. Everything that is put in is escaped, so that no text of a visitor can be markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple


class Fold(NamedTuple):
    """A section that opens on demand. start: what stands before its inside.   inside: makes that."""

    start: str
    inside: Callable[[], Markup]


class Markup(str):
    """HTML that this module made.

    folds: its folded sections by key, which come without their inside: most are never opened.
    """

    folds: Mapping[str, Fold] = {}

    def opened(self, wanted: Callable[[str], bool]) -> Markup:
        """The same with the inside of those folds whose key is wanted, and of those inside them."""
        shown = str(self)
        for key, fold in self.folds.items():
            if wanted(key):
                shown = shown.replace(fold.start, fold.start + fold.inside().opened(wanted), 1)
        return Markup(shown)


NOTHING = Markup()


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
    inside = join(children)
    return _with(inside.folds, f"<{' '.join(opening)}>{inside}</{name}>")


def join(parts: Iterable[str]) -> Markup:
    """Parts one after another, text escaped."""
    made: list[str] = []
    folds: dict[str, Fold] = {}
    for part in parts:
        if isinstance(part, Markup):
            made.append(part)
            if part.folds:
                folds.update(part.folds)
        else:
            made.append(escape(str(part)))
    return _with(folds, "".join(made))


def _with(folds: Mapping[str, Fold], html: str) -> Markup:
    made = Markup(html)
    if folds:
        made.folds = folds
    return made


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


def folded(key: str, summary: str, inside: Callable[[], Markup]) -> Markup:
    """A section that opens on demand, and is made then.

    key: unique on the page, by which it stays open when its content changes.

    >>> more = folded("k", "More", lambda: tag("p", "inside"))
    >>> more
    '<details data-key="k" class="sizing-folded"><summary>More</summary></details>'
    >>> more.opened({"k"}.__contains__)
    '<details data-key="k" class="sizing-folded"><summary>More</summary><p>inside</p></details>'
    """
    start = f'<details data-key="{escape(key)}" class="sizing-folded">{tag("summary", summary)}'
    return _with({key: Fold(start, inside)}, f"{start}</details>")
