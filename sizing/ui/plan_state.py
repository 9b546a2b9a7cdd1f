"""The services of a shared server as they change under a visitor's hands. Knows no widget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS
from sizing.catalogue.scenario import Scenario
from sizing.sharing import Plan, Service, fields, preset, preset_names
from sizing.sharing.plan import AS_MANY, MAX_SERVICES, ORDER, OWN, parse_field
from sizing.sharing.shared import Shared, shared
from sizing.ui.history import Memory

PLAN = -1
"""Number that stands for the plan's own fields where services are counted from 0."""


class PlanState:
    """The last plan that could be placed, and what was typed that could not be used.

    shared: result of the newest usable plan.   pending, errors: text and reason of what could not be used, by
    (service, field); service is PLAN for the plan's own fields.   dropped: parts of the link that could not be read.
    """

    def __init__(self, query: str, scenario: Scenario, language: str = "en") -> None:
        self.language = language
        self._listeners: list[Callable[[], None]] = []
        self.open(query, scenario)

    def open(self, query: str, scenario: Scenario) -> None:
        """Start again from a link; who listens is told by the page."""
        self.pending: dict[tuple[int, str], str] = {}
        self.errors: dict[tuple[int, str], SizingError] = {}
        plan, dropped = Plan.read_query(query)
        _, known = Scenario.read_query(query)
        self.dropped = tuple(error for error in dropped if str(error) not in {str(each) for each in known})
        try:
            self.shared: Shared = shared(plan.replace(scenario=scenario))
        except SizingError as error:
            self.dropped = (*self.dropped, error)
            self.shared = shared(Plan(scenario=scenario))

    @property
    def plan(self) -> Plan:
        """The plan of the placement shown."""
        return self.shared.plan

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every change."""
        self._listeners.append(listener)

    def memory(self) -> Memory:
        """What it takes to stand here again."""
        return Memory((self.plan,), dict(self.pending), (self.shared, dict(self.errors)))

    def restore(self, memory: Memory) -> None:
        """Stand where a memory was taken; who listens is told by the page."""
        self.shared, errors = memory.rest
        self.pending, self.errors = dict(memory.pending), dict(errors)

    def serve(self, scenario: Scenario) -> None:
        """The same services on another server."""
        if scenario != self.plan.scenario:
            self.shared = shared(self.plan.replace(scenario=scenario))

    def edit(self, service: int, changes: Mapping[str, str]) -> None:
        """Take what was typed. What cannot be used stays as typed, with its error."""
        for name, text in changes.items():
            key = (service, name)
            if (service == PLAN) != (name in OWN) or (service != PLAN and name not in ORDER):
                raise SizingError("unknown_input", input=name[:60], known=", ".join((*ORDER, *OWN)))
            if service != PLAN and not 0 <= service < len(self.plan.services):
                raise SizingError("services_count", input="services", value=service, most=len(self.plan.services))
            try:
                self.shared = shared(self._changed(service, name, text))
                self.pending.pop(key, None)
                self.errors.pop(key, None)
            except SizingError as error:
                self.pending[key], self.errors[key] = text, error
        self._tell()

    def add(self) -> None:
        """One service more, like the last one."""
        self._take((*self.plan.services, self.plan.services[-1]))

    def remove(self, service: int) -> None:
        """One service less; the last one stays."""
        kept = tuple(each for number, each in enumerate(self.plan.services) if number != service)
        if kept:
            self._take(kept)

    def take_preset(self, name: str) -> int:
        """The services of a preset; the number of cards that it speaks of."""
        self._take(preset(name).services)
        return preset(name).scenario.cards

    def make_fit(self) -> None:
        """The smallest change that makes it fit."""
        found = self.shared.changes
        if found and found.edits:
            self._take(found.plan.services)

    @property
    def preset(self) -> str:
        """Name of the preset that is on the page, or ""."""
        return next((name for name in preset_names() if preset(name).services == self.plan.services), "")

    @property
    def full(self) -> bool:
        """No more services can be added."""
        return len(self.plan.services) >= MAX_SERVICES

    def written(self, service: int, name: str) -> str:
        """A value as its field shows it; what was typed where that could not be used."""
        if (service, name) in self.pending:
            return self.pending[service, name]
        value = getattr(self.plan if service == PLAN else self.plan.services[service], name)
        if value is None:
            return ""
        if isinstance(value, int):
            return write_number(value, DECIMAL_SIGNS[self.language])
        return str(value)

    def said(self, service: int, name: str) -> str:
        """What is wrong with a field, or ""."""
        error = self.errors.get((service, name))
        return error.say(self.language) if error else ""

    def _changed(self, service: int, name: str, text: str) -> Plan:
        decimal = DECIMAL_SIGNS[self.language]
        if service == PLAN:
            return self.plan.replace(**{name: fields()[name].parse(text, decimal)})
        value: Any = parse_field(name, AS_MANY if not text.strip() and name == "conversations" else text, decimal)
        return self.plan.with_service(service, self.plan.services[service].replace(**{name: value}))

    def _take(self, services: tuple[Service, ...]) -> None:
        favourite = min(self.plan.favourite, len(services))
        self.shared = shared(self.plan.replace(services=services, favourite=favourite))
        self.pending.clear()
        self.errors.clear()
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()
