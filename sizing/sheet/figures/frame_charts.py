"""Charts of a table, such as `sizing.sweep` makes one: a cell a pair, a line a group, a bar a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sizing.base.errors import SizingError
from sizing.base.texts import say
from sizing.sheet.figures import marks
from sizing.sheet.figures.theme import ACCENT, GREY, GREY_SOFT, GREY_STRONG, LIMIT, ON_ACCENT, TEXT, axis

if TYPE_CHECKING:
    import pandas as pd

ROW = 34
"""Height of a row. [CSS pixels]"""

AROUND = 70
"""Of axis and title. [CSS pixels]"""

_COLOURS = (ACCENT, GREY_STRONG, LIMIT, GREY, TEXT)


def heatmap(
    table: pd.DataFrame,
    *,
    rows: str,
    columns: str,
    values: str = "conversations",
    enough: float = 1,
    language: str = "en",
) -> dict[str, Any]:
    """A cell for each pair, with its figure. enough: cells from there on stand out; below it they are grey. [of values]

    rows, columns, values: names of columns; of several rows of the table for a cell the largest value counts.
    """
    found = _largest(table, rows, columns, values)
    ups, across = list(found.index), list(found.columns)
    names = [_named(rows, each) for each in ups]
    data = []
    for column in across:
        for name, row in zip(names, ups, strict=True):
            value = float(found.at[row, column])
            colours = (ACCENT, ON_ACCENT) if value >= enough else (GREY_SOFT, TEXT)
            text = say("unit.integer", language, value=round(value)) if value > 0 else "–"
            data.append(marks.segment(text, [name], [1], [(text, text)], colours, _named(columns, column)))
    ticks = {
        "tickvals": [place + 0.5 for place in range(len(across))],
        "ticktext": [_named(columns, each) for each in across],
    }
    x = axis(columns, range=[0, len(across)], **ticks)
    made = marks.figure(data, x, marks.names_axis(), language, barmode="stack", bargap=0.06, margin={"l": 8, "t": 6})
    cells = "; ".join(
        f"{name}: " + ", ".join(f"{_named(columns, x)} {found.at[row, x]:.0f}" for x in across)
        for name, row in zip(names, ups, strict=True)
    )
    return made | _about(f"{values} by {rows} and {columns}", cells, len(names))


def lines(table: pd.DataFrame, *, x: str, y: str, by: str, log: bool = True, language: str = "en") -> dict[str, Any]:
    """A line for each value of ``by``. x, y: names of columns with numbers.   log: both axes logarithmic."""
    _needed(table, x, y, by)
    groups = [(name, some.sort_values(x)) for name, some in table.groupby(by, observed=True, sort=False)]
    points = [
        [(float(a), float(b)) for a, b in zip(some[x], some[y], strict=True) if b == b and (b > 0 or not log)]
        for _, some in groups
    ]
    colours = [_COLOURS[number % len(_COLOURS)] for number in range(len(groups))]
    data = [
        marks.line([a for a, _ in each], [b for _, b in each], colour, 2, "%{y:,.3~g}", name=str(name))
        for each, colour, (name, _) in zip(points, colours, groups, strict=True)
    ]
    names = marks.line_names(points, [str(name) for name, _ in groups], colours, [])
    across = sorted({a for each in points for a, _ in each})
    up = [b for each in points for _, b in each]
    if log:
        xs = (
            marks.tokens_axis([int(a) for a in across], language)
            if "tokens" in x
            else marks.log_axis(x, across, language)
        )
        ys = marks.log_axis(y, up, language)
    else:
        xs, ys = axis(x), axis(y, rangemode="tozero")
    made = marks.figure(data, xs | {"title": {"text": x}}, ys, language, labels=names)
    said = "; ".join(
        f"{name}: " + ", ".join(f"{a:g} {b:.4g}" for a, b in each)
        for (name, _), each in zip(groups, points, strict=True)
    )
    return made | _about(f"{y} by {x}", said, 6)


def bars(table: pd.DataFrame, *, names: str, values: str, language: str = "en") -> dict[str, Any]:
    """A bar a row, with its figure beside it. names, values: names of columns."""
    _needed(table, names, values)
    called = [str(name) for name in table[names]]
    counts = [0.0 if value != value else float(value) for value in table[values].astype(float)]
    data = [marks.bars(called, counts, ACCENT)]
    shown = [say("unit.integer", language, value=round(value)) for value in counts]
    labels = [
        marks.beside(f"<b>{text}</b>", count, name) for text, count, name in zip(shown, counts, called, strict=True)
    ]
    most = max(counts, default=0) or 1
    x = axis(values, range=[0, most * 1.2], nticks=5)
    more: dict[str, Any] = {"meta": {"reach": most}, "margin": {"l": 8, "t": 6}, "bargap": 0.3}
    made = marks.figure(data, x, marks.names_axis(), language, labels=labels, **more)
    said = "; ".join(f"{name} {text}" for name, text in zip(called, shown, strict=True))
    return made | _about(values, said, len(called))


def _about(title: str, alt: str, rows: int) -> dict[str, Any]:
    return {"title": title, "alt": alt, "height": AROUND + ROW * rows}


def _largest(table: pd.DataFrame, rows: str, columns: str, values: str) -> pd.DataFrame:
    _needed(table, rows, columns, values)
    plain = table.astype({values: float})
    return plain.pivot_table(index=rows, columns=columns, values=values, aggfunc="max", observed=True, dropna=False)


def _needed(table: pd.DataFrame, *names: str) -> None:
    for name in names:
        if name not in table.columns:
            known = ", ".join(str(each) for each in table.columns)
            raise SizingError("not_a_choice", input="column", label="column", value=str(name)[:60], known=known)
    if not len(table):
        raise SizingError("plot_empty", input="table")


def _named(column: str, value: Any) -> str:
    """A value on an axis: a length of tokens in K, anything else as it is."""
    if "tokens" in column:
        return marks.short_tokens(int(value))
    return f"{column} = {value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
