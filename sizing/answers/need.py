"""What is asked for at once: a number, or from people to running requests.

Open browsers are not running requests; a measured peak beats every estimate.
"""

from __future__ import annotations

from collections.abc import Callable

from sizing.base import checks, poisson
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.notes import Note
from sizing.base.working import Step, derive
from sizing.catalogue.scenario import Scenario
from sizing.speed.curve import Curve

LITTLE = "little-1961"
POISSON = "mg-infinity"
HOUR_S = 3600


@dataclass(frozen=True)
class Demand:
    """Requests that run at the same moment.

    arrivals_per_s: requests that come in. [1/s]   seconds_per_request: of one of them, as counted with. [s]
    mean: by Little's law, arrivals a second times seconds a request. [-]
    estimated_peak: what is not exceeded in the stated share of moments. [-]
    peak: what counts: the peak that a gateway measured where there is one, else the estimate. [-]
    """

    arrivals_per_s: float
    seconds_per_request: float
    mean: float
    estimated_peak: int
    peak: int
    measured: bool
    notes: tuple[Note, ...]
    working: tuple[Step, ...]


def running(
    *,
    staff: int,
    active_share: float,
    requests_per_hour: float,
    seconds_per_request: float,
    peak_percentile: float,
    measured_peak: int = 0,
) -> Demand:
    """Mean and peak of the requests that run at once.

    staff: people who could use the service. [-]   active_share: of them in the busiest hour. [-]
    requests_per_hour: of one active person. [1/h]
    seconds_per_request: from the moment it is sent to its last token. [s]
    peak_percentile: share of moments in which the peak is not exceeded, 0.5 to 0.9999. [-]
    measured_peak: running requests that a gateway counted at its busiest; 0 where none was. [-]
    Requests come independently of each other and none waits, so that those that run at a moment follow a Poisson law,
    however their lengths are spread. SizingError for what cannot be.   Source: little-1961, mg-infinity.

    >>> running(
    ...     staff=500, active_share=0.2, requests_per_hour=6, seconds_per_request=30, peak_percentile=0.99
    ... ).peak
    11
    """
    checks.count("staff", staff, 1, 10_000_000)
    checks.number("active_share", active_share, 0, 1)
    checks.number("requests_per_hour", requests_per_hour, 0, HOUR_S, "1/h")
    checks.number("seconds_per_request", seconds_per_request, 0, 24 * HOUR_S, "s")
    checks.number("peak_percentile", peak_percentile, 0.5, 0.9999)
    checks.count("measured_peak", measured_peak, 0, 10_000_000)
    come = derive(
        "arrivals_per_s",
        f"staff * active_share * requests_per_hour / {HOUR_S}",
        "1/s",
        LITTLE,
        staff=(staff, "people", "input"),
        active_share=(active_share, "", "input"),
        requests_per_hour=(requests_per_hour, "1/h", "input"),
    )
    run = derive(
        "mean_running",
        "arrivals_per_s * seconds_per_request",
        "requests",
        LITTLE,
        arrivals_per_s=come,
        seconds_per_request=(seconds_per_request, "s", "input"),
    )
    mean = run.result
    if mean > poisson.LARGEST_MEAN:
        raise SizingError("mean_out_of_range", input="staff", value=mean, most=poisson.LARGEST_MEAN)
    estimated = poisson.percentile(mean, peak_percentile)
    notes = [Note("hint", "browsers_are_not_requests", "doc-de", {"staff": staff, "mean": mean, "peak": estimated})]
    if measured_peak:
        values = {"measured": measured_peak, "estimated": estimated}
        notes.insert(0, Note("hint", "measured_peak_counts", "doc-de", values))
        if measured_peak < estimated / 3:
            notes.insert(1, Note("warn", "measured_peak_far_below", "", values))
    return Demand(
        arrivals_per_s=come.result,
        seconds_per_request=seconds_per_request,
        mean=mean,
        estimated_peak=estimated,
        peak=measured_peak or estimated,
        measured=bool(measured_peak),
        notes=tuple(notes),
        working=(come, run, *_peak(run, estimated)),
    )


def seconds(wait_s: float, answer_tokens: float, tokens_s: float) -> tuple[float, Step]:
    """How long one request runs [s], with its step.

    wait_s: until the first token. [s]   answer_tokens: what it writes. [tokens]   tokens_s: its speed. [tokens/s]

    >>> seconds(1.5, 500, 25)[0]
    21.5
    """
    checks.number("wait_s", wait_s, 0, 24 * HOUR_S, "s")
    checks.number("answer_tokens", answer_tokens, 0, 16_777_216, "tokens")
    checks.number("tokens_s", tokens_s, 0.01, 1_000_000, "tokens/s")
    step = derive(
        "seconds_per_request",
        "wait_s + answer_tokens / tokens_s",
        "s",
        LITTLE,
        wait_s=(wait_s, "s", "step"),
        answer_tokens=(answer_tokens, "tokens", "input"),
        tokens_s=(tokens_s, "tokens/s", "step"),
    )
    return step.result, step


def settled_seconds(arrivals_per_s: float, seconds_at: Callable[[int], float], most: int) -> tuple[float, int] | None:
    """Seconds of a request [s] where arrivals and speed agree, and how many then run; None where they never do.

    arrivals_per_s: [1/s]   seconds_at: how long a request takes while so many run, from a speed estimate. [s]
    most: the largest number that may run at once. [-]
    The more requests run, the slower each is, and the slower they are, the more run: the fewest count for which
    arrivals x seconds does not exceed it is where this settles. None means that requests come faster than they are
    answered.

    >>> settled_seconds(0.5, lambda running: 10 + running, 100)
    (20, 10)
    """
    for count in range(1, checks.count("most", most, 1, 1_000_000) + 1):
        taken = seconds_at(count)
        if arrivals_per_s * taken <= count * (1 + 1e-12):
            return taken, count
    return None


def _peak(mean: Step, peak: int) -> tuple[Step, ...]:
    """The peak, by what shows that it is the smallest: the share of moments with no more, and with one fewer."""
    given: dict[str, Step | tuple[float, str, str]] = {"peak": (peak, "requests", "step"), "mean_running": mean}
    return (
        derive("share_within_peak", "poisson(peak, mean_running)", "", POISSON, **given),
        derive("share_below_peak", "poisson(peak - 1, mean_running)", "", POISSON, **given),
    )


@dataclass(frozen=True)
class Asked:
    """What a scenario asks for.

    conversations: at once, on all servers: the number wished for, else the people's peak; 0 where neither is known. [-]
    demand: of people; None where nobody asked, or where the time of a request is not known.
    seconds_from: where the time of a request comes from: "input", "measured" or "interpolated" operations, the physical
        "limit", "loading" while operations load and the limit stands in for them, or "" where nothing is known.
    """

    conversations: int
    demand: Demand | None
    seconds_from: str
    notes: tuple[Note, ...]

    def met_by(self, held: int | None) -> bool:
        """So many are enough; None stands for no limit."""
        return held is None or held >= self.conversations


def of(scenario: Scenario, curve: Curve | None, *, pending: bool) -> Asked:
    """What a scenario asks for where requests run at the speed of a curve.

    curve: of the layout that serves them, None where nothing is known.   pending: its operations still load.
    """
    if not scenario.staff:
        return Asked(scenario.wanted_conversations, None, "", ())
    seconds, source, note = _time(scenario, curve, pending)
    notes = [note] if note else []
    demand = None
    try:
        demand = _of_people(scenario, seconds) if seconds else None
    except SizingError as error:
        if error.key != "mean_out_of_range":
            raise
        notes.append(Note("stop", "people_beyond_count", "", error.values))
    notes += demand.notes if demand else ()
    return Asked(scenario.wanted_conversations or (demand.peak if demand else 0), demand, source, tuple(notes))


def _of_people(scenario: Scenario, seconds: float) -> Demand:
    """What the scenario's people come to when a request runs for so long. [s]"""
    return running(
        staff=scenario.staff,
        active_share=scenario.active_share,
        requests_per_hour=scenario.requests_per_hour,
        seconds_per_request=seconds,
        peak_percentile=scenario.peak_percentile,
        measured_peak=scenario.measured_peak,
    )


def _time(scenario: Scenario, curve: Curve | None, pending: bool) -> tuple[float, str, Note | None]:
    """Time that a request runs [s], where it comes from, and what to say about it."""
    if scenario.seconds_per_request:
        return scenario.seconds_per_request, "input", None
    if scenario.workload == "several":
        return 0.0, "", Note("warn", "seconds_of_services")
    if curve is None:
        return 0.0, "", Note("stop", "no_speed_for_people")
    arrivals = scenario.staff * scenario.active_share * scenario.requests_per_hour / HOUR_S / scenario.servers
    settled = settled_seconds(arrivals, lambda count: _lifetime_s(curve, count), curve.last.conversations)
    source = "loading" if pending else curve.label
    if settled is None:
        values = {"held": curve.last.conversations, "seconds": curve.last.lifetime_s}
        return curve.last.lifetime_s, source, Note("stop", "requests_come_faster", "little-1961", values)
    values = {"seconds": settled[0], "running": settled[1]}
    return settled[0], source, Note("hint", f"seconds_from_{source}", "", values)


def _lifetime_s(curve: Curve, count: int) -> float:
    """How long a request runs beside others, by the next point of the curve that was worked out. [s]"""
    return next(point.lifetime_s for point in curve.points if point.conversations >= count)
