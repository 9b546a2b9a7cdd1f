"""A class that is made at its first use is what the standard library's dataclass is, whoever uses it first."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from dataclasses import field
from typing import Any

import pytest

from sizing.base.dataclass import dataclass


def _both(**options: Any) -> list[type]:
    """The same classes, ours and the standard library's."""

    def make(decorate: Any) -> type:
        @decorate(**options)
        class Base:
            """Of a pair."""

            a: int
            b: list[int] = field(default_factory=list, compare=False)

        @decorate(**options)
        class Value(Base):
            """The pair's second."""

            c: str = "c"

            def __post_init__(self) -> None:
                if self.c == "wrong":
                    raise ValueError(self.c)

        return Value

    return [make(dataclass), make(dataclasses.dataclass)]


def _signature(cls: type) -> list[tuple[str, object, object]]:
    return [(each.name, each.kind, each.annotation) for each in inspect.signature(cls).parameters.values()]


OPTIONS = ({}, {"frozen": True}, {"frozen": True, "kw_only": True}, {"frozen": True, "order": True}, {"eq": False})


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_is_what_the_standard_library_makes(options: dict[str, Any]) -> None:
    ours, theirs = _both(**options)
    made, wanted = ours(a=1), theirs(a=1)
    assert vars(made) == vars(wanted) == {"a": 1, "b": [], "c": "c"}
    assert repr(made).rpartition(".")[2] == repr(wanted).rpartition(".")[2]
    assert _signature(ours) == _signature(theirs)
    for cls in (ours, theirs):
        assert (cls(a=1, b=[1]) == cls(a=1, b=[2])) is options.get("eq", True)
        assert dataclasses.replace(cls(a=1), c="d").c == "d"
        assert copy.deepcopy(cls(a=1)).b == []
        with pytest.raises(TypeError):
            cls()
        with pytest.raises(ValueError, match="wrong"):
            cls(a=1, c="wrong")
        if options.get("frozen"):
            assert hash(cls(a=1)) == hash(cls(a=1, b=[3]))
            with pytest.raises(dataclasses.FrozenInstanceError):
                cls(a=1).a = 2
        if options.get("order"):
            assert cls(a=1) < cls(a=2)


def test_its_fields_are_known_before_any_instance() -> None:
    ours, theirs = _both()
    assert [each.name for each in dataclasses.fields(ours)] == [each.name for each in dataclasses.fields(theirs)]


@dataclass(frozen=True)
class Sent:
    """Made in another process."""

    a: int


def test_one_that_comes_from_another_process_is_whole() -> None:
    """Unpickling calls no ``__init__``; the bytes are those of an instance made by hand."""
    sent = pickle.dumps(Sent(3))

    @dataclass(frozen=True)
    class Fresh:
        """The same class as another process sees it first."""

        a: int

    Fresh.__qualname__ = "Sent"
    globals()["Sent"] = Fresh
    first, second = pickle.loads(sent), pickle.loads(sent)
    assert type(first) is Fresh
    assert first == second == Fresh(3)


def test_many_threads_make_it_once() -> None:
    for _ in range(50):
        ours, _theirs = _both(frozen=True)
        start, found = threading.Barrier(8), []

        def make(ours: Any = ours, start: Any = start, found: Any = found) -> None:
            start.wait()
            found.append(hash(ours(a=1)))

        threads = [threading.Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len(set(found)) == 1
