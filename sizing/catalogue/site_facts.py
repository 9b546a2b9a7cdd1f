"""Facts on power, connection and host that belong to no single product: ``data/power.toml``, ``data/host.toml``."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import TypeVar

from sizing.base import files
from sizing.base.errors import SizingError
from sizing.base.files import Kind, Many, Number, Place, Record, SourceKey, Text
from sizing.catalogue.loader import Catalogue, default
from sizing.catalogue.records import Figure
from sizing.catalogue.schemas import figure


@dataclass(frozen=True, slots=True)
class CardLoad:
    """What a card draws in service, None where no source states it. [W]

    cards: ids of the cards.   empty_w: nothing in memory.   resident_w: weights in memory, no request.
    decode_w: while it writes.   prefill_low_w, prefill_high_w: while it reads.   peak_w: highest reading.
    """

    cards: tuple[str, ...]
    empty_w: Figure | None
    resident_w: Figure | None
    decode_w: Figure | None
    prefill_low_w: Figure | None
    prefill_high_w: Figure | None
    peak_w: Figure | None


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Efficiency of a supply. points: (load over rating, output over input), rising in load."""

    id: str
    source: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Cord:
    """A cord of IEC 60320. amps: what its connector carries in that region. [A]"""

    id: str
    name: str
    region: str
    amps: float
    source: str


@dataclass(frozen=True, slots=True)
class PowerFacts:
    """data/power.toml.

    wall_share_low, wall_share_high: wall power over caps plus processor rating. [-]
    other_resident_share, other_decode_share: draw of cards without figures, over their cap. [-]
    host_idle_share: idle processors over their rating. [-]   power_factor: W over VA. [-]
    inrush_a: of one cord. [A]   transient_factor: spike over limit. [-]   bank_share: of a bank breaker. [-]
    """

    wall_share_low: Figure
    wall_share_high: Figure
    card_load: tuple[CardLoad, ...]
    other_resident_share: Figure
    other_decode_share: Figure
    host_idle_share: Figure
    efficiency: tuple[Efficiency, ...]
    power_factor: Figure
    inrush_a: Figure
    transient_factor: Figure
    cord: tuple[Cord, ...]
    bank_share: Figure
    pue: Figure
    price_eur_per_kwh: Figure

    def load_of(self, card_id: str) -> CardLoad | None:
        """What is published on a card's draw, None where nothing is."""
        return next((load for load in self.card_load if card_id in load.cards), None)

    def efficiency_of(self, id: str) -> Efficiency:
        """An efficiency by its id."""
        return _by_id(self.efficiency, id, "efficiency")

    def cord_of(self, id: str) -> Cord:
        """A cord by its id."""
        return _by_id(self.cord, id, "cord")


@dataclass(frozen=True, slots=True)
class Module:
    """A size of memory module. [GB]"""

    gb: int
    source: str


@dataclass(frozen=True, slots=True)
class HostFacts:
    """data/host.toml: least sockets, base clock [GHz], cores a card, memory over card memory, NVMe drives a socket;
    memory for a large index or cache offload [GB]; module sizes."""

    sockets_min: Figure
    base_ghz_min: Figure
    cores_per_card: Figure
    ram_per_card_memory: Figure
    nvme_per_socket: Figure
    large_ram_gb: Figure
    module: tuple[Module, ...]


_T = TypeVar("_T", Efficiency, Cord)


def _by_id(found: tuple[_T, ...], id: str, input: str) -> _T:
    for item in found:
        if item.id == id:
            return item
    raise SizingError("site_unknown_name", input=input, value=id, known=", ".join(item.id for item in found))


@dataclass(kw_only=True, eq=False, repr=False)
class _Points(Kind):
    """Pairs of a load and an efficiency, both shares, rising in load."""

    def read(self, value: object, place: Place) -> tuple[tuple[float, float], ...]:
        share = Number(low=0.01, high=1.0)
        pairs = Many(of=Many(of=share, least=2, most=2), least=2).read(value, place)
        for (low, _), (high, _) in itertools.pairwise(pairs):
            if low >= high:
                place.refuse("data_wrong_order", low_key="load", low=low, high_key="load", high=high)
        return tuple((load, efficiency) for load, efficiency in pairs)


def _share(high: float = 1.0) -> Record:
    return figure("-", low=0.01, high=high)


def _watts() -> Record:
    return figure("W", low=1, high=5_000, optional=True)


POWER = Record(
    fields={
        "wall_share_low": _share(2),
        "wall_share_high": _share(2),
        "card_load": Many(
            least=1,
            of=Record(
                fields={
                    "cards": Many(of=Text(), least=1),
                    "empty_w": _watts(),
                    "resident_w": _watts(),
                    "decode_w": _watts(),
                    "prefill_low_w": _watts(),
                    "prefill_high_w": _watts(),
                    "peak_w": _watts(),
                },
                rising=(("empty_w", "resident_w", "decode_w", "prefill_high_w", "peak_w"),),
                build=CardLoad,
            ),
        ),
        "other_resident_share": _share(),
        "other_decode_share": _share(),
        "host_idle_share": _share(),
        "efficiency": Many(
            of=Record(fields={"id": Text(), "source": SourceKey(), "points": _Points()}, build=Efficiency),
            least=1,
            unique=("id",),
        ),
        "power_factor": _share(),
        "inrush_a": figure("A", low=1, high=1_000),
        "transient_factor": figure("-", low=1, high=10),
        "cord": Many(
            of=Record(
                fields={
                    "id": Text(),
                    "name": Text(),
                    "region": Text(choices=("EU", "US")),
                    "amps": Number(low=1, high=100),
                    "source": SourceKey(),
                },
                build=Cord,
            ),
            least=1,
            unique=("id",),
        ),
        "bank_share": _share(),
        "pue": figure("-", low=1, high=5),
        "price_eur_per_kwh": figure("EUR/kWh", low=0.001, high=10),
    },
    rising=(("wall_share_low", "wall_share_high"),),
    build=PowerFacts,
)

HOST = Record(
    fields={
        "sockets_min": figure("sockets", low=1, high=8, whole=True),
        "base_ghz_min": figure("GHz", low=0.5, high=10),
        "cores_per_card": figure("cores", low=1, high=64, whole=True),
        "ram_per_card_memory": figure("-", low=0.1, high=10),
        "nvme_per_socket": figure("drives", low=0, high=24, whole=True),
        "large_ram_gb": figure("GB", low=1, high=100_000),
        "module": Many(
            of=Record(fields={"gb": Number(low=1, high=4096, whole=True), "source": SourceKey()}, build=Module),
            least=1,
            unique=("gb",),
        ),
    },
    build=HostFacts,
)


def read_power(catalogue: Catalogue) -> PowerFacts:
    """The power facts of a catalogue's folder."""
    facts: PowerFacts = POWER.read(
        files.read_toml(catalogue.root / "power.toml", "power.toml"), catalogue.place("power.toml")
    )
    return facts


def read_host(catalogue: Catalogue) -> HostFacts:
    """The host facts of a catalogue's folder."""
    facts: HostFacts = HOST.read(
        files.read_toml(catalogue.root / "host.toml", "host.toml"), catalogue.place("host.toml")
    )
    return facts


@functools.cache
def power_facts() -> PowerFacts:
    """The power facts of this package's own data."""
    return read_power(default())


@functools.cache
def host_facts() -> HostFacts:
    """The host facts of this package's own data."""
    return read_host(default())
