"""Every figure of data/budget.toml has a source that the catalogue knows; a faulty one is refused."""

import pytest

from sizing.catalogue import source
from sizing.memory.budget import BudgetDataError, figure, tables


def _figures():
    data = tables()
    places = [*data["rule"].items(), ("engine", data["engine"])]
    return [pytest.param(entry, id=f"{place}.{name}") for place, table in places for name, entry in table.items()]


@pytest.mark.parametrize("entry", _figures())
def test_sources_are_known(entry):
    assert source(entry["source"]).title
    assert entry["read_on"]


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {"value": 1.0, "unit": "MiB", "source": "doc-de", "read_on": "2026-11-30"},
        {"value": 1.0, "unit": "GiB", "source": "", "read_on": "2026-11-30"},
        {"value": float("nan"), "unit": "GiB", "source": "doc-de", "read_on": "2026-11-30"},
        {"value": 1.0, "unit": "GiB", "read_on": "2026-11-30"},
        {"value": 1.0, "unit": "GiB", "source": "doc-de", "read_on": "2026-11-30", "extra": 1},
    ],
)
def test_faulty_figures_are_refused(entry):
    with pytest.raises(BudgetDataError):
        figure({"x": entry} if entry is not None else {}, "x", "GiB")
