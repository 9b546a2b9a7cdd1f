"""From counts to places: which copy stands on which card, in which slice, with which share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sizing.base.dataclass import dataclass
from sizing.base.units import KIB, gib
from sizing.catalogue.slices import SliceProfile
from sizing.sharing.needs import Need, Room, copy_layout, share_conversations, utilization
from sizing.sharing.plan import Plan
from sizing.sharing.solver import Solution, Spot, by_shared_card


@dataclass(frozen=True)
class Engine:
    """One copy of a service where it runs. Figures in GiB are of one of its cards, the fullest.

    service, copy: numbers from 0.   cards: numbers of its cards over all servers, from 0.   server: number from 0.
    kind: "whole", "slice" or "share".   profile: name of the slice, else "".   slice_number: among equals on its card.
    conversations: that it holds, None where the model keeps no cache.   share: --gpu-memory-utilization. [-]
    cache_gib: of those conversations.   left_gib: of what it may use, not needed by a whole conversation more.
    """

    service: int
    copy: int
    server: int
    cards: tuple[int, ...]
    kind: str
    tp: int
    pp: int
    conversations: int | None
    share: float
    weights_gib: float
    cache_gib: float
    reserve_gib: float
    left_gib: float
    profile: str = ""
    slice_number: int = 0


@dataclass(frozen=True)
class CardUse:
    """One card. number, server, socket: from 0.   mode: "free", "whole", "slices", "shared".

    engines: in the order to start them.   slices: names of all slices that it is cut into, largest first.
    spare: names of those that stand empty.   free_gib: that another engine could still ask for, its reserve included.
    slots: what a scheduler sees: one for a whole card, one a slice, one an engine that shares. [-]
    """

    number: int
    server: int
    socket: int
    mode: str
    engines: tuple[Engine, ...]
    slices: tuple[str, ...]
    spare: tuple[str, ...]
    free_gib: float

    @property
    def slots(self) -> int:
        """Containers that a scheduler can put there. [-]"""
        return len(self.slices) or max(1, len(self.engines))

    @property
    def free_slots(self) -> int:
        """Slots that stand empty. [-]"""
        return self.slots - len(self.engines)


class Board:
    """Gives the counts of a solution their places: this copy on that card."""

    def __init__(
        self,
        per_socket: Sequence[int],
        plan: Plan,
        needs: tuple[Need, ...],
        offered: Room,
        profiles: tuple[SliceProfile, ...],
        every_mix: Sequence[tuple[int, ...]],
    ) -> None:
        self.plan, self.needs, self.room, self.profiles, self.mixes = plan, needs, offered, profiles, every_mix
        self.socket_of = [socket for socket, size in enumerate(per_socket) for _ in range(size)]
        self.copies: Counter[int] = Counter()

    def fill(self, solution: Solution) -> tuple[CardUse, ...]:
        """Every card of every server."""
        made: list[CardUse] = []
        for server in range(self.plan.servers):
            made += self._server(server, solution.on(server), solution.cut[server])
        return tuple(made)

    def _server(self, server: int, spots: list[Spot], cut: tuple[int, ...]) -> list[CardUse]:
        count = len(self.socket_of)
        free = list(range(count))
        uses: dict[int, tuple[str, list[Engine], tuple[str, ...]]] = {}
        whole = [spot for spot in spots if spot.option.kind == "whole"]
        named = self._sockets(whole)
        for spot in sorted(whole, key=lambda spot: (spot.socket < 0, -spot.option.cards, spot.service)):
            fitting = [card for card in free if named[spot.socket] in (-1, self.socket_of[card])]
            chosen = fitting[: spot.option.cards]
            free = [card for card in free if card not in chosen]
            engine = self._whole(spot, tuple(self._number(server, card) for card in chosen), self.room.usable_gib)
            for card in chosen:
                uses[card] = ("whole", [engine], ())
        for group in by_shared_card(spots).values():
            card = free.pop(0)
            uses[card] = ("shared", self._shared(group, self._number(server, card)), ())
        cards = [free.pop(0) for _ in range(sum(cut))]
        which = [mix for mix, times in zip(self.mixes, cut, strict=True) for _ in range(times)]
        slices = [spot for spot in spots if spot.option.kind == "slice"]
        for card, (engines, names) in zip(cards, self._slices(slices, which, server, cards), strict=True):
            if engines:
                uses[card] = ("slices", engines, names)
        made = []
        for card in range(count):
            mode, engines, names = uses.get(card, ("free", [], ()))
            spare = tuple((Counter(names) - Counter(engine.profile for engine in engines)).elements())
            made.append(
                CardUse(
                    number=self._number(server, card),
                    server=server,
                    socket=self.socket_of[card],
                    mode=mode,
                    engines=tuple(engines),
                    slices=names,
                    spare=spare,
                    free_gib=self._free(mode, engines, spare),
                )
            )
        return made

    def _sockets(self, whole: list[Spot]) -> dict[int, int]:
        """Sockets of a size are alike: the one with the most cards in groups becomes the first of them."""
        grouped = Counter(dict.fromkeys(self.socket_of, 0))
        for spot in whole:
            grouped[spot.socket] += spot.option.cards
        sizes = Counter(self.socket_of)
        named = {-1: -1}
        for size in set(sizes.values()):
            alike = sorted(socket for socket in sizes if sizes[socket] == size)
            fullest = sorted(alike, key=lambda socket: -grouped[socket])
            named.update(zip(fullest, alike, strict=True))
        return named

    def _number(self, server: int, card: int) -> int:
        return server * len(self.socket_of) + card

    def _free(self, mode: str, engines: list[Engine], spare: tuple[str, ...]) -> float:
        limit = gib(self.room.limit_kib * KIB)
        if mode == "free":
            return limit
        if mode == "shared":
            # What contexts take beside the shares may not be promised to another engine.
            with_contexts = self.room.visible_gib - (len(engines) + 1) * gib(self.room.context_kib * KIB)
            return max(0.0, min(limit, with_contexts) - sum(engine.share for engine in engines) * self.room.visible_gib)
        sizes = {profile.name: profile.memory_gib for profile in self.profiles}
        return sum(self.room.rule.share * sizes[name] for name in spare)

    def _whole(self, spot: Spot, cards: tuple[int, ...], usable_gib: float, **slice_of: Any) -> Engine:
        need, split = self.needs[spot.service], (spot.option.tp, spot.option.pp)
        layout = copy_layout(need.service, need.kv_dtype, need.weights_gib, split, usable_gib)
        used = (layout.conversations or 0) * layout.kv_gib_per_card_per_conversation
        return self._engine(
            spot,
            cards,
            conversations=layout.conversations,
            share=self.room.rule.share,
            weights_gib=layout.weights_gib_per_card,
            cache_gib=used,
            left_gib=max(0.0, layout.free_gib_per_card - used),
            **slice_of,
        )

    def _engine(self, spot: Spot, cards: tuple[int, ...], **figures: Any) -> Engine:
        self.copies[spot.service] += 1
        return Engine(
            service=spot.service,
            copy=self.copies[spot.service] - 1,
            server=spot.server,
            cards=cards,
            kind=spot.option.kind,
            tp=spot.option.tp,
            pp=spot.option.pp,
            reserve_gib=self.room.rule.reserve_gib,
            **figures,
        )

    def _slices(
        self, spots: list[Spot], which: list[tuple[int, ...]], server: int, cards: list[int]
    ) -> list[tuple[list[Engine], tuple[str, ...]]]:
        """Copies of a service go to different cards where they can."""
        left = [list(mix) for mix in which]
        held: list[list[Spot]] = [[] for _ in which]
        for spot in sorted(spots, key=lambda spot: -self.profiles[spot.option.profile].units):
            able = [place for place, mix in enumerate(left) if mix[spot.option.profile]]
            best = min(able, key=lambda place: sum(other.service == spot.service for other in held[place]))
            left[best][spot.option.profile] -= 1
            held[best].append(spot)
        made = []
        for card, spots_here in zip(cards, held, strict=True):
            used = tuple(
                sum(spot.option.profile == profile for spot in spots_here) for profile in range(len(self.profiles))
            )
            # Of the mixes with room for them, the one with the fewest and so the largest slices to spare.
            roomy = [mix for mix in self.mixes if all(a >= b for a, b in zip(mix, used, strict=True))]
            mix = min(roomy, key=sum)
            names = tuple(
                profile.name
                for profile, times in reversed(list(zip(self.profiles, mix, strict=True)))
                for _ in range(times)
            )
            seen: Counter[str] = Counter()
            engines = []
            for spot in spots_here:
                profile = self.profiles[spot.option.profile]
                usable = self.room.rule.usable_gib(profile.memory_gib)
                number = self._number(server, card)
                engines.append(
                    self._whole(spot, (number,), usable, profile=profile.name, slice_number=seen[profile.name])
                )
                seen[profile.name] += 1
            made.append((engines, names))
        return made

    def _shared(self, spots: list[Spot], card: int) -> list[Engine]:
        """Shares of one card, largest first; what is left goes to the services that take as many as fit."""
        room = self.room
        given = {spot: spot.option.need_kib + spot.extra * self.needs[spot.service].kv_kib for spot in spots}
        contexts = len(spots) * room.context_kib
        left = min(room.limit_kib, room.visible_kib - contexts) - sum(given.values())
        wished = ((spot, self.needs[spot.service]) for spot in spots)
        greedy = [(spot, need) for spot, need in wished if need.kv_kib and need.service.conversations is None]
        for rank, (spot, need) in enumerate(greedy):
            part = left // (len(greedy) - rank)
            more = share_conversations(need, room, given[spot] + part) - share_conversations(need, room, given[spot])
            taken = more * need.kv_kib
            given[spot] += taken
            left -= taken
        engines = []
        for spot, kib in given.items():
            each = self.needs[spot.service]
            held = share_conversations(each, room, kib) if each.kv_kib else None
            cache_gib = gib((held or 0) * each.kv_kib * KIB)
            share = utilization(kib - room.step_kib, room.visible_kib)
            left_gib = share * room.visible_gib - each.weights_gib - cache_gib - room.rule.reserve_gib
            engines.append(
                self._engine(
                    spot,
                    (card,),
                    conversations=held,
                    share=share,
                    weights_gib=each.weights_gib,
                    cache_gib=cache_gib,
                    left_gib=max(0.0, left_gib),
                )
            )
        return sorted(engines, key=lambda engine: (-engine.share, engine.service))
