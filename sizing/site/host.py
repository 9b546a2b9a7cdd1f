"""Host: what cards ask of sockets, clock, cores, memory and drives, and which of them one socket holds."""

from __future__ import annotations

from sizing.base import checks, units
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.working import Step, derive
from sizing.catalogue.processors import Processor
from sizing.catalogue.site_facts import HostFacts

# Memory modules: which sets fill every channel once, and what a set leaves empty.


@dataclass(frozen=True)
class ModuleSet:
    """Equal modules. count modules of gb each. [GB]   channels: of all sockets. [-]"""

    count: int
    gb: int
    channels: int

    @property
    def total_gb(self) -> int:
        """All of them. [GB]"""
        return self.count * self.gb

    @property
    def bandwidth_share(self) -> float:
        """Memory bandwidth over that with every channel filled: the share of channels with a module. [-]"""
        return min(self.count, self.channels) / self.channels


def full_sets(facts: HostFacts, channels: int, needed_gb: float) -> tuple[ModuleSet, ...]:
    """Sets with one module in each of the ``channels`` and at least ``needed_gb`` [GB], the smallest first.

    facts: the sizes of modules that there are.
    """
    checks.count("channels", channels, 1, 1024)
    checks.number("ram_gb", needed_gb, 0, 1e6, "GB")
    sizes = sorted(module.gb for module in facts.module)
    return tuple(ModuleSet(channels, gb, channels) for gb in sizes if channels * gb >= needed_gb)


def sparser(full: ModuleSet, sockets: int) -> ModuleSet | None:
    """A full set's memory in half as many modules, so that half the channels stay empty.

    None where they do not divide over the ``sockets``.
    """
    return None if full.count % (2 * sockets) else ModuleSet(full.count // 2, full.gb * 2, full.channels)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
    nvme_drives: int | None = None,
) -> Host:
    """The host of ``cards`` cards of a memory of ``card_memory_gb`` [GB] with ``processors`` of a ``processor``.

    facts: what the guide asks for.   nvme_drives: that are planned, None where that is not said. [drives]
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
        full = full_sets(facts, channels, needed_gb)
        wanted = max(needed_gb, facts.large_ram_gb.value)
        large = next(iter(full_sets(facts, channels, wanted)), None)
    offered_gb = full[0].total_gb if full else None
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
    """Whether boards take so many ``processors`` of the kind of ``processor``."""
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


@dataclass(frozen=True)
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
    """Drives of ``drive_gb`` [GB] that hold ``checkpoint_bytes`` [B] in so many versions.

    sockets: of the server. per_socket: drives that each socket asks for, source: of that.

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
