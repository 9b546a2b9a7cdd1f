"""Parts: the server as a list that a buyer can use, each line with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from sizing.base import texts
from sizing.base.dataclass import dataclass
from sizing.site import host as dimms
from sizing.site.plan import SitePlan


@dataclass(frozen=True)
class Part:
    """One line. key: names its two texts, ``part.<key>.what`` and ``part.<key>.why``.

    quantity: None where it is not known.   source: of the reason, a key of sources.toml, or "" where figures say it.
    """

    key: str
    quantity: int | None
    source: str = ""
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def what(self, language: str = "en") -> str:
        """What to order."""
        return texts.say(f"part.{self.key}.what", language, **self.values)

    def why(self, language: str = "en") -> str:
        """Why so many of it, or of this kind."""
        return texts.say(f"part.{self.key}.why", language, **self.values)


def parts(plan: SitePlan) -> tuple[Part, ...]:
    """Every line of one server, and of what it hangs on."""
    return (*_chassis(plan), *_cards(plan), *_host(plan), *_power(plan))


def _chassis(plan: SitePlan) -> Iterator[Part]:
    verdicts = [judged.verdict for judged in plan.chassis]
    counts = {verdict: verdicts.count(verdict) for verdict in ("fits", "conditional", "unknown")}
    values = {"cards": plan.scenario.cards, "card": plan.card.name, "cap_w": plan.cap_w, **counts}
    yield Part("chassis", 1, "", values)


def _cards(plan: SitePlan) -> Iterator[Part]:
    cards = plan.scenario.cards
    values = {"card": plan.card.name, "memory_gb": cards * plan.card.memory_gb.value}
    yield Part("cards", cards, plan.card.memory_gb.source, values)
    modes = sorted(mode.value for mode in plan.card.power_modes_w if mode.value >= plan.cap_w)
    if len(plan.card.power_modes_w) > 1 and modes:
        yield Part("power_cables", cards, plan.card.power_modes_w[0].source, {"mode_w": modes[0]})


def _host(plan: SitePlan) -> Iterator[Part]:
    host, sockets = plan.host, plan.scenario.processors
    cores, clock = host.requirement("cores"), host.requirement("base_clock")
    values = {
        "processor": plan.processor.name,
        "cores": int(cores.offered or 0),
        "cores_needed": int(cores.needed),
        "ghz": clock.offered,
        "ghz_needed": clock.needed,
    }
    yield Part("processors" if clock.offered else "processors_no_clock", sockets, cores.source, values)
    needed_gb = host.requirement("ram").needed
    if host.modules is None:
        yield Part("memory_unknown", None, cores.source, {"needed_gb": needed_gb})
    else:
        chosen = host.modules
        values = {"gb": chosen.gb, "total_gb": chosen.total_gb, "needed_gb": needed_gb, "channels": chosen.channels}
        sparse = dimms.sparser(chosen, sockets)
        if sparse is not None:
            few = {"few": sparse.count, "few_gb": sparse.gb, "filled": sparse.count}
            yield Part("memory_not_few", chosen.count, cores.source, {**values, **few})
        else:
            yield Part("memory", chosen.count, cores.source, values)
    drives = plan.drives
    if drives is not None:
        least = int(host.requirement("nvme").needed)
        values = {
            "drive_tb": drives.drive_gb / 1000,
            "needed_gb": drives.needed_gb,
            "versions": plan.scenario.versions_held,
            "least": least,
        }
        binding = "nvme_files" if drives.drives > least else "nvme"
        yield Part(binding, drives.drives, host.requirement("nvme").source, values)
    yield Part("boot", 2, "doc-en")
    yield Part("network", None, "doc-en")


def _power(plan: SitePlan) -> Iterator[Part]:
    scenario, loss = plan.scenario, plan.planned_loss
    held = loss if loss.fits else plan.supply_cases[0]
    values = {"supply_w": scenario.supply_w, "left": held.working, "left_w": held.available_w, "load_w": held.load_w}
    yield Part(f"supplies_{held.name}" if held.fits else "supplies_short", scenario.supplies, "", values)
    cords = {"cord": plan.cord.name, "amps": plan.cord.amps, "feeds": plan.feeds}
    yield Part("cords", scenario.supplies, plan.cord.source, cords)
    remedies = plan.remedies
    carrying = plan.circuit if plan.connection.fits else remedies.single or remedies.three
    if carrying is None:
        yield Part("circuit_none", None, "", {"circuit": plan.circuit.name})
    else:
        key = "circuit" if carrying == plan.circuit else "circuit_other"
        source = carrying.source
        yield Part(
            key if plan.feeds == 1 else f"{key}s",
            plan.feeds,
            source,
            {"circuit": carrying.name, "plug": carrying.connector},
        )
