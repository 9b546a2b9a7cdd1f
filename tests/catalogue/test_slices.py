"""What a MIG slice reports: as nvidia-smi prints it where stated, else a range that errs to neither side."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.catalogue.slices import ends_gib, slice_profiles

# nvidia-smi's own figures: logs, a parser's test, a public example, and the list of faults of 2026-12-01 (number 40).
PRINTED = (
    ("rtx-pro-6000-server", {"1g.24gb": (23.62,), "2g.48gb": (47.38,), "4g.96gb": (95.00,)}),
    ("h200-nvl", {"1g.18gb": (16.00,), "2g.35gb": (32.50,), "3g.71gb": (69.50,), "4g.71gb": (69.50,)}),
    ("h100-sxm", {"1g.10gb": (9.75,), "1g.20gb": (19.62,), "3g.40gb": (39.38,), "7g.80gb": (79.12,)}),
    ("a100-80gb-pcie", {"1g.10gb": (9.50, 9.75), "1g.20gb": (19.50, 19.62), "2g.20gb": (19.50,)}),
    ("b200", {"1g.23gb": (20.50, 22.00), "1g.45gb": (44.25,), "2g.45gb": (44.25,)}),
)


@pytest.mark.parametrize(("id", "printed"), PRINTED)
def test_the_range_would_have_held_every_figure_that_is_known(id: str, printed: dict[str, tuple[float, ...]]) -> None:
    """Had no source stated it, the low end would not have promised too much nor the high end refused too early."""
    card = catalogue.card(id)
    profiles = {profile.name: profile for profile in slice_profiles(card)}
    for name, figures in printed.items():
        units = profiles[name].units
        low, high = ends_gib(card, float(name.partition(".")[2].removesuffix("gb")), units)
        assert low <= min(figures) <= max(figures) <= high
        assert (profiles[name].memory_gib, profiles[name].most_gib) == (min(figures), max(figures))
        assert not profiles[name].derived


# By hand: GB x 10^9 / 2^30 x 0.95, and the driver's MiB / 1024 x units / all units.
@pytest.mark.parametrize(
    ("id", "name", "low", "high"),
    [
        ("h100-nvl", "1g.12gb", 10.62, 11.70),  # 95,830 MiB, one of eight units
        ("h100-nvl", "3g.47gb", 41.58, 46.79),
        ("h100-pcie", "2g.20gb", 17.70, 19.91),  # 81,559 MiB
        ("b300", "1g.34gb", 30.08, 33.57),  # 275,040 MiB
        ("rtx-pro-5000", "1g.24gb", 21.23, 23.89),  # 48,935 MiB, one of two units
        ("rtx-pro-6000-max-q", "1g.24gb", 21.23, 23.90),  # 97,887 MiB, one of four units
        ("a100-80gb-pcie", "7g.80gb", 70.78, 80.00),  # 81,920 MiB
        ("b200", "3g.90gb", 79.63, 89.53),  # 183,359 MiB, four of eight units
    ],
)
def test_what_no_source_states_is_a_range(id: str, name: str, low: float, high: float) -> None:
    """Planned by its low end, and marked."""
    found = {profile.name: profile for profile in slice_profiles(catalogue.card(id))}[name]
    assert (found.memory_gib, found.most_gib) == (pytest.approx(low, abs=0.006), pytest.approx(high, abs=0.006))
    assert found.derived


@pytest.mark.parametrize("id", [id for id in catalogue.card_ids() if catalogue.card(id).mig])
def test_slices_of_any_card(id: str) -> None:
    """The ends are in order, and slices together are no more than the card."""
    card = catalogue.card(id)
    for profile in slice_profiles(card):
        assert 0 < profile.memory_gib <= profile.most_gib
        if card.memory_mib:
            assert profile.most_gib * profile.count <= card.memory_mib.value / 1024 * 1.001
