"""One server, several models: which service stands on which card, in which slice or share, and what a failure leaves.

A `Plan` is the whole wish (server, services, aim), `place` answers it with a `Placement`. The exact solver behind it
is loaded when `place` is first called.
"""

from sizing.memory.sharing.board import CardUse, Engine
from sizing.memory.sharing.changes import Change, Changes, changes
from sizing.memory.sharing.failure import Failures, failures
from sizing.memory.sharing.placement import Placement, place
from sizing.memory.sharing.plan import Plan, preset, preset_names
from sizing.memory.sharing.service import Service, fields
from sizing.memory.sharing.slices import SliceProfile, mixes, slice_profiles

__all__ = [
    "CardUse",
    "Change",
    "Changes",
    "Engine",
    "Failures",
    "Placement",
    "Plan",
    "Service",
    "SliceProfile",
    "changes",
    "failures",
    "fields",
    "mixes",
    "place",
    "preset",
    "preset_names",
    "slice_profiles",
]
