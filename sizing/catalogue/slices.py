"""MIG slices: how much each really holds, and which mixes of them one card takes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.units import GB, MIB, gib

# Cards with seven compute units have eight units of memory; others have as many of one as of the other.
COMPUTE_OF_EIGHT = 7

# Stated instances report 0.955 to 1.063 of the GB in their name, and never more than their units of the card's memory.
NOMINAL_LOW = 0.95


@dataclass(frozen=True)
class SliceProfile:
    """A slice of a card as a plan counts it.

    compute, units: compute and memory units of the card that it takes. [-]   count: of this size on one card. [-]
    memory_gib: what an instance reports at least, by which it is planned. [GiB]
    memory_high_gib: what it reports at most, by driver or by what is not known; None: the same. [GiB]
    derived: no source states what it reports; both ends come from ``ends_gib``.
    vgpu_memory_gib: what it reports to a virtual machine, None where not stated. [GiB]
    """

    name: str
    compute: int
    units: int
    count: int
    memory_gib: float
    derived: bool
    source: str
    vgpu_memory_gib: float | None = None
    memory_high_gib: float | None = None

    @property
    def most_gib(self) -> float:
        """What an instance reports at most. [GiB]"""
        return self.memory_high_gib or self.memory_gib


@dataclass(frozen=True)
class Geometry:
    """The units of one card that can be cut. compute, units: compute and memory units. [-]"""

    compute: int
    units: int


def geometry(card: catalogue.Card) -> Geometry:
    """Units of a card, from its largest profile; none where it has no MIG. Source: nvidia-mig-guide."""
    compute = max((_compute(profile.name) for profile in card.mig), default=0)
    return Geometry(compute, compute + 1 if compute == COMPUTE_OF_EIGHT else compute)


def ends_gib(card: catalogue.Card, memory_gb: float, units: int) -> tuple[float, float]:
    """What a slice of ``units`` of a card reports at least and at most where no source states it. [GiB]

    memory_gb: nominal size, as in the slice's name. [GB]

    >>> [round(end, 2) for end in ends_gib(catalogue.card("h100-nvl"), 12, 1)]
    [10.62, 11.7]
    """
    whole = gib(card.memory_mib.value * MIB) if card.memory_mib else gib(card.memory_gb.value * GB)
    high = whole * units / geometry(card).units
    return min(gib(memory_gb * GB) * NOMINAL_LOW, high), high


def slice_profiles(card: catalogue.Card) -> tuple[SliceProfile, ...]:
    """The slices a card can be cut into, smallest first. Units follow from the names, as NVIDIA writes them.

    >>> [(each.name, each.units) for each in slice_profiles(catalogue.card("rtx-pro-6000-server"))]
    [('1g.24gb', 1), ('2g.48gb', 2), ('4g.96gb', 4)]
    """
    whole = geometry(card)
    made = []
    for profile in card.mig:
        units = max(1, round(profile.memory_gb / card.memory_gb.value * whole.units))
        memory = profile.memory_gib
        if memory:
            figures = [memory.value, *(other.value for other in memory.others)]
            low, high = min(figures), max(figures)
        else:
            low, high = ends_gib(card, profile.memory_gb, units)
        made.append(
            SliceProfile(
                name=profile.name,
                compute=_compute(profile.name),
                units=units,
                count=profile.count,
                memory_gib=low,
                derived=memory is None,
                source=memory.source if memory else profile.source,
                vgpu_memory_gib=profile.vgpu_memory_gib.value if profile.vgpu_memory_gib else None,
                memory_high_gib=high,
            )
        )
    return tuple(sorted(made, key=lambda each: (each.units, each.compute)))


def valid(profiles: Sequence[SliceProfile], counts: Sequence[int], whole: Geometry) -> bool:
    """Whether one card takes so many slices of each profile at once.

    Memory units of a slice are 1, 2, 4 or 8 and start at a multiple of themselves, so that slices created largest
    first fit whenever their units do; compute units and each profile's own count limit them besides.
    """
    return (
        sum(profile.compute * count for profile, count in zip(profiles, counts, strict=True)) <= whole.compute
        and sum(profile.units * count for profile, count in zip(profiles, counts, strict=True)) <= whole.units
        and all(count <= profile.count for profile, count in zip(profiles, counts, strict=True))
    )


@functools.cache
def mixes(card_id: str) -> tuple[tuple[int, ...], ...]:
    """Every fullest mix of slices of one card, as the count of each of ``slice_profiles``; none where it has no MIG.

    >>> mixes("rtx-pro-6000-server")
    ((0, 0, 1), (0, 2, 0), (2, 1, 0), (4, 0, 0))
    """
    card = catalogue.card(card_id)
    profiles, whole = slice_profiles(card), geometry(card)
    every = [
        counts
        for counts in itertools.product(*(range(profile.count + 1) for profile in profiles))
        if any(counts) and valid(profiles, counts, whole)
    ]
    known = set(every)
    grown = (
        (counts, tuple(count + (place == more) for place, count in enumerate(counts)))
        for counts in every
        for more in range(len(counts))
    )
    extendable = {counts for counts, larger in grown if larger in known}
    return tuple(counts for counts in every if counts not in extendable)


def _compute(name: str) -> int:
    return int(name.partition("g.")[0])
