"""The page for a new model: bring one along, see what it keeps, what it holds, and what the engine will print."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets as widgets

from sizing import catalogue
from sizing.answers import notes as remarks
from sizing.answers import wording
from sizing.answers.engine_cases import Cases, cases
from sizing.answers.size import Sizing
from sizing.base.errors import SizingError
from sizing.base.markup import NOTHING, Markup, folded, tag
from sizing.base.texts import DECIMAL_SIGNS, say
from sizing.catalogue.inputs import asked_on
from sizing.memory.engines import read_log
from sizing.memory.layouts import Layout
from sizing.memory.startup_log import StartupLog
from sizing.models import bring
from sizing.models.hub.model import CatalogueRow, Progress
from sizing.models.log_check import Check, check
from sizing.serve.voila import is_public
from sizing.sheet.figures.model_charts import model_beside, model_cache, model_map
from sizing.sheet.figures.sizing_charts import layouts
from sizing.ui.aside import Aside, Cancelled, Report
from sizing.ui.browser import in_browser
from sizing.ui.errors import told
from sizing.ui.page import Page, figures, grid, section, stack
from sizing.ui.pages.sizing import other_precision
from sizing.ui.reports import common, model_engine, model_report, sizing_report
from sizing.ui.widgets.boxes import Bring, Form, LogBox, form_words
from sizing.ui.widgets.regions import Live, Snippet

BEST = "best"
"""Value of the layout's choice where the best one is wanted, whichever that is."""


def _panel(fields: list[dict[str, Any]], held: Mapping[str, str], language: str) -> Form:
    """A form without groups and without a button to reset it."""
    form = Form(fields, _held(held), form_words(language))
    form.add_class("sizing-panel")
    return form


def _model_fields(names: Iterable[str], language: str) -> list[dict[str, Any]]:
    """A choice of any model of the catalogue for each of ``names``."""
    entries = [{"value": id, "label": id} for id in catalogue.checkpoint_ids()]
    help = say("ui.model.beside.help", language)
    more = {"kind": "id", "options": entries, "search": True}
    return [_field(name, say(f"ui.model.beside.{name}", language), help, **more) for name in names]


def _layout_fields(found: Iterable[Layout], language: str) -> list[dict[str, Any]]:
    """A choice of one layout, or of the best."""
    options = [{"value": BEST, "label": say("ui.model.engine.best", language)}]
    options += [{"value": _key(each), "label": wording.layout_name(each, language)} for each in found]
    label, help = (say(f"ui.model.engine.{name}", language) for name in ("layout", "layout_help"))
    return [_field("layout", label, help, kind="choice", options=options)]


def _held(held: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What each field holds, as a form takes it."""
    return {
        name: {"text": value, "raw": value, "number": None, "error": "", "changed": ""} for name, value in held.items()
    }


def _key(layout: Layout) -> str:
    """Name of a layout in its choice."""
    return "x".join(str(number) for number in layout.name)


def _field(name: str, label: str, help: str, **more: Any) -> dict[str, Any]:
    shown = {"name": name, "group": "panel", "group_label": "", "folded": False, "label": label, "help": help}
    return {**shown, "unit": "", **more}


# Of one look-up on the Hub: of a request, tries of it, and of the whole. [s], [-], [s]
REQUEST_S, TRIES, WHOLE_S = 8.0, 2, 60.0

HEIGHTS = ((model_map, 140), (model_cache, 250), (layouts, 250), (model_beside, 250))

# To stand beside: the first two that are not the model itself.
USUAL = ("nvidia/Llama-3.3-70B-Instruct-FP8", "openai/gpt-oss-120b", "Qwen/Qwen3.8-27B")


class NewModelPage(Page):
    """One model that need not be in the catalogue, on the cards of the scenario."""

    NAME = "new_model"
    INPUTS = asked_on("new_model")

    def prepare(self, query: str) -> None:
        """What a visitor brings and chooses beside the scenario."""
        self.brought: bring.Brought | None = None
        self.aside = Aside()
        self.pasted_log: StartupLog | None = None
        self.chosen = BEST
        self.others = {"first": USUAL[0], "second": USUAL[1]}
        self.touched: set[str] = set()

    def above_form(self) -> Sequence[widgets.Widget]:
        """The box that brings a model along."""
        self.bring = Bring(list(catalogue.checkpoint_ids()), self.language)
        self.bring.listen(
            look_up=self.guard(self._look_up),
            cancel=self.guard(self._cancel),
            text=self.guard(self._read),
            entry=self.guard(self._use),
            texts=self.guard(self._fill),
        )
        return [self.bring]

    def results(self) -> Sequence[widgets.Widget]:
        """The parts of the page."""
        language = self.language
        self.figures = figures(HEIGHTS, language, _working)
        names = ("answer", "hub_files", "model_parts", "notes", "table", "beside", "engine_cases", "log_result")
        self.live = {name: section(name, language, polite=name == "answer") for name in names}
        self.beside_form = _panel(_model_fields(self.others, language), self.others, language)
        self.beside_form.listen(edit=self.guard(self._set_beside))
        self.engine_form = _panel(_layout_fields(self.state.sizing.layouts, language), {"layout": BEST}, language)
        self.engine_form.listen(edit=self.guard(self._start))
        self.log_box = LogBox(language)
        self.log_box.listen(log=self.guard(self._check))
        self.row_about = section("catalogue_row", language)
        self.row, self.row_source = Snippet(language), Snippet(language)
        headings = {name: Live(f"{name}_heading") for name in ("beside", "engine", "log")}  # no regions of their own
        for name, each in headings.items():
            each.show(tag("h2", say(f"ui.region.{name}_heading", language)))
        headings["log"].show(model_engine.log_heading(language))
        return [
            self.live["answer"],
            self.live["hub_files"],
            self.figures[model_map.name],
            grid([self.figures[name] for name in (model_cache.name, layouts.name)]),
            stack([self.live["model_parts"]]),
            stack([headings["engine"], self.engine_form, self.live["engine_cases"]]),
            stack([headings["log"], self.log_box, self.live["log_result"]]),
            stack([headings["beside"], self.beside_form, self.live["beside"]]),
            grid([self.figures[model_beside.name], self.live["notes"]]),
            stack([self.live["table"]]),
            stack([self.row_about, self.row, self.row_source]),
        ]

    def draw(self) -> None:
        """Draw everything for the state as it is now."""
        sizing, language = self.state.sizing, self.language
        other = other_precision(sizing)
        self.live["answer"].show(
            model_report.answer(self.state.answer, self.brought, other, language, stale=bool(self.state.errors))
        )
        self.live["hub_files"].show(model_report.hub_files(self.brought.hub if self.brought else None, language))
        beside = self._others(sizing)
        sized = [each for _, each in beside if isinstance(each, Sizing)]
        more: dict[str, dict[str, Any]] = {layouts.name: {"other": other}, model_beside.name: {"others": sized}}
        for name, figure in self.figures.items():
            figure.show(sizing, **more.get(name, {}))
        self.live["model_parts"].show(model_report.parts(sizing, language))
        side = functools.partial(model_report.beside, sizing, beside, language)
        self.live["beside"].show(folded("beside", say("ui.region.beside", language), side))
        self.live["notes"].show(common.notes(remarks.memory_notes(sizing), language))
        region = say("ui.region.table", language)
        rows = functools.partial(sizing_report.layouts_table, sizing, other, language)
        self.live["table"].show(folded("table", region, rows))
        self.beside_form.values = _held(self.others)
        layout = self._layout(sizing)
        self.engine_form.fields = _layout_fields(sizing.layouts, language)
        self.engine_form.values = _held({"layout": self.chosen if _key(layout) == self.chosen else BEST})
        self.live["engine_cases"].show(model_engine.cases(sizing, self._cases(sizing), language))
        self._draw_log(sizing)
        self._draw_row()

    # The model

    def _use(self, id: str) -> None:
        self._try("catalogue", lambda: self._take(catalogue.checkpoint(id)))

    def _fill(self, id: str) -> None:
        self._try("catalogue", lambda: self.bring.fill(bring.texts(id)))

    def _read(self, config: str, quant: str, weights: str, unit: str, name: str, changed_from: str) -> None:
        started = changed_from if changed_from in catalogue.checkpoint_ids() else ""
        decimal = DECIMAL_SIGNS[self.language]
        given = {"weights": weights, "unit": unit, "name": name, "changed_from": started, "decimal": decimal}
        self._try("text", lambda: self._take(bring.from_text(config, quant, **given)))

    def _try(self, way: str, act: Callable[[], object]) -> None:
        """Act; what is wrong with what a visitor brought stands in the box."""
        try:
            act()
        except SizingError as error:
            self._failed(way, error)

    def _cancel(self) -> None:
        self.aside.cancel()
        self.bring.idle(say("ui.bring.cancelled", self.language))

    def _look_up(self, id: str, revision: str, quantisation: str, config_from: str) -> None:
        """Ask the Hub beside the page; the box tells how far it is."""
        if in_browser():
            self._failed("hub", SizingError("hub_in_browser", input="id"))
            return
        self.bring.busy(say("ui.bring.asking", self.language, most_s=WHOLE_S))

        def work(report: Report, cancelled: Cancelled) -> bring.Brought:
            from sizing.models.hub.lookup import look_up

            found = look_up(
                id,
                revision=revision.strip() or None,
                quantisation=quantisation or None,
                config_from=config_from.strip() or None,
                token=False if is_public() else None,
                timeout_s=REQUEST_S,
                tries=TRIES,
                deadline_s=WHOLE_S,
                progress=report,
                cancelled=cancelled,
            )
            return bring.from_hub(found)

        hear = self.guard
        self.aside.start(
            work,
            progress=hear(self._progress),
            done=hear(self._take),
            failed=hear(functools.partial(self._failed, "hub")),
        )

    def _progress(self, step: Progress) -> None:
        self.bring.busy(step.say(self.language), step.done, step.total)

    def _take(self, found: bring.Brought | catalogue.Checkpoint) -> None:
        """Put a model on the page; what cannot be sized leaves the page as it is."""
        entry = found.checkpoint if isinstance(found, bring.Brought) else found
        way = "catalogue" if not isinstance(found, bring.Brought) else found.way
        before, self.brought = self.brought, found if isinstance(found, bring.Brought) else None
        try:
            self.state.bring(entry if isinstance(found, bring.Brought) else entry.id)
        except SizingError as error:
            self.brought = before
            self._failed(way, error)
            return
        key = {"hub": "read_hub", "text": "read_text"}.get(way, "read_entry")
        self.bring.done(way, say(f"ui.bring.{key}", self.language, name=entry.name), entry.name)

    def _failed(self, way: str, error: Exception) -> None:
        if not isinstance(error, SizingError):
            self.bring.failed(way, *told(error, self.language))
            return
        asks: dict[str, Any] = {}
        if error.key in ("hub_gguf_choose", "hub_gguf_unknown"):
            asks["offered"] = model_report.offered(error.values["offered"], self.language)
        if error.key in ("hub_no_config", "hub_no_config_but_base"):
            asks |= {"wants_config": True, "config_from": str(error.values.get("base", ""))}
        self.bring.failed(way, error.what(self.language), error.fix(self.language), **asks)

    # Beside others

    def _others(self, sizing: Sizing) -> list[tuple[str, Sizing | SizingError]]:
        """Two models of the catalogue on the same cards; where nobody has chosen, two usual ones."""
        free = [id for id in USUAL if id != sizing.checkpoint.id]
        for name in self.others:
            if name not in self.touched:
                taken = [self.others[each] for each in self.others if each != name and each in self.touched]
                self.others[name] = next(id for id in free if id not in taken)
                free.remove(self.others[name])
        found: list[tuple[str, Sizing | SizingError]] = []
        for id in self.others.values():
            try:
                found.append((id, sizing.variant(checkpoint=id)))
            except SizingError as error:
                found.append((id, error))
        return found

    def _set_beside(self, changes: Mapping[str, str]) -> None:
        for name, id in changes.items():
            if name in self.others:
                self.others[name] = catalogue.checkpoint(id).id
                self.touched.add(name)
        self.draw()

    # The engine

    def _cases(self, sizing: Sizing) -> Cases | SizingError:
        try:
            return cases(sizing, self._layout(sizing))
        except SizingError as error:
            return error

    def _layout(self, sizing: Sizing) -> Layout:
        """The layout chosen, or the best one where that is wanted or the chosen one is gone."""
        return next((each for each in sizing.layouts if _key(each) == self.chosen), sizing.best)

    def _start(self, changes: Mapping[str, str]) -> None:
        self.chosen = changes.get("layout", BEST)
        self.draw()

    def _check(self, text: str) -> None:
        """Read a pasted log; one that cannot be read says so beside the text."""
        self.log_box.error = ""
        try:
            self.pasted_log = read_log(text) if text.strip() else None
        except SizingError as error:
            self.pasted_log = None
            self.log_box.error = error.say(self.language)
        self._draw_log(self.state.sizing)

    def _draw_log(self, sizing: Sizing) -> None:
        found: Check | None = None
        if self.pasted_log is not None:
            try:
                found = check(self.pasted_log, sizing, self._layout(sizing))
            except SizingError as error:
                self.log_box.error = error.say(self.language)
        self.live["log_result"].show(model_engine.check(found, self.language))

    # The rest

    def _draw_row(self) -> None:
        language = self.language
        row: CatalogueRow | SizingError | None = None
        try:
            row = bring.row(self.brought) if self.brought else None
        except SizingError as error:
            row = error
        self.row_about.show(model_report.row_about(row, language))
        shown = [("", ""), ("", "")]
        if isinstance(row, CatalogueRow):
            title = say("ui.model.row.checkpoint", language, path=row.path)
            shown = [(title, row.checkpoint), (say("ui.model.row.source", language), row.source)]
        for snippet, (title, text) in zip((self.row, self.row_source), shown, strict=True):
            snippet.show(title, text)


def _working(name: str, sizing: Sizing, language: str) -> Markup:
    return sizing_report.working(name, sizing, language) if name == layouts.name else NOTHING


page = NewModelPage
