"""The cards hold what their sources state, and show where these disagree."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sizing import catalogue
from sizing.base import units
from sizing.catalogue import Figure
from sizing.catalogue.slices import slice_profiles

# Collected from makers' papers, logs and system files on 2026-11-30, apart from the data files. An empty cell: no
# source states it. H100 NVL: its 350 W is the lower end of the rating, not the lowest limit, so that cell is empty.
FACTS = list(csv.DictReader((Path(__file__).parent / "card_facts.csv").read_text(encoding="utf-8").splitlines()))
FIGURES = [name for name in FACTS[0] if name not in ("id", "pcie_generation", "mig_max")]


def test_every_collected_card_is_there() -> None:
    assert {row["id"] for row in FACTS} <= set(catalogue.card_ids())


@pytest.mark.parametrize("row", FACTS, ids=lambda row: row["id"])
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_the_collected_one(row: dict[str, str], name: str) -> None:
    figure: Figure | None = getattr(catalogue.card(row["id"]), name)
    assert (None if figure is None else figure.value) == (float(row[name]) if row[name] else None)


@pytest.mark.parametrize("row", FACTS, ids=lambda row: row["id"])
def test_slot_and_slices(row: dict[str, str]) -> None:
    card = catalogue.card(row["id"])
    assert card.pcie_generation == int(row["pcie_generation"])
    assert max((profile.count for profile in card.mig), default=0) == int(row["mig_max"] or 0)


# NVIDIA's table of compute capabilities; AMD's cards have none.
@pytest.mark.parametrize(
    ("ids", "capability"),
    [
        (("rtx-pro-6000-server", "rtx-pro-6000-workstation", "rtx-pro-6000-max-q"), (12, 0)),
        (("rtx-pro-5000", "rtx-pro-4500-server"), (12, 0)),
        (("b300",), (10, 3)),
        (("b200",), (10, 0)),
        (("h200-nvl", "h200-sxm", "h100-nvl", "h100-sxm", "h100-pcie"), (9, 0)),
        (("l40s", "l4"), (8, 9)),
        (("a100-80gb-pcie", "a100-80gb-sxm"), (8, 0)),
        (("mi300x", "mi325x", "mi355x"), None),
    ],
)
def test_compute_capability(ids: tuple[str, ...], capability: tuple[int, int] | None) -> None:
    assert {catalogue.card(id).compute_capability for id in ids} == {capability}


def test_the_first_card() -> None:
    """What the documents state of the Server Edition."""
    card = catalogue.card("rtx-pro-6000-server")
    assert card.memory_mib is not None
    assert units.gib_from_mib(card.memory_mib.value) == pytest.approx(95.6, abs=0.05)
    assert card.cooling == "passive"
    assert card.link is None
    assert (card.pcie_generation, card.pcie_lanes) == (5, 16)
    assert [mode.value for mode in card.power_modes_w] == [600, 450]
    assert [(point.inlet_c, point.cfm) for point in card.airflow] == [(25, 43), (45, 125)]
    assert [(profile.count, profile.memory_gb) for profile in card.mig] == [(4, 24), (2, 48), (1, 96)]
    assert [profile.memory_gib.value for profile in card.mig if profile.memory_gib] == [23.62, 47.38, 95.00]
    assert card.vgpu is not None
    assert (card.vgpu.supported, card.vgpu.release) == (True, "19.0")


@pytest.mark.parametrize(
    ("id", "name", "used", "others"),
    [
        ("rtx-pro-6000-server", "memory_bandwidth_gb_s", 1597, {1792}),
        ("rtx-pro-6000-server", "bf16_tflops", 480, {467.8, 417}),
        ("rtx-pro-6000-server", "fp8_tflops", 960, {935.6}),
        ("rtx-pro-6000-server", "fp4_tflops", 1920, {1871.2}),
        ("rtx-pro-4500-server", "power_default_w", 165, {200}),
        ("h200-nvl", "memory_mib", 143771, {144384}),
        ("b200", "memory_bandwidth_gb_s", 7700, {8000}),
    ],
)
def test_conflicts_stay_visible(id: str, name: str, used: float, others: set[float]) -> None:
    figure: Figure = getattr(catalogue.card(id), name)
    assert figure.value == used
    assert {other.value for other in figure.others} == others
    assert all(other.reason for other in figure.others)


def test_the_server_edition_is_slower_than_the_workstation_card() -> None:
    """12,481 MHz x 2 x 64 B = 1,597.6 GB/s, which the paper cuts to 1,597; 10.9 % below 1,792."""
    bandwidth = catalogue.card("rtx-pro-6000-server").memory_bandwidth_gb_s
    assert bandwidth.value == int(12_481e6 * 2 * 64 / units.GB)
    assert 1 - bandwidth.value / bandwidth.others[0].value == pytest.approx(0.109, abs=0.0005)


def test_the_driver_reports_more_than_cuda_sees() -> None:
    """95.59 GiB against 94.97 GiB, in two fields, so that a rule says which one it takes."""
    for id in ("rtx-pro-6000-server", "rtx-pro-6000-max-q"):
        card = catalogue.card(id)
        assert card.memory_mib is not None
        assert card.cuda_visible_gib is not None
        assert units.gib_from_mib(card.memory_mib.value) - card.cuda_visible_gib.value == pytest.approx(0.62, abs=0.005)


@pytest.mark.parametrize("id", catalogue.card_ids())
def test_a_card_is_consistent(id: str) -> None:
    """Facts that hold for any card: slices fit, modes lie in its range, the driver reports about its nominal size."""
    card = catalogue.card(id)
    assert card.power_default_w.value in [mode.value for mode in card.power_modes_w]
    for mode in card.power_modes_w:
        assert (card.power_min_w.value if card.power_min_w else 0) <= mode.value <= card.power_max_w.value
    for profile in card.mig:
        assert profile.count * profile.memory_gb <= card.memory_gb.value * 1.03  # the names are rounded
        if profile.memory_gib and card.memory_mib:
            assert profile.count * profile.memory_gib.value < units.gib_from_mib(card.memory_mib.value)
    if card.memory_mib:
        nominal = card.memory_gb.value * units.GB
        assert nominal * 0.9 < card.memory_mib.value * units.MIB < nominal * units.GIB / units.GB * 1.02
    inlets = [point.inlet_c for point in card.airflow]
    assert inlets == sorted(inlets)


# As nvidia-smi prints them: logs, a parser's test and the list of faults of 2026-12-01 (number 40).
@pytest.mark.parametrize(
    ("id", "name", "gib"),
    [
        ("h200-nvl", "1g.18gb", 16.00),
        ("h200-nvl", "2g.35gb", 32.50),
        ("h200-sxm", "3g.71gb", 69.50),
        ("h200-sxm", "4g.71gb", 69.50),
        ("b200", "1g.23gb", 20.50),
        ("b200", "2g.45gb", 44.25),
        ("h100-sxm", "1g.10gb", 9.75),
        ("a100-80gb-pcie", "1g.10gb", 9.50),
    ],
)
def test_a_slice_holds_what_the_driver_prints(id: str, name: str, gib: float) -> None:
    found = next(each for each in slice_profiles(catalogue.card(id)) if each.name == name)
    assert (found.memory_gib, found.derived) == (gib, False)
