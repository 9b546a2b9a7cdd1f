"""Where a call can start: a few common sizes, as plans that anyone can change."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from sizing.catalogue.files import data_dir, read_toml
from sizing.memory.sharing import Plan, preset
from sizing.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Start:
    """One of them. plan: its scenario, and its services where it has several.   source: key of sources.toml."""

    name: str
    plan: Plan
    source: str

    @property
    def scenario(self) -> Scenario:
        """Its inputs."""
        return self.plan.scenario


@functools.cache
def starts() -> tuple[Start, ...]:
    """Every start, in the order of data/presets.toml. SizingError where a link of the file cannot be read."""
    file = "presets.toml"
    found = []
    for name, row in read_toml(data_dir() / file, file).items():
        plan = Plan.from_query(row["query"])
        if "plan" in row:
            plan = plan.replace(services=preset(row["plan"]).services)
        found.append(Start(name, plan, row["source"]))
    return tuple(found)
