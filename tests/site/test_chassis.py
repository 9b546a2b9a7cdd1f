"""Chassis: counts by cap, editions, inlets, supplies, and the reason where one does not fit."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sizing import catalogue
from sizing.base.temperature import Temperature
from sizing.catalogue import servers
from sizing.site import chassis
from sizing.site.chassis import Judged


@dataclass(frozen=True)
class AnyCard:
    """A card as the judge sees it."""

    id: str
    name: str
    cooling: str
    board: str = ""


SERVER_EDITION = catalogue.card("rtx-pro-6000-server")
WORKSTATION = AnyCard("rtx-pro-6000-workstation", "RTX PRO 6000 Workstation Edition", "active")


def judge(id: str, cards: int, cap_w: float, **more: object) -> Judged:
    return chassis.judge(servers.server(id), SERVER_EDITION, cards, cap_w, **more)  # type: ignore[arg-type]


def keys(found: Judged, level: str) -> list[str]:
    return [note.key for note in found.notes if note.level == level]


@pytest.mark.parametrize(
    ("id", "cap_w", "expected"),
    [
        ("lenovo-sr650a-v4", 600, 2),
        ("lenovo-sr650a-v4", 500, 2),  # above the 450 W slot, so the 600 W count
        ("lenovo-sr650a-v4", 450, 4),
        ("lenovo-sr650a-v4", 300, 4),  # a lower cap takes no fewer
        ("lenovo-sr675-v3", 600, 8),
        ("cisco-xe150c-m8", 600, 0),
        ("cisco-xe150c-m8", 450, 1),
        ("hpe-dl380-gen12", 600, None),  # three, the cap not stated
        ("dell-r7725", 450, None),  # nothing found
        ("lenovo-sr650a-v4", 601, None),  # no row speaks of more than 600 W
    ],
)
def test_how_many_it_takes(id: str, cap_w: float, expected: int | None) -> None:
    assert chassis.takes(servers.server(id), cap_w) == expected


def test_four_at_600_w_in_two_units_are_stopped_and_at_450_w_not() -> None:
    stopped = judge("lenovo-sr650a-v4", 4, 600)
    assert stopped.verdict == "stopped"
    assert keys(stopped, "stop") == ["chassis_takes_fewer"]
    assert "It takes 2 at 600 W, not 4." in [note.text for note in stopped.reasons]
    assert "450 W" in next(note.text for note in stopped.notes if note.key == "chassis_takes_at_cap")
    fits = judge("lenovo-sr650a-v4", 4, 450)
    assert (fits.verdict, fits.takes) == ("conditional", 4)
    assert "chassis.conflict.slot_400_or_450" in keys(fits, "warn")


def test_a_plain_fit() -> None:
    found = judge("msi-cg480-s5063", 4, 600, server_w=3404.0, inlet=Temperature.from_c(30))
    assert (found.verdict, found.notes) == ("fits", ())


def test_a_cap_that_is_not_stated_is_unknown_not_a_yes() -> None:
    found = judge("qct-d75e-4u", 4, 600)
    assert found.verdict == "unknown"
    assert "chassis_cap_not_stated" in keys(found, "warn")
    assert judge("hpe-dl380-gen12", 4, 600).verdict == "stopped"  # three at any cap


def test_blanks_stay_blank() -> None:
    found = judge("dell-r760xa", 2, 450, inlet=Temperature.from_c(25), server_w=2000.0)
    assert (found.verdict, found.takes) == ("unknown", None)
    assert set(keys(found, "hint")) == {
        "chassis_support_not_found",
        "chassis_inlet_not_found",
        "chassis_supplies_not_found",
    }


def test_counts_that_are_not_sold() -> None:
    assert judge("cisco-c845a-m8", 4, 600).verdict == "conditional"
    found = judge("cisco-c845a-m8", 3, 600)
    assert keys(found, "stop") == ["chassis_counts"]
    assert "2, 4, 6, 8" in found.reasons[0].text


def test_server_edition_in_a_tower_is_stopped() -> None:
    found = judge("tower", 1, 600)
    assert keys(found, "stop") == ["passive_without_chassis_air"]


def test_workstation_card_in_a_rack_is_stopped() -> None:
    found = chassis.judge(servers.server("dell-xe7745"), WORKSTATION, 4, 600)
    assert [note.key for note in found.reasons] == ["active_in_dense_chassis"]
    assert "edition without fans" in found.reasons[0].text


def test_workstation_card_in_a_tower_is_not_stopped() -> None:
    found = chassis.judge(servers.server("tower"), WORKSTATION, 1, 600)
    assert found.verdict == "unknown"
    assert not found.reasons


def test_the_edition_is_read_from_cooling_and_air_not_from_a_name() -> None:
    renamed = AnyCard("x", "Server Edition", "active")
    assert chassis.judge(servers.server("dell-xe7745"), renamed, 4, 600).verdict == "stopped"
    assert chassis.edition_notes("liquid", "front-to-back") == ()


def test_another_passive_card_is_unknown() -> None:
    found = chassis.judge(servers.server("dell-xe7745"), AnyCard("l40s", "L40S", "passive"), 4, 350)
    assert (found.verdict, found.takes) == ("unknown", None)
    assert "L40S" in found.notes[0].text


@pytest.mark.parametrize(("altitude_m", "limit_c"), [(0, 35), (305, 34), (1525, 30), (-100, 35)])
def test_inlet_falls_with_height(altitude_m: float, limit_c: float) -> None:
    assert chassis.inlet_limit_c(servers.server("hpe-dl380a-gen12"), altitude_m) == pytest.approx(limit_c)


def test_a_warm_inlet_stops_it() -> None:
    assert keys(judge("msi-cg480-s5063", 4, 600, inlet=Temperature.from_c(36)), "stop") == ["chassis_inlet_too_warm"]
    high = judge("hpe-dl380a-gen12", 4, 600, inlet=Temperature.from_c(33), altitude_m=1525.0)
    assert keys(high, "stop") == ["chassis_inlet_too_warm"]


def test_an_inlet_limit_for_eight_cards_stops_eight() -> None:
    warm = Temperature.from_c(27)
    assert keys(judge("gigabyte-g494", 8, 600, inlet=warm), "stop") == ["chassis_inlet_too_warm"]
    four = judge("gigabyte-g494", 4, 600, inlet=warm)
    assert four.verdict == "unknown"  # no limit is stated for fewer than eight
    assert "chassis_inlet_for_more_cards" in keys(four, "warn")


def test_supplies_of_the_chassis() -> None:
    one_and_one = judge("lenovo-sr650a-v4", 2, 600, server_w=3404.0)
    assert "supplies_one_supply_lost" in keys(one_and_one, "warn")
    assert "supplies_one_supply_lost" not in keys(judge("lenovo-sr650a-v4", 4, 450, server_w=2714.0), "warn")
    # Eight supplies of 3,200 W, 2,900 W at 208 V: 11,600 W on one feed
    assert "supplies_one_feed_lost" not in keys(judge("dell-xe7740", 8, 600, server_w=12_000.0, volts=230.0), "warn")
    assert "supplies_one_feed_lost" in keys(judge("dell-xe7740", 8, 600, server_w=12_000.0, volts=208.0), "warn")
    assert judge("hpe-dl385-gen11", 2, 600, server_w=9_000.0).verdict == "stopped"  # 4 x 2,200 = 8,800


def test_host_rules_of_the_chassis() -> None:
    assert "chassis_too_few_sockets" in keys(judge("msi-cg290-s3063", 4, 450, sockets_min=2), "warn")
    assert "chassis_processor_too_hot" in keys(judge("lenovo-sr650a-v4", 4, 450, processor_w=400.0), "stop")
    assert "chassis_processor_too_hot" not in keys(judge("lenovo-sr650a-v4", 4, 450, processor_w=350.0), "stop")


def test_order() -> None:
    found = chassis.order(judge(id, 4, 600, inlet=Temperature.from_c(25)) for id in servers.server_ids())
    verdicts = [one.verdict for one in found]
    assert verdicts == sorted(verdicts, key=["fits", "conditional", "unknown", "stopped"].index)
    assert found[0].verdict == "fits"
    heights = [one.server.height_u for one in found if one.takes_them and one.verdict == "unknown"]
    assert heights[0] == 3  # the lowest that takes four at 600 W, and no inlet limit is known


def test_every_note_speaks() -> None:
    for id in servers.server_ids():
        for cap_w in (300, 450, 600):
            for card in (SERVER_EDITION, WORKSTATION):
                for note in chassis.judge(
                    servers.server(id), card, 4, cap_w, server_w=5_000, inlet=Temperature.from_c(40), sockets_min=2
                ).notes:
                    assert note.text
                    if note.source:
                        assert catalogue.source(note.source).title


def test_what_is_not_known_is_not_a_fit_and_says_what_to_ask() -> None:
    warm = judge("dell-xe7745", 4, 600, server_w=3404.0, inlet=Temperature.from_c(45))
    assert warm.verdict == "unknown"  # eight of 3,200 W carry it, and no inlet limit is published
    assert warm.takes_them
    (asked,) = [note for note in warm.notes if note.key == "chassis_inlet_not_found"]
    assert "ask its maker how warm the inlet may be with 4 cards at 600 W" in asked.text
    uncounted = judge("supermicro-sys-422ga-nrt", 4, 600, server_w=3404.0, inlet=Temperature.from_c(25))
    assert uncounted.verdict in ("unknown", "stopped")
    assert "chassis_supplies_not_found" in keys(uncounted, "hint")
    assert judge("msi-cg480-s5063", 4, 600, server_w=3404.0, inlet=Temperature.from_c(25)).verdict == "fits"


@pytest.mark.parametrize(
    ("card", "cards", "cap_w", "said"),
    [
        ("rtx-pro-6000-workstation", 2, 600, True),  # the report: two Workstation Editions at 600 W
        ("rtx-pro-6000-workstation", 2, 400, False),  # 400 W held
        ("rtx-pro-6000-workstation", 1, 600, False),
        ("rtx-pro-6000-max-q", 2, 300, False),  # another edition
        ("rtx-pro-6000-server", 2, 600, False),
    ],
)
def test_an_experience_is_told_of_the_card_that_it_was_made_with(
    card: str, cards: int, cap_w: float, said: bool
) -> None:
    found = chassis.judge(servers.server("tower"), catalogue.card(card), cards, cap_w)
    assert ("chassis.remark.active_side_by_side" in {note.key for note in found.notes}) is said


@pytest.mark.parametrize(
    ("id", "key", "apart", "here"),
    [
        ("gigabyte-g494", "condition.optional_fan_kit", {"cards": 4}, {"cards": 8}),  # "eight cards at 600 W"
        ("hpe-dl380a-gen12", "condition.extended_40c", {"inlet": 25}, {"inlet": 38}),  # its rules are of 35 to 40 °C
        ("hpe-dl380a-gen12", "condition.fan_fault_30c", {"inlet": 25}, {"inlet": 31}),  # "above 30 °C"
        ("hpe-dl385-gen11", "condition.ilo_cap", {"cards": 2}, {"cards": 2, "cap_w": 450}),  # "at 450 or 550 W"
        ("lenovo-sr650a-v4", "condition.slot_capped_450", {"cards": 2}, {"cap_w": 450}),  # "four cards"
        ("dell-xe7740", "remark.low_line", {"volts": 230}, {"volts": 208}),  # "at 200 to 220 V"
    ],
)
def test_a_condition_is_told_where_it_applies(
    id: str, key: str, apart: dict[str, float], here: dict[str, float]
) -> None:
    for given, told in ((apart, False), (here, True)):
        inlet = Temperature.from_c(given.get("inlet", 20))
        cards, cap_w, volts = int(given.get("cards", 4)), given.get("cap_w", 600), given.get("volts", 230)
        found = judge(id, cards, cap_w, inlet=inlet, volts=volts)
        assert (f"chassis.{key}" in {note.key for note in found.notes}) is told
    other = chassis.judge(servers.server(id), AnyCard("another", "Another card", "passive"), 4, 350)
    assert not {note.key for note in other.notes if note.key.startswith(("chassis.condition.", "chassis.conflict."))}


def test_every_rule_of_where_something_applies_is_of_something_that_a_server_says() -> None:
    listed = [servers.server(id) for id in servers.server_ids()]
    assert set(chassis.APPLIES) <= {key for one in listed for key in (*one.conditions, *one.remarks)}
