"""One call put together: how many requests run at once, whether the server holds them, and what else would.

>>> from sizing.answers.size import size
>>> found = call(size(Scenario(staff=1000)))
>>> found.needed, found.holds, found.enough
(18, 211, True)
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sizing.answers.need import Demand, running, settled_seconds
from sizing.answers.siting import Siting, site
from sizing.answers.size import Sizing
from sizing.base import poisson
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.texts import Word
from sizing.catalogue.scenario import Scenario
from sizing.demand.goal import Found, Goal, seek
from sizing.demand.mix import Counts, LengthClass, Mix, counts
from sizing.speed import Curve, loaded, speed

_ORDER = {"stop": 0, "warn": 1, "hint": 2}
CLASSES = ("short", "document", "agent")
"""Kinds of requests that a scenario may mix; each has its share, prompt and answer."""

FIXED = {"nothing": frozenset[str](), "cards": {"cards"}, "kv_dtype": {"kv_dtype"}, "power_cap_w": {"power_cap_w"}}


@dataclass(frozen=True)
class Call:
    """The answers of one call.

    demand: of people; None where nobody asked, or where the time of a request is not known.
    seconds_from: where the time of a request comes from: "input", "measured" or "interpolated" kernels, the physical
        "limit", "loading" while kernels load and the limit stands in for them, or "" where nothing is known.
    counts: at the three lengths of the mix, None without one.
    notes: stops first, warnings and hints.
    """

    sizing: Sizing
    demand: Demand | None
    seconds_from: str
    counts: Counts | None
    notes: tuple[Note, ...]

    @property
    def scenario(self) -> Scenario:
        """What was asked."""
        return self.sizing.scenario

    @property
    def needed(self) -> int:
        """Requests that must be held at once: the number wished for, else the people's peak; 0 where neither is known.

        [-]
        """
        return self.scenario.wanted_conversations or (self.demand.peak if self.demand else 0)

    @property
    def holds(self) -> int | None:
        """Conversations at the full context on all servers; None where memory sets no limit. [-]"""
        if not self.sizing.fits:
            return 0
        one = self.sizing.best.conversations
        return None if one is None else one * self.scenario.servers

    @property
    def left(self) -> int | None:
        """The same with one server lost; None where memory sets no limit. [-]"""
        servers = self.scenario.servers
        return self.holds if self.holds is None and servers > 1 else (self.holds or 0) // servers * (servers - 1)

    @property
    def survives(self) -> bool | None:
        """What is needed is held with one server lost; None where that is not asked for."""
        if self.scenario.survive_failure != "yes" or not self.needed or self.several:
            return None
        return self.left is None or self.left >= self.needed

    @property
    def several(self) -> bool:
        """Several services run, each with a model and a context of its own: nothing is counted for one model."""
        return self.scenario.workload == "several"

    @functools.cached_property
    def siting(self) -> Siting:
        """The site of the servers on one connection."""
        return site(self.scenario, sizing=self.sizing)

    @property
    def chances(self) -> tuple[tuple[int, float], ...]:
        """Numbers of running requests, each with the share of moments in which just so many run; () without people."""
        return poisson.chances(self.demand.mean) if self.demand else ()

    @property
    def enough(self) -> bool | None:
        """What is needed is held, with one server lost where that is asked for; None where nothing is asked for."""
        if not self.needed or self.several:
            return None
        return (self.holds is None or self.holds >= self.needed) and self.survives is not False


def call(sizing: Sizing, *, measured: bool = True) -> Call:
    """The answers for a sizing. measured: False while kernels load, so that the physical limit stands in for them."""
    scenario, notes = sizing.scenario, []
    demand, seconds_from = None, ""
    if scenario.staff:
        seconds, seconds_from, note = _seconds(sizing, measured)
        notes += [note] if note else []
        try:
            demand = _running(scenario, seconds) if seconds else None
        except SizingError as error:
            if error.key != "mean_out_of_range":
                raise
            notes.append(Note("stop", "people_beyond_count", "", error.values))
        notes += demand.notes if demand else ()
    found = None
    try:
        mix = mixed(scenario) if scenario.workload == "one" else None
        found = counts(sizing, mix) if mix else None
    except SizingError as error:
        notes.append(Note("warn", "mix_beyond_context", "", error.values))
    notes += found.notes if found else ()
    return Call(sizing, demand, seconds_from, found, tuple(sorted(notes, key=lambda note: _ORDER[note.level])))


def _running(scenario: Scenario, seconds: float) -> Demand:
    """What the scenario's people come to when a request runs for so long. [s]"""
    return running(
        staff=scenario.staff,
        active_share=scenario.active_share,
        requests_per_hour=scenario.requests_per_hour,
        seconds_per_request=seconds,
        peak_percentile=scenario.peak_percentile,
        measured_peak=scenario.measured_peak,
    )


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


def answers(found: Call) -> Found:
    """The best servers for what is needed, and what each gives up. SizingError for a wish that cannot be."""
    return seek(goal(found))


def _seconds(sizing: Sizing, measured: bool) -> tuple[float, str, Note | None]:
    """Time that a request runs [s], where it comes from, and what to say about it."""
    scenario = sizing.scenario
    if scenario.seconds_per_request:
        return scenario.seconds_per_request, "input", None
    if scenario.workload == "several":
        return 0.0, "", Note("warn", "seconds_of_services")
    measured = measured or loaded(sizing)
    curve = speed(sizing, measured=measured).best
    if curve is None:
        return 0.0, "", Note("stop", "no_speed_for_people")
    arrivals = scenario.staff * scenario.active_share * scenario.requests_per_hour / 3600
    settled = settled_seconds(arrivals, lambda count: _lifetime_s(curve, count), curve.last.conversations)
    source = curve.label if measured else "loading"
    if settled is None:
        values = {"held": curve.last.conversations, "seconds": curve.last.lifetime_s}
        return curve.last.lifetime_s, source, Note("stop", "requests_come_faster", "little-1961", values)
    return (
        settled[0],
        source,
        Note("hint", f"seconds_from_{source}", "", {"seconds": settled[0], "running": settled[1]}),
    )


def _lifetime_s(curve: Curve, running: int) -> float:
    """How long a request runs beside others, by the next point of the curve that was worked out. [s]"""
    return next(point.lifetime_s for point in curve.points if point.conversations >= running)
