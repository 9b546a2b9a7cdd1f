"""Everything that stands on a sheet, in words and figures, once for the PDF, the workbook and the HTML page."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sizing import catalogue, cost
from sizing.catalogue.inputs import Input, inputs
from sizing.notes import Note
from sizing.quantities import write_number
from sizing.sheet import parts
from sizing.sheet.request import Request
from sizing.size import Sizing
from sizing.texts import say, tell, unit
from sizing.units import kw
from sizing.wording import HERE, conversations, headline, layout_name, precision, second_line, source_title, with_unit
from sizing.working import Step

_DECIMAL = {"en": ".", "de": ","}
# Inputs that decide the figures on a sheet; others are listed where they were changed.
_DECIDING = ("model", "server", "site", "assumptions")


@dataclass(frozen=True, slots=True)
class Row:
    """An input as the sheet shows it. changed: it is not at its default."""

    name: str
    label: str
    shown: str
    value: float | str
    unit: str
    changed: bool
    source: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A result. value: None where there is no number.   step: name of the step that ends in it, or ""."""

    name: str
    label: str
    shown: str
    value: float | None
    unit: str
    estimate: bool = False
    step: str = ""


@dataclass(frozen=True)
class Content:
    """The sheet of a request. Each part is made when it is first asked for."""

    request: Request

    @property
    def sizing(self) -> Sizing:
        """The sizing that it is about."""
        return self.request.sizing

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
    def subject(self) -> str:
        """Model, cards and cache precision in a line."""
        sizing = self.sizing
        return self.say(
            "ui.headline.subject",
            model=sizing.checkpoint.name,
            cards=sizing.scenario.cards,
            card=sizing.card.name,
            precision=precision(sizing.kv_dtype, self.language),
        )

    @property
    def head(self) -> tuple[str, ...]:
        """Lines of the head that were given: customer, date, remark."""
        asked = self.request
        date = self.say("sheet.made_on", date=asked.made_on.isoformat()) if asked.made_on else ""
        customer = self.say("sheet.customer", customer=asked.customer) if asked.customer else ""
        return tuple(line for line in (customer, date, asked.remark) if line)

    @property
    def answer(self) -> str:
        """The answer as a sentence."""
        return headline(self.sizing, self.language)

    @property
    def second(self) -> str:
        """Power against the connection, and what the people ask for."""
        said, demand = second_line(self.sizing, None, self.language), self.request.demand
        if demand is None:
            return said
        key = "sheet.people_measured" if demand.measured else "sheet.people"
        return f"{self.say(key, peak=demand.peak, mean=demand.mean)} {said}"

    @functools.cached_property
    def figures(self) -> tuple[Figure, ...]:
        """What a call asks for."""
        sizing, best = self.sizing, self.sizing.best
        count = best.conversations if best.fits else 0
        steps = {step.name for step in self.steps}
        weights = next((name for name in ("weights_gib", "weights_gib_estimated") if name in steps), "")
        rows: list[tuple[str, str, float | None, str, str]] = [
            ("conversations", conversations(best, self.language), count, "", "conversations"),
            (
                "per_conversation",
                self.say("unit.gib_exact", value=sizing.kv_gib_per_conversation),
                sizing.kv_gib_per_conversation,
                "GiB",
                "kv_gib_per_conversation",
            ),
            ("usable", self.say("unit.gib", value=sizing.usable_gib), sizing.usable_gib, "GiB", "usable_gib"),
            ("weights", self.say("unit.gib", value=sizing.weights_gib), sizing.weights_gib, "GiB", weights),
            ("server", self.say("unit.kw", value=kw(sizing.server_w)), sizing.server_w, "W", "server_w"),
            (
                "air",
                self.say("unit.cfm_m3", cfm=sizing.cfm, m3_per_h=sizing.m3_per_h),
                sizing.cfm,
                "CFM",
                "cfm",
            ),
        ]
        return tuple(
            Figure(
                name,
                self.say(f"ui.figure_name.{name}"),
                shown,
                value,
                unit,
                name == "weights" and sizing.weights_estimated,
                step if step in steps else "",
            )
            for name, shown, value, unit, step in rows
        )

    @functools.cached_property
    def all_inputs(self) -> tuple[Row, ...]:
        """Every input."""
        changed = set(self.sizing.scenario.changed())
        return tuple(self._row(spec, spec.name in changed) for spec in inputs().values())

    @property
    def assumptions(self) -> tuple[Row, ...]:
        """The inputs that decide the figures, and whatever was changed."""
        table = inputs()
        return tuple(row for row in self.all_inputs if table[row.name].group in _DECIDING or row.changed)

    def _row(self, spec: Input, changed: bool) -> Row:
        value = getattr(self.sizing.scenario, spec.name)
        shown, named = self._shown(spec, value), unit(spec.unit, self.language)
        whole = f"{shown} {named}".strip()
        return Row(spec.name, spec.label(self.language), whole, value, named, changed, spec.source)

    def _shown(self, spec: Input, value: float | str) -> str:
        if isinstance(value, str):
            return spec.choice(value, self.language) if spec.kind == "choice" else self._named(spec, value)
        if value == int(value):
            return self.say("unit.integer", value=int(value))
        return write_number(value, _DECIMAL[self.language])

    def _named(self, spec: Input, value: str) -> str:
        """An entry of the catalogue as it is called there; a model by its Hub name, which people look up."""
        match spec.catalogue:
            case "cards":
                return catalogue.card(value).name
            case "circuits":
                return tell(catalogue.circuit(value).name, self.language)
            case "processors":
                return catalogue.processor(value).name
        return value

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """What to know, most serious first."""
        more = self.request.demand.notes if self.request.demand else ()
        return (*self.sizing.notes, *cost.low_price("card_price", self.request.price_per_card), *more)

    @functools.cached_property
    def steps(self) -> tuple[Step, ...]:
        """The working, that of the people last."""
        more = self.request.demand.working if self.request.demand else ()
        return (*self.sizing.working, *more)

    @functools.cached_property
    def parts(self) -> tuple[parts.Line, ...]:
        """The bill of materials."""
        return parts.lines(self.request)

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
        made = ", ".join(each for each in (source.title, source.producer, source.published) if each)
        read = self.say("ui.working.read_on", date=source.read_on)
        via = self.say("sheet.via", via=source.via) if source.via else ""
        return " ".join(each for each in (f"{made}; {read}.", via, source.url) if each)

    def step_line(self, step: Step) -> str:
        """ "0.9 × 95.6 GiB …" as formula = result."""
        return f"{step.formula} = {self.result(step)}"

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

    @property
    def layouts(self) -> tuple[tuple[str, str, str, str, str], ...]:
        """Every layout: name, weights, free, cache of a conversation on a card, conversations or the reason."""
        return tuple(
            (
                layout_name(layout, self.language),
                self.say("unit.gib", value=layout.weights_gib_per_card),
                self.say("unit.gib", value=layout.free_gib_per_card),
                self.say("unit.gib_exact", value=layout.kv_gib_per_card_per_conversation),
                conversations(layout, self.language) if layout.fits else layout.say_reason(self.language),
            )
            for layout in self.sizing.layouts
        )
