"""The sheet as a workbook: inputs, results, working as live formulas over named cells, bill of materials, sources."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from sizing.answers.wording import HERE
from sizing.base.texts import unit
from sizing.sheet import drawing, formula, xlsx_services
from sizing.sheet.content import Content
from sizing.sheet.formula import Linked
from sizing.sheet.one_model import ModelContent
from sizing.sheet.request import Progress
from sizing.sheet.services import SharedContent

STEPS = 4
_BEFORE_ALL = datetime.datetime(2000, 1, 1)  # where no date is asked for, so that the bytes stay the same
_LONGEST_LINK = 255  # a cell's link in Excel


def xlsx(content: Content, progress: Progress) -> bytes:
    """The workbook, calculated when it is opened."""
    memory = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    made_on = content.request.made_on
    with xlsxwriter.Workbook(memory, options) as book:
        created = datetime.datetime.combine(made_on, datetime.time()) if made_on else _BEFORE_ALL
        book.set_properties({"title": content.title, "subject": content.subject, "created": created})
        book.set_calc_mode("auto")
        Book(book, content).write(progress)
    progress.step()
    return memory.getvalue()


class Book:
    """One workbook as it is written. results: name of the cell that each step, or sum of services, ends in."""

    def __init__(self, book: Workbook, content: Content) -> None:
        self.book, self.content = book, content
        self.linked = formula.link(content.steps, content.scenario)
        self.results = {linked.step.name: linked.result.name for linked in self.linked}

    def style(self, **more: Any) -> Format:
        """A style of cells."""
        return self.book.add_format({"font_name": "Arial", "font_size": 10, "valign": "top", **more})

    def write(self, progress: Progress) -> None:
        """Every page, in the order in which they are read."""
        self.plain, self.wrap = self.style(), self.style(text_wrap=True)
        self.head = self.style(bold=True, font_color=drawing.MUTED, bottom=1, bottom_color=drawing.LINE)
        self.bold = self.style(bold=True)
        self.large = self.style(bold=True, font_size=16)
        self.quiet = self.style(font_color=drawing.MUTED, text_wrap=False)
        self.figure = self.style(num_format="#,##0.####")
        self.result = self.style(num_format="#,##0.####", bold=True)
        self.share = self.style(num_format="0.00%")
        self.given = self.style(num_format="#,##0.####", bg_color="#fff7d6")
        self.code = self.style(font_name="Courier New", font_size=9)
        table = "services" if isinstance(self.content, SharedContent) else "layouts"
        pages = {
            name: self._page(name) for name in ("results", table, "inputs", "working", "parts", "notes", "sources")
        }
        if isinstance(self.content, SharedContent):
            self.results.update(xlsx_services.write(self, self.content, pages[table]))
        elif isinstance(self.content, ModelContent):
            self._layouts(self.content, pages[table])
        self._inputs(pages["inputs"])
        progress.step()
        self._working(pages["working"])
        progress.step()
        self._results(pages["results"])
        self._parts(pages["parts"])
        self._notes(pages["notes"])
        self._sources(pages["sources"])
        progress.step()

    @property
    def _live(self) -> str:
        """What recalculates and what does not."""
        return self.content.say(f"sheet.xlsx.live{'_shared' if isinstance(self.content, SharedContent) else ''}")

    def _page(self, name: str) -> Worksheet:
        page = self.book.add_worksheet(self.content.say(f"sheet.section.{name}")[:31])
        page.hide_gridlines(2)
        page.set_paper(9)
        page.fit_to_pages(1, 0)
        return page

    def _header(self, page: Worksheet, row: int, names: Sequence[str], widths: Sequence[float]) -> None:
        for column, (name, width) in enumerate(zip(names, widths, strict=True)):
            page.set_column(column, column, width, self.plain)
            page.write_string(row, column, self.content.say(f"sheet.column.{name}"), self.head)
        page.freeze_panes(row + 1, 0)

    def name(self, page: Worksheet, name: str, row: int, column: int) -> None:
        """Give a cell a name that formulas can use."""
        place = f"${chr(ord('A') + column)}${row + 1}"
        self.book.define_name(name, f"='{page.get_name()}'!{place}")

    def _inputs(self, page: Worksheet) -> None:
        self._header(page, 0, ("input", "value", "unit", "choice", "name"), (34, 36, 12, 36, 26))
        followed = {cell.formula for linked in self.linked for cell in linked.inputs}
        for row, each in enumerate(self.content.all_inputs, 1):
            page.write_string(row, 0, each.label, self.bold if each.changed else self.plain)
            name = formula.input_name(each.name)
            if isinstance(each.value, str):
                page.write_string(row, 1, each.value, self.plain)
            else:
                page.write_number(row, 1, each.value, self.given if f"={name}" in followed else self.figure)
            page.write_string(row, 2, each.unit, self.plain)
            page.write_string(row, 3, each.shown, self.quiet)
            page.write_string(row, 4, name, self.quiet)
            self.name(page, name, row, 1)

    def _working(self, page: Worksheet) -> None:
        content = self.content
        self._header(page, 0, ("step", "name", "value", "unit", "formula", "source"), (58, 36, 18, 14, 62, 60))
        row = 1
        for linked, title in zip(self.linked, content.step_titles, strict=True):
            row = self._step(page, row, linked, title) + 1
        page.write_string(row, 0, self._live, self.quiet)

    def _step(self, page: Worksheet, row: int, linked: Linked, title: str) -> int:
        content, step = self.content, linked.step
        for given, cell in zip(step.given, linked.inputs, strict=True):
            page.write_string(row, 1, cell.name, self.quiet)
            if cell.formula:
                page.write_formula(row, 2, cell.formula, self.figure, cell.value)
            else:
                page.write_number(row, 2, cell.value, self.figure)
            page.write_string(row, 3, unit(given.unit, content.language), self.quiet)
            page.write_string(row, 5, self._origin(given.source, bool(cell.formula)), self.quiet)
            self.name(page, cell.name, row, 2)
            row += 1
        page.write_string(row, 0, title, self.bold)
        page.write_string(row, 1, linked.result.name, self.quiet)
        page.write_formula(row, 2, linked.result.formula, self.result, linked.result.value)
        page.write_string(row, 3, unit(step.unit, content.language), self.plain)
        page.write_string(row, 4, step.formula, self.code)
        page.write_string(row, 5, self._origin(step.source, True), self.quiet)
        self.name(page, linked.result.name, row, 2)
        return row + 1

    def _origin(self, source: str, live: bool) -> str:
        """Where a value comes from: the number of its source, or that it is fixed in this workbook."""
        content = self.content
        if source in HERE:
            return content.mark(source) if live else content.say("sheet.xlsx.elsewhere")
        mark = content.mark(source)
        return f"{mark} {content.source_line(source)}" if mark else ""

    def _results(self, page: Worksheet) -> None:
        content = self.content
        page.set_column(0, 0, 46, self.plain)
        page.set_column(1, 1, 18, self.plain)
        page.set_column(2, 2, 10, self.plain)
        page.set_column(3, 3, 60, self.plain)
        page.write_string(0, 0, content.title, self.bold)
        row = 1
        for line in content.head:
            page.write_string(row, 0, line, self.plain)
            row += 1
        page.write_string(row + 1, 0, content.subject, self.quiet)
        page.write_string(row + 2, 0, content.answer, self.large)
        page.write_string(row + 3, 0, content.second, self.plain)
        row += 5
        for column, name in enumerate(("figure", "value", "unit", "remark")):
            page.write_string(row, column, content.say(f"sheet.column.{name}"), self.head)
        for each in (*content.figures, *content.more_figures):
            row += 1
            page.write_string(row, 0, each.label, self.plain)
            if each.step:
                page.write_formula(row, 1, f"={self.results[each.step]}", self.result, each.value or 0)
            elif each.value is not None:
                page.write_number(row, 1, each.value, self.result)
            page.write_string(row, 2, each.unit, self.plain)
            remark = content.say("sheet.estimate") if each.estimate else ""
            page.write_string(row, 3, remark if each.value is not None else each.shown, self.quiet)
            self.name(page, f"is_{each.name}", row, 1)
        page.write_string(row + 2, 0, self._live, self.quiet)
        page.write_string(row + 3, 0, content.say("sheet.estimate_note"), self.quiet)
        link = content.request.link
        if link:
            page.write_string(row + 5, 0, content.say("sheet.open"), self.bold)
            if len(link) <= _LONGEST_LINK:
                page.write_url(row + 6, 0, link, self.style(font_color=drawing.ACCENT, underline=1), link)
            else:
                page.write_string(row + 6, 0, link, self.plain)

    def _parts(self, page: Worksheet) -> None:
        content = self.content
        names = ("quantity", "part", "reason", "unit_price", "price", "currency", "remark", "source")
        self._header(page, 0, names, (10, 46, 70, 14, 14, 10, 46, 10))
        row = 0
        for row, line in enumerate(content.parts, 1):
            if line.quantity is not None:
                page.write_number(row, 0, line.quantity, self.figure)
            page.write_string(row, 1, line.what, self.wrap)
            page.write_string(row, 2, line.why, self.wrap)
            if line.unit_price is not None:
                page.write_number(row, 3, line.unit_price, self.figure)
                page.write_formula(row, 4, f"=A{row + 1}*D{row + 1}", self.figure, line.price or 0)
                page.write_string(row, 5, line.currency, self.plain)
            page.write_string(row, 6, line.quoted, self.wrap)
            marks = f"{content.mark(line.source)} {content.mark(line.quote_source)}".strip()
            page.write_string(row, 7, marks, self.quiet)
        row += 1
        if content.total:
            amount, currency = content.total
            page.write_string(row, 1, content.say("sheet.parts.total"), self.bold)
            page.write_formula(row, 4, f"=SUM(E2:E{row})", self.result, amount)
            page.write_string(row, 5, currency, self.bold)
            self.name(page, "is_total", row, 4)
        for said in (content.mixed_currencies, content.parts_remark):
            if said:
                row += 1
                page.write_string(row, 1, said, self.quiet)

    def _layouts(self, content: ModelContent, page: Worksheet) -> None:
        shown = content.table
        for column, name in enumerate(shown.heads):
            page.set_column(column, column, 34 if column in (0, 3, 4) else 22, self.plain)
            page.write_string(0, column, name, self.head)
        row = 0
        for row, (layout, cells) in enumerate(zip(content.sizing.layouts, shown.rows, strict=True), 1):
            style = self.bold if layout == content.sizing.best else self.plain
            page.write_string(row, 0, cells[0], style)
            page.write_number(row, 1, layout.weights_gib_per_card, self.figure)
            page.write_number(row, 2, layout.free_gib_per_card, self.figure)
            page.write_number(row, 3, layout.kv_gib_per_card_per_conversation, self.figure)
            if layout.fits and layout.conversations is not None:
                page.write_number(row, 4, layout.conversations, self.figure)
            else:
                page.write_string(row, 4, cells[4], style)
        page.write_string(row + 2, 0, content.say("sheet.xlsx.layouts_fixed"), self.quiet)

    def _notes(self, page: Worksheet) -> None:
        content = self.content
        self._header(page, 0, ("level", "note", "source"), (10, 120, 10))
        for row, note in enumerate(content.notes, 1):
            page.write_string(row, 0, content.say(f"ui.level.{note.level}"), self.bold)
            page.write_string(row, 1, note.say(content.language), self.wrap)
            page.write_string(row, 2, content.mark(note.source), self.quiet)

    def _sources(self, page: Worksheet) -> None:
        content = self.content
        self._header(page, 0, ("number", "title"), (8, 150))
        for row, key in enumerate(content.source_keys, 1):
            page.write_string(row, 0, content.mark(key), self.plain)
            page.write_string(row, 1, content.source_line(key), self.wrap)
