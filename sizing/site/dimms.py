"""Memory modules: which sets fill every channel once, and what a set leaves empty."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.catalogue.site_facts import HostFacts
from sizing.errors import SizingError
from sizing.notes import Note
from sizing.site import checks


@dataclass(frozen=True, slots=True)
class ModuleSet:
    """Equal modules over all channels. count modules of gb each. [GB]   channels: of all sockets. [-]

    filled: channels with a module. [-]   per_channel: modules in the fullest channel. [-]
    """

    count: int
    gb: int
    channels: int

    @property
    def total_gb(self) -> int:
        """All of them. [GB]"""
        return self.count * self.gb

    @property
    def filled(self) -> int:
        """Channels with at least one module."""
        return min(self.count, self.channels)

    @property
    def per_channel(self) -> int:
        """Modules in the fullest channel."""
        return -(-self.count // self.channels)

    @property
    def even(self) -> bool:
        """Every channel holds the same number."""
        return self.count % self.channels == 0

    @property
    def bandwidth_share(self) -> float:
        """Memory bandwidth over that with every channel filled: the share of filled channels. [-]"""
        return self.filled / self.channels


def full_sets(facts: HostFacts, channels: int, needed_gb: float, slots: int | None = None) -> tuple[ModuleSet, ...]:
    """Sets with one module in every channel and at least ``needed_gb`` [GB], the smallest first.

    Where one module a channel does not reach it, two are taken if the board has the slots (None: not known, so one).
    """
    checks.count("channels", channels, 1, 1024)
    checks.number("ram_gb", needed_gb, 0, 1e6, "GB")
    sizes = sorted(module.gb for module in facts.module)
    found = [ModuleSet(channels, gb, channels) for gb in sizes if channels * gb >= needed_gb]
    if not found and slots is not None and slots >= 2 * channels:
        found = [ModuleSet(2 * channels, gb, channels) for gb in sizes if 2 * channels * gb >= needed_gb]
    if slots is not None and slots < channels:
        return ()
    return tuple(found)


def judge(count: int, gb: int, sockets: int, channels_per_socket: int) -> tuple[ModuleSet, tuple[Note, ...]]:
    """A set that somebody proposes, and what is wrong with it.

    >>> judge(12, 64, 2, 12)[0].bandwidth_share
    0.5
    """
    checks.count("modules", count, 1, 1024)
    checks.count("module_gb", gb, 1, 4096)
    checks.count("processors", sockets, 1, 8)
    channels = checks.count("channels", channels_per_socket, 1, 64) * sockets
    if count % sockets:
        raise SizingError("modules_uneven", input="modules", value=count, sockets=sockets)
    chosen = ModuleSet(count, gb, channels)
    values = {"count": count, "gb": gb, "filled": chosen.filled, "channels": channels, "share": chosen.bandwidth_share}
    if chosen.filled < channels:
        return chosen, (Note("warn", "channels_empty", "doc-en", values),)
    if not chosen.even:
        return chosen, (Note("warn", "channels_uneven", "", values),)
    if chosen.per_channel > 1:
        return chosen, (Note("hint", "two_per_channel", "xfusion-1288h", values),)
    return chosen, (Note("hint", "channels_full", "doc-de", values),)


def sparser(chosen: ModuleSet, sockets: int) -> ModuleSet | None:
    """Half as many modules of twice the size, which leave half the channels empty; None where that is no set here."""
    if chosen.per_channel > 1 or chosen.count % (2 * sockets):
        return None
    return judge(chosen.count // 2, chosen.gb * 2, sockets, chosen.channels // sockets)[0]
