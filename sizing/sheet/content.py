"""Everything that stands on a sheet, in words and figures, once for the PDF, the workbook and the HTML page."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterable, Iterator
from typing import Any

from sizing import catalogue
from sizing.answers.size import Sizing, size
from sizing.answers.wording import HERE, source_title, with_unit
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS, say, unit, written
from sizing.base.texts import catalogue as words
from sizing.base.working import Step
from sizing.catalogue.inputs import Input, inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand import cost
from sizing.sheet import bill
from sizing.sheet.drawing import Drawing
from sizing.sheet.figures.marks import Plot
from sizing.sheet.plotting import plotted
from sizing.sheet.request import Request

# What a sheet is made of, the same for every kind of file.


@dataclass(frozen=True)
class Row:
    """An input as the sheet shows it. changed: it is not at its default."""

    name: str
    label: str
    shown: str
    value: float | str
    unit: str
    changed: bool


@dataclass(frozen=True)
class SheetFigure:
    """A result. value: None where there is no number.   step: name of the step that ends in it, or ""."""

    name: str
    label: str
    shown: str
    value: float | None
    unit: str = ""
    estimate: bool = False
    step: str = ""


@dataclass(frozen=True)
class Table:
    """A table of results: words in the first column, figures in those that follow.

    marked: number of the row that is the choice, None for none.
    edges: where a PDF's columns stand: the left one's left edge, the others' right edges; the last of a wide table is
        its left edge. [mm]
    short, short_rows: heads and rows for a place of half the page's width; () where the table takes all of it.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    edges: tuple[float, ...]
    marked: int | None = None
    short: tuple[str, ...] = ()
    short_rows: tuple[tuple[str, ...], ...] = ()

    @property
    def narrow(self) -> bool:
        """It has a short form."""
        return bool(self.short)


_LEVELS = ("stop", "warn", "hint")
# Groups of inputs that decide the figures on a sheet; others are listed where they were changed.
DECIDING = ("model", "server", "site", "assumptions")


@dataclass(frozen=True)
class Content(abc.ABC):
    """The sheet of a request. Each part is made when it is first asked for."""

    request: Request

    @property
    @abc.abstractmethod
    def fits(self) -> bool:
        """The answer is yes."""

    @property
    @abc.abstractmethod
    def subject(self) -> str:
        """What the answer is about, in a line."""

    @property
    @abc.abstractmethod
    def answer(self) -> str:
        """The answer as a sentence."""

    @property
    @abc.abstractmethod
    def second(self) -> str:
        """What stands under the answer."""

    @property
    @abc.abstractmethod
    def figures(self) -> tuple[SheetFigure, ...]:
        """What a call asks for."""

    @property
    @abc.abstractmethod
    def more_figures(self) -> tuple[SheetFigure, ...]:
        """Others, for the files that have room for them."""

    @property
    @abc.abstractmethod
    def notes(self) -> tuple[Note, ...]:
        """What to know, most serious first."""

    @property
    @abc.abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """The working."""

    @property
    @abc.abstractmethod
    def table(self) -> Table:
        """The layouts, or the services."""

    @property
    @abc.abstractmethod
    def file_stem(self) -> str:
        """Name of its file, without what tells the kind."""

    @abc.abstractmethod
    def drawings(self, width: float) -> tuple[Drawing, ...]:
        """The charts, each ``width`` wide. [mm]"""

    def labelled(
        self, key: str, shown: str, value: float | None, unit: str = "", step: str = "", **more: Any
    ) -> SheetFigure:
        """A result. key: of its label, ending in its name.   step: as a Figure has it, "" where no step is its."""
        return SheetFigure(
            key.rpartition(".")[2], self.say(key), shown, value, unit, step=self.known_step(step), **more
        )

    def plotted(
        self, plot: Plot, result: Any, width: float, height: float = 50.0, *, key: bool = False, **more: Any
    ) -> Drawing:
        """A chart of the pages, drawn for paper. width, height: [mm]"""
        figure, alt = plot.build(result, self.language, **more), plot.alt(result, self.language)
        title = self.say(f"ui.chart.{plot.name}")
        return plotted(figure, title, alt, self.language, width=width, height=height, key=key)

    @functools.cached_property
    def sizing(self) -> Sizing:
        """The server, and for one model the model."""
        asked = self.request
        return asked.sizing if asked.sizing.scenario == asked.scenario else size(asked.scenario)

    @property
    def scenario(self) -> Scenario:
        """The inputs that it is about."""
        return self.request.scenario

    @property
    def language(self) -> str:
        """Code of its language."""
        return self.request.language

    def say(self, key: str, **values: object) -> str:
        """A text in its language."""
        return say(key, self.language, **values)

    @property
    def title(self) -> str:
        """What the sheet is called."""
        return self.say("sheet.title")

    @property
    def head(self) -> tuple[str, ...]:
        """Lines of the head that were given: customer, date, remark."""
        asked = self.request
        date = written(asked.made_on, self.language) if asked.made_on else ""
        customer = self.say("sheet.customer", customer=asked.customer) if asked.customer else ""
        return tuple(line for line in (customer, date, asked.remark) if line)

    @functools.cached_property
    def all_inputs(self) -> tuple[Row, ...]:
        """Every input."""
        return tuple(self.rows(inputs().values()))

    @functools.cached_property
    def assumptions(self) -> tuple[Row, ...]:
        """The inputs that decide the figures, and others where they were changed."""
        table = inputs()
        return tuple(row for row in self.all_inputs if row.changed or table[row.name].group in DECIDING)

    def rows(self, specs: Iterable[Input], holder: object = None) -> Iterator[Row]:
        """Inputs as rows. holder: whose values they are, the scenario's where it is None."""
        for spec in specs:
            value = getattr(holder or self.scenario, spec.name)
            default = spec.default if holder else self.scenario.default_of(spec.name)
            named = self.scenario.offer_currency if spec.unit == "currency" else unit(spec.unit, self.language)
            named = "" if value == 1 and f"unit_name.{spec.unit}" in words(self.language) else named  # not "1 servers"
            zero = f"input.{spec.name}.zero"
            nothing = not value and zero in words(self.language)
            shown = self.say(zero) if nothing else f"{self._shown(spec, value)} {named}".strip()
            yield Row(spec.name, spec.label(self.language), shown, value, named, value != default)

    def _shown(self, spec: Input, value: float | str) -> str:
        if isinstance(value, str):
            return spec.choice(value, self.language) if spec.kind == "choice" else self._named(spec, value)
        if value == int(value):
            return self.say("unit.integer", value=int(value))
        return write_number(value, DECIMAL_SIGNS[self.language])

    def _named(self, spec: Input, value: str) -> str:
        """An entry of the catalogue as it is called there; a model by its Hub name, which people look up."""
        match spec.catalogue:
            case "cards":
                return catalogue.titled("card", value, self.language)
            case "circuits":
                return catalogue.titled("circuit", value, self.language)
            case "processors":
                return catalogue.titled("processor", value, self.language)
        return catalogue.called("checkpoint", value, self.language)

    @property
    def price_notes(self) -> tuple[Note, ...]:
        """A price that looks like thousands with their separator lost."""
        names = ("price_per_card", "price_per_server")
        return tuple(note for name in names for note in cost.low_price(name, getattr(self.request, name)))

    def in_order(self, *found: Note) -> tuple[Note, ...]:
        """Notes by how serious they are, each said once."""
        said: dict[str, Note] = {}
        for note in found:
            said.setdefault(note.say(self.language), note)
        return tuple(sorted(said.values(), key=lambda note: _LEVELS.index(note.level)))

    @functools.cached_property
    def step_titles(self) -> tuple[str, ...]:
        """What each step is called."""
        return tuple(step.say_title(self.language) for step in self.steps)

    def known_step(self, name: str) -> str:
        """The name, where the working has a step of it; else ""."""
        return name if any(step.name == name for step in self.steps) else ""

    def result(self, step: Step) -> str:
        """A step's result with its unit."""
        return with_unit(step.result, step.unit, self.language)

    def given_line(self, step: Step) -> str:
        """The values put in, each with the mark of its source."""
        shown = []
        for given in step.given:
            value = with_unit(given.value, given.unit, self.language)
            mark = self.mark(given.source) if given.source not in HERE else ""
            shown.append(f"{given.name} {value} {mark}".strip())
        return " · ".join(shown)

    @functools.cached_property
    def parts(self) -> tuple[bill.Line, ...]:
        """The bill of materials."""
        return bill.lines(self.request)

    @property
    def parts_remark(self) -> str:
        """What is to be said about all of the bill: that it is of several servers."""
        servers = self.request.servers
        return self.say("sheet.parts.servers", servers=servers) if servers > 1 else ""

    @functools.cached_property
    def total(self) -> tuple[float, str] | None:
        """The sum of the priced lines."""
        return bill.total(self.parts)

    @property
    def mixed_currencies(self) -> str:
        """That prices in several currencies are not added up, "" where there is one."""
        named = bill.currencies(self.parts)
        return self.say("sheet.parts.mixed", currencies=", ".join(named)) if len(named) > 1 else ""

    @functools.cached_property
    def source_keys(self) -> tuple[str, ...]:
        """Sources in the order in which they are first named; a source's number is its place, from 1 on."""
        used = [
            *(key for step in self.steps for key in (*(given.source for given in step.given), step.source)),
            *(note.source for note in self.notes),
            *(source for line in self.parts for source in (line.source, line.quote_source)),
        ]
        return tuple(dict.fromkeys(key for key in used if key and key not in HERE and key != "convention"))

    def mark(self, key: str) -> str:
        """ "[3]" for a source of the sheet, what it is for one that has no entry, "" for none."""
        if not key or key == "convention":
            return ""
        if key in HERE:
            return source_title(key, self.language)
        return f"[{self.source_keys.index(key) + 1}]"

    def source_line(self, key: str) -> str:
        """Title, producer, dates and address of a source."""
        source = catalogue.source(key)
        published = written(source.published, self.language)
        made = ", ".join(each for each in (source.title, source.producer, published) if each)
        read = self.say("ui.working.read_on", date=written(source.read_on, self.language))
        via = self.say("sheet.via", via=source.via) if source.via else ""
        return " ".join(each for each in (f"{made}; {read}.", via, source.url) if each)


# Amounts of money.


def amount(value: float | None, currency: str, language: str) -> str:
    """ "16,000 USD", or nothing where no price is given.

    >>> amount(16000, "USD", "en")
    '16,000 USD'
    """
    return "" if value is None else f"{say('unit.money', language, value=value)} {currency}"
