"""MIG slices: how much each really holds, and which mixes of them one card takes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.memory import budget

# Cards with seven compute units have eight units of memory; others have as many of one as of the other.
COMPUTE_OF_EIGHT = 7


@dataclass(frozen=True)
class SliceProfile:
    """A slice of a card as a plan counts it.

    compute, units: compute and memory units of the card that it takes. [-]   count: of this size on one card. [-]
    memory_gib: what an instance reports; derived where no source states it, from its nominal GB. [GiB]
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


@dataclass(frozen=True)
class Geometry:
    """The units of one card that can be cut. compute, units: compute and memory units. [-]"""

    compute: int
    units: int


def geometry(card: catalogue.Card) -> Geometry:
    """Units of a card, from its largest profile; none where it has no MIG. Source: nvidia-mig-guide."""
    compute = max((_compute(profile.name) for profile in card.mig), default=0)
    return Geometry(compute, compute + 1 if compute == COMPUTE_OF_EIGHT else compute)


def slice_profiles(card: catalogue.Card) -> tuple[SliceProfile, ...]:
    """The slices a card can be cut into, smallest first. Units follow from the names, as NVIDIA writes them.

    >>> [(each.name, each.units) for each in slice_profiles(catalogue.card("rtx-pro-6000-server"))]
    [('1g.24gb', 1), ('2g.48gb', 2), ('4g.96gb', 4)]
    """
    whole = geometry(card)
    made = []
    for profile in card.mig:
        memory = profile.memory_gib
        made.append(
            SliceProfile(
                name=profile.name,
                compute=_compute(profile.name),
                units=max(1, round(profile.memory_gb / card.memory_gb.value * whole.units)),
                count=profile.count,
                memory_gib=memory.value if memory else budget.reported_memory(gb=profile.memory_gb).value_gib,
                derived=memory is None,
                source=memory.source if memory else profile.source,
                vgpu_memory_gib=profile.vgpu_memory_gib.value if profile.vgpu_memory_gib else None,
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
