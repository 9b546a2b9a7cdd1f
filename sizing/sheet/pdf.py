"""The sheet as a PDF of two A4 pages: the answer with its charts; assumptions, bill of materials, working, sources."""

from __future__ import annotations

from sizing.sheet import canvas as fonts
from sizing.sheet import drawing
from sizing.sheet.canvas import BOTTOM, COLUMN, GUTTER, LEFT, RIGHT, SCALES, TOP, WIDTH, Canvas, Piece, Rows
from sizing.sheet.content import Content, amount
from sizing.sheet.request import StepCounter

STEPS = 4
_HEADING = 6.0  # height of a section's heading [mm]
_BETWEEN = 3.5  # room between two sections [mm]
_TABLE_LOWEST = 225.0  # a wide table may always reach down to here, and further where notes leave room [mm]
_SOURCES_MOST = 0.35  # part of the page that sources may take where not everything has room


def pdf(content: Content, progress: StepCounter) -> bytes:
    """The whole file. SizingError where customer or remark have signs that the typeface lacks."""
    for name in ("customer", "remark"):
        fonts.check(name, getattr(content.request, name))
    canvas = Canvas(content.title, content.subject, content.language, content.request.made_on)
    progress.step()
    _first(canvas, content)
    progress.step()
    _second(canvas, content)
    progress.step()
    made = canvas.bytes()
    progress.step()
    return made


def _frame(canvas: Canvas, content: Content, page: int) -> None:
    canvas.page()
    canvas.text(LEFT, TOP, content.title, size=9, bold=True)
    said = content.say("sheet.page", page=page, pages=2)
    canvas.text(RIGHT, TOP + 0.7, said, size=7, colour=drawing.MUTED, align="R")
    canvas.line(LEFT, TOP + 5.5, RIGHT, TOP + 5.5)


def _first(canvas: Canvas, content: Content) -> None:
    _frame(canvas, content, 1)
    y = TOP + 7.5
    for line in content.head:
        y += canvas.block(LEFT, y, WIDTH, line, size=8, colour=drawing.MUTED)
    y += 3
    y += canvas.block(LEFT, y, WIDTH, content.subject, size=9, colour=drawing.MUTED) + 0.8
    colour = drawing.TEXT if content.fits else drawing.LIMIT
    y += canvas.block(LEFT, y, WIDTH, content.answer, size=18, bold=True, colour=colour) + 1.2
    y += canvas.block(LEFT, y, WIDTH, content.second, size=9) + 4
    y = _figures(canvas, content, y) + 6
    y = _charts(canvas, content, y)
    canvas.text(LEFT, y, content.say("sheet.section.notes"), size=10, bold=True)
    _notes(canvas, content, y + _HEADING, BOTTOM - 4)
    canvas.text(LEFT, BOTTOM, content.say("sheet.estimate_note"), size=6.5, colour=drawing.MUTED)


def _figures(canvas: Canvas, content: Content, y: float) -> float:
    width = WIDTH / len(content.figures)
    bottom = y
    for number, figure in enumerate(content.figures):
        x = LEFT + number * width
        canvas.line(x, y, x + width - 3, y)
        label = figure.label + (f" ({content.say('sheet.estimate')})" if figure.estimate else "")
        reach = canvas.block(x, y + 1.2, width - 3, label, size=6.8, colour=drawing.MUTED)
        sizes = (12, 11, 10, 9, 8, 7)
        size = next((size for size in sizes if canvas.width(figure.shown, size) < width - 2), sizes[-1])
        high = canvas.block(x, y + 1.8 + reach, width - 2, figure.shown, size=size, bold=True)
        bottom = max(bottom, y + 1.8 + reach + max(high, 5))
    return bottom


def _charts(canvas: Canvas, content: Content, y: float) -> float:
    """Charts in two columns; a small table takes the place beside an odd one, a wide one stands below."""
    drawn = content.drawings(COLUMN)
    row = drawn[0].height + 8
    for number, one in enumerate(drawn):
        x, top = LEFT + (number % 2) * (COLUMN + GUTTER), y + (number // 2) * row
        canvas.text(x, top, one.title, size=8.5, bold=True)
        canvas.draw(one, x, top + 5)
    if content.table.narrow and len(drawn) % 2:
        _narrow(canvas, content, LEFT + COLUMN + GUTTER, y + (len(drawn) // 2) * row)
    y += -(-len(drawn) // 2) * row
    return y if content.table.narrow else _wide(canvas, content, y) + 5


def _narrow(canvas: Canvas, content: Content, x: float, y: float) -> None:
    """The table beside a chart: names on the left, figures right."""
    shown = content.table
    canvas.text(x, y, shown.title, size=8.5, bold=True)
    y += 6
    for edge, head in zip(shown.edges, shown.short, strict=True):
        canvas.text(x + edge, y, head, size=6, colour=drawing.MUTED, align="R" if edge else "L")
    y += 3.6
    canvas.line(x, y - 0.4, x + COLUMN, y - 0.4)
    for number, row in enumerate(shown.short_rows):
        colour = drawing.ACCENT if number == 0 else drawing.TEXT
        before = 0.0
        for edge, cell in zip(shown.edges, row, strict=True):
            room = (shown.edges[1] - 8 if not edge else edge - before) - 0.8
            kept = canvas.cut(cell, room, 6.5)
            canvas.text(x + edge, y, kept, size=6.5, bold=number == 0, colour=colour, align="R" if edge else "L")
            before = edge
        y += 4.1


def _wide(canvas: Canvas, content: Content, y: float) -> float:
    """The table over the whole width; its last column takes as many lines as it needs."""
    shown, size = content.table, 6.5
    canvas.text(LEFT, y, shown.title, size=8.5, bold=True)
    y += 6
    last = shown.edges[-1]
    for edge, head in zip(shown.edges, shown.heads, strict=True):
        align = "L" if edge in (0, last) else "R"
        canvas.text(LEFT + edge, y, head, size=6, colour=drawing.MUTED, align=align)  # type: ignore[arg-type]
    y += 3.6
    notes = Rows(canvas, _said_notes(content), 7.4 * SCALES[3]).needed()
    lowest = max(_TABLE_LOWEST, BOTTOM - 4 - notes - _HEADING - 6)
    lasts = _lasts(canvas, content, WIDTH - last, lowest - y, size)
    for row, (said, high) in zip(shown.rows, lasts, strict=True):
        canvas.line(LEFT, y - 0.5, RIGHT, y - 0.5, drawing.GRID)
        for edge, cell in zip(shown.edges[:-1], row, strict=False):
            kept = canvas.cut(cell, shown.edges[1] - 9, size) if not edge else cell
            canvas.text(LEFT + edge, y, kept, size=size, align="R" if edge else "L")
        canvas.block(LEFT + last, y, WIDTH - last, said, size=size)
        y += high
    return y


def _lasts(canvas: Canvas, content: Content, width: float, room: float, size: float) -> list[tuple[str, float]]:
    """Text of the last column and height of each row [mm]: in full, or cut to the lines that the page has room for."""
    found: list[tuple[str, float]] = []
    for most in (99, 3, 2, 1):
        found = []
        for row in content.table.rows:
            said = canvas.cut(row[-1], width * most * (0.9 if most > 1 else 1), size)
            high = canvas.rich(0, 0, width, [(said, False, drawing.TEXT)], size=size, draw=False)
            found.append((said, max(high, 2.9) + 0.8))
        if sum(high for _, high in found) <= room:
            break
    return found


def _notes(canvas: Canvas, content: Content, top: float, bottom: float) -> None:
    """In two columns, in the largest type that holds them all; what does not fit even so is counted aloud."""
    rows = _said_notes(content)
    for scale in SCALES:
        measured = Rows(canvas, rows, 7.4 * scale)
        needed = measured.needed()
        if needed <= bottom - top:
            measured.draw(top, needed)
            return
    held = measured.draw(top, bottom - 4 - top)
    said = content.say("sheet.more_notes", count=len(rows) - held)
    canvas.text(LEFT, bottom - 3, said, size=6.5, bold=True)


def _said_notes(content: Content) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for note in content.notes:
        colour = drawing.LIMIT if note.level == "stop" else drawing.TEXT
        said = f"{note.say(content.language)} {content.mark(note.source)}".strip()
        rows.append([(content.say(f"ui.level.{note.level}") + " ", True, colour), (said, False, drawing.TEXT)])
    return rows


def _second(canvas: Canvas, content: Content) -> None:
    _frame(canvas, content, 2)
    link = content.request.link
    bottom = BOTTOM - (9 if link else 0)
    y = _assumptions(canvas, content, TOP + 8) + 4
    _stacked(canvas, content, y, bottom)
    if link:
        canvas.text(LEFT, BOTTOM - 4.5, content.say("sheet.open"), size=8, bold=True)
        canvas.linked(LEFT, BOTTOM - 0.5, WIDTH, link, size=6.5)


def _assumptions(canvas: Canvas, content: Content, y: float) -> float:
    """Inputs in three columns, changed ones bold."""
    canvas.text(LEFT, y, content.say("sheet.section.assumptions"), size=10, bold=True)
    canvas.text(RIGHT, y + 0.6, content.say("sheet.changed_hint"), size=6.5, colour=drawing.MUTED, align="R")
    y += _HEADING
    rows = content.assumptions
    columns, size = 3, 6.8
    width = (WIDTH - (columns - 1) * GUTTER) / columns
    deep = -(-len(rows) // columns)
    pitch = 3.7
    for number, row in enumerate(rows):
        x, at = LEFT + (number // deep) * (width + GUTTER), y + (number % deep) * pitch
        label = canvas.cut(row.label, width * 0.55, size)
        canvas.text(x, at, label, size=size, colour=drawing.MUTED)
        shown = canvas.cut(row.shown, width - canvas.width(label, size) - 2, size)
        canvas.text(x + width, at, shown, size=size, bold=row.changed, align="R")
        canvas.line(x, at + pitch - 0.5, x + width, at + pitch - 0.5, drawing.GRID)
    return y + deep * pitch


def _stacked(canvas: Canvas, content: Content, top: float, bottom: float) -> None:
    """Bill of materials, working and sources one below the other, in the same largest type that holds them.

    Where even the smallest does not, the bill is left to the other files and says so; then the working is cut.
    """
    sections = {"parts": _parts(content), "working": _working(content), "sources": _sources(content)}
    for names in (tuple(sections), ("working", "sources")):
        for scale in SCALES:
            measured = {name: Rows(canvas, sections[name], 7.0 * scale) for name in names}
            heights = {name: rows.needed() for name, rows in measured.items()}
            if top + sum(heights.values()) + len(names) * (_HEADING + _BETWEEN) - _BETWEEN <= bottom:
                return _sections(canvas, content, top, measured, heights)
    free = bottom - top - 2 * _HEADING - _BETWEEN
    heights["sources"] = min(heights["sources"], free * _SOURCES_MOST)
    heights["working"] = free - heights["sources"]
    return _sections(canvas, content, top, measured, heights)


def _sections(canvas: Canvas, content: Content, y: float, measured: dict[str, Rows], heights: dict[str, float]) -> None:
    for name, rows in measured.items():
        canvas.text(LEFT, y, content.say(f"sheet.section.{name}"), size=10, bold=True)
        held = rows.draw(y + _HEADING, heights[name])
        said = ""
        if held < len(rows.rows):
            said = content.say(f"sheet.more_{'steps' if name == 'working' else name}", count=len(rows.rows) - held)
        elif name == "working" and "parts" not in measured:
            said = content.say("sheet.parts.elsewhere")
        canvas.text(RIGHT, y + 0.6, said, size=6.5, bold=True, align="R")
        y += _HEADING + heights[name] + _BETWEEN


def _parts(content: Content) -> list[list[Piece]]:
    """A line each: quantity, what, the reason in a few words, price."""
    rows: list[list[Piece]] = []
    for line in content.parts:
        count = "" if line.quantity is None else f"{content.say('unit.integer', value=line.quantity)} × "
        price = amount(line.price, line.currency, content.language)
        row: list[Piece] = [(count, True, drawing.TEXT), (f"{line.what} ", False, drawing.TEXT)]
        mark = content.mark(line.quote_source)
        row.append((f"– {line.short} " if line.short else "", False, drawing.MUTED))
        rows.append([*row, (f"{price} {mark}".strip(), True, drawing.TEXT)])
    if content.total:
        said = f"{content.say('sheet.parts.total')}: {amount(*content.total, content.language)}"
        rows.append([(said, True, drawing.TEXT)])
    rows += [[(said, False, drawing.TEXT)] for said in (content.parts_remark, content.mixed_currencies) if said]
    return rows


def _working(content: Content) -> list[list[Piece]]:
    return [
        [
            (f"{title} {content.mark(step.source)}\n", True, drawing.TEXT),
            (f"{step.formula} = ", False, drawing.TEXT),
            (f"{content.result(step)}\n", True, drawing.TEXT),
            (content.given_line(step), False, drawing.MUTED),
        ]
        for step, title in zip(content.steps, content.step_titles, strict=True)
    ]


def _sources(content: Content) -> list[list[Piece]]:
    return [
        [(f"[{number}] {content.source_line(key)}", False, drawing.TEXT)]
        for number, key in enumerate(content.source_keys, 1)
    ]
