"""A call as a file: its scenario and its services, every value written out, to open again later."""

from __future__ import annotations

import json

from sizing.errors import SizingError
from sizing.memory.sharing import Plan
from sizing.scenario import Scenario

FILE_NAME = "sizing.json"


def write(plan: Plan) -> str:
    """The text of the file."""
    return plan.to_json()


def read(text: str) -> Plan:
    """The plan of a file, which may be a scenario's alone. SizingError where it is neither, or names what is wrong.

    >>> read(Scenario(cards=2).to_json()).scenario.cards
    2
    """
    try:
        values = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise SizingError("scenario_not_json", input="file") from None
    if isinstance(values, dict) and isinstance(values.get("scenario"), dict):
        return Plan.from_json(text)
    return Plan(scenario=Scenario.from_json(text))
