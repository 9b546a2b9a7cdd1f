"""The call: need, model, server, site and offer of one scenario, in any order, with what was pinned beside it."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import parse_qs

import ipywidgets as widgets

from sizing.answers.answer import answer
from sizing.answers.siting import site
from sizing.answers.size import size
from sizing.base.errors import SizingError
from sizing.base.markup import NOTHING, Markup, folded, tag
from sizing.base.notes import Note
from sizing.base.texts import say
from sizing.demand.call import Call, answers, call
from sizing.demand.goal import Proposal
from sizing.sharing import Plan
from sizing.sharing import plan as saved
from sizing.sharing.plan import starts
from sizing.sharing.shared import Shared, shared
from sizing.sharing.wording import remedy
from sizing.sheet.bill import site_of
from sizing.sheet.figures.sharing_charts import sharing_cards, sharing_services
from sizing.sheet.figures.sizing_charts import context, layouts, memory, power
from sizing.sheet.request import Request
from sizing.site.notes import connected
from sizing.ui.charts.call_charts import call_need, call_peak
from sizing.ui.charts.site_charts import site_caps, site_connections
from sizing.ui.making import Making
from sizing.ui.page import figures, grid, section, stack
from sizing.ui.pages import site as site_page
from sizing.ui.pages.shared_server import ServicesPage
from sizing.ui.pages.sizing import other_precision
from sizing.ui.reports import call_report, common, sharing_report, site_report, site_tables, sizing_report
from sizing.ui.widgets.boxes import Cards, Keep, StepsBar
from sizing.ui.widgets.regions import MOST_PINS, PinBoard

STEP_PARAMETER = "step"

HEIGHTS = (
    *((call_need, 210), (call_peak, 210), (layouts, 250), (context, 250), (memory, 230), (power, 230)),
    *((sharing_cards, 340), (sharing_services, 300), (site_connections, 330), (site_caps, 330)),
)


class CallPage(ServicesPage):
    """One call."""

    NAME = "call"
    INPUTS = call_report.INPUTS
    PARAMETERS = (STEP_PARAMETER, *Plan.parameters())

    # States

    def prepare(self, query: str) -> None:
        """The services, the step, what is pinned."""
        super().prepare(query)
        self.step = _asked_step(query)
        self.pinned: list[str] = []
        self.found: Call = call(self.state.answer)
        self._answers: tuple[Proposal, ...] = ()
        self.making = Making(self.request, self.guard)

    def restart(self, query: str) -> None:
        """Start again from a link."""
        super().restart(query)
        self.step = _asked_step(query)

    def query(self) -> str:
        """The page's link: the scenario, its services where they were touched, and the step."""
        plan = self.plan
        touched = self.several or plan.services != Plan().services or plan.servers != 1
        query = plan.to_query() if touched else self.scenario.to_query()
        return query if self.step == call_report.NAMES[0] else f"{query}&{STEP_PARAMETER}={self.step}"

    @property
    def several(self) -> bool:
        """Several services run, not one model."""
        return self.scenario.workload == "several"

    @property
    def plan(self) -> Plan:
        """The services on the scenario's server."""
        plan: Plan = self.listed.listing
        return plan.replace(scenario=self.scenario)

    @property
    def services_shown(self) -> Shared | None:
        """The placement of the services; None where one model runs."""
        return self.listed.found if self.several else None

    @property
    def counts(self) -> bool:
        """Several services are on the server."""
        return self.several

    def request(self, customer: str = "", remark: str = "", link: str = "") -> Request:
        """What a sheet of the page as it is now is asked for. SizingError for a name or remark too long."""
        scenario = self.scenario
        return Request(
            answer=self.state.answer,
            customer=customer,
            remark=remark,
            link=link,
            language=self.language,
            made_on=datetime.date.today(),
            demand=self.found.demand,
            counts=self.found.counts,
            shared=self.services_shown,
            virtual_machines=scenario.virtual_machines == "yes",
            price_per_card=scenario.price_per_card,
            price_per_server=scenario.price_per_server,
            currency=scenario.offer_currency,
        )

    # Parts

    def body(self) -> Sequence[widgets.Widget]:
        """The steps above inputs and results."""
        self.steps_bar = StepsBar(say("ui.region.call_steps", self.language), self.step)
        self.steps_bar.listen(go=self.guard(self.go))
        return [self.steps_bar, *super().body()]

    def results(self) -> Sequence[widgets.Widget]:
        """The answer, one box a step, and the pins."""
        language = self.language
        self.figures = figures(HEIGHTS, language, _working)
        self.answer = section("answer", language, polite=True)
        names = (
            "call_need",
            "notes",
            "table",
            "sharing_services",
            "supplies",
            "chassis",
            "call_goal_error",
            "parts",
            "call_model_link",
        )
        self.live = {name: section(name, language) for name in names}
        self.starts = Cards("starts", say("call.starts.title", language))
        self.starts.listen(take=self.guard(self._start))
        self.goals = Cards("goals", say("call.goal.heading", language))
        self.goals.listen(take=self.guard(self._take_answer))
        self.keep = Keep(
            _words("keep", ("title", "link", "copy", "copied", "marked", "save", "open", "too_long"), language)
        )
        self.keep.listen(save=self.guard(self._save_file), open=self.guard(self._open_file))
        self.sheet = self.making.box(language)
        self.board = PinBoard(_words("pins", ("title", "pin", "full", "none", "show", "remove", "differs"), language))
        self.board.listen(
            pin=self.guard(self._pin),
            show=self.guard(self._show_pin),
            remove=self.guard(self._remove_pin),
            kept=self.guard(self._keep_pins),
        )
        live, shown = self.live, self.figures
        one = stack([grid([shown["layouts"], shown["context"]]), live["table"], live["call_model_link"]])
        many = stack([grid([shown["sharing_cards"], shown["sharing_services"]]), live["sharing_services"]])
        self.kinds = {"one": one, "several": many}
        self.boxes = {
            "need": stack([self.starts, live["call_need"], grid([shown["call_need"], shown["call_peak"]])]),
            "model": stack([one, many]),
            "server": stack([grid([shown["memory"], shown["power"]]), live["call_goal_error"], self.goals]),
            "site": stack([grid([shown["site_connections"], shown["site_caps"], live["supplies"]]), live["chassis"]]),
            "offer": stack([live["parts"], self.sheet, self.keep]),
        }
        return [self.answer, *self.boxes.values(), live["notes"], self.board]

    # Drawing

    def draw(self) -> None:
        """The answer, the steps' summaries, the step that is shown, and the pins."""
        language = self.language
        if self.several:
            self.listed.serve(self.scenario)
        self.found = call(self.state.answer)
        stale = bool(self.state.errors or (self.several and self.listed.errors))
        self.answer.show(call_report.answer(self.found, self.services_shown, language, stale=stale))
        self.steps_bar.show(call_report.summaries(self.found, self.services_shown, language), self.step)
        self.form.only = list(call_report.inputs_of(self.step, self.scenario))
        if self.own_card:
            self.own_card.show(hidden="card" not in self.form.only)
        in_services = self.step == "model" and self.several
        _show(self.rows, in_services)
        if in_services:
            self.rows.show(self.listed, remedy(self.listed.found, language))
        for name, box in self.boxes.items():
            _show(box, name == self.step)
        getattr(self, f"_draw_{self.step}")()
        self._draw_pins()

    def _draw_need(self) -> None:
        language = self.language
        cards = [
            {
                "key": start.name,
                "title": say(f"preset.{start.name}.title", language),
                "lines": [[say(f"preset.{start.name}.text", language), ""]],
                "button": say("call.starts.take", language),
            }
            for start in starts()
        ]
        chosen = next((start.name for start in starts() if start.plan.to_query() == self.plan.to_query()), "")
        self.starts.show(cards, chosen=chosen)
        self.live["call_need"].show(call_report.need(self.found, language))
        _show(self.figures["call_need"], not self.several)
        for name in ("call_need", "call_peak"):
            self.figures[name].show(self.found)
        self._notes(self.found.notes)

    def _draw_model(self) -> None:
        language = self.language
        _show(self.kinds["one"], not self.several)
        _show(self.kinds["several"], self.several)
        if self.several:
            placed = self.listed.found
            for name in ("sharing_cards", "sharing_services"):
                self.figures[name].show(placed)
            self.live["sharing_services"].show(sharing_report.services(placed, language))
            self._notes(self._noted())
            return
        sizing = self.state.sizing
        other = other_precision(sizing)
        self.figures["layouts"].show(sizing, other=other)
        self.figures["context"].show(sizing)
        self.live["table"].show(sizing_report.layouts_table(sizing, other, language))
        self.live["call_model_link"].show(tag("p", say("call.model.other", language), class_="sizing-second"))
        self._notes(self.state.answer.notes_at_hand)

    def _draw_server(self) -> None:
        language = self.language
        for name in ("memory", "power"):
            self.figures[name].show(self.state.sizing)
        _show(self.figures["memory"], not self.several)
        _show(self.goals, not self.several)
        self._answers, wrong = (), NOTHING
        if not self.several:
            try:
                found = answers(self.found)
            except SizingError as error:
                wrong = tag("p", error.say(language), class_="sizing-stale")
                self.goals.show([])
            else:
                self._answers = found.answers or ((found.nearest,) if found.nearest else ())
                intro, cards = call_report.goals(found, language)
                self.goals.show(cards, intro=intro)
        self.live["call_goal_error"].show(wrong)
        self._notes(self._noted())

    def _draw_site(self) -> None:
        language = self.language
        # Which cards work in step, and what the drives hold, is the services' business where there are several.
        found = site_of(self.request()) if self.several else site(self.scenario, sizing=self.found.sizing)
        for name in ("site_connections", "site_caps"):
            self.figures[name].show(found)
        self.live["supplies"].show(site_report.diagram(found, language))
        chassis = folded(
            "call-chassis", say("call.site.chassis", language), lambda: site_tables.chassis(found, language)
        )
        self.live["chassis"].show(chassis)
        self._notes(site_page.unsaid(found))

    def _draw_offer(self) -> None:
        request = self.request()
        self.live["parts"].show(call_report.offer(request, self.language))
        self._notes(self._noted())

    def _draw_pins(self) -> None:
        language = self.language
        others = [found for query in self.pinned if (found := pinned(query))]
        columns, rows = call_report.pins((self.found, self.services_shown), others, language) if others else ([], [])
        self.board.show(columns, rows, self.pinned)

    def _noted(self) -> tuple[Note, ...]:
        """Notes on the server and what it holds; of services also what their connection says."""
        if not self.several:
            return self.state.answer.notes_at_hand
        return (*connected(self.state.sizing.site), *self.listed.found.notes)

    def _notes(self, noted: Iterable[Note]) -> None:
        self.live["notes"].show(common.notes(noted, self.language))

    # What a visitor does

    def go(self, step: str) -> None:
        """Show another step."""
        if step not in call_report.NAMES:
            raise SizingError("unknown_step", input="step", value=step[:40], known=", ".join(call_report.NAMES))
        self.step = step
        self._change()

    def show(self, plan: Plan) -> None:
        """Show a whole scenario with its services, as one move that can be undone."""
        size(plan.scenario)  # what cannot be sized changes nothing
        self.listed.open(plan.to_query(), plan.scenario)
        self.state.take(plan.scenario)

    def _start(self, name: str) -> None:
        for start in starts():
            if start.name == name:
                self.show(start.plan)

    def _take_answer(self, key: str) -> None:
        if key.isdecimal() and int(key) < len(self._answers):
            answer = self._answers[int(key)]
            together = answer.scenario.servers_connected
            more = answer.servers if answer.servers != together else 0
            self.show(self.plan.replace(scenario=answer.scenario.replace(servers_offered=more)))

    def _save_file(self) -> None:
        self.keep.hand_over(saved.FILE_NAME, self.plan.to_json())

    def _open_file(self, text: str) -> None:
        self.keep.error = ""
        try:
            self.show(saved.read(text))
        except SizingError as error:
            self.keep.error = error.say(self.language)
        else:
            self.keep.status = say("call.keep.opened", self.language)

    def _pin(self) -> None:
        query = self.plan.to_query()
        if len(self.pinned) < MOST_PINS and query not in self.pinned:
            self.pinned.append(query)
        self._draw_pins()

    def _show_pin(self, number: int) -> None:
        if 0 <= number < len(self.pinned):
            self.show(Plan.read_query(self.pinned[number])[0])

    def _remove_pin(self, number: int) -> None:
        if 0 <= number < len(self.pinned):
            del self.pinned[number]
        self._draw_pins()

    def _keep_pins(self, links: Sequence[str]) -> None:
        """Those that the tab kept; one that cannot be read as it was pinned is not shown as something else."""
        read = [query for query in links if query.startswith("v=") and not Plan.read_query(query)[1]]
        self.pinned = [query for query in read if pinned(query)]
        self._draw_pins()
        if lost := len(links) - len(self.pinned):
            raise SizingError("pins_unreadable", input="pins", count=lost)


@functools.lru_cache(maxsize=20)
def pinned(query: str) -> call_report.Pinned | None:
    """The answers of a pinned scenario; None for a link that cannot be sized."""
    plan, _ = Plan.read_query(query)
    try:
        found = call(answer(plan.scenario, measured=False))
        return found, shared(plan) if plan.scenario.workload == "several" else None
    except SizingError:
        return None


def _asked_step(query: str) -> str:
    asked = parse_qs(query.removeprefix("?")).get(STEP_PARAMETER, [""])[-1]
    return asked if asked in call_report.NAMES else call_report.NAMES[0]


def _words(room: str, names: Sequence[str], language: str) -> dict[str, str]:
    return {name: say(f"call.{room}.{name}", language) for name in names}


def _working(name: str, found: Any, language: str) -> Markup:
    """What stands folded below a chart."""
    if name in (layouts.name, context.name, memory.name, power.name):
        return sizing_report.working(name, found, language)
    if name in (site_connections.name, site_caps.name):
        return site_page.working(name, found, language)
    return NOTHING


def _show(part: Any, wanted: bool) -> None:
    """A part that is not wanted takes no room and is not read aloud."""
    part.layout.display = None if wanted else "none"


page = CallPage
