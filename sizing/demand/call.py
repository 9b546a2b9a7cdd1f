"""One call put together: how many requests run at once, whether the server holds them, and what else would.

>>> from sizing.answers.answer import answer
>>> found = call(answer(Scenario(staff=1000, seconds_per_request=20)))
>>> found.needed, found.enough
(13, True)
"""

from __future__ import annotations

from sizing.answers.answer import Answer
from sizing.answers.need import Demand
from sizing.answers.size import Sizing
from sizing.base import poisson
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note, by_level
from sizing.base.texts import Word
from sizing.catalogue.scenario import Scenario
from sizing.demand.goal import Goal, Proposals
from sizing.demand.mix import Counts, LengthClass, Mix, counts
from sizing.demand.search import seek

CLASSES = ("short", "document", "agent")
"""Kinds of requests that a scenario may mix; each has its share, prompt and answer."""

ROOM = 3
"""So many times what is asked for is room to grow, and worth a word. [-]"""

FIXED = {"nothing": frozenset[str](), "cards": {"cards"}, "kv_dtype": {"kv_dtype"}, "power_cap_w": {"power_cap_w"}}


@dataclass(frozen=True)
class Call:
    """The answers of one call.

    answer: what may be promised, and whether it is enough.
    counts: at the three lengths of the mix, None without one.
    notes: stops first, warnings and hints.
    """

    answer: Answer
    counts: Counts | None
    notes: tuple[Note, ...]

    @property
    def sizing(self) -> Sizing:
        """Memory, engine and power."""
        return self.answer.sizing

    @property
    def scenario(self) -> Scenario:
        """What was asked."""
        return self.answer.scenario

    @property
    def demand(self) -> Demand | None:
        """Of people; None where nobody asked, or where the time of a request is not known."""
        return self.answer.promise.need.demand

    @property
    def seconds_from(self) -> str:
        """Where the time of a request comes from; see `sizing.answers.need.Asked`."""
        return self.answer.promise.need.seconds_from

    @property
    def needed(self) -> int:
        """Requests that must be held at once; 0 where nothing is asked for. [-]"""
        return self.answer.needed

    @property
    def holds(self) -> int | None:
        """Conversations that all servers may be promised for; None where nothing limits them. [-]"""
        return self.answer.promised

    @property
    def several(self) -> bool:
        """Several services run, each with a model and a context of its own: nothing is counted for one model."""
        return self.scenario.workload == "several"

    @property
    def chances(self) -> tuple[tuple[int, float], ...]:
        """Numbers of running requests, each with the share of moments in which just so many run; () without people."""
        return poisson.chances(self.demand.mean) if self.demand else ()

    @property
    def enough(self) -> bool | None:
        """What is needed may be promised, with one server lost where asked; None where nothing is asked for."""
        if not self.needed or self.several:
            return None
        return self.answer.verdict == "enough"


def call(answered: Answer) -> Call:
    """The answers for a scenario that was answered."""
    scenario = answered.scenario
    notes = list(answered.promise.need.notes)
    found = None
    try:
        mix = mixed(scenario) if scenario.workload == "one" else None
        found = counts(answered.sizing, mix) if mix else None
    except SizingError as error:
        notes.append(Note("warn", "mix_beyond_context", "", error.values))
    notes += found.notes if found else ()
    promised, needed = answered.promised, answered.needed
    if answered.verdict == "enough" and promised is not None and promised >= ROOM * needed and scenario.cards > 1:
        values = {"promised": promised, "needed": needed, "cards": scenario.cards * scenario.servers}
        notes.append(Note("hint", "room_to_grow", "doc-de", values))
    return Call(answered, found, by_level(notes))


def mixed(scenario: Scenario) -> Mix | None:
    """The mix of requests that a scenario states; None where every share is 0."""
    rows = [
        LengthClass(
            Word(f"call.class.{name}"),
            getattr(scenario, f"{name}_share"),
            getattr(scenario, f"{name}_prompt_tokens"),
            getattr(scenario, f"{name}_answer_tokens"),
        )
        for name in CLASSES
    ]
    kept = tuple(row for row in rows if row.share)
    return Mix(kept) if kept else None


def goal(found: Call) -> Goal:
    """What the search backwards is asked. SizingError for a wish that cannot be."""
    scenario = found.scenario
    return Goal(
        scenario=scenario,
        aim=scenario.goal_aim,  # type: ignore[arg-type]
        conversations=found.needed,
        context_tokens=scenario.wanted_context_tokens,
        connections=scenario.connections,
        connection_binds=scenario.connection_binds == "yes",
        budget=scenario.budget,
        price_per_card=scenario.price_per_card,
        price_per_server=scenario.price_per_server,
        rack_u=scenario.free_rack_u,
        servers=scenario.most_servers,
        survive_failure=scenario.survive_failure == "yes",
        fixed=frozenset(FIXED[scenario.kept]),
    )


def answers(found: Call) -> Proposals:
    """The best servers for what is needed, and what each gives up. SizingError for a wish that cannot be."""
    return seek(goal(found), measured=not found.answer.pending)
