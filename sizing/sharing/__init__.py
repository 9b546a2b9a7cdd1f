"""One server, several models: which service stands on which card, in which slice or share, and what a failure leaves.

A `Plan` is the whole wish (server, services, aim), `place` answers it with a `Placement`. The exact solver behind it
is loaded when `place` is first called.
"""

from sizing.sharing.board import CardUse, Engine
from sizing.sharing.losses import Failures, failures
from sizing.sharing.placement import Placement, place
from sizing.sharing.plan import Plan, Service, preset
from sizing.sharing.remedy import Change, Changes, changes

__all__ = [
    "CardUse",
    "Change",
    "Changes",
    "Engine",
    "Failures",
    "Placement",
    "Plan",
    "Service",
    "changes",
    "failures",
    "place",
    "preset",
]
