"""Plan: the whole wish of a shared server as one frozen value, to and from JSON and a link."""

from __future__ import annotations

import dataclasses
import functools
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sizing.base import files
from sizing.base.errors import SizingError
from sizing.base.files import data_dir, read_toml
from sizing.catalogue import links
from sizing.catalogue.inputs import Input
from sizing.catalogue.scenario import Scenario

# The table data/sharing.toml, read once.


@functools.cache
def table() -> dict[str, Any]:
    """The whole file."""
    return files.read_toml(files.data_dir() / "sharing.toml", "sharing.toml")


@functools.cache
def fields() -> dict[str, Input]:
    """The fields of a service and of a plan by name, checked as the inputs of a scenario are."""
    made = {}
    for name, entry in table()["fields"].items():
        lists: dict[str, Any] = {key: tuple(entry[key]) for key in ("stops", "choices") if key in entry}
        made[name] = Input(name=name, **{**entry, **lists})
    return made


def mig_driver(capability: tuple[int, int] | None) -> dict[str, Any] | None:
    """What MIG asks of the driver on cards of a compute capability: release, version, source; None where unknown."""
    if capability is None:
        return None
    written = ".".join(map(str, capability))
    return next((entry for entry in table()["mig_driver"] if entry["capability"] == written), None)


# Service: one model that has to run on the server, with what it is asked to hold.

SEPARATOR = "~"
AS_MANY = "max"
ORDER = ("checkpoint", "copies", "context_tokens", "kv_dtype", "conversations", "isolation")


@dataclass(frozen=True, kw_only=True)
class Service:
    """One service. Bounds and defaults stand in data/sharing.toml.

    checkpoint: id of the catalogue.   copies: engines that serve it. [-]
    context_tokens: tokens that each conversation holds. [tokens]   kv_dtype: as in Scenario.
    conversations: wanted at once, over all copies; None for as many as fit. [-]
    isolation: the least it asks for: "share" a card with others, a MIG "slice", or "whole" cards.
    SizingError where a value is of the wrong kind or out of bounds.

    >>> Service(checkpoint="BAAI/bge-m3").to_text()
    'BAAI/bge-m3~1~8192~auto~max~share'
    """

    checkpoint: str = "Qwen/Qwen3-32B"
    copies: int = 1
    context_tokens: int = 8192
    kv_dtype: str = "auto"
    conversations: int | None = None
    isolation: str = "share"

    def __post_init__(self) -> None:
        for name in ORDER:
            value = getattr(self, name)
            if name != "conversations" or value is not None:
                object.__setattr__(self, name, fields()[name].check(value))

    @property
    def wanted_per_copy(self) -> int:
        """Conversations that each copy has to hold; one where it is as many as fit. [-]"""
        return -(-self.conversations // self.copies) if self.conversations else 1

    def replace(self, **changes: Any) -> Service:
        """The same service with other values. SizingError for a name that is not a field."""
        _refuse_unknown(changes)
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Every value by name."""
        return {name: getattr(self, name) for name in ORDER}

    def to_text(self) -> str:
        """The service as a link writes it."""
        values = (AS_MANY if value is None else str(value) for value in self.as_dict().values())
        return SEPARATOR.join(values)

    @classmethod
    def from_dict(cls, values: Any) -> Service:
        """The service of a JSON object; fields it does not name are at their default."""
        if not isinstance(values, dict):
            raise SizingError("service_not_readable", input="services", value=repr(values)[:60])
        _refuse_unknown(values)
        return cls(**values)

    @classmethod
    def from_text(cls, text: str) -> Service:
        """The service of a link's part; fields left out at its end are at their default.

        >>> Service.from_text("Qwen/Qwen3-8B~2").copies
        2
        """
        parts = text.split(SEPARATOR)
        if len(parts) > len(ORDER) or not parts[0]:
            raise SizingError("service_not_readable", input="services", value=text[:60])
        return cls(**{name: parse_field(name, part) for name, part in zip(ORDER, parts, strict=False)})


def parse_field(name: str, text: str, decimal: str = ".") -> Any:
    """What a text field or a link means by a value; None is as many conversations as fit."""
    if name == "conversations" and text.strip().lower() in (AS_MANY, ""):
        return None
    return fields()[name].parse(text, decimal)


def _refuse_unknown(values: dict[str, Any]) -> None:
    if unknown := [name for name in values if name not in ORDER]:
        raise SizingError("unknown_input", input=str(unknown[0])[:60], known=", ".join(ORDER))


PLAN_VERSION = "1"
MAX_SERVICES = 16
OWN = ("servers", "aim", "favourite")
SERVICE_PARAMETER = "svc"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A server, or two alike, and the services that it has to run.

    scenario: the server: card, cards in each server, power, processors, memory rule. Its model counts for nothing here.
    services: 1 to 16.   servers: alike. [-]
    aim: "fit_all" (each service on as much of its own as there is), "fewest_cards", "most_free",
    "most_conversations" for the service number ``favourite``, from 1.
    SizingError where a value is of the wrong kind or out of bounds.
    """

    scenario: Scenario = dataclasses.field(default_factory=Scenario)
    services: tuple[Service, ...] = dataclasses.field(default_factory=lambda: _services(preset_names()[0]))
    servers: int = 1
    aim: str = "fit_all"
    favourite: int = 1

    def __post_init__(self) -> None:
        for name in OWN:
            object.__setattr__(self, name, fields()[name].check(getattr(self, name)))
        object.__setattr__(self, "services", tuple(self.services))
        if not 1 <= len(self.services) <= MAX_SERVICES:
            raise SizingError("services_count", input="services", value=len(self.services), most=MAX_SERVICES)
        if self.aim == "most_conversations" and self.favourite > len(self.services):
            raise SizingError("favourite_unknown", input="favourite", value=self.favourite, most=len(self.services))

    @property
    def cards(self) -> int:
        """Cards of all servers. [-]"""
        return self.scenario.cards * self.servers

    def replace(self, **changes: Any) -> Plan:
        """The same plan with other values; inputs of the scenario may be named, too."""
        own = {name: changes.pop(name) for name in (*OWN, "services", "scenario") if name in changes}
        scenario = own.pop("scenario", self.scenario)
        return dataclasses.replace(self, scenario=scenario.replace(**changes) if changes else scenario, **own)

    def with_service(self, number: int, service: Service) -> Plan:
        """The same plan with another service in the place ``number``, from 0."""
        services = (*self.services[:number], service, *self.services[number + 1 :])
        return dataclasses.replace(self, services=services)

    def to_json(self) -> str:
        """The plan as JSON text, every value written out."""
        own = {name: getattr(self, name) for name in OWN}
        services = [service.as_dict() for service in self.services]
        return json.dumps(
            {"plan": PLAN_VERSION, "scenario": self.scenario.as_dict(), **own, "services": services}, indent=1
        )

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The plan of a JSON text; what it does not name is at its default."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            raise SizingError("scenario_not_json", input="plan") from None
        if not isinstance(values, dict) or not isinstance(values.get("scenario", {}), dict):
            raise SizingError("scenario_not_json", input="plan")
        if values.pop("plan", PLAN_VERSION) != PLAN_VERSION:
            raise SizingError("plan_version", input="plan")
        if unknown := [name for name in values if name not in (*OWN, "scenario", "services")]:
            known = ", ".join((*OWN, "scenario", "services"))
            raise SizingError("unknown_input", input=str(unknown[0])[:60], known=known)
        made: dict[str, Any] = {name: values[name] for name in OWN if name in values}
        made["scenario"] = Scenario.from_json(json.dumps(values.get("scenario", {})))
        if "services" in values:
            if not isinstance(values["services"], list):
                raise SizingError("service_not_readable", input="services", value=repr(values["services"])[:60])
            made["services"] = tuple(Service.from_dict(each) for each in values["services"])
        return cls(**made)

    def to_query(self) -> str:
        """The plan as the query of a link: the scenario's, then what of the plan is not at its default.

        >>> Plan(servers=2).to_query()
        'v=1&pv=1&hosts=2'
        """
        pairs = [("pv", PLAN_VERSION)]
        pairs += [
            (fields()[name].short, str(getattr(self, name)))
            for name in OWN
            if getattr(self, name) != fields()[name].default
        ]
        if self.services != Plan().services:
            pairs += [(SERVICE_PARAMETER, service.to_text()) for service in self.services]
        return f"{self.scenario.to_query()}&{urlencode(pairs, safe='/:.~')}"

    @classmethod
    def from_query(cls, query: str) -> Plan:
        """The plan of a link's query. SizingError names the first part that cannot be read."""
        plan, dropped = cls.read_query(query)
        if dropped:
            raise dropped[0]
        return plan

    @classmethod
    def read_query(cls, query: str) -> tuple[Plan, tuple[SizingError, ...]]:
        """The plan of a link's query, and an error for each part that had to be dropped."""
        scenario, found = Scenario.read_query(query)
        dropped = list(found)
        made, own_dropped = links.read(query, {fields()[name].short: fields()[name] for name in OWN})
        dropped += own_dropped
        services: list[Service] = []
        for short, text in links.pairs(query):
            try:
                if short == SERVICE_PARAMETER:
                    services.append(Service.from_text(text))
                elif short == "pv" and text != PLAN_VERSION:
                    dropped.append(SizingError("plan_version", input="plan"))
            except SizingError as error:
                dropped.append(error)
        if len(services) > MAX_SERVICES:
            dropped.append(SizingError("services_count", input="services", value=len(services), most=MAX_SERVICES))
        if services:
            made["services"] = tuple(services[:MAX_SERVICES])
        try:
            return cls(scenario=scenario, **made), tuple(dropped)
        except SizingError as error:
            made.pop("favourite", None)
            return cls(scenario=scenario, **made), (*dropped, error)


def preset_names() -> tuple[str, ...]:
    """Names of the presets, in the order of the file."""
    return tuple(table()["preset"])


@functools.cache
def preset(name: str) -> Plan:
    """A preset as a plan. SizingError names the known ones."""
    if name not in table()["preset"]:
        raise SizingError("preset_unknown", input="preset", value=str(name)[:60], known=", ".join(preset_names()))
    return Plan(scenario=Scenario(cards=table()["preset"][name]["cards"]), services=_services(name))


def _services(name: str) -> tuple[Service, ...]:
    return tuple(Service.from_text(text) for text in table()["preset"][name]["services"])


# A call as a file: its scenario and its services, every value written out, to open again later.

FILE_NAME = "sizing.json"


def write(plan: Plan) -> str:
    """The text of the file."""
    return plan.to_json()


def read(text: str) -> Plan:
    """The plan of a file, which may be a scenario's alone. SizingError where it is neither, or names what is wrong.

    >>> read(Scenario(cards=2).to_json()).scenario.cards
    2
    """
    try:
        values = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise SizingError("scenario_not_json", input="file") from None
    if isinstance(values, dict) and isinstance(values.get("scenario"), dict):
        return Plan.from_json(text)
    return Plan(scenario=Scenario.from_json(text))


# Where a call can start: a few common sizes, as plans that anyone can change.


@dataclass(frozen=True, slots=True)
class Start:
    """One of them. plan: its scenario, and its services where it has several.   source: key of sources.toml."""

    name: str
    plan: Plan
    source: str

    @property
    def scenario(self) -> Scenario:
        """Its inputs."""
        return self.plan.scenario


@functools.cache
def starts() -> tuple[Start, ...]:
    """Every start, in the order of data/presets.toml. SizingError where a link of the file cannot be read."""
    file = "presets.toml"
    found = []
    for name, row in read_toml(data_dir() / file, file).items():
        plan = Plan.from_query(row["query"])
        if "plan" in row:
            plan = plan.replace(services=preset(row["plan"]).services)
        found.append(Start(name, plan, row["source"]))
    return tuple(found)
