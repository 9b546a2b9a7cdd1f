"""The workbook's page of services: what each asks for and holds, its copies card by card, and the cards, all summed."""

from __future__ import annotations

from typing import NamedTuple

from xlsxwriter.worksheet import Worksheet

from sizing.answers.wording import precision
from sizing.catalogue.listing import letter
from sizing.sharing.board import Engine
from sizing.sharing.placement import blocks
from sizing.sharing.wording import held, place, wanted, where
from sizing.sheet.cells import Cells, Formula, Value, letter_of
from sizing.sheet.services import SharedContent

# One grid for three tables, so that what is alike stands in one column.
_SERVICES = ("service", "model", "copies", "precision", "context", "place", "wanted", "held")
_COPIES = ("service", "model", "copy", "server", "card", "place", "engine_share", "held")
_CARDS = ("card", "use", "", "server", "", "", "", "")
_MEMORY = ("weights", "cache", "left", "reserve", "all")
_REST = ("spare", "untouched", "whole")
_WIDTHS = (9, 30, 9, 12, 10, 44, 18, 15, 15, 13, 17, 15, 16, 32, 18, 18)
_HELD, _FIRST, _ALL = 7, 8, 12  # columns of the conversations, of the weights, of the sum


def write(cells: Cells, content: SharedContent, page: Worksheet) -> dict[str, str]:
    """The page; names of the cells that results take over."""
    cells.widths(page, _WIDTHS)
    page.set_landscape()
    page.freeze_panes(1, 2)
    placement = content.shared.placement
    first = len(placement.needs) + 5  # counted from 1, as formulas do
    copies = _Range(first, first + max(sum(len(engine.cards) for engine in placement.engines), 1) - 1)
    cells.header(page, 0, (*_SERVICES, *_MEMORY))
    _services(cells, content, page, copies)
    cells.row(page, copies.first - 3, (content.say("sheet.services.placement"), "bold"))
    cells.header(page, copies.first - 2, (*_COPIES, *_MEMORY))
    _copies(cells, content, page, copies.first - 1)
    cells.row(page, copies.last + 1, (content.say("sheet.services.cards"), "bold"))
    cells.header(page, copies.last + 2, (*_CARDS, *_MEMORY, *_REST))
    return _cards(cells, content, page, copies.last + 3, copies)


class _Range(NamedTuple):
    """Rows of the copies, counted from 1."""

    first: int
    last: int

    def sum_of(self, column: int, by: int, row: int) -> str:
        """The sum of a column of them, over those whose column ``by`` is what stands first in a row."""
        where, what = (f"${letter_of(each)}${self.first}:${letter_of(each)}${self.last}" for each in (by, column))
        return f"=SUMIF({where},$A{row + 1},{what})"


def _memory(
    cells: Cells, page: Worksheet, row: int, parts: tuple[float, ...], copies: _Range | None = None, by: int = 0
) -> None:
    """What is held of memory, and its sum. copies: the parts are sums over them, by a column; None where they stand."""
    for column, value in enumerate(parts, _FIRST):
        held: Value = Formula(copies.sum_of(column, by, row), value) if copies else value
        cells.row(page, row, (held, "figure"), start=column)
    across = f"=SUM({letter_of(_FIRST)}{row + 1}:{letter_of(_ALL - 1)}{row + 1})"
    cells.row(page, row, (Formula(across, sum(parts)), "result"), start=_ALL)


def _services(cells: Cells, content: SharedContent, page: Worksheet, copies: _Range) -> None:
    shared, language = content.shared, content.language
    for number, each in enumerate(shared.placement.needs):
        row, asked, name = number + 1, each.service, letter(number)
        cache = precision(each.kv_dtype, language) if each.kv_kib else content.say("ui.sharing.none")
        count = shared.placement.conversations(number)
        none = number in shared.placement.left_out or count is None
        cells.row(
            page,
            row,
            (name, "bold"),
            (each.name, "plain"),
            (asked.copies, "figure"),
            (cache, "plain"),
            (asked.context_tokens, "figure"),
            (where(shared, number, language), "plain"),
            (asked.conversations, "figure") if asked.conversations else (wanted(shared, number, language), "plain"),
            (held(shared, number, language), "plain")
            if none
            else (Formula(copies.sum_of(_HELD, 0, row), count or 0), "result"),
        )
        engines = shared.placement.engines_of(number)
        sums = tuple(sum(len(engine.cards) * _parts(engine)[part] for engine in engines) for part in range(4))
        _memory(cells, page, row, sums, copies)
        cells.name(page, f"service_{name}_gib", row, _ALL)


def _copies(cells: Cells, content: SharedContent, page: Worksheet, row: int) -> None:
    placement = content.shared.placement
    for engine in placement.engines:
        for number, card in enumerate(engine.cards):
            cells.row(
                page,
                row,
                (letter(engine.service), "bold"),
                (placement.needs[engine.service].name, "plain"),
                (engine.copy, "figure"),
                (engine.server, "figure"),
                (card, "figure"),
                (place(engine, content.language), "plain"),
                (engine.share, "share"),
                (engine.conversations if number == 0 else None, "figure"),  # a copy over several cards holds them once
            )
            _memory(cells, page, row, _parts(engine))
            row += 1


def _cards(cells: Cells, content: SharedContent, page: Worksheet, row: int, copies: _Range) -> dict[str, str]:
    placement, top = content.shared.placement, row
    written: list[tuple[float, ...]] = []
    for card in placement.cards:
        *_, last = blocks(placement, card)
        whole = last.base_gib + last.size_gib
        mode = content.say(f"ui.sharing.mode.{card.mode}")
        cells.row(page, row, (card.number, "figure"), (mode, "plain"), (None, ""), (card.server, "figure"))
        sums = tuple(sum(_parts(engine)[part] for engine in card.engines) for part in range(4))
        _memory(cells, page, row, sums, copies, 4)
        rest = Formula(f"=P{row + 1}-M{row + 1}-N{row + 1}", whole - sum(sums) - card.free_gib)
        cells.row(page, row, (card.free_gib, "figure"), (rest, "figure"), (whole, "figure"), start=_ALL + 1)
        cells.name(page, f"card_{card.number}_gib", row, _ALL)
        written.append((*sums, sum(sums), card.free_gib, rest.result, whole))
        row += 1
    cells.row(page, row, (content.say("sheet.services.all"), "bold"), start=1)
    for column, value in enumerate(map(sum, zip(*written, strict=True)), _FIRST):
        name = letter_of(column)
        cells.row(page, row, (Formula(f"=SUM({name}{top + 1}:{name}{row})", value), "result"), start=column)
    cells.name(page, "all_cards_gib", row, _ALL)
    cells.name(page, "all_free_gib", row, _ALL + 1)
    return {"free_gib": "all_free_gib"}


def _parts(engine: Engine) -> tuple[float, float, float, float]:
    """What it holds of one of its cards, in the order of the columns. [GiB]"""
    return engine.weights_gib, engine.cache_gib, engine.left_gib, engine.reserve_gib
