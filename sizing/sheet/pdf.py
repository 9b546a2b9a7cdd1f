"""The sheet as a PDF of two A4 pages: the answer with its charts, then assumptions, working and sources."""

from __future__ import annotations

from collections.abc import Sequence

from sizing.sheet import charts, drawing, fonts
from sizing.sheet.canvas import Canvas
from sizing.sheet.content import Content

LEFT, RIGHT, TOP, BOTTOM = 14.0, 196.0, 12.0, 285.0
GUTTER = 6.0
WIDTH = RIGHT - LEFT
COLUMN = (WIDTH - GUTTER) / 2
SCALES = (
    1.0,
    0.95,
    0.9,
    0.86,
    0.82,
    0.78,
    0.74,
)  # smaller type where there is more to say, before anything is left out


def pdf(content: Content) -> bytes:
    """The whole file. SizingError where customer or remark have signs that the typeface lacks."""
    for name in ("customer", "remark"):
        fonts.check(name, getattr(content.request, name))
    canvas = Canvas(content.title, content.subject, content.language, content.request.made_on)
    _first(canvas, content)
    _second(canvas, content)
    return canvas.bytes()


def _frame(canvas: Canvas, content: Content, page: int) -> None:
    canvas.page()
    canvas.text(LEFT, TOP, content.title, size=9, bold=True)
    canvas.text(
        RIGHT, TOP + 0.7, content.say("sheet.page", page=page, pages=2), size=7, colour=drawing.MUTED, align="R"
    )
    canvas.line(LEFT, TOP + 5.5, RIGHT, TOP + 5.5)


def _first(canvas: Canvas, content: Content) -> None:
    _frame(canvas, content, 1)
    y = TOP + 7.5
    for line in content.head:
        y += canvas.block(LEFT, y, WIDTH, line, size=8, colour=drawing.MUTED)
    y += 3
    y += canvas.block(LEFT, y, WIDTH, content.subject, size=9, colour=drawing.MUTED) + 0.8
    colour = drawing.TEXT if content.sizing.fits else drawing.LIMIT
    y += canvas.block(LEFT, y, WIDTH, content.answer, size=18, bold=True, colour=colour) + 1.2
    y += canvas.block(LEFT, y, WIDTH, content.second, size=9) + 4
    y = _figures(canvas, content, y) + 6
    y = _charts(canvas, content, y)
    canvas.text(LEFT, y, content.say("sheet.section.notes"), size=10, bold=True)
    rows = [
        [
            (
                content.say(f"ui.level.{note.level}") + " ",
                True,
                drawing.LIMIT if note.level == "stop" else drawing.TEXT,
            ),
            (f"{note.say(content.language)} {content.mark(note.source)}".strip(), False, drawing.TEXT),
        ]
        for note in content.notes
    ]
    _fill(canvas, y + 6, BOTTOM - 4, rows, content)
    canvas.text(LEFT, BOTTOM, content.say("sheet.estimate_note"), size=6.5, colour=drawing.MUTED)


def _figures(canvas: Canvas, content: Content, y: float) -> float:
    width = WIDTH / len(content.figures)
    bottom = y
    for number, figure in enumerate(content.figures):
        x = LEFT + number * width
        canvas.line(x, y, x + width - 3, y)
        label = figure.label + (f" ({content.say('sheet.estimate')})" if figure.estimate else "")
        reach = canvas.block(x, y + 1.2, width - 3, label, size=6.8, colour=drawing.MUTED)
        size = next(
            size for size in (12, 11, 10, 9, 8, 7, 6) if size == 6 or canvas.width(figure.shown, size) < width - 2
        )
        canvas.text(x, y + 1.8 + reach, figure.shown, size=size, bold=True)
        bottom = max(bottom, y + 1.8 + reach + 5)
    return bottom


def _charts(canvas: Canvas, content: Content, y: float) -> float:
    for number, one in enumerate(charts.charts(content.sizing, content.language, COLUMN)):
        x = LEFT + (number % 2) * (COLUMN + GUTTER)
        top = y + (number // 2) * (charts.HEIGHT + 8)
        canvas.text(x, top, one.title, size=8.5, bold=True)
        canvas.draw(one, x, top + 5)
    drawn = number + 1
    if drawn % 2:
        _layouts(canvas, content, LEFT + COLUMN + GUTTER, y + (drawn // 2) * (charts.HEIGHT + 8))
    return y + -(-drawn // 2) * (charts.HEIGHT + 8)


def _layouts(canvas: Canvas, content: Content, x: float, y: float) -> None:
    """The table beside an odd chart: every layout with what its fullest card holds."""
    canvas.text(x, y, content.say("sheet.section.layouts"), size=8.5, bold=True)
    edges = (0.0, 52.0, 64.0, 77.0, COLUMN)
    heads = [content.say(f"sheet.layouts.{name}") for name in ("layout", "weights", "free", "kv", "conversations")]
    y += 6
    for edge, head in zip(edges, heads, strict=True):
        canvas.text(x + edge, y, head, size=6, colour=drawing.MUTED, align="L" if not edge else "R")
    y += 3.6
    canvas.line(x, y - 0.4, x + COLUMN, y - 0.4)
    shown = charts.shown_layouts(content.sizing)
    pitch = 4.1
    for layout in shown:
        row = content.layouts[content.sizing.layouts.index(layout)]
        chosen = layout == content.sizing.best
        figures = row[1:4] if layout.fits else (row[1], "", "")  # the reason takes the room of the others
        cells = (row[0], *(part.removesuffix(" GiB") for part in figures))
        last = row[4] if layout.fits else content.say("ui.does_not_fit")
        for edge, cell in zip(edges, (*cells, last), strict=True):
            colour = drawing.ACCENT if chosen else drawing.TEXT
            canvas.text(x + edge, y, cell, size=6.5, bold=chosen, colour=colour, align="L" if not edge else "R")
        y += pitch


Piece = tuple[str, bool, str]


def _fill(canvas: Canvas, top: float, bottom: float, rows: Sequence[Sequence[Piece]], content: Content) -> None:
    """Rows in two columns, in the largest type that holds them all; what does not fit even so is counted aloud."""
    for scale in SCALES:
        size = 7.4 * scale
        if _flow(canvas, top, bottom, rows, size, draw=False) == len(rows):
            _flow(canvas, top, top + _needed(canvas, rows, size), rows, size, draw=True)
            return
    held = _flow(canvas, top, bottom - 4, rows, 7.4 * SCALES[-1], draw=True)
    said = content.say("sheet.more_notes", count=len(rows) - held)
    canvas.text(LEFT, bottom - 3, said, size=6.5, bold=True)


def _flow(
    canvas: Canvas, top: float, bottom: float, rows: Sequence[Sequence[Piece]], size: float, *, draw: bool
) -> int:
    """How many rows fit into two columns; drawn on the way if asked."""
    x, y = LEFT, top
    for number, row in enumerate(rows):
        height = canvas.rich(x, y, COLUMN, row, size=size, draw=False)
        if y + height > bottom:
            if x > LEFT:
                return number
            x, y = LEFT + COLUMN + GUTTER, top
            if y + height > bottom:
                return number
        if draw:
            canvas.rich(x, y, COLUMN, row, size=size, draw=True)
        y += height + size * 0.16
    return len(rows)


def _second(canvas: Canvas, content: Content) -> None:
    _frame(canvas, content, 2)
    link = content.request.link
    bottom = BOTTOM - (9 if link else 0)
    y = TOP + 8
    y = _assumptions(canvas, content, y) + 4
    working = _working(content)
    sources = [
        [(f"[{number}] {content.source_line(key)}", False, drawing.TEXT)]
        for number, key in enumerate(content.source_keys, 1)
    ]
    _stacked(canvas, content, y, bottom, working, sources)
    if link:
        canvas.text(LEFT, BOTTOM - 4.5, content.say("sheet.open"), size=8, bold=True)
        canvas.linked(LEFT, BOTTOM - 0.5, WIDTH, link, size=6.5)


def _assumptions(canvas: Canvas, content: Content, y: float) -> float:
    """Inputs in three columns, changed ones bold."""
    canvas.text(LEFT, y, content.say("sheet.section.assumptions"), size=10, bold=True)
    canvas.text(RIGHT, y + 0.6, content.say("sheet.changed_hint"), size=6.5, colour=drawing.MUTED, align="R")
    y += 6
    rows = content.assumptions
    columns, size = 3, 6.8
    width = (WIDTH - (columns - 1) * GUTTER) / columns
    deep = -(-len(rows) // columns)
    pitch = 3.7
    for number, row in enumerate(rows):
        x, at = LEFT + (number // deep) * (width + GUTTER), y + (number % deep) * pitch
        label = canvas.cut(row.label, width * 0.5, size)
        canvas.text(x, at, label, size=size, colour=drawing.MUTED)
        shown = canvas.cut(row.shown, width - canvas.width(label, size) - 2, size)
        canvas.text(x + width, at, shown, size=size, bold=row.changed, align="R")
        canvas.line(x, at + pitch - 0.5, x + width, at + pitch - 0.5, drawing.GRID)
    return y + deep * pitch


def _working(content: Content) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for step in content.steps:
        mark = content.mark(step.source)
        rows.append(
            [
                (f"{step.say_title(content.language)} {mark}\n", True, drawing.TEXT),
                (f"{step.formula} = ", False, drawing.TEXT),
                (f"{content.result(step)}\n", True, drawing.TEXT),
                (content.given_line(step), False, drawing.MUTED),
            ]
        )
    return rows


def _stacked(
    canvas: Canvas,
    content: Content,
    top: float,
    bottom: float,
    working: Sequence[Sequence[Piece]],
    sources: Sequence[Sequence[Piece]],
) -> None:
    """Working above, sources below, both in two columns and in the same largest type that holds both."""
    heading = 6.0
    for scale in SCALES:
        size = 7.0 * scale
        middle = bottom - _needed(canvas, sources, size) - heading
        if _flow(canvas, top + heading, middle - 4, working, size, draw=False) == len(working):
            middle = top + heading + _needed(canvas, working, size) + 4
            break
    else:
        size = 7.0 * SCALES[-1]
        middle = bottom - min(_needed(canvas, sources, size) + heading, (bottom - top) * 0.35)
    parts: tuple[tuple[str, Sequence[Sequence[Piece]], float, float], ...] = (
        ("working", working, top, middle - 4),
        ("sources", sources, middle, bottom),
    )
    for name, rows, start, end in parts:
        canvas.text(LEFT, start, content.say(f"sheet.section.{name}"), size=10, bold=True)
        height = min(_needed(canvas, rows, size), end - start - heading)
        held = _flow(canvas, start + heading, start + heading + height, rows, size, draw=True)
        if held < len(rows):
            said = content.say(f"sheet.more_{'steps' if name == 'working' else 'sources'}", count=len(rows) - held)
            canvas.text(RIGHT, start + 0.6, said, size=6.5, bold=True, align="R")


def _needed(canvas: Canvas, rows: Sequence[Sequence[Piece]], size: float) -> float:
    """The least height at which two columns hold the rows."""
    low, high = 0.0, 400.0
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (low, middle) if _flow(canvas, 0, middle, rows, size, draw=False) == len(rows) else (middle, high)
    return high
