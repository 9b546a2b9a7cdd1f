"""Energy of a year, power modes, and the three figures of a server's draw."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue import site_facts
from sizing.site import energy, power

FACTS = site_facts.power_facts()
PRO = catalogue.card("rtx-pro-6000-server")


def test_a_year_by_hand() -> None:
    # (600 x 8 + 2,000 x 10 + 3,404 x 6) / 1,000 x 365 = 45.224 x 365 = 16,506.76 kWh
    found = energy.year((600, 2000, 3404), (8, 10, 6), 1.54, 0.1902)
    assert found.server_kwh == pytest.approx(16_506.76)
    assert found.site_kwh == pytest.approx(16_506.76 * 1.54)
    assert found.cost == pytest.approx(16_506.76 * 1.54 * 0.1902)
    assert found.mean_w == pytest.approx(45_224 / 24)
    for step in found.working:
        assert step.recompute() == pytest.approx(step.result)
        assert step.title


def test_off_hours_cost_nothing() -> None:
    assert energy.year((600, 2000, 3404), (0, 0, 12), 1, 1).server_kwh == pytest.approx(3.404 * 12 * 365)
    assert energy.year((600, 2000, 3404), (0, 0, 0), 1.54, 0.2).cost == 0


@pytest.mark.parametrize(
    ("draws", "hours", "pue", "price"),
    [
        ((1, 2, 3), (10, 10, 10), 1.5, 0.2),
        ((1, 2, 3), (-1, 0, 0), 1.5, 0.2),
        ((1, 2, 3), (8, 8, 8), 0.9, 0.2),
        ((1, 2, 3), (8, 8, 8), 1.5, -0.1),
        ((float("nan"), 2, 3), (8, 8, 8), 1.5, 0.2),
    ],
)
def test_impossible_profiles(
    draws: tuple[float, float, float], hours: tuple[float, float, float], pue: float, price: float
) -> None:
    with pytest.raises(SizingError):
        energy.year(draws, hours, pue, price)


def test_shipped_figures_have_their_sources() -> None:
    assert (FACTS.pue.value, FACTS.price_eur_per_kwh.value) == (1.54, 0.1902)


def test_commands() -> None:
    found = power.commands(450, 4)
    assert found.now == (
        "nvidia-smi -pm 1",
        "nvidia-smi -i 0 -pl 450",
        "nvidia-smi -i 1 -pl 450",
        "nvidia-smi -i 2 -pl 450",
        "nvidia-smi -i 3 -pl 450",
    )
    lines = found.unit_file.splitlines()
    assert [line for line in lines if line.startswith("[")] == ["[Unit]", "[Service]", "[Install]"]
    assert [line for line in lines if line.startswith("ExecStart=")] == [
        f"ExecStart=/usr/bin/{command}" for command in found.now
    ]
    assert "Type=oneshot" in lines  # several ExecStart lines are allowed only there
    assert found.unit_path.rsplit("/", 1)[1] in found.enable
    assert "power.limit" in found.check


def test_commands_for_some_cards_and_any_cap() -> None:
    assert power.commands(312.5, [2, 3]).now[1:] == ("nvidia-smi -i 2 -pl 312.5", "nvidia-smi -i 3 -pl 312.5")
    assert "450" not in power.commands(300, 1).unit_file


@pytest.mark.parametrize("indexes", [[], [0, 0], [-1], [1.5], 0])
def test_impossible_cards(indexes: object) -> None:
    with pytest.raises(SizingError):
        power.commands(450, indexes)  # type: ignore[arg-type]


def test_no_commands_advice_where_the_card_refuses_the_cap() -> None:
    assert [note.key for note in power.notes(PRO, 250)] == [
        "cap_below_minimum",
        "cable_decides_mode",
    ]


@pytest.mark.parametrize(("cap_w", "mode_w"), [(600, 600), (451, 600), (450, 450), (300, 450)])
def test_the_cable_that_a_cap_needs(cap_w: float, mode_w: float) -> None:
    (note,) = power.mode_notes(PRO, cap_w)
    assert note.values["mode_w"] == mode_w


def find(card: str, cap_w: float, **more: object) -> power.PowerStates:
    return power.states(FACTS, card, 4, cap_w, 2, 280, 0.15, **more)  # type: ignore[arg-type]


def test_three_figures_by_hand() -> None:
    found = find("rtx-pro-6000-server", 600)
    # 4 x 90 + 2 x 280 x 0.257 = 503.92; x 1.15 = 579.5. 4 x 300 + 560 = 1,760; x 1.15 = 2,024. Full: 3,404
    assert found.idle.server_w == pytest.approx(579.508)
    assert found.typical.server_w == pytest.approx(2024)
    assert found.full.server_w == pytest.approx(3404)
    assert [one.card_basis for one in (found.idle, found.typical, found.full)] == ["published"] * 3
    assert {one.basis for one in (found.idle, found.typical, found.full)} == {"assumed"}


def test_a_cap_below_the_usual_decode_draw() -> None:
    assert find("rtx-pro-6000-max-q", 250).typical.card_w == 250


def test_a_card_without_figures_is_marked() -> None:
    found = find("some-other-card", 400)
    assert (found.idle.card_w, found.idle.card_basis) == (pytest.approx(60), "assumed")  # 0.15 x 400
    assert (found.typical.card_w, found.typical.card_basis) == (pytest.approx(230), "assumed")  # 0.575 x 400
    assert {"idle_assumed", "typical_assumed"} <= {note.key for note in found.notes}
    assert all(note.text for note in found.notes)


def test_eight_cards_in_decode_as_published() -> None:
    # 2.76 of 4.8 kW on eight cards (rtx6kpro-kimi): 345 W a card, kept beside the 300 W that is used
    load = FACTS.load_of("rtx-pro-6000-server")
    assert load is not None
    assert load.decode_w is not None
    assert [other.value for other in load.decode_w.others] == [2760 / 8]


def test_measured_figures_replace_the_estimates() -> None:
    found = find("rtx-pro-6000-server", 600, measured_w=(500.0, None, 3200.0))
    assert (found.idle.server_w, found.idle.basis) == (500, "measured")
    assert found.typical.basis == "assumed"
    assert (found.full.server_w, found.full.basis) == (3200, "measured")
    odd = find("rtx-pro-6000-server", 600, measured_w=(4000.0, None, None))
    assert "states_out_of_order" in {note.key for note in odd.notes}


def test_measured_draw_replaces_the_estimate_and_its_band() -> None:
    measured = power.draw(4, 600, 2, 280, 0.15, measured_w=3100)
    assert (measured.server_w, measured.low_w, measured.high_w, measured.measured) == (3100, 3100, 3100, True)
    assert measured.rest_w == pytest.approx(140)
    assert [note.key for note in measured.notes] == ["server_measured"]
    odd = power.draw(4, 600, 2, 280, 0.15, measured_w=1200)
    assert [note.key for note in odd.notes] == ["server_measured", "measured_outside_band"]


def test_band_of_public_measurements() -> None:
    # 0.99 and 1.18 of 2,960 W
    drawn = power.draw(4, 600, 2, 280, 0.15)
    assert (drawn.low_w, drawn.high_w) == (pytest.approx(2930.4), pytest.approx(3492.8))
    assert drawn.low_w < drawn.server_w < drawn.high_w


@pytest.mark.parametrize(
    ("wall_w", "rated_w", "share"),
    [
        (2160, 4 * 450 + 2 * 150, 1.03),  # server-gear-4090, processors busy
        (2080, 4 * 450 + 2 * 150, 0.99),  # processors idle
    ],
)
def test_where_the_band_comes_from(wall_w: float, rated_w: float, share: float) -> None:
    assert wall_w / rated_w == pytest.approx(share, abs=0.005)
