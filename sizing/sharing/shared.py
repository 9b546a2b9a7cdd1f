"""The shared server for the pages: a plan with its placement, what fails, what would make it fit, what to type."""

from __future__ import annotations

import functools
from dataclasses import replace

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.base.notes import Note
from sizing.base.working import Step
from sizing.memory import engines
from sizing.memory.starting import Launch
from sizing.sharing import notes as noted
from sizing.sharing.board import CardUse, Engine
from sizing.sharing.losses import Failures, failures
from sizing.sharing.needs import requested_gib
from sizing.sharing.placement import Placement, place
from sizing.sharing.plan import Plan
from sizing.sharing.remedy import Changes, changes

FIRST_PORT = 8000
# Finds a slice by card, profile and number among its equals: an instance's own id is known only once it is made.
SLICE_FINDER = (
    'mig() { nvidia-smi -L | awk -v card="GPU $1:" -v size="$2" -v nth="$3" '
    '\'/^GPU/ { here = index($0, card) == 1 } here && $1 == "MIG" && $2 == size && ++n == nth '
    '{ gsub(/[()]/, ""); print $NF }\'; }'
)


@dataclass(frozen=True)
class StartLine:
    """One engine to start. card: local number of its first card.   line: what to type.

    asks_gib, free_gib: what it asks for and what is free at that moment on a card that engines share. [GiB]
    """

    engine: Engine
    line: str
    asks_gib: float
    free_gib: float


def slice_commands(placement: Placement, server: int) -> tuple[str, ...]:
    """Commands that cut the cards of one server into its slices, largest first. Source: nvidia-mig-guide."""
    lines: list[str] = []
    for card in _cards(placement, server):
        if card.mode == "slices":
            index = _local(placement, card.number)
            lines.append(f"sudo nvidia-smi -i {index} -mig 1")
            lines.append(f"sudo nvidia-smi mig -i {index} -cgi {','.join(card.slices)} -C")
    return (*lines, SLICE_FINDER) if lines else ()


def starts(placement: Placement, server: int) -> tuple[StartLine, ...]:
    """Every engine of one server in the order to start them, each only when the one before it answers."""
    made: list[StartLine] = []
    seen: set[tuple[int, int]] = set()
    for card in _cards(placement, server):
        free_gib = placement.room.visible_gib
        context_gib = placement.room.context_kib / placement.room.visible_kib * placement.room.visible_gib
        for engine in card.engines:
            if (engine.service, engine.copy) in seen:
                continue
            seen.add((engine.service, engine.copy))
            whole_gib = placement.room.visible_gib
            if engine.kind == "slice":
                whole_gib = next(each.memory_gib for each in placement.profiles if each.name == engine.profile)
                free_gib = whole_gib
            asks = requested_gib(whole_gib, engine.share)
            port = FIRST_PORT + len(made)
            made.append(StartLine(engine, _line(placement, engine, port), asks, free_gib))
            free_gib -= asks + context_gib
    return tuple(made)


def _line(placement: Placement, engine: Engine, port: int) -> str:
    service = placement.plan.services[engine.service]
    architecture = catalogue.checkpoint(service.checkpoint).architecture
    devices = ",".join(str(_local(placement, card)) for card in engine.cards)
    if engine.kind == "slice":
        devices = f"$(mig {devices} {engine.profile} {engine.slice_number + 1})"
    rules = engines.engine(placement.room.engine)
    launch = Launch(rules.NEWEST, tp=engine.tp, pp=engine.pp, utilization=engine.share)
    if engine.conversations is not None:
        launch = replace(launch, max_model_len=service.context_tokens, max_num_seqs=max(1, engine.conversations))
    if architecture.resolve_kv_dtype("auto") != service.kv_dtype:
        launch = replace(launch, kv_dtype=service.kv_dtype)
    return f"CUDA_VISIBLE_DEVICES={devices} {rules.command(service.checkpoint, launch, port=port)}"


def _cards(placement: Placement, server: int) -> tuple[CardUse, ...]:
    return tuple(card for card in placement.cards if card.server == server)


def _local(placement: Placement, card: int) -> int:
    """Number of a card inside its own server."""
    return card % placement.plan.scenario.cards


@dataclass(frozen=True)
class Shared:
    """A placement with all that follows from it, each part worked out when it is first asked for."""

    placement: Placement

    @property
    def plan(self) -> Plan:
        """The wish."""
        return self.placement.plan

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a good engineer would say aloud, most serious first."""
        return noted.notes(self.placement)

    @functools.cached_property
    def working(self) -> tuple[Step, ...]:
        """The steps behind the shares and slices."""
        return tuple(noted.working(self.placement))

    @functools.cached_property
    def failures(self) -> Failures:
        """What each single loss leaves."""
        return failures(self.placement)

    @functools.cached_property
    def changes(self) -> Changes | None:
        """The smallest change that makes it fit; None where it does."""
        return None if self.placement.fits else changes(self.placement)

    @property
    def server_w(self) -> float:
        """Power of one server from the wall. [W]"""
        return self.failures.server_w

    def commands(self, server: int) -> tuple[str, ...]:
        """What to type on one server, in order: slices, then engines."""
        lines = slice_commands(self.placement, server)
        return (*lines, *(start.line for start in starts(self.placement, server)))


def shared(plan: Plan) -> Shared:
    """The best placement of a plan. SizingError where an input cannot be."""
    return Shared(place(plan))


__all__ = ["Shared", "shared"]
