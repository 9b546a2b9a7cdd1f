"""The answer of a page as a cell of Python that makes the same."""

from __future__ import annotations

from sizing.catalogue.listing import Listing
from sizing.catalogue.scenario import Scenario

_LINE = 88


def of_scenario(scenario: Scenario, then: str = "answer") -> str:
    """A cell that answers a scenario. then: what the cell shows of the answer.

    >>> print(of_scenario(Scenario(cards=8), "answer.site"))
    import sizing
    <BLANKLINE>
    scenario = sizing.Scenario(cards=8)
    answer = sizing.answer(scenario)
    answer.site
    """
    made = _call("sizing.Scenario", {name: getattr(scenario, name) for name in scenario.changed()})
    return f"import sizing\n\nscenario = {made}\nanswer = sizing.answer(scenario)\n{then}"


def of_listing(listing: Listing, home: str, function: str) -> str:
    """A cell that works out a list beside a scenario. home: module of ``function``, which takes the list."""
    kind = type(listing)
    lines = [f"from {kind.__module__} import {kind.__name__}", f"from {home} import {function}"]
    if kind.__module__ == home:
        lines = [f"from {home} import {', '.join(sorted((kind.__name__, function), key=str.swapcase))}"]
    name = kind.__name__.lower()
    made = f"{name} = {kind.__name__}.from_query({listing.to_query()!r})"
    return "\n".join([*lines, "", made, f"{function}({name})"])


def _call(name: str, values: dict[str, object]) -> str:
    """A call with named values, on one line or one a line."""
    said = [f"{key}={value!r}" for key, value in values.items()]
    line = f"{name}({', '.join(said)})"
    return line if len(line) <= _LINE else "\n".join([f"{name}(", *(f"    {each}," for each in said), ")"])
