"""The table data/sharing.toml, read once."""

from __future__ import annotations

import functools
from typing import Any

from sizing.catalogue import files
from sizing.catalogue.inputs import Input


@functools.cache
def table() -> dict[str, Any]:
    """The whole file."""
    return files.read_toml(files.data_dir() / "sharing.toml", "sharing.toml")


@functools.cache
def fields() -> dict[str, Input]:
    """The fields of a service and of a plan by name, checked as the inputs of a scenario are."""
    made = {}
    for name, entry in table()["fields"].items():
        lists: dict[str, Any] = {key: tuple(entry[key]) for key in ("stops", "choices") if key in entry}
        made[name] = Input(name=name, **{**entry, **lists})
    return made


def mig_driver(capability: tuple[int, int] | None) -> dict[str, Any] | None:
    """What MIG asks of the driver on cards of a compute capability: release, version, source; None where unknown."""
    if capability is None:
        return None
    written = ".".join(map(str, capability))
    return next((entry for entry in table()["mig_driver"] if entry["capability"] == written), None)
