"""What is left, service by service, when a card, a feed or a server is lost, and how many copies would cover it."""

from __future__ import annotations

from collections.abc import Callable

from sizing.base.dataclass import dataclass
from sizing.sharing.board import Engine
from sizing.sharing.placement import Placement
from sizing.site import circuits
from sizing.site.plan import SitePlan
from sizing.site.supplies import Case


@dataclass(frozen=True)
class Left:
    """One service after a loss. copies: still running. [-]   conversations: that they hold, None without a cache."""

    copies: int
    conversations: int | None


@dataclass(frozen=True)
class Loss:
    """One thing lost. number: of the card or server, from 0.   left: of every service, () where it is not placed."""

    number: int
    left: tuple[Left, ...]

    @property
    def stopped(self) -> tuple[int, ...]:
        """Services of which no copy runs any more."""
        return tuple(number for number, left in enumerate(self.left) if left.copies == 0)


@dataclass(frozen=True)
class Failures:
    """What a placement survives.

    cards, servers: the loss of each.   worst: of each service, what the worst single card leaves.
    feed: the supplies without the fuller of two feeds, None where all hang on one; server_w: what they carry. [W]
    feed_cap_w: the highest power cap at which they do, None where none does. [W]
    spare_copies: copies of each service with which the wanted conversations survive any one card (N+1), as long as
    each stands on cards of its own.
    """

    cards: tuple[Loss, ...]
    servers: tuple[Loss, ...]
    worst: tuple[Left, ...]
    feed: Case | None
    server_w: float
    feed_cap_w: float | None
    spare_copies: tuple[int, ...]


def failures(placement: Placement) -> Failures:
    """What is left of each service after each single loss."""
    scenario = placement.plan.scenario
    by_card = tuple(
        _loss(placement, card.number, lambda engine, card=card: card.number in engine.cards)  # type: ignore[misc]
        for card in placement.cards
        if card.mode != "free"
    )
    by_server = tuple(
        _loss(placement, server, lambda engine, server=server: engine.server == server)  # type: ignore[misc]
        for server in range(placement.plan.servers)
    )
    site = SitePlan(scenario)
    feed = next((case for case in site.supply_cases if case.name == "one_feed_lost"), None)
    return Failures(
        cards=by_card,
        servers=by_server,
        worst=tuple(
            min(
                (loss.left[number] for loss in by_card),
                key=lambda left: left.conversations if left.conversations is not None else left.copies,
                default=Left(0, None),
            )
            for number in range(len(placement.needs))
        ),
        feed=feed,
        server_w=site.draw.server_w,
        feed_cap_w=_cap(site, feed.available_w) if feed else None,
        spare_copies=tuple(_spare(placement, number) for number in range(len(placement.needs))),
    )


def _loss(placement: Placement, number: int, lost: Callable[[Engine], bool]) -> Loss:
    left = []
    for service, each in enumerate(placement.needs):
        running = [engine for engine in placement.engines_of(service) if not lost(engine)]
        held = sum(engine.conversations or 0 for engine in running) if each.kv_kib else None
        left.append(Left(len(running), held))
    return Loss(number, tuple(left))


def _cap(site: SitePlan, available_w: float) -> float | None:
    """The highest cap in whole watts, within what the card accepts, whose server the supplies carry. [W]"""
    card = site.card
    lowest = card.power_min_w.value if card.power_min_w else card.power_max_w.value
    caps = range(int(site.cap_w), int(lowest) - 1, -1)
    return next((float(cap) for cap in caps if circuits.fits(site.at_cap(cap).draw.server_w, available_w)), None)


def _spare(placement: Placement, number: int) -> int:
    """Copies that hold what is wanted, and one more. Without a wish each service keeps what it has now."""
    service = placement.needs[number].service
    engines = placement.engines_of(number)
    smallest = min((engine.conversations or 0 for engine in engines), default=0)
    if service.conversations and smallest:
        return -(-service.conversations // smallest) + 1
    return service.copies + 1
