"""How fast will it feel? Speed against conversations for every layout, with its physical limit and its gaps.

>>> import sizing
>>> found = speed(sizing.size(sizing.Scenario(prompt_tokens=2048, answer_tokens=512)))
>>> found.request.history_tokens
5632
"""

from __future__ import annotations

from dataclasses import dataclass

from sizing.size import Sizing
from sizing.speed import caps, interconnect, kernels
from sizing.speed.caps import CapEffect
from sizing.speed.curve import Curve, Line, curve
from sizing.speed.interconnect import Fact
from sizing.speed.kernels import Gap
from sizing.speed.limit import limit, other_bandwidths
from sizing.speed.request import Request, request
from sizing.speed.tables import tables

# vLLM runs no more requests at once than this by default, by the memory of a card. [GiB], [-] Source: vllm-kv-rules
_RUNNING_MAX = ((70, 1024), (0, 256))


@dataclass(frozen=True)
class Speed:
    """The speed of one sizing.

    curves: of every layout that fits and of which something is known, as the sizing lists them.
    running_max: requests of a copy that the engine runs at once by default. [-]
    gap: why the chosen layout has no measured kernels, or None.   other_bandwidths: conflicting figures. [GB/s]
    """

    sizing: Sizing
    request: Request
    curves: tuple[Curve, ...]
    running_max: int
    other_bandwidths: tuple[tuple[float, str, str], ...]

    @property
    def floor_tokens_s(self) -> float:
        """Slowest speed of one conversation that is accepted. [tokens/s]"""
        return self.sizing.scenario.floor_tokens_s

    @property
    def best(self) -> Curve | None:
        """The layout that holds most conversations at the floor, the faster one where two are level."""
        return max(self.curves, key=_rank, default=None)

    @property
    def gap(self) -> Gap | None:
        """Why there are no measured kernels for the best layout, or None."""
        return self.best.gap if self.best else None

    @property
    def cap_effects(self) -> tuple[CapEffect, ...]:
        """What published studies found at this cap, or next to it; empty without a cap below theirs."""
        return caps.around(self.sizing.scenario.power_cap_w)

    @property
    def advice(self) -> tuple[Fact, ...]:
        """Facts on passing sums between cards without a direct link, for the layouts that fit."""
        if self.sizing.card.link is not None:
            return ()
        return interconnect.advice(tuple(found.layout for found in self.curves))

    def curve(self, name: tuple[int, int, int]) -> Curve | None:
        """The curve of a layout by (copies, tp, pp)."""
        return next((found for found in self.curves if found.layout.name == name), None)


def _rank(found: Curve) -> tuple[float, ...]:
    knee = found.knee
    return found.holds, knee.total_tokens_s if knee else found.one.each_tokens_s, found.layout.copies


def speed(sizing: Sizing) -> Speed:
    """The speed of a sizing: a curve for every layout that fits.

    Measured kernels are loaded when they are first asked for, which takes a second or two; a slider that moves
    afterwards asks compiled tables only. Without them the physical limit stands alone, and each curve says why.
    """
    scenario = sizing.scenario
    asked = request(scenario)
    running = next(most for gib, most in _RUNNING_MAX if sizing.reported_gib_per_card >= gib)
    found: list[Curve] = []
    for layout in sizing.layouts:
        if not layout.fits or layout.conversations is None:
            continue
        split = {"kv_dtype": sizing.kv_dtype, "tp": layout.tp, "pp": layout.pp}
        bound = limit(sizing.card, sizing.checkpoint, **split)  # type: ignore[arg-type]
        measured = kernels.find(sizing.card, sizing.checkpoint, engine=scenario.engine, **split)  # type: ignore[arg-type]
        if one := curve(Line(layout, asked, measured, bound, running), scenario.floor_tokens_s):
            found.append(one)
    return Speed(sizing, asked, tuple(found), running, other_bandwidths(sizing.card))


def warm() -> None:
    """Load the measured kernels ahead of the first question, where they are installed."""
    if kernels.installed():
        speed(_first())


def _first() -> Sizing:
    from sizing.scenario import Scenario
    from sizing.size import size

    return size(Scenario())


__all__ = ["Curve", "Gap", "Speed", "speed", "tables", "warm"]
