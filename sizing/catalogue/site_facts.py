"""Facts on power, connection and host that belong to no single product: ``data/power.toml``, ``data/host.toml``."""

from __future__ import annotations

import functools
import itertools
from typing import Any, TypeVar

from sizing.base.dataclass import dataclass
from sizing.base.declare import Declared, many, number, of_kind, source_key, text
from sizing.base.errors import SizingError
from sizing.base.files import Kind, Many, Number, Place, Text
from sizing.catalogue.loader import Catalogue, default
from sizing.catalogue.records import Figure, figure


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


def _share(high: float = 1.0) -> Any:
    return figure("-", 0.01, high)


def _watts() -> Any:
    return figure("W", 1, 5_000, optional=True)


class CardLoad(Declared):
    """What a card draws in service, None where no source states it. [W]

    cards: ids of the cards.   empty_w: nothing in memory.   resident_w: weights in memory, no request.
    decode_w: while it writes.   prefill_low_w, prefill_high_w: while it reads.   peak_w: highest reading.
    """

    RISING = (("empty_w", "resident_w", "decode_w", "prefill_high_w", "peak_w"),)

    cards: tuple[str, ...] = many(Text(), least=1)
    empty_w: Figure | None = _watts()
    resident_w: Figure | None = _watts()
    decode_w: Figure | None = _watts()
    prefill_low_w: Figure | None = _watts()
    prefill_high_w: Figure | None = _watts()
    peak_w: Figure | None = _watts()


class Efficiency(Declared):
    """Efficiency of a supply. points: (load over rating, output over input), rising in load."""

    id: str = text()
    source: str = source_key()
    points: tuple[tuple[float, float], ...] = of_kind(_Points())


class Cord(Declared):
    """A cord of IEC 60320. id: its connector, and the region where that rates it apart, such as "c13-us".

    amps: what its connector carries there. [A]
    """

    id: str = text()
    name: str = text()
    amps: float = number(1, 100)
    source: str = source_key()


_T = TypeVar("_T", Efficiency, Cord)


def _by_id(found: tuple[_T, ...], id: str, input: str) -> _T:
    for item in found:
        if item.id == id:
            return item
    raise SizingError("site_unknown_name", input=input, value=id, known=", ".join(item.id for item in found))


class PowerFacts(Declared):
    """data/power.toml.

    wall_share_low, wall_share_high: wall power over caps plus processor rating. [-]
    other_resident_share, other_decode_share: draw of cards without figures, over their cap. [-]
    host_idle_share: idle processors over their rating. [-]   power_factor: W over VA. [-]
    inrush_a: of one cord. [A]   transient_factor: spike over limit. [-]   bank_share: of a bank breaker. [-]
    """

    RISING = (("wall_share_low", "wall_share_high"),)

    wall_share_low: Figure = _share(2)
    wall_share_high: Figure = _share(2)
    card_load: tuple[CardLoad, ...] = many(CardLoad, least=1)
    other_resident_share: Figure = _share()
    other_decode_share: Figure = _share()
    host_idle_share: Figure = _share()
    efficiency: tuple[Efficiency, ...] = many(Efficiency, least=1, unique=("id",))
    power_factor: Figure = _share()
    inrush_a: Figure = figure("A", 1, 1_000)
    transient_factor: Figure = figure("-", 1, 10)
    cord: tuple[Cord, ...] = many(Cord, least=1, unique=("id",))
    bank_share: Figure = _share()
    pue: Figure = figure("-", 1, 5)
    price_eur_per_kwh: Figure = figure("EUR/kWh", 0.001, 10)

    def load_of(self, card_id: str) -> CardLoad | None:
        """What is published on a card's draw, None where nothing is."""
        return next((load for load in self.card_load if card_id in load.cards), None)

    def efficiency_of(self, id: str) -> Efficiency:
        """An efficiency by its id."""
        return _by_id(self.efficiency, id, "efficiency")

    def cord_of(self, connector: str, region: str = "") -> Cord:
        """A cord by its connector ("c13", "c19"), as rated in a region, elsewhere as IEC 60320 has it."""
        own = f"{connector}-{region.lower()}"
        return _by_id(self.cord, own if any(each.id == own for each in self.cord) else connector, "cord")


class Module(Declared):
    """A size of memory module. [GB]"""

    gb: int = number(1, 4096, whole=True)
    source: str = source_key()


class HostFacts(Declared):
    """data/host.toml: least sockets, base clock [GHz], cores a card, memory over card memory, NVMe drives a socket;
    memory for a large index or cache offload [GB]; module sizes."""

    sockets_min: Figure = figure("sockets", 1, 8, whole=True)
    base_ghz_min: Figure = figure("GHz", 0.5, 10)
    cores_per_card: Figure = figure("cores", 1, 64, whole=True)
    ram_per_card_memory: Figure = figure("-", 0.1, 10)
    nvme_per_socket: Figure = figure("drives", 0, 24, whole=True)
    large_ram_gb: Figure = figure("GB", 1, 100_000)
    module: tuple[Module, ...] = many(Module, least=1, unique=("gb",))


def read_power(catalogue: Catalogue) -> PowerFacts:
    """The power facts of a catalogue's folder."""
    return catalogue.table("power.toml", PowerFacts)


def read_host(catalogue: Catalogue) -> HostFacts:
    """The host facts of a catalogue's folder."""
    return catalogue.table("host.toml", HostFacts)


@functools.cache
def power_facts() -> PowerFacts:
    """The power facts of this package's own data."""
    return read_power(default())


@functools.cache
def host_facts() -> HostFacts:
    """The host facts of this package's own data."""
    return read_host(default())
