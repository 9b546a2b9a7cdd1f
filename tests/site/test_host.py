"""Host: module sets, sockets, pairs, drives."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.catalogue import site_facts
from sizing.site import host

FACTS = site_facts.host_facts()
EPYC = catalogue.processor("epyc-9355")
XEON = catalogue.processor("xeon-6787p")


def keys(found: host.Host) -> list[str]:
    return [note.key for note in found.notes]


@pytest.mark.parametrize(
    ("channels", "needed_gb", "expected"),
    [
        (24, 768, (24, 32)),  # 24 x 32 = 768
        (24, 769, (24, 48)),  # 24 x 48 = 1,152
        (16, 768, (16, 48)),  # two Xeon 6 with eight channels each: 16 x 48 = 768
        (24, 1536, (24, 64)),
        (24, 100, (24, 16)),
    ],
)
def test_smallest_full_set(channels: int, needed_gb: float, expected: tuple[int, int]) -> None:
    first = host.full_sets(FACTS, channels, needed_gb)[0]
    assert (first.count, first.gb) == expected
    assert first.total_gb >= needed_gb
    assert first.bandwidth_share == 1


def test_sets_rise_and_all_are_enough() -> None:
    found = host.full_sets(FACTS, 24, 768)
    totals = [one.total_gb for one in found]
    assert totals == [768, 1152, 1536, 2304, 3072, 6144]  # 24 x 32, 48, 64, 96, 128, 256


def test_no_set() -> None:
    assert host.full_sets(FACTS, 24, 7000) == ()  # 24 x 256 = 6,144
    assert "host_no_full_set" in keys(host.host(FACTS, 64, 1000, EPYC, 2))


def test_half_as_many_modules_leave_half_the_channels_empty() -> None:
    few = host.sparser(host.ModuleSet(24, 32, 24), 2)
    assert few == host.ModuleSet(12, 64, 24)
    assert few.bandwidth_share == 0.5
    assert host.sparser(host.ModuleSet(6, 32, 6), 2) is None  # three modules do not divide over two sockets


def test_shortfalls_are_named() -> None:
    found = host.host(FACTS, 8, 96, catalogue.processor("xeon-6527p"), 1, nvme_drives=0)
    short = {note.key: note.text for note in found.notes if note.level == "warn"}
    assert set(short) == {"host_sockets_short", "host_cores_short", "host_nvme_short"}
    assert "48" in short["host_cores_short"]
    assert "24" in short["host_cores_short"]  # 8 x 6 against one of 24


def test_a_slow_clock_is_named() -> None:
    assert host.host(FACTS, 4, 96, XEON, 2).requirement("base_clock").fits is True  # 2.0 GHz is enough
    slow = host.Requirement("base_clock", 2.0, 1.9, "GHz", "nvidia-certified-guide")
    assert slow.fits is False


def test_more_processors_than_their_boards_take() -> None:
    (stop,) = [note for note in host.host(FACTS, 4, 96, EPYC, 4).notes if note.level == "stop"]
    assert "up to 2 sockets, not 4" in stop.text


def test_one_socket_has_no_pairs_to_part() -> None:
    assert "pairs_under_one_socket" not in keys(host.host(FACTS, 4, 96, EPYC, 1))
    assert "pairs_under_one_socket" in keys(host.host(FACTS, 4, 96, EPYC, 2))


@pytest.mark.parametrize(
    ("cards", "sockets", "expected"),
    [
        (4, 2, (((0, 1),), ((2, 3),))),
        (8, 2, (((0, 1), (2, 3)), ((4, 5), (6, 7)))),
        (3, 2, (((0, 1),), ((2,),))),
        (2, 1, (((0, 1),),)),
        (1, 2, (((0,),), ())),
    ],
)
def test_pairs(cards: int, sockets: int, expected: tuple[tuple[tuple[int, ...], ...], ...]) -> None:
    assert host.pairs(cards, sockets) == expected


@pytest.mark.parametrize(
    ("files_gb", "drive_gb", "sockets", "versions", "count"),
    [
        (72.7, 7680, 2, 1, 2),  # one drive would do; the guide asks for one a socket
        (690, 960, 2, 3, 3),  # 2,070 / 960 = 2.2
        (756, 756, 1, 1, 1),
        (0, 960, 2, 1, 2),
    ],
)
def test_drives(files_gb: float, drive_gb: float, sockets: int, versions: int, count: int) -> None:
    assert host.drives(files_gb * 1e9, drive_gb, sockets, versions).drives == count


def test_steps() -> None:
    for step in host.host(FACTS, 4, 96, EPYC, 2).working:
        assert step.recompute() == pytest.approx(step.result)
        assert step.title
