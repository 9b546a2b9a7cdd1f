"""Plan: the whole wish of a shared server as one frozen value, to and from JSON and a link."""

from __future__ import annotations

import dataclasses
import functools
import json

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, flag, source_key, text
from sizing.base.errors import SizingError
from sizing.base.files import ByName, Many
from sizing.catalogue import listing
from sizing.catalogue.listing import Entry, Listing
from sizing.catalogue.loader import default
from sizing.catalogue.scenario import Scenario


class MigDriver(Declared):
    """What MIG asks of the driver. capability: compute capability of the card.   display_mode: has to be off first."""

    capability: str = text()
    release: str = text()
    version: str = text()
    source: str = source_key()
    display_mode: bool = flag(default=False)


MIG_DRIVERS = Many(of=MigDriver.schema(), unique=("capability",))
_FILE = listing.read_file("sharing.toml", "services", mig_driver=MIG_DRIVERS)


def mig_driver(capability: tuple[int, int] | None) -> MigDriver | None:
    """What MIG asks of the driver on cards of a compute capability; None where unknown."""
    written = ".".join(map(str, capability or ()))
    return next((driver for driver in _FILE["mig_driver"] if driver.capability == written), None)


@dataclass(frozen=True, kw_only=True)
class Service(Entry):
    """One model that has to run on the server. Bounds and defaults stand in data/sharing.toml.

    checkpoint: id of the catalogue.   copies: engines that serve it. [-]
    context_tokens: tokens that each conversation holds. [tokens]   kv_dtype: as in Scenario.
    conversations: wanted at once, over all copies; None for as many as fit. [-]
    isolation: the least it asks for: "share" a card with others, a MIG "slice", or "whole" cards.

    >>> Service(checkpoint="BAAI/bge-m3").to_text()
    'BAAI/bge-m3~1~8192~auto~max~share'
    >>> Service.from_text("Qwen/Qwen3-8B~2").copies
    2
    """

    WHAT = "service"
    INPUTS = listing.in_group(_FILE, "service")
    OPEN, OPEN_TEXT = ("conversations",), "max"

    checkpoint: str = "Qwen/Qwen3-32B"
    copies: int = 1
    context_tokens: int = 8192
    kv_dtype: str = "auto"
    conversations: int | None = None
    isolation: str = "share"

    @property
    def model(self) -> str:
        """The checkpoint without its owner."""
        return self.checkpoint.partition("/")[2]

    @property
    def wanted_per_copy(self) -> int:
        """Conversations that each copy has to hold; one where it is as many as fit. [-]"""
        return -(-self.conversations // self.copies) if self.conversations else 1


@dataclass(frozen=True, kw_only=True)
class Plan(Listing):
    """A server, or two alike, and the services that it has to run.

    scenario: the server: card, cards in each server, power, processors, memory rule. Its model counts for nothing here.
    services: 1 to 16.   servers: alike. [-]
    aim: "fit_all" (each service on as much of its own as there is), "fewest_cards", "most_free",
    "most_conversations" for the service number ``favourite``, from 1.
    SizingError where a value is of the wrong kind or out of bounds.

    >>> Plan(servers=2).to_query()
    'v=1&pv=1&hosts=2'
    """

    WHAT = "plan"
    ENTRY = Service
    ENTRIES = "services"
    MOST = 16
    VERSION_PARAMETER = "pv"
    ENTRY_PARAMETER = "svc"
    INPUTS = listing.in_group(_FILE, "server")
    PRESETS = _FILE["preset"]

    services: tuple[Service, ...] = dataclasses.field(default_factory=lambda: Plan.preset_entries())
    servers: int = 1
    aim: str = "fit_all"
    favourite: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.aim == "most_conversations" and self.favourite > len(self.services):
            raise SizingError("favourite_unknown", input="favourite", value=self.favourite, most=len(self.services))

    @property
    def cards(self) -> int:
        """Cards of all servers. [-]"""
        return self.scenario.cards * self.servers


@functools.cache
def preset(name: str) -> Plan:
    """A preset as a plan. SizingError names the known ones."""
    services = Plan.preset_entries(name)
    return Plan(scenario=Scenario(cards=Plan.PRESETS[name]["cards"]), services=services)


# A call as a file: its scenario and its services, every value written out, to open again later.

FILE_NAME = "sizing.json"


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


@dataclass(frozen=True)
class Start:
    """One of them. plan: its scenario, and its services where it has several.   source: key of sources.toml."""

    name: str
    plan: Plan
    source: str

    @property
    def scenario(self) -> Scenario:
        """Its inputs."""
        return self.plan.scenario


class _Row(Declared):
    """An entry of data/presets.toml. query: of a link.   plan: preset of services beside it, "" for none.

    source: key of sources.toml, or "convention" for an example of ours.
    """

    query: str = text()
    plan: str = text(default="")
    source: str = text()


@functools.cache
def starts() -> tuple[Start, ...]:
    """Every start, in the order of data/presets.toml. SizingError where a link of the file cannot be read."""
    found = []
    for name, row in default().read("presets.toml", ByName(of=_Row.schema())).items():
        plan = Plan.from_query(row.query)
        if row.plan:
            plan = plan.replace(services=Plan.preset_entries(row.plan))
        found.append(Start(name, plan, row.source))
    return tuple(found)
