"""How a value shows itself: one short line to a person at a prompt, a table in a notebook.

A class says which of its attributes it shows; line and table are made of them. The names are those that a caller types,
each with its unit at its end, so that what is read can be asked for.

>>> class Duct(Shown, facts=("width_mm", "note")):
...     width_mm, note = 80.0, ""
>>> Duct()
Duct(width_mm=80)
>>> Duct()._repr_html_()
'<div><strong>Duct</strong><table><tr><th>width_mm</th><td>80</td></tr></table></div>'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from sizing.base.errors import SizingError

_LONGEST = 80
"""Letters of a text in the line at a prompt. [-]"""

_BRIEF = 4
"""Facts of a value that stands inside another. [-]"""


class Shown:
    """Base of values that show themselves. facts: attributes of one value each.   lists: attributes with many entries,
    which stand below in a notebook alone, since they may take long to work out.
    """

    FACTS: ClassVar[tuple[str, ...]] = ()
    LISTS: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, facts: tuple[str, ...] = (), lists: tuple[str, ...] = (), **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.FACTS, cls.LISTS = facts or cls.FACTS, lists or cls.LISTS
        if facts or cls.__repr__ is Shown.__repr__:  # in the class itself, where a dataclass would put its own
            cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]

    def _facts(self) -> Iterator[tuple[str, Any]]:
        """Names and values of what it shows; nothing for what is empty or cannot be told."""
        return _told(self, self.FACTS)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={line(value)}' for name, value in self._facts())})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from sizing.base.markup import join, tag  # a notebook asks, nobody else

        rows = [tag("tr", tag("th", name), tag("td", _cell(value))) for name, value in self._facts()]
        lists = [_table(name, entries) for name, entries in _told(self, self.LISTS)]
        return tag("div", tag("strong", type(self).__name__), tag("table", join(rows)) if rows else "", *lists)


def _told(value: Any, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name in names:
        try:
            found = getattr(value, name)
        except (SizingError, KeyError):  # a line that fails would hide the value from whoever looks for the fault
            continue
        if found is not None and found != "" and found != ():
            yield name, found


def _table(caption: str, entries: Any) -> str:
    """Entries one under another, by the facts that any of them has."""
    from sizing.base.markup import join, tag

    told = [dict(each._facts()) if isinstance(each, Shown) else {caption: each} for each in entries]
    columns = list(dict.fromkeys(name for facts in told for name in facts))
    head = tag("tr", *(tag("th", name) for name in columns))
    body = [tag("tr", *(tag("td", _cell(facts.get(name, ""))) for name in columns)) for facts in told]
    return tag("table", tag("caption", caption), tag("thead", head), tag("tbody", join(body)))


def line(value: Any) -> str:
    """A value in the line at a prompt; a long text is cut."""
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…")
    return f"({_cell(value)})" if isinstance(value, tuple) else _cell(value)


def _cell(value: Any) -> str:
    """A value in a table."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 10_000 else f"{value:.0f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_cell(each)}" for name, each in value.items())
    if isinstance(value, tuple):
        return ", ".join(_cell(each) for each in value)
    if isinstance(value, Shown) and type(value).__str__ is object.__str__ and type(value).__repr__ is Shown.__repr__:
        facts = list(value._facts())[:_BRIEF]
        return ", ".join(f"{name} {_cell(each)}" for name, each in facts)
    return str(value)
