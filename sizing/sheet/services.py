"""The sheet of a shared server: several services on its cards, in slices and shares of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

from sizing import catalogue
from sizing.answers.wording import connection, precision
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.units import kw
from sizing.base.working import Step
from sizing.catalogue.inputs import inputs
from sizing.catalogue.listing import letter
from sizing.sharing.plan import Plan
from sizing.sharing.shared import Shared
from sizing.sharing.wording import headline, held, second, subject, wanted, where
from sizing.sheet import bill
from sizing.sheet.content import DECIDING, Content, Row, SheetFigure, Table
from sizing.sheet.drawing import Drawing
from sizing.sheet.figures.sharing_charts import sharing_cards, sharing_services
from sizing.site import working as site_steps

_HEIGHT = 58.0  # of a chart [mm]
_EDGES = (0.0, 50.0, 63.0, 77.0, 104.0, 118.0, 130.0, 134.0)
# Inputs of a single model: each service has its own.
_OF_ONE_MODEL = ("model", "speed", "evidence", "engine", "people", "mix", "goal")


@dataclass(frozen=True)
class SharedContent(Content):
    """The placement: which service stands where, what it holds, what a lost card costs, and the server's power."""

    @property
    def shared(self) -> Shared:
        """The placement with what follows from it."""
        if self.request.shared is None:
            raise SizingError("sheet_no_plan", input="shared")
        return self.request.shared

    @property
    def fits(self) -> bool:
        """Every service has a place."""
        return self.shared.placement.fits

    @property
    def subject(self) -> str:
        """Servers, cards and the aim."""
        return subject(self.shared, self.language)

    @property
    def answer(self) -> str:
        """Whether all services fit, and on how many cards."""
        return headline(self.shared, self.language)

    @property
    def second(self) -> str:
        """What a lost card costs or what would make it fit, and power against the connection."""
        return f"{second(self.shared, self.language)} {connection(self.sizing, self.language)}"

    def drawings(self, width: float) -> tuple[Drawing, ...]:
        """The cards as columns, the services as bars."""
        return (
            self.plotted(sharing_cards, self.shared, width, _HEIGHT, key=True),
            self.plotted(sharing_services, self.shared, width, _HEIGHT),
        )

    @functools.cached_property
    def figures(self) -> tuple[SheetFigure, ...]:
        """As the page for a shared server says them, and the air."""
        placement, sizing = self.shared.placement, self.sizing
        placed = len(placement.needs) - len(placement.left_out)
        taken = placement.slots - placement.free_slots
        rows: list[tuple[str, str, float, str, str]] = [
            ("services", self._of(placed, len(placement.needs)), placed, "", ""),
            ("cards", self._of(placement.cards_used, len(placement.cards)), placement.cards_used, "", ""),
            ("slots", self._of(taken, placement.slots), taken, "", ""),
            ("free", self.say("unit.gib", value=placement.free_gib), placement.free_gib, "GiB", "free_gib"),
            ("server", self.say("unit.kw", value=kw(sizing.server_w)), sizing.server_w, "W", "server_w"),
        ]
        air = self.say("unit.cfm_m3", cfm=sizing.cfm, m3_per_h=sizing.m3_per_h)
        found = [self.labelled(f"ui.sharing.figure.{row[0]}", *row[1:]) for row in rows]
        # What is free is a sum of the services, beside the working.
        found[3] = dataclasses.replace(found[3], step="free_gib")
        return (*found, self.labelled("ui.figure_name.air", air, sizing.cfm, "CFM", "cfm"))

    def _of(self, part: int, whole: int) -> str:
        return self.say("ui.sharing.of", part=part, whole=whole)

    @property
    def more_figures(self) -> tuple[SheetFigure, ...]:
        """Power of all servers, where there are several."""
        if self.request.servers == 1:
            return ()
        all_w = self.request.servers * self.sizing.server_w
        shown = self.say("unit.kw", value=kw(all_w))
        return (self.labelled("sheet.figure.servers", shown, all_w, "W"),)

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """Those of the placement, those of the site that stop or warn, those of the prices."""
        at_site = (note for note in bill.site_of(self.request).notes if note.level != "hint")
        return self.in_order(*self.shared.notes, *at_site, *self.price_notes)

    @functools.cached_property
    def steps(self) -> tuple[Step, ...]:
        """The working of the placement, then power and air."""
        plan = bill.site_of(self.request).plan
        return (*self.shared.working, *plan.draw.working, *site_steps.airflow(plan))

    @functools.cached_property
    def step_titles(self) -> tuple[str, ...]:
        """The title, with the service or slice whose step it is."""
        placement = self.shared.placement
        used = {engine.profile for engine in placement.engines}
        whose: dict[str, Iterator[str]] = {
            "sharing_share": (letter(engine.service) for engine in placement.engines if engine.kind == "share"),
            "sharing_usable_slice_gib": (profile.name for profile in placement.profiles if profile.name in used),
        }
        return tuple(
            ": ".join((*([next(whose[step.name])] if step.name in whose else []), step.say_title(self.language)))
            for step in self.steps
        )

    @functools.cached_property
    def all_inputs(self) -> tuple[Row, ...]:
        """The plan's own inputs, then those of the server."""
        plan = self.shared.plan
        names = [name for name in Plan.INPUTS if name != "favourite" or plan.aim == "most_conversations"]
        server = (spec for spec in inputs().values() if spec.group not in _OF_ONE_MODEL)
        return (*self.rows((Plan.INPUTS[name] for name in names), plan), *self.rows(server))

    @functools.cached_property
    def assumptions(self) -> tuple[Row, ...]:
        """The plan's own, and those of the server that decide the figures or were changed."""
        table = inputs()
        return tuple(
            row for row in self.all_inputs if row.name not in table or row.changed or table[row.name].group in DECIDING
        )

    @functools.cached_property
    def table(self) -> Table:
        """Every service: model, copies, context, cache, what it asks for and holds, its place, its memory."""
        placement, language = self.shared.placement, self.language
        names = ("service", "copies", "precision", "context", "wanted", "holds", "memory", "where")
        rows = []
        for number, each in enumerate(placement.needs):
            service = each.service
            rows.append(
                (
                    f"{letter(number)} {each.name}",
                    self.say("unit.integer", value=service.copies),
                    precision(each.kv_dtype, language) if each.kv_kib else self.say("ui.sharing.none"),
                    self.say("unit.integer", value=service.context_tokens),
                    wanted(self.shared, number, language),
                    held(self.shared, number, language),
                    self.say("unit.gib_number", value=self.memory_gib(number)),
                    where(self.shared, number, language),
                )
            )
        heads = tuple(self.say(f"sheet.services.{name}") for name in names)
        return Table(self.say("sheet.section.services"), heads, tuple(rows), _EDGES)

    def memory_gib(self, number: int) -> float:
        """What all copies of a service take of their cards, reserve and rest included. [GiB]"""
        return sum(
            len(engine.cards) * (engine.weights_gib + engine.cache_gib + engine.reserve_gib + engine.left_gib)
            for engine in self.shared.placement.engines_of(number)
        )

    @property
    def file_stem(self) -> str:
        """Name of its file, without what tells the kind."""
        plan = self.shared.plan
        card = catalogue.called("card", plan.scenario.card)
        return self.say("sheet.file.services", services=len(plan.services), cards=plan.cards, card=card)
