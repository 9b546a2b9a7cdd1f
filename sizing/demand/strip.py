"""Eight limits of one answer at a glance: what each takes of what there is, and the change that cures one passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from sizing.answers.answer import Answer
from sizing.base.dataclass import dataclass
from sizing.base.texts import Word, say
from sizing.demand.cost import cost
from sizing.site import options

State = Literal["good", "tight", "stop", "open"]
TIGHT = 0.9
"""From this share on a limit is close. [-]"""


@dataclass(frozen=True)
class StripLimit:
    """One limit. state: "open" where nothing is asked of it, or it is not known.   share: taken of it, or None. [-]

    words: its figures.   changes: inputs that cure it, empty where it is not passed or nothing is known.
    """

    name: str
    state: State
    share: float | None
    words: Word
    changes: Mapping[str, Any] = field(default_factory=dict)


def strip(found: Answer) -> tuple[StripLimit, ...]:
    """The limits of an answer in the order of a talk: memory, engine, speed, power, air, space, money, failure.

    Empty where several services run, of which no limit speaks of one model. What would cure an answer that is not
    enough is named once it was tried: see `Answer.cures`.
    """
    if found.scenario.workload == "several":
        return ()
    return (*_counts(found), _power(found), _air(found), _space(found), _money(found), _failure(found))


def line(found: Answer, language: str) -> str:
    """The strip in one line, for paper; "" where there is none."""
    said = []
    for limit in strip(found):
        words = say(limit.words.key, language, **dict(limit.words.values))
        passed = say("strip.passed", language) if limit.state == "stop" else ""
        said.append(f"{say(f'strip.name.{limit.name}', language)} {words}{passed}")
    return f"{say('strip.title', language)}: {' · '.join(said)}." if said else ""


def _word(key: str, **values: object) -> Word:
    return Word(f"strip.{key}", tuple(values.items()))


def _state(share: float | None) -> State:
    return "open" if share is None else "stop" if share > 1 else "tight" if share > TIGHT else "good"


def _counts(found: Answer) -> Iterator[StripLimit]:
    """Memory, engine and speed, in conversations of all servers."""
    tried = found.cures if "cures" in found.__dict__ else ()
    cure = {tried[0].name: tried[0].value, **({"cards": tried[0].cards} if tried[0].cards else {})} if tried else {}
    engine = "engine_refuses" if found.promise.starts is False else "engine_unknown"
    speed = "speed_pending" if found.pending else "speed_unknown"
    memory = "fits_not" if not found.promise.layout.fits else "no_limit"
    for name, key, unknown in (
        ("memory", "memory", memory),
        ("engine", "engine_runs", engine),
        ("speed", "speed", speed),
    ):
        limit = found.limits.get(key)
        stopped = unknown in ("engine_refuses", "fits_not")
        if limit is None or stopped:
            yield StripLimit(name, "stop" if stopped else "open", None, _word(unknown), cure if stopped else {})
            cure = {} if stopped else cure
            continue
        held = limit * found.scenario.servers
        needed = found.needed or (1 if not held else 0)
        share = needed / held if held and needed else None if held else float("inf")
        upper = name == "speed" and found.bound_only
        said = "at_most" if upper else "of" if found.needed else "holds"
        state = _state(share)
        yield StripLimit(
            name,
            "open" if upper and state != "stop" else state,
            share,
            _word(said, needed=needed, held=held),
            cure if state == "stop" else {},
        )
        cure = {} if state == "stop" else cure  # offered once, where it is first asked for


def _power(found: Answer) -> StripLimit:
    plan = found.site
    fullest, verdict = plan.connection.limits[0], plan.connection.verdict
    words = _word(f"power_{fullest.unit.lower()}", load=fullest.load, limit=fullest.limit)
    if verdict == "fits":
        return StripLimit("power", "tight" if fullest.used > TIGHT else "good", fullest.used, words)
    cure: dict[str, Any] = {}
    if verdict != "no_margin":
        known = plan.remedies
        carrying = known.single or known.three or known.smallest
        # The hardware mode comes before another socket, and a cap by software after both.
        if known.mode_w is not None and known.mode_w < plan.cap_w:
            cure = {"power_cap_w": known.mode_w}
        elif carrying is not None:
            cure = {"circuit": carrying.id}
        elif known.cap_w is not None:
            cure = {"power_cap_w": known.cap_w}
    return StripLimit("power", "tight" if verdict == "no_margin" else "stop", fullest.used, words, cure)


def _air(found: Answer) -> StripLimit:
    plan = found.site
    cooling = plan.cooling
    levels = {note.level for note in cooling.notes}
    share = cooling.cards_cfm / cooling.cfm if cooling.cards_cfm and cooling.cfm else None
    state: State = "stop" if "stop" in levels else "tight" if "warn" in levels or cooling.covers is False else "good"
    return StripLimit("air", state, share, _word("air", cfm=cooling.cfm, m3_per_h=cooling.m3_per_h))


def _space(found: Answer) -> StripLimit:
    scenario, plan = found.scenario, found.site
    used, whole = scenario.servers * scenario.server_u, scenario.rack_u - options.reserved_u(plan)
    if "chassis" in plan.stops:
        return StripLimit("space", "stop", None, _word("no_chassis"))
    if not scenario.rack_u:
        return StripLimit("space", "open", None, _word("units", used=used))
    share = used / whole if whole else float("inf")
    return StripLimit("space", "stop" if share > 1 else "good", share, _word("units_of", used=used, whole=whole))


def _money(found: Answer) -> StripLimit:
    scenario = found.scenario
    prices = (scenario.price_per_card or None, scenario.price_per_server or None)
    paid = cost(found.sizing.card, scenario.cards, scenario.servers, scenario.offer_currency, *prices)
    if paid.total is None:
        return StripLimit("money", "open", None, _word("no_price"))
    values = {"total": paid.total, "currency": scenario.offer_currency, "budget": scenario.budget}
    key = "money" if paid.whole else "money_cards"
    if not scenario.budget:
        return StripLimit("money", "open", None, _word(key, **values))
    share = paid.total / scenario.budget
    return StripLimit("money", _state(share), share, _word(f"{key}_of", **values))


def _failure(found: Answer) -> StripLimit:
    """With one card lost its copy stops; with a server lost, where that has to be survived, all of its copies."""
    copies, all_of_them, held = found.promise.layout.copies, found.promised, found.conversations
    if held is None or all_of_them is None:
        return StripLimit("failure", "open", None, _word("no_limit"))
    if found.scenario.survive_failure == "yes":
        left, key = found.left or 0, "server_lost"
    else:
        left, key = all_of_them - held // copies, "card_lost"
    words = _word(key, left=left)
    if not found.needed or not found.fits:
        return StripLimit("failure", "open", None, words)
    short = left < found.needed
    stopped = short and key == "server_lost"
    return StripLimit(
        "failure", "stop" if stopped else "tight" if short else "good", found.needed / left if left else None, words
    )
