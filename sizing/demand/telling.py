"""What a kind of server misses, gains and gives up against a goal, as keys for the search and as notes for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sizing.answers.size import Sizing
from sizing.base.notes import Level, Note
from sizing.base.texts import Word, unit_word
from sizing.demand.goal import ENDLESS, Goal, Miss, ServerKind
from sizing.site.circuits import SOURCE as CIRCUITS

RULES = "vllm-kv-rules"


def price(goal: Goal, kind: ServerKind) -> float | None:
    """Cards and servers in the goal's currency, None without a price."""
    if not goal.price_per_card:
        return None
    return kind.servers * (kind.cards * goal.price_per_card + goal.price_per_server)


def misses(goal: Goal, kind: ServerKind) -> Iterator[Miss]:
    """Every wish that the kind does not meet."""
    need, left = max(1, goal.conversations), (kind.servers - 1) * kind.per_server
    longest = kind.sizing.architecture.max_context_tokens
    if longest is not None and kind.context_tokens > longest:
        values = {"longest": longest, "context_tokens": kind.context_tokens}
        yield _miss("context", 1 - longest / kind.context_tokens, values)
    if not kind.answer.fits:
        yield _miss("memory", 1 + _shortage(kind), {"context_tokens": kind.context_tokens})
    elif kind.total < need:
        yield _miss("conversations", 1 - kind.total / need, {"have": kind.total, "need": need})
    elif goal.survive_failure and left < need:
        yield _miss("after_failure", 1 - left / need, {"have": left, "need": need})
    yield from _site(goal, kind)
    cost = price(goal, kind)
    if goal.budget and cost is not None and cost > goal.budget:
        yield _miss("budget", 1 - goal.budget / cost, {"have": cost, "need": goal.budget})
    height = kind.servers * goal.scenario.server_u
    if goal.rack_u and height > goal.rack_u:
        yield _miss("rack_units", 1 - goal.rack_u / height, {"have": height, "need": goal.rack_u})


def _site(goal: Goal, kind: ServerKind) -> Iterator[Miss]:
    if not goal.connection_binds:
        return
    powered = kind.powered
    if powered.passed is not None:
        limit = powered.passed
        values = {"load": limit.load, "limit": limit.limit, "unit": unit_word(limit.unit), "cap_w": powered.cap_w}
        yield _miss("connection", 1 - 1 / limit.used, {**values, "circuit": kind.sizing.circuit.name})
    elif goal.connections and kind.connections > goal.connections:
        off = 1 - goal.connections / kind.connections
        yield _miss("connections", off, {"have": kind.connections, "need": goal.connections})


def _miss(key: str, by: float, values: Mapping[str, object]) -> Miss:
    return Miss(key, by, Note("stop", f"goal.missed.{key}", "", values))


def _shortage(kind: ServerKind) -> float:
    """How far the roomiest layout is from the model and one conversation, as a share of the memory there is."""
    usable = kind.sizing.usable_gib_per_card
    needs = (each.weights_gib_per_card + each.kv_gib_per_card_per_conversation for each in kind.sizing.layouts)
    return max(0.0, 1 - usable / min(needs))


def gives_up(goal: Goal, kind: ServerKind) -> Iterator[str]:
    """What one gives up with it, as keys."""
    card, layout, need = kind.sizing.card, kind.layout, max(1, goal.conversations)
    if kind.powered.cap_w < card.power_max_w.value:
        yield "cap_lowered"
    if kind.sizing.kv_dtype != "bf16" and kind.sizing.architecture.declared_kv_dtype != kind.sizing.kv_dtype:
        yield f"{kind.sizing.kv_dtype}_cache"
    if (kind.servers - 1) * kind.per_server < need:
        yield "no_spare_server"
    if layout.copies * kind.servers == 1:
        yield "single_copy"
    if layout.tp > 2 and card.link is None:
        yield "tp_over_pcie"
    if layout.pp > 1:
        yield "pipeline"
    if kind.connections > 1:
        yield "more_connections"


_LEVELS = {"single_copy": "warn", "nvfp4_cache": "warn"}
_ORDER = ("fp8_cache", "nvfp4_cache", "cap_lowered", "single_copy", "no_spare_server", "tp_over_pcie", "pipeline")
_SOURCES = {
    "fp8_cache": "memory-budget",
    "nvfp4_cache": "field-reports",
    "cap_lowered": "doc-de",
    "single_copy": "doc-de",
    "no_spare_server": "doc-de",
    "tp_over_pcie": "doc-de",
    "pipeline": RULES,
}


def say_gives_up(kind: ServerKind) -> Iterator[Note]:
    """The same as notes, what costs most first."""
    values = {
        "cap_w": kind.powered.cap_w,
        "highest_w": kind.sizing.card.power_max_w.value,
        "tp": kind.layout.tp,
        "pp": kind.layout.pp,
        "connections": kind.connections,
    }
    for key in (*_ORDER, "more_connections"):
        if key in kind.gives_up:
            level = "warn" if key in _LEVELS else "hint"
            yield Note(level, f"goal.gives_up.{key}", _SOURCES.get(key, ""), values)  # type: ignore[arg-type]


def gains(goal: Goal, kind: ServerKind, sizing: Sizing) -> Iterator[Note]:
    """What speaks for it."""
    need = goal.conversations
    if goal.connection_binds and kind.powered.per_connection:
        together = min(kind.servers, kind.powered.per_connection)
        watts = {"cap_w": kind.powered.cap_w, "load_w": together * kind.powered.server_w}
        circuit = {"circuit": sizing.circuit.name, "planned_w": sizing.circuit.planned_w}
        tight = sizing.circuit.connection.verdict == "no_margin"
        level: Level = "warn" if tight else "hint"
        key = "fits_connection_no_margin" if tight else "fits_connection"
        yield Note(level, f"goal.gains.{key}", CIRCUITS, {**watts, **circuit})
    if "no_spare_server" not in kind.gives_up:
        rest = kind.servers - 1
        left = Word("goal.servers.one") if rest == 1 else Word("goal.servers.left", (("count", rest),))
        after = rest * kind.per_server
        key = "survives_failure" if kind.per_server < ENDLESS else "survives_failure_no_limit"
        yield Note("hint", f"goal.gains.{key}", "doc-de", {"after": after, "left": left})
    if kind.sizing.kv_dtype == "bf16":
        yield Note("hint", "goal.gains.sixteen_bit_cache")
    if need and need < kind.total < ENDLESS:
        spare = {"conversations": kind.total, "spare": kind.total - need}
        yield Note("hint", "goal.gains.headroom", "", spare)
    apart = [
        each
        for each in sizing.layouts
        if each.copies > sizing.best.copies and each.fits and (each.conversations or 0) * kind.servers >= need
    ]
    if apart:
        most = max(apart, key=lambda each: (each.copies, each.conversations or 0))
        held = (most.conversations or 0) * kind.servers
        copies = most.copies * kind.servers
        yield Note("hint", "goal.gains.more_copies", "doc-de", {"copies": copies, "conversations": held})
