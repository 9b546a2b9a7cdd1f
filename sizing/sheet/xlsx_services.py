"""The workbook's page of services: what each asks for and holds, its copies card by card, and the cards, all summed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xlsxwriter.worksheet import Worksheet

from sizing.answers.wording import precision
from sizing.catalogue.listing import letter
from sizing.sharing.blocks import blocks
from sizing.sharing.board import Engine
from sizing.sharing.wording import held, place, wanted, where
from sizing.sheet.services import SharedContent

if TYPE_CHECKING:
    from sizing.sheet.xlsx import Book

# One grid for three tables, so that what is alike stands in one column.
_SERVICES = ("service", "model", "copies", "precision", "context", "place", "wanted", "held")
_COPIES = ("service", "model", "copy", "server", "card", "place", "engine_share", "held")
_CARDS = ("card", "use", "", "server", "", "", "", "")
_MEMORY = ("weights", "cache", "left", "reserve", "all")
_REST = ("spare", "untouched", "whole")
_WIDTHS = (9, 30, 9, 12, 10, 44, 18, 15, 15, 13, 17, 15, 16, 32, 18, 18)
_HELD, _FIRST, _ALL = 7, 8, 12  # columns of the conversations, of the weights, of the sum


def write(book: Book, content: SharedContent, page: Worksheet) -> dict[str, str]:
    """The page; names of the cells that results take over."""
    for column, width in enumerate(_WIDTHS):
        page.set_column(column, column, width, book.plain)
    page.set_landscape()
    page.freeze_panes(1, 2)
    placement = content.shared.placement
    copies = sum(len(engine.cards) for engine in placement.engines)
    services = len(placement.needs)
    first_copy = services + 5  # counted from 1, as formulas do
    last_copy = first_copy + max(copies, 1) - 1
    copies_at = _Range(first_copy, last_copy)
    _head(book, content, page, 0, (*_SERVICES, *_MEMORY))
    _services(book, content, page, copies_at)
    page.write_string(first_copy - 3, 0, content.say("sheet.services.placement"), book.bold)
    _head(book, content, page, first_copy - 2, (*_COPIES, *_MEMORY))
    _copies(book, content, page, first_copy - 1)
    page.write_string(last_copy + 1, 0, content.say("sheet.services.cards"), book.bold)
    _head(book, content, page, last_copy + 2, (*_CARDS, *_MEMORY, *_REST))
    return _cards(book, content, page, last_copy + 3, copies_at)


class _Range:
    """Rows of the copies, counted from 1."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last

    def of(self, column: int) -> str:
        """A column of them."""
        name = _column(column)
        return f"${name}${self.first}:${name}${self.last}"


def _column(number: int) -> str:
    return chr(ord("A") + number)


def _head(book: Book, content: SharedContent, page: Worksheet, row: int, names: Sequence[str]) -> None:
    for column, name in enumerate(names):
        page.write_string(row, column, content.say(f"sheet.column.{name}") if name else "", book.head)


def _services(book: Book, content: SharedContent, page: Worksheet, copies: _Range) -> None:
    shared, language = content.shared, content.language
    for number, each in enumerate(shared.placement.needs):
        row, asked = number + 1, each.service
        cache = precision(each.kv_dtype, language) if each.kv_kib else content.say("ui.sharing.none")
        page.write_string(row, 0, letter(number), book.bold)
        page.write_string(row, 1, each.name, book.plain)
        page.write_number(row, 2, asked.copies, book.figure)
        page.write_string(row, 3, cache, book.plain)
        page.write_number(row, 4, asked.context_tokens, book.figure)
        page.write_string(row, 5, where(shared, number, language), book.plain)
        if asked.conversations:
            page.write_number(row, 6, asked.conversations, book.figure)
        else:
            page.write_string(row, 6, wanted(shared, number, language), book.plain)
        count = shared.placement.conversations(number)
        if number in shared.placement.left_out or count is None:
            page.write_string(row, _HELD, held(shared, number, language), book.plain)
        else:
            page.write_formula(row, _HELD, _sum_if(copies, 0, f"$A{row + 1}", _HELD), book.result, count)
        engines = shared.placement.engines_of(number)
        sums = [sum(len(engine.cards) * _parts(engine)[part] for engine in engines) for part in range(4)]
        for column, value in enumerate(sums, _FIRST):
            page.write_formula(row, column, _sum_if(copies, 0, f"$A{row + 1}", column), book.figure, value)
        page.write_formula(row, _ALL, _sum_across(row), book.result, sum(sums))
        book.name(page, f"service_{letter(number)}_gib", row, _ALL)


def _copies(book: Book, content: SharedContent, page: Worksheet, row: int) -> None:
    placement = content.shared.placement
    for engine in placement.engines:
        for number, card in enumerate(engine.cards):
            page.write_string(row, 0, letter(engine.service), book.bold)
            page.write_string(row, 1, placement.needs[engine.service].name, book.plain)
            page.write_number(row, 2, engine.copy, book.figure)
            page.write_number(row, 3, engine.server, book.figure)
            page.write_number(row, 4, card, book.figure)
            page.write_string(row, 5, place(engine, content.language), book.plain)
            page.write_number(row, 6, engine.share, book.share)
            if number == 0 and engine.conversations is not None:  # a copy over several cards holds them once
                page.write_number(row, _HELD, engine.conversations, book.figure)
            parts = _parts(engine)
            for column, value in enumerate(parts, _FIRST):
                page.write_number(row, column, value, book.figure)
            page.write_formula(row, _ALL, _sum_across(row), book.result, sum(parts))
            row += 1


def _cards(book: Book, content: SharedContent, page: Worksheet, row: int, copies: _Range) -> dict[str, str]:
    placement, top = content.shared.placement, row
    written: list[tuple[float, ...]] = []
    for card in placement.cards:
        found = list(blocks(placement, card))
        whole = found[-1].base_gib + found[-1].size_gib
        page.write_number(row, 0, card.number, book.figure)
        page.write_string(row, 1, content.say(f"ui.sharing.mode.{card.mode}"), book.plain)
        page.write_number(row, 3, card.server, book.figure)
        sums = [sum(_parts(engine)[part] for engine in card.engines) for part in range(4)]
        for column, value in enumerate(sums, _FIRST):
            page.write_formula(row, column, _sum_if(copies, 4, f"$A{row + 1}", column), book.figure, value)
        page.write_formula(row, _ALL, _sum_across(row), book.result, sum(sums))
        page.write_number(row, _ALL + 1, card.free_gib, book.figure)
        rest = whole - sum(sums) - card.free_gib
        page.write_formula(row, _ALL + 2, f"=P{row + 1}-M{row + 1}-N{row + 1}", book.figure, rest)
        page.write_number(row, _ALL + 3, whole, book.figure)
        book.name(page, f"card_{card.number}_gib", row, _ALL)
        written.append((*sums, sum(sums), card.free_gib, rest, whole))
        row += 1
    page.write_string(row, 1, content.say("sheet.services.all"), book.bold)
    for column, value in enumerate(map(sum, zip(*written, strict=True)), _FIRST):
        name = _column(column)
        page.write_formula(row, column, f"=SUM({name}{top + 1}:{name}{row})", book.result, value)
    book.name(page, "all_cards_gib", row, _ALL)
    book.name(page, "all_free_gib", row, _ALL + 1)
    return {"free_gib": "all_free_gib"}


def _parts(engine: Engine) -> tuple[float, float, float, float]:
    """What it holds of one of its cards, in the order of the columns. [GiB]"""
    return engine.weights_gib, engine.cache_gib, engine.left_gib, engine.reserve_gib


def _sum_if(copies: _Range, by: int, equals: str, column: int) -> str:
    return f"=SUMIF({copies.of(by)},{equals},{copies.of(column)})"


def _sum_across(row: int) -> str:
    return f"=SUM({_column(_FIRST)}{row + 1}:{_column(_ALL - 1)}{row + 1})"
