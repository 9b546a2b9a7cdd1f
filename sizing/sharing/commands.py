"""What to type: slices first, then one line an engine with the flags that the sizing assumed."""

from __future__ import annotations

from dataclasses import replace

from sizing import catalogue
from sizing.base.dataclass import dataclass
from sizing.memory import engines
from sizing.memory.starting import Launch
from sizing.sharing.board import CardUse, Engine
from sizing.sharing.needs import requested_gib
from sizing.sharing.placement import Placement

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
