"""Host: module sets, sockets, pairs, drives."""

from __future__ import annotations

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.catalogue import site_facts
from sizing.site import host

FACTS = site_facts.host_facts()
EPYC = catalogue.processor("epyc-9355")
XEON = catalogue.processor("xeon-6787p")


def keys(found: host.Host) -> list[str]:
    return [note.key for note in found.notes]


@pytest.mark.parametrize(
    ("channels", "needed_gb", "slots", "expected"),
    [
        (24, 768, None, (24, 32)),  # 24 x 32 = 768
        (24, 769, None, (24, 48)),  # 24 x 48 = 1,152
        (16, 768, None, (16, 48)),  # two Xeon 6 with eight channels each: 16 x 48 = 768
        (24, 1536, None, (24, 64)),
        (24, 100, None, (24, 16)),
        (24, 7000, 48, (48, 256)),  # 24 x 256 = 6,144 is short, and the board has two slots a channel
    ],
)
def test_smallest_full_set(channels: int, needed_gb: float, slots: int | None, expected: tuple[int, int]) -> None:
    first = host.full_sets(FACTS, channels, needed_gb, slots)[0]
    assert (first.count, first.gb) == expected
    assert first.total_gb >= needed_gb
    assert first.bandwidth_share == 1


def test_sets_rise_and_all_are_enough() -> None:
    found = host.full_sets(FACTS, 24, 768)
    totals = [one.total_gb for one in found]
    assert totals == [768, 1152, 1536, 2304, 3072, 6144]  # 24 x 32, 48, 64, 96, 128, 256


def test_no_set() -> None:
    assert host.full_sets(FACTS, 24, 7000) == ()  # slots not known, so one a channel
    assert host.full_sets(FACTS, 24, 768, slots=16) == ()  # fewer slots than channels
    assert "host_no_full_set" in keys(host.host(FACTS, 64, 1000, EPYC, 2))


@pytest.mark.parametrize(
    ("count", "gb", "sockets", "filled", "share", "key"),
    [
        (24, 32, 2, 24, 1.0, "channels_full"),
        (12, 64, 2, 12, 0.5, "channels_empty"),
        (48, 32, 2, 24, 1.0, "two_per_channel"),
        (36, 32, 2, 24, 1.0, "channels_uneven"),
        (12, 64, 1, 12, 1.0, "channels_full"),
    ],
)
def test_a_proposed_set(count: int, gb: int, sockets: int, filled: int, share: float, key: str) -> None:
    chosen, (note,) = host.judge(count, gb, sockets, 12)
    assert (chosen.filled, chosen.bandwidth_share, note.key) == (filled, share, key)
    assert note.text


def test_modules_divide_over_sockets() -> None:
    with pytest.raises(SizingError):
        host.judge(13, 64, 2, 12)


def test_shortfalls_are_named() -> None:
    found = host.host(FACTS, 8, 96, catalogue.processor("xeon-6527p"), 1, ram_gb=512, nvme_drives=0)
    short = {note.key: note.text for note in found.notes if note.level == "warn"}
    assert set(short) == {"host_sockets_short", "host_cores_short", "host_ram_short", "host_nvme_short"}
    assert "48" in short["host_cores_short"]
    assert "24" in short["host_cores_short"]  # 8 x 6 against one of 24
    assert "1,536 GB" in short["host_ram_short"]


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
