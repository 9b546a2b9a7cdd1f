"""Host: what cards ask of sockets, clock, cores, memory and drives, and which of them one socket holds."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.base import checks, units
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.working import Step, derive
from sizing.catalogue.processors import Processor
from sizing.catalogue.site_facts import HostFacts

# Memory modules: which sets fill every channel once, and what a set leaves empty.


@dataclass(frozen=True, slots=True)
class ModuleSet:
    """Equal modules over all channels. count modules of gb each. [GB]   channels: of all sockets. [-]

    filled: channels with a module. [-]   per_channel: modules in the fullest channel. [-]
    """

    count: int
    gb: int
    channels: int

    @property
    def total_gb(self) -> int:
        """All of them. [GB]"""
        return self.count * self.gb

    @property
    def filled(self) -> int:
        """Channels with at least one module."""
        return min(self.count, self.channels)

    @property
    def per_channel(self) -> int:
        """Modules in the fullest channel."""
        return -(-self.count // self.channels)

    @property
    def even(self) -> bool:
        """Every channel holds the same number."""
        return self.count % self.channels == 0

    @property
    def bandwidth_share(self) -> float:
        """Memory bandwidth over that with every channel filled: the share of filled channels. [-]"""
        return self.filled / self.channels


def full_sets(facts: HostFacts, channels: int, needed_gb: float, slots: int | None = None) -> tuple[ModuleSet, ...]:
    """Sets with one module in every channel and at least ``needed_gb`` [GB], the smallest first.

    Where one module a channel does not reach it, two are taken if the board has the slots (None: not known, so one).
    """
    checks.count("channels", channels, 1, 1024)
    checks.number("ram_gb", needed_gb, 0, 1e6, "GB")
    sizes = sorted(module.gb for module in facts.module)
    found = [ModuleSet(channels, gb, channels) for gb in sizes if channels * gb >= needed_gb]
    if not found and slots is not None and slots >= 2 * channels:
        found = [ModuleSet(2 * channels, gb, channels) for gb in sizes if 2 * channels * gb >= needed_gb]
    if slots is not None and slots < channels:
        return ()
    return tuple(found)


def judge(count: int, gb: int, sockets: int, channels_per_socket: int) -> tuple[ModuleSet, tuple[Note, ...]]:
    """A set that somebody proposes, and what is wrong with it.

    >>> judge(12, 64, 2, 12)[0].bandwidth_share
    0.5
    """
    checks.count("modules", count, 1, 1024)
    checks.count("module_gb", gb, 1, 4096)
    checks.count("processors", sockets, 1, 8)
    channels = checks.count("channels", channels_per_socket, 1, 64) * sockets
    if count % sockets:
        raise SizingError("modules_uneven", input="modules", value=count, sockets=sockets)
    chosen = ModuleSet(count, gb, channels)
    values = {"count": count, "gb": gb, "filled": chosen.filled, "channels": channels, "share": chosen.bandwidth_share}
    if chosen.filled < channels:
        return chosen, (Note("warn", "channels_empty", "doc-en", values),)
    if not chosen.even:
        return chosen, (Note("warn", "channels_uneven", "", values),)
    if chosen.per_channel > 1:
        return chosen, (Note("hint", "two_per_channel", "xfusion-1288h", values),)
    return chosen, (Note("hint", "channels_full", "doc-de", values),)


def sparser(chosen: ModuleSet, sockets: int) -> ModuleSet | None:
    """Half as many modules of twice the size, which leave half the channels empty; None where that is no set here."""
    if chosen.per_channel > 1 or chosen.count % (2 * sockets):
        return None
    return judge(chosen.count // 2, chosen.gb * 2, sockets, chosen.channels // sockets)[0]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing the guide asks for. name: "sockets", "base_clock", "cores", "ram" or "nvme".

    needed, offered: in ``unit``; offered is None where it is not known.
    """

    name: str
    needed: float
    offered: float | None
    unit: str
    source: str

    @property
    def fits(self) -> bool | None:
        """Whether it is met; None where that is not known."""
        return None if self.offered is None else self.offered >= self.needed * (1 - 1e-12)


@dataclass(frozen=True, slots=True)
class Host:
    """The host of some cards.

    requirements: of the guide.   modules: the set that fills every channel once with the least memory that is enough.
    other_sets: larger ones that fill every channel once.   large: the set for a large index or cache offload.
    """

    requirements: tuple[Requirement, ...]
    modules: ModuleSet | None
    other_sets: tuple[ModuleSet, ...]
    large: ModuleSet | None
    notes: tuple[Note, ...]
    working: tuple[Step, ...]

    def requirement(self, name: str) -> Requirement:
        """One requirement by its name."""
        return next(one for one in self.requirements if one.name == name)


def host(
    facts: HostFacts,
    cards: int,
    card_memory_gb: float,
    processor: Processor,
    processors: int,
    *,
    ram_gb: float | None = None,
    nvme_drives: int | None = None,
    dimm_slots: int | None = None,
) -> Host:
    """The host of ``cards`` cards of a nominal memory [GB] with ``processors`` processors.

    ram_gb: memory that is planned, None to take the smallest full set. [GB]   nvme_drives, dimm_slots: [-]
    """
    checks.count("cards", cards, 1, 64)
    checks.count("processors", processors, 1, 8)
    checks.number("card_memory_gb", card_memory_gb, 1, 10_000, "GB")
    guide = facts.cores_per_card.source
    counted = (cards, "", "input")
    each, every = (facts.cores_per_card.value, "", guide), (processors, "", "input")
    needed_cores = derive("host_cores", "cards * cores_per_card", "cores", guide, cards=counted, cores_per_card=each)
    own = processor.cores
    cores = derive(
        "host_cores_offered",
        "processors * cores",
        "cores",
        own.source,
        processors=every,
        cores=(own.value, "", own.source),
    )
    needed_ram = derive(
        "host_ram",
        "ram_per_card_memory * cards * card_memory_gb",
        "GB",
        guide,
        ram_per_card_memory=(facts.ram_per_card_memory.value, "", guide),
        cards=counted,
        card_memory_gb=(card_memory_gb, "GB", "input"),
    )
    needed_gb = needed_ram.result
    channels = None if processor.memory_channels is None else int(processor.memory_channels.value) * processors
    full: tuple[ModuleSet, ...] = ()
    large: ModuleSet | None = None
    if channels is not None:
        full = full_sets(facts, channels, needed_gb, dimm_slots)
        wanted = max(needed_gb, facts.large_ram_gb.value)
        large = next(iter(full_sets(facts, channels, wanted, dimm_slots)), None)
    offered_gb = ram_gb if ram_gb is not None else full[0].total_gb if full else None
    clock = None if processor.base_ghz is None else processor.base_ghz.value
    requirements = (
        Requirement("sockets", facts.sockets_min.value, processors, "", guide),
        Requirement("base_clock", facts.base_ghz_min.value, clock, "GHz", guide),
        Requirement("cores", needed_cores.result, cores.result, "", guide),
        Requirement("ram", needed_gb, offered_gb, "GB", guide),
        Requirement("nvme", facts.nvme_per_socket.value * processors, nvme_drives, "", guide),
    )
    return Host(
        requirements=requirements,
        modules=full[0] if full else None,
        other_sets=full[1:],
        large=large,
        notes=tuple(_notes(requirements, processor, processors, full, large, facts)),
        working=(needed_cores, cores, needed_ram),
    )


def processor_notes(processor: Processor, processors: int) -> tuple[Note, ...]:
    """Whether boards take so many of a processor."""
    most = processor.sockets_max
    if most is None or processors <= most.value:
        return ()
    values = {"processor": processor.name, "sockets": most.value, "processors": processors}
    return (Note("stop", "host_processor_sockets", most.source, values),)


def _notes(
    requirements: tuple[Requirement, ...],
    processor: Processor,
    processors: int,
    full: tuple[ModuleSet, ...],
    large: ModuleSet | None,
    facts: HostFacts,
) -> list[Note]:
    notes = [
        Note(
            "warn",
            f"host_{one.name}_short",
            one.source,
            {"needed": one.needed, "offered": one.offered, "unit": one.unit},
        )
        for one in requirements
        if one.fits is False
    ]
    notes += processor_notes(processor, processors)
    if not full:
        notes.append(Note("warn", "host_no_full_set"))
    if large is not None:
        values_gb = {"count": large.count, "gb": large.gb, "total_gb": large.total_gb}
        notes.append(Note("hint", "host_large_ram", facts.large_ram_gb.source, values_gb))
    if processors > 1:
        notes.append(Note("hint", "pairs_under_one_socket", "doc-de"))
    return notes


def pairs(cards: int, sockets: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each socket its pairs of cards, a last card alone. Cards are numbered along the sockets, as boards wire them;
    `nvidia-smi topo -m` shows the real order.

    >>> pairs(4, 2)
    (((0, 1),), ((2, 3),))
    """
    checks.count("cards", cards, 1, 64)
    checks.count("processors", sockets, 1, 8)
    found, first = [], 0
    for socket in range(sockets):
        here = range(first, first + cards // sockets + (1 if socket < cards % sockets else 0))
        first = here.stop
        found.append(tuple(tuple(here[start : start + 2]) for start in range(0, len(here), 2)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Drives:
    """NVMe for the checkpoints. needed_gb: their files. [GB]   drives: of drive_gb each, at least one a socket."""

    needed_gb: float
    drive_gb: float
    drives: int
    working: Step


def drives(
    checkpoint_bytes: float,
    drive_gb: float,
    sockets: int,
    versions: int = 1,
    per_socket: int = 1,
    source: str = "input",
) -> Drives:
    """Drives that hold some checkpoints [B] in so many versions, drives of a nominal size [GB].

    per_socket: drives that each socket asks for, source: of that.

    >>> drives(72.7e9, 7680, 2, versions=2).needed_gb
    145.4
    """
    checks.number("checkpoint_bytes", checkpoint_bytes, 0, 1e16, "B")
    step = derive(
        "nvme_drives",
        "max(nvme_per_socket * processors, ceil(versions * checkpoint_gb / drive_gb))",
        "drives",
        source,
        nvme_per_socket=(checks.count("per_socket", per_socket, 0, 24), "", source),
        processors=(checks.count("processors", sockets, 1, 8), "", "input"),
        versions=(checks.count("versions", versions, 1, 100), "", "input"),
        checkpoint_gb=(units.gb(checkpoint_bytes), "GB", "input"),
        drive_gb=(checks.number("drive_gb", drive_gb, 1, 1_000_000, "GB"), "GB", "input"),
    )
    return Drives(units.gb(checkpoint_bytes * versions), drive_gb, int(step.result), step)
