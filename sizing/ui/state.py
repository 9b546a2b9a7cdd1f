"""What changes under a visitor's hands. Knows no widget, so that it is tested without a browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, TypeVar

from sizing.answers.answer import Answer, answer
from sizing.answers.size import Sizing
from sizing.base.dataclass import dataclass
from sizing.base.errors import SizingError
from sizing.base.numbers import write_number
from sizing.base.texts import DECIMAL_SIGNS
from sizing.catalogue import Checkpoint
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.catalogue.values import Values

MOST = 60
"""How many steps back are kept."""

ONE_MOVE_S = 2.0
"""Changes of the same inputs that follow each other within this time are one move: a drag is undone at once. [s]"""


@dataclass(frozen=True)
class Memory:
    """What a state held at one moment.

    value: a tuple that starts with its scenario, plan or comparison.   pending: texts that could not be used.
    rest: what else it needs to stand there again.
    """

    value: tuple[Any, ...]
    pending: Mapping[Any, str]
    rest: Any = field(default=None, compare=False)


Moment = tuple[Memory, ...]
"""Every state of a page at one moment."""


class History:
    """The moments of a page; the last one noted is where the page stands.

    clock: seconds that only grow. [s]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._moments: list[Moment] = []
        self._at = -1
        self._last_move: tuple[frozenset[str], float] = (frozenset(), float("-inf"))

    def note(self, moment: Moment) -> None:
        """The page stands here now. What was undone before can no longer be redone, unless nothing has changed."""
        if self._at >= 0 and moment == self._moments[self._at]:
            self._moments[self._at] = moment
            return
        now, moved = self._clock(), changed(self._moments[self._at], moment) if self._at >= 0 else frozenset()
        names, when = self._last_move
        one_move = self._at > 0 and moved == names and now - when <= ONE_MOVE_S
        del self._moments[self._at + 1 :]
        if one_move:
            self._moments[-1] = moment
        else:
            self._moments.append(moment)
            del self._moments[: -MOST - 1]
        self._at = len(self._moments) - 1
        self._last_move = (moved, now)

    def back(self) -> Moment | None:
        """One move back: the moment to show, None at the first."""
        return self._go(-1)

    def forward(self) -> Moment | None:
        """One move forward again: the moment to show, None at the last."""
        return self._go(1)

    def behind(self) -> frozenset[str] | None:
        """What the last move changed, None at the first moment."""
        return changed(self._moments[self._at - 1], self._moments[self._at]) if self._at > 0 else None

    def ahead(self) -> frozenset[str] | None:
        """What the move that was undone last changed, None at the last moment."""
        last = self._at + 1 >= len(self._moments)
        return None if last else changed(self._moments[self._at], self._moments[self._at + 1])

    def _go(self, step: int) -> Moment | None:
        if not 0 <= self._at + step < len(self._moments):
            return None
        self._at += step
        self._last_move = (frozenset(), float("-inf"))
        return self._moments[self._at]


def changed(earlier: Moment, later: Moment) -> frozenset[str]:
    """Names of the inputs in which two moments differ; what has no such name is empty."""
    names: set[str] = set()
    for old, new in zip(earlier, later, strict=True):
        texts = {key for key in {*old.pending, *new.pending} if old.pending.get(key) != new.pending.get(key)}
        names |= {key for key in texts if isinstance(key, str)}
        for was, now in zip(old.value, new.value, strict=True):
            if isinstance(now, Values) and now != was:
                before = was.as_dict()
                names |= {name for name, value in now.as_dict().items() if value != before[name]}
    return frozenset(names)


CURRENCY = "offer_currency"
"""The input that says what the scenario's prices are in; one typed in another currency is refused."""


Found = TypeVar("Found")
Key = TypeVar("Key")


class Changing(Generic[Found, Key]):
    """The last result that could be made, and what was typed that could not be used.

    found: result of the newest usable inputs.   language: decides how a number is read.
    pending: text of each input that could not be used, as it was typed.   errors: why, by input.
    dropped: parts of the link that could not be read.
    """

    found: Found

    def __init__(self, language: str) -> None:
        self.language = language
        self.pending: dict[Key, str] = {}
        self.errors: dict[Key, SizingError] = {}
        self.dropped: tuple[SizingError, ...] = ()
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every change."""
        self._listeners.append(listener)

    def value(self) -> tuple[Any, ...]:
        """What it is the state of: a scenario, plan or comparison first."""
        raise NotImplementedError

    def memory(self) -> Memory:
        """What it takes to stand here again."""
        return Memory(self.value(), dict(self.pending), (self.found, dict(self.errors)))

    @property
    def waiting(self) -> bool:
        """Something was left out that ``settle`` brings; never, on most pages."""
        return False

    def settle(self) -> None:
        """Bring what was left out, and tell who listens."""

    def restore(self, memory: Memory) -> None:
        """Stand where a memory was taken; who listens is told by the page."""
        self.found, errors = memory.rest
        self.pending, self.errors = dict(memory.pending), dict(errors)

    def _set(self, found: Found) -> None:
        """Show another result, with nothing left to mend."""
        self.found, self.pending, self.errors = found, {}, {}
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()


class State(Changing[Answer, str]):
    """A page's scenario, answered.

    brought: a model that stands in for the catalogue's, None for the scenario's own.
    """

    def __init__(self, query: str = "", language: str = "en") -> None:
        super().__init__(language)
        self.open(query)

    def open(self, query: str) -> None:
        """Start again from a link; who listens is told by the page."""
        self.pending, self.errors = {}, {}
        self.brought: Checkpoint | None = None
        scenario, self.dropped = Scenario.read_query(query)
        try:
            self.found = _first(scenario)
        except SizingError as error:
            self.found = _first(Scenario())
            self.dropped = (*self.dropped, error)
            self._try({name: self._written(scenario, name) for name in scenario.changed()}, last="checkpoint")

    @property
    def answer(self) -> Answer:
        """What may be promised of the scenario."""
        return self.found

    @property
    def sizing(self) -> Sizing:
        """Its memory, engine and power, with the layout of the answer as its best one."""
        return self.found.sizing

    @property
    def waiting(self) -> bool:
        """Speed was left out while measured operations were not loaded, or what would cure it was not tried yet."""
        return self.found.pending or self.found.untried

    def settle(self) -> None:
        """Answer again with the speed that was left out while measured operations were not loaded."""
        if self.found.pending:
            self.found = answer(self.scenario, checkpoint=self.brought)
        self.found.cures  # noqa: B018 - worked out here, once the visitor's hand is still
        self._tell()

    @property
    def scenario(self) -> Scenario:
        """The scenario of the sizing shown."""
        return self.found.scenario

    def holding(self, name: str) -> Values:
        """What holds an input's value."""
        return self.scenario

    def value(self) -> tuple[Any, ...]:
        """The scenario, and the model that stands in."""
        return (self.scenario, self.brought)

    def restore(self, memory: Memory) -> None:
        """Stand where a memory was taken; who listens is told by the page."""
        super().restore(memory)
        self.brought = memory.value[1]

    def take(self, scenario: Scenario) -> None:
        """Show a whole scenario, such as a file's. SizingError where it cannot be sized: nothing changes then."""
        found, self.brought = _first(scenario), None
        self._set(found)

    def bring(self, model: Checkpoint | str) -> None:
        """Size another model: one that is not in the catalogue, or an entry of it by its id.

        An input that does not go with it goes back to its default, its text and the reason stay beside it. SizingError
        where the model cannot be sized at all; everything then stays as it was.
        """
        brought = None if isinstance(model, str) else model
        scenario = self.scenario.replace(checkpoint=model) if isinstance(model, str) else self.scenario
        pending, errors = dict(self.pending), dict(self.errors)
        while True:
            try:
                found = _first(scenario, brought)
                break
            except SizingError as error:
                if error.input not in scenario.changed() or error.input == "checkpoint":
                    raise
                pending[error.input], errors[error.input] = self._written(scenario, error.input), error
                scenario = scenario.replace(**{error.input: scenario.default_of(error.input)})
        self.found, self.brought, self.pending, self.errors = found, brought, pending, errors
        self._tell()

    def edit(self, changes: Mapping[str, str]) -> None:
        """Take what was typed or dragged, by input. What cannot be used stays as typed, with its error."""
        if unknown := [name for name in changes if name not in inputs()]:
            raise SizingError("unknown_input", input=str(unknown[0])[:60], known=", ".join(inputs()))
        self._try({**self.pending, **changes}, last=list(changes)[-1])
        self._tell()

    def change(self, values: Mapping[str, Any]) -> None:
        """Give inputs other values, as if they had been typed."""
        changed = self.scenario.replace(**values)
        self.edit({name: self._written(changed, name) for name in values})

    def reset(self, name: str | None = None, *, among: Sequence[str] | None = None) -> None:
        """One input, or all of ``among`` (every input where it is not given), back to the default."""
        names = [name] if name is not None else list(inputs() if among is None else among)
        for each in names:
            self.pending.pop(each, None)
        # The cap goes back to that of the card that is then chosen.
        base = Scenario() if "card" in names else Scenario(card=self.scenario.card)
        self.edit({each: self._written(base, each) for each in names})

    def _written(self, scenario: Scenario, name: str) -> str:
        value = getattr(scenario, name)
        return write_number(value, DECIMAL_SIGNS[self.language]) if isinstance(value, float) else str(value)

    def _try(self, wanted: Mapping[str, str], last: str) -> None:
        """Apply all texts that can be used together; the rest become errors beside their inputs."""
        values: dict[str, Any] = {}
        errors: dict[str, SizingError] = {}
        currency = wanted.get(CURRENCY, getattr(self.scenario, CURRENCY))
        for name, text in wanted.items():
            try:
                values[name] = inputs()[name].parse(text, DECIMAL_SIGNS[self.language], currency)
            except SizingError as error:
                errors[name] = error
        while True:
            try:
                self.found = _first(self.scenario.replace(**values), self.brought)
                break
            except SizingError as error:
                # The input that the error names is put aside; where it names none that was touched, the last one is.
                guilty = error.input if error.input in values else last if last in values else next(iter(values))
                errors[guilty] = error
                del values[guilty]
        self.errors = errors
        self.pending = {name: wanted[name] for name in errors}


def _first(scenario: Scenario, brought: Checkpoint | None = None) -> Answer:
    return answer(scenario, checkpoint=brought, measured=at_once())


def at_once() -> bool | None:
    """Whether an answer waits for measured operations: on a page in use they are loaded a moment later (False)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # a script, or a page that is made ahead of its visitor
        return None
    return False
