"""The sheet of one model on one kind of server."""

from __future__ import annotations

import functools
from typing import Any

from sizing import catalogue
from sizing.answers import sentence
from sizing.answers.wording import connection, conversations, layout_name, number, subject
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.units import kw
from sizing.base.working import Step
from sizing.demand import strip
from sizing.memory.layouts import Layout
from sizing.sheet.content import Content, SheetFigure, Table
from sizing.sheet.drawing import Drawing
from sizing.sheet.figures.sizing_charts import context, memory, power

_LAYOUTS_MOST = 8
_OVERFLOW = 1.35  # of a card, beyond which weights are cut
_FARTHEST = 1.6  # of the longest bar, beyond which a planned load is not drawn
_EDGES = (0.0, 47.0, 56.0, 71.0, 88.0)


@dataclass(frozen=True)
class ModelContent(Content):
    """The sizing: layouts, conversations, power, and what people and mixed lengths come to."""

    @property
    def fits(self) -> bool:
        """At least one layout holds the model and a conversation."""
        return self.sizing.fits

    def drawings(self, width: float) -> tuple[Drawing, ...]:
        """Memory, conversations against context, power."""
        sizing = self.sizing
        rows, card_gib = self._layouts, sizing.reported_gib_per_card
        # Weights that overflow are cut at the edge, with their figure, so that what fits stays readable.
        reach = max(card_gib, min(max(layout.weights_gib_per_card for layout in rows), _OVERFLOW * card_gib))
        found = [
            self.plotted(memory, sizing, width, rows=rows, reach=reach),
            self.plotted(power, sizing, width, farthest=_FARTHEST),
        ]
        if sizing.best.conversations is not None and sizing.fits:
            found.insert(1, self.plotted(context, sizing, width))
        return tuple(found)

    @property
    def _layouts(self) -> list[Layout]:
        """The best layout first, then those that hold most, as many as a chart takes."""
        others = sorted(
            (layout for layout in self.sizing.layouts if layout != self.sizing.best),
            key=lambda layout: (-int(layout.fits), -(layout.conversations or 0), -layout.copies),
        )
        return [self.sizing.best, *others][:_LAYOUTS_MOST]

    @property
    def subject(self) -> str:
        """Model, cards and cache precision in a line."""
        return subject(self.sizing, self.language)

    @property
    def answer(self) -> str:
        """The answer as a sentence."""
        return sentence.promise(self.request.answer, self.language)

    @property
    def second(self) -> str:
        """What the people ask for, what mixed lengths leave room for, and power against the connection."""
        limits = strip.line(self.request.answer, self.language)
        return " ".join(said for said in (self.people, self.verdict, self.lengths, self.power, limits) if said)

    @property
    def verdict(self) -> str:
        """Whether the need is met, and what memory alone would hold."""
        found = self.request.answer
        said = (sentence.need(found, self.language), sentence.trade_off(found, self.language))
        return " ".join(each for each in said if each)

    @property
    def people(self) -> str:
        """Requests that run at once, "" where no people were asked for."""
        demand = self.request.demand
        if demand is None:
            return ""
        key = "sheet.people_measured" if demand.measured else "sheet.people"
        return self.say(key, peak=demand.peak, mean=demand.mean)

    @property
    def lengths(self) -> str:
        """The three counts with their lengths, "" where no mix was asked for or memory sets no limit."""
        found = self.request.counts
        if found is None or found.at_full_context is None:
            return ""
        return self.say(
            "sheet.counts" if self.scenario.servers == 1 else "sheet.counts_one_server",
            full=found.at_full_context,
            final=found.at_mean_final_length,
            resident=found.at_mean_resident_length,
            context_tokens=found.context_tokens,
            final_tokens=found.mean_final_tokens,
            resident_tokens=found.mean_resident_tokens,
        )

    @property
    def power(self) -> str:
        """Power of a server against its connection."""
        return connection(self.sizing, self.language)

    @functools.cached_property
    def more_figures(self) -> tuple[SheetFigure, ...]:
        """What the people and the mix come to, where they were asked for."""
        demand, found = self.request.demand, self.request.counts
        rows: list[tuple[str, float | None, str]] = []
        if demand is not None:
            rows += [("people_peak", demand.peak, ""), ("people_mean", demand.mean, "mean_running")]
        if found is not None:
            for name in ("full_context", "mean_final_length", "mean_resident_length"):
                rows.append((f"at_{name}", getattr(found, f"at_{name}"), f"conversations_at_{name}"))
        none = self.say("ui.no_limit")
        return tuple(
            self.labelled(
                f"sheet.figure.{name}", none if value is None else number(value, self.language), value, step=step
            )
            for name, value, step in rows
        )

    @functools.cached_property
    def figures(self) -> tuple[SheetFigure, ...]:
        """What a call asks for."""
        sizing, best = self.sizing, self.sizing.best
        weights = self.known_step("weights_gib") or "weights_gib_estimated"
        may = self.request.answer.conversations
        count, kv_gib = best.conversations if best.fits else 0, sizing.kv_gib_per_conversation
        air = self.say("unit.cfm_m3", cfm=sizing.cfm, m3_per_h=sizing.m3_per_h)
        rows: list[tuple[str, str, float | None, str, str]] = [
            ("conversations", sentence.count(self.request.answer, self.language), may, "", ""),
            ("memory", conversations(best, self.language), count, "", "conversations"),
            ("per_conversation", self.say("unit.gib_exact", value=kv_gib), kv_gib, "GiB", "kv_gib_per_conversation"),
            ("usable", self.say("unit.gib", value=sizing.usable_gib), sizing.usable_gib, "GiB", "usable_gib"),
            ("weights", self.say("unit.gib", value=sizing.weights_gib), sizing.weights_gib, "GiB", weights),
            ("server", self.say("unit.kw", value=kw(sizing.server_w)), sizing.server_w, "W", "server_w"),
            ("air", air, sizing.cfm, "CFM", "cfm"),
        ]
        estimate = "weights" if sizing.weights_estimated else ""
        return tuple(self.labelled(f"ui.figure_name.{row[0]}", *row[1:], estimate=row[0] == estimate) for row in rows)

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """Those of the sizing, of the prices, of the people and of the mix."""
        return self.in_order(*self.request.answer.notes, *self.price_notes, *self._asked("notes"))

    @functools.cached_property
    def steps(self) -> tuple[Step, ...]:
        """The working, that of people and mix last."""
        return (*self.sizing.working, *self._asked("working"))

    def _asked(self, name: str) -> tuple[Any, ...]:
        """Notes or working of the people and of the mix."""
        return tuple(
            each for part in (self.request.demand, self.request.counts) if part for each in getattr(part, name)
        )

    @functools.cached_property
    def table(self) -> Table:
        """Every layout: name, weights, free, cache of a conversation on a card, conversations or the reason."""
        heads = [self.say(f"ui.column.{name}") for name in ("layout", "weights", "free", "kv")]
        rows = tuple(
            (
                layout_name(layout, self.language),
                self.say("unit.gib", value=layout.weights_gib_per_card),
                self.say("unit.gib", value=layout.free_gib_per_card),
                self.say("unit.gib_exact", value=layout.kv_gib_per_card_per_conversation),
                conversations(layout, self.language) if layout.fits else layout.say_reason(self.language),
            )
            for layout in self.sizing.layouts
        )
        short = ("layout", "weights", "free", "kv", "conversations")
        return Table(
            self.say("sheet.section.layouts"),
            (*heads, self.say("ui.figure_name.memory")),
            rows,
            _EDGES,
            marked=self.sizing.layouts.index(self.sizing.best),
            short=tuple(self.say(f"sheet.layouts.{name}") for name in short),
            short_rows=tuple(self._short(layout, rows) for layout in self._layouts),
        )

    def _short(self, layout: Layout, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        """A row without its units; a layout that does not fit leaves the room to its reason."""
        row = rows[self.sizing.layouts.index(layout)]
        cells = [cell.removesuffix(" GiB") for cell in row[:4]]
        unlimited = layout.fits and layout.conversations is None
        count = self.say("sheet.no_limit") if unlimited else conversations(layout, self.language)
        return (*cells, count) if layout.fits else (*cells[:2], "", "", count)

    @property
    def file_stem(self) -> str:
        """Name of its file, without what tells the kind."""
        scenario = self.scenario
        model = self.sizing.checkpoint.id.split("/")[-1]
        card = catalogue.called("card", scenario.card)
        return self.say("sheet.file.model", model=model, cards=scenario.cards, card=card)
