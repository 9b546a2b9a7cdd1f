"""The sheet as a workbook: inputs, results, working as live formulas over named cells, bill of materials, sources."""

from __future__ import annotations

import datetime
import io

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from sizing.answers.wording import HERE
from sizing.base.texts import unit
from sizing.sheet import xlsx_services
from sizing.sheet.cells import Cells, Formula, Linked, Value, input_name, link
from sizing.sheet.content import Content
from sizing.sheet.one_model import ModelContent
from sizing.sheet.request import StepCounter
from sizing.sheet.services import SharedContent

STEPS = 4
_BEFORE_ALL = datetime.datetime(2000, 1, 1)  # where no date is asked for, so that the bytes stay the same
_LONGEST_LINK = 255  # a cell's link in Excel


def xlsx(content: Content, progress: StepCounter) -> bytes:
    """The workbook, calculated when it is opened; its pages in the order in which they are read."""
    memory = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    made_on = content.request.made_on
    with xlsxwriter.Workbook(memory, options) as book:
        created = datetime.datetime.combine(made_on, datetime.time()) if made_on else _BEFORE_ALL
        book.set_properties({"title": content.title, "subject": content.subject, "created": created})
        book.set_calc_mode("auto")
        cells = Cells(book, content)
        linked = link(content.steps, content.scenario)
        results = {each.step.name: each.result.name for each in linked}
        middle = "services" if isinstance(content, SharedContent) else "layouts"
        names = ("results", middle, "inputs", "working", "parts", "notes", "sources")
        pages = {name: cells.page(name) for name in names}
        if isinstance(content, SharedContent):
            results.update(xlsx_services.write(cells, content, pages[middle]))
        elif isinstance(content, ModelContent):
            _layouts(cells, content, pages[middle])
        _inputs(cells, content, pages["inputs"], {cell.formula for each in linked for cell in each.inputs})
        progress.step()
        _working(cells, content, pages["working"], linked)
        progress.step()
        _results(cells, content, pages["results"], results)
        _parts(cells, content, pages["parts"])
        _notes(cells, content, pages["notes"])
        _sources(cells, content, pages["sources"])
        progress.step()
    progress.step()
    return memory.getvalue()


def _live(content: Content) -> str:
    """What recalculates and what does not."""
    return content.say(f"sheet.xlsx.live{'_shared' if isinstance(content, SharedContent) else ''}")


def _list(cells: Cells, page: Worksheet, columns: dict[str, float]) -> None:
    """Heads of a page's one list, by name, with their widths; they stay in view."""
    cells.widths(page, tuple(columns.values()))
    cells.header(page, 0, tuple(columns))
    page.freeze_panes(1, 0)


def _inputs(cells: Cells, content: Content, page: Worksheet, followed: set[str]) -> None:
    """followed: formulas of the working that take an input over."""
    _list(cells, page, {"input": 34, "value": 36, "unit": 12, "choice": 36, "name": 26})
    for row, each in enumerate(content.all_inputs, 1):
        name = input_name(each.name)
        style = "plain" if isinstance(each.value, str) else "given" if f"={name}" in followed else "figure"
        cells.row(
            page,
            row,
            (each.label, "bold" if each.changed else "plain"),
            (each.value, style),
            (each.unit, "plain"),
            (each.shown, "quiet"),
            (name, "quiet"),
        )
        cells.name(page, name, row, 1)


def _working(cells: Cells, content: Content, page: Worksheet, found: tuple[Linked, ...]) -> None:
    _list(cells, page, {"step": 58, "name": 36, "value": 18, "unit": 14, "formula": 62, "source": 60})
    row = 1
    for linked, title in zip(found, content.step_titles, strict=True):
        step, result = linked.step, linked.result
        for given, cell in zip(step.given, linked.inputs, strict=True):
            value: Value = Formula(cell.formula, cell.value) if cell.formula else cell.value
            named, origin = unit(given.unit, content.language), _origin(content, given.source, bool(cell.formula))
            cells.row(page, row, (cell.name, "quiet"), (value, "figure"), (named, "quiet"), start=1)
            cells.row(page, row, (origin, "quiet"), start=5)
            cells.name(page, cell.name, row, 2)
            row += 1
        cells.row(
            page,
            row,
            (title, "bold"),
            (result.name, "quiet"),
            (Formula(result.formula, result.value), "result"),
            (unit(step.unit, content.language), "plain"),
            (step.formula, "code"),
            (_origin(content, step.source, True), "quiet"),
        )
        cells.name(page, result.name, row, 2)
        row += 2
    cells.row(page, row, (_live(content), "quiet"))


def _origin(content: Content, source: str, live: bool) -> str:
    """Where a value comes from: the number of its source, or that it is fixed in this workbook."""
    mark = content.mark(source)
    if source in HERE:
        return mark if live else content.say("sheet.xlsx.elsewhere")
    return f"{mark} {content.source_line(source)}" if mark else ""


def _results(cells: Cells, content: Content, page: Worksheet, results: dict[str, str]) -> None:
    """results: name of the cell that each step, or sum of services, ends in."""
    cells.widths(page, (46, 18, 10, 60))
    for row, (line, style) in enumerate([(content.title, "bold"), *((line, "plain") for line in content.head)]):
        cells.row(page, row, (line, style))
    row += 2
    for line, style in ((content.subject, "quiet"), (content.answer, "large"), (content.second, "plain")):
        cells.row(page, row, (line, style))
        row += 1
    row += 1
    cells.header(page, row, ("figure", "value", "unit", "remark"))
    for each in (*content.figures, *content.more_figures):
        row += 1
        value: Value = Formula(f"={results[each.step]}", each.value or 0) if each.step else each.value
        remark = content.say("sheet.estimate") if each.estimate else ""
        remark = remark if each.value is not None else each.shown
        cells.row(page, row, (each.label, "plain"), (value, "result"), (each.unit, "plain"), (remark, "quiet"))
        cells.name(page, f"is_{each.name}", row, 1)
    cells.row(page, row + 2, (_live(content), "quiet"))
    cells.row(page, row + 3, (content.say("sheet.estimate_note"), "quiet"))
    if link := content.request.link:
        cells.row(page, row + 5, (content.say("sheet.open"), "bold"))
        if len(link) <= _LONGEST_LINK:
            page.write_url(row + 6, 0, link, cells.styles["link"], link)
        else:
            cells.row(page, row + 6, (link, "plain"))


def _parts(cells: Cells, content: Content, page: Worksheet) -> None:
    names = ("quantity", "part", "reason", "unit_price", "price", "currency", "remark", "source")
    _list(cells, page, dict(zip(names, (10, 46, 70, 14, 14, 10, 46, 10), strict=True)))
    row = 0
    for row, line in enumerate(content.parts, 1):
        priced = line.unit_price is not None
        cells.row(
            page,
            row,
            (line.quantity, "figure"),
            (line.what, "wrap"),
            (line.why, "wrap"),
            (line.unit_price, "figure"),
            (Formula(f"=A{row + 1}*D{row + 1}", line.price or 0) if priced else None, "figure"),
            (line.currency if priced else None, "plain"),
            (line.quoted, "wrap"),
            (f"{content.mark(line.source)} {content.mark(line.quote_source)}".strip(), "quiet"),
        )
    row += 1
    if content.total:
        amount, currency = content.total
        cells.row(page, row, (content.say("sheet.parts.total"), "bold"), start=1)
        cells.row(page, row, (Formula(f"=SUM(E2:E{row})", amount), "result"), (currency, "bold"), start=4)
        cells.name(page, "is_total", row, 4)
    for said in (content.mixed_currencies, content.parts_remark):
        if said:
            row += 1
            cells.row(page, row, (said, "quiet"), start=1)


def _layouts(cells: Cells, content: ModelContent, page: Worksheet) -> None:
    shown = content.table
    cells.widths(page, [34 if column in (0, 3, 4) else 22 for column in range(len(shown.heads))])
    cells.row(page, 0, *((head, "head") for head in shown.heads))
    row = 0
    for row, (layout, texts) in enumerate(zip(content.sizing.layouts, shown.rows, strict=True), 1):
        style = "bold" if row - 1 == shown.marked else "plain"
        figures = (layout.weights_gib_per_card, layout.free_gib_per_card, layout.kv_gib_per_card_per_conversation)
        counted = layout.fits and layout.conversations is not None
        count: tuple[Value, str] = (layout.conversations, "figure") if counted else (texts[4], style)
        cells.row(page, row, (texts[0], style), *((figure, "figure") for figure in figures), count)
    cells.row(page, row + 2, (content.say("sheet.xlsx.layouts_fixed"), "quiet"))


def _notes(cells: Cells, content: Content, page: Worksheet) -> None:
    _list(cells, page, {"level": 10, "note": 120, "source": 10})
    for row, note in enumerate(content.notes, 1):
        level, said = content.say(f"ui.level.{note.level}"), note.say(content.language)
        cells.row(page, row, (level, "bold"), (said, "wrap"), (content.mark(note.source), "quiet"))


def _sources(cells: Cells, content: Content, page: Worksheet) -> None:
    _list(cells, page, {"number": 8, "title": 150})
    for row, key in enumerate(content.source_keys, 1):
        cells.row(page, row, (content.mark(key), "plain"), (content.source_line(key), "wrap"))
