"""The solver against trying everything, on 500 small random problems: the same best value of every goal."""

from __future__ import annotations

import random

import pytest

from sizing.catalogue.slices import Geometry, SliceProfile, valid
from sizing.memory import budget
from sizing.sharing import solver
from sizing.sharing.needs import Need, Option, Room
from sizing.sharing.plan import Service
from tests.sharing import brute

CASES = 500
# (memory units, compute units) of each profile, and of a card: as on a card with four units, and on one with eight.
CARDS = (
    (((1, 1), (2, 2), (4, 4)), (4, 4)),
    (((1, 1), (2, 1), (2, 2), (4, 3), (4, 4), (8, 7)), (8, 7)),
)
LIMIT_KIB, VISIBLE_KIB, CONTEXT_KIB = 90 * 1024, 100 * 1024, 512
UNITS_KIB = 88 * 1024  # of a whole card that is cut


def _room() -> Room:
    rule = budget.MemoryRule("custom", 0.9, 3.0, "input", "input")
    return Room(rule, 100.0, 87.0, VISIBLE_KIB, LIMIT_KIB, CONTEXT_KIB, 10, 3 * 1024, True, "vllm")


def _profiles(sizes: tuple[tuple[int, int], ...]) -> tuple[SliceProfile, ...]:
    # A unit's memory such that 0.9 of it makes a whole number of KiB, so that free units count the same on both sides.
    one_gib = UNITS_KIB / sizes[-1][0] / 1024 / 1024 / 0.9
    return tuple(
        SliceProfile(f"{compute}g.{units}", compute, units, 7, one_gib * units * (1 + 1e-12), False, "")
        for units, compute in sizes
    )


def _every_mix(profiles: tuple[SliceProfile, ...], whole: Geometry) -> tuple[tuple[int, ...], ...]:
    def grow(counts: tuple[int, ...], place: int) -> list[tuple[int, ...]]:
        if place == len(profiles):
            return [counts]
        found = []
        for count in range(profiles[place].count + 1):
            if valid(profiles[: place + 1], (*counts, count), whole):
                found += grow((*counts, count), place + 1)
        return found

    return tuple(mix for mix in grow((), 0) if any(mix))


def _case(seed: int) -> tuple[solver.Problem, brute.Server, list[brute.Wish]]:
    dice = random.Random(seed)
    sizes, (units, compute) = CARDS[seed % 3 == 0]
    profiles, whole = _profiles(sizes), Geometry(compute, units)
    sockets = dice.choice([(1,), (2,), (2, 1), (2, 2), (3,)])
    needs: list[Need] = []
    wishes: list[brute.Wish] = []
    for number in range(dice.randint(1, 4 if sum(sockets) < 4 else 3)):
        copies = dice.choice([1, 1, 2])
        kv_kib = dice.choice([0, 700, 2048, 9000])
        options: list[Option] = []
        smallest = dice.randint(1, 3)
        for cards in range(smallest, sum(sockets) + 1):
            options.append(Option("whole", 10 * cards + number, tp=cards))
        if dice.random() < 0.6:
            # A larger slice holds what a smaller one does, and more.
            needed = dice.choice([1, 2, 4])
            for profile, (size, _) in enumerate(sizes):
                if size >= needed:
                    options.append(Option("slice", 3 * size, profile=profile))
        if dice.random() < 0.7:
            asked = dice.randint(4 * 1024, 60 * 1024)
            options.append(Option("share", 2 if kv_kib else None, need_kib=asked))
        isolation = "share"
        service = Service(copies=copies, isolation=isolation)
        needs.append(Need(service, str(number), 1.0, 1024, "bf16", 0.0, kv_kib, tuple(options), ()))
        ways = tuple(
            brute.Way(
                option.kind,
                {"whole": option.cards, "slice": option.profile, "share": option.need_kib}[option.kind],
                option.conversations or 0,
            )
            for option in options
        )
        wishes.append(brute.Wish(copies, ways, kv_kib))
    problem = solver.Problem(
        needs=needs,
        room=_room(),
        profiles=profiles,
        mixes=_every_mix(profiles, whole),
        geometry=whole,
        sockets=sockets,
        favourite=0,
    )
    server = brute.Server(sockets, LIMIT_KIB, VISIBLE_KIB, CONTEXT_KIB, sizes, units, compute)
    return problem, server, wishes


@pytest.mark.parametrize("block", range(10))
def test_the_solver_finds_what_trying_everything_finds(block: int) -> None:
    for seed in range(block * CASES // 10, (block + 1) * CASES // 10):
        problem, server, wishes = _case(seed)
        every = list(brute.boards(server, wishes))
        unit_kib = UNITS_KIB // server.units
        placed = max(len(chosen) for chosen, _, _, _ in every)
        best = [state for state in every if len(state[0]) == placed]
        wanted = {
            "fit_all": max((points, -brute.used(board)) for _, board, points, _ in best),
            "fewest_cards": max(
                (-brute.used(board), brute.free_kib(server, board, unit_kib)) for _, board, _, _ in best
            ),
            "most_free": max((brute.free_kib(server, board, unit_kib), -brute.used(board)) for _, board, _, _ in best),
            "most_conversations": max(
                (
                    brute.most_conversations(server, board, held[0], 0, wishes[0].kv_kib) if 0 in chosen else 0,
                    -brute.used(board),
                )
                for chosen, board, _, held in best
            ),
        }
        for aim, (first, second) in wanted.items():
            found = solver.solve(solver.Problem(**{**problem.__dict__, "aim": aim}))
            assert found.proved
            assert found.values["placed"] == placed, (seed, aim)
            values = {**found.values, "cards": -found.values["cards"]}
            name, other = solver.GOALS[aim][2:]
            assert values[name] == first, (seed, aim)
            assert values[other] == second, (seed, aim)
