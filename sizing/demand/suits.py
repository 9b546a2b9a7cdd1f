"""Whom a platform suits and whom another would suit better, each from a figure or a source; and what is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sizing.answers import notes as sizing_notes
from sizing.base.notes import Note, by_level
from sizing.base.texts import Word
from sizing.catalogue.inputs import inputs
from sizing.catalogue.listing import letter, letters
from sizing.catalogue.slices import slice_profiles
from sizing.demand import cost
from sizing.demand.side_by_side import PRICES, ComparedPlatform, SideBySide
from sizing.site import host, power

INTERACTIVE = ("llama2-70b-99", "Interactive")
SENSIBLE_SLICES = 4  # a card, by the English document


def notes(found: SideBySide) -> tuple[Note, ...]:
    """Every remark, most serious first."""
    said = [note for question in QUESTIONS for note in question(found)]
    return by_level(said)


def _by_card(found: SideBySide, holds: Callable[[ComparedPlatform], bool]) -> Iterable[list[int]]:
    """Numbers of the platforms for which something holds, those with the same card together."""
    groups: dict[str, list[int]] = {}
    for number, each in enumerate(found.platforms):
        if holds(each):
            groups.setdefault(each.card.id, []).append(number)
    return groups.values()


def _not_known(found: SideBySide) -> Iterator[Note]:
    bound = [number for number, each in enumerate(found.platforms) if each.answer.bound_only]
    if bound and len(bound) < len(found.platforms):
        yield Note("warn", "compare.note.bound_only", "", {"platforms": letters(bound)})
    missing = list(found.without_price)
    currency = found.comparison.currency
    if missing:
        values = {"platforms": letters(missing), "currency": currency}
        yield Note("warn", "compare.note.no_price", "", values)
    if not found.with_servers:
        yield Note("hint", "compare.note.cards_only")
    for numbers in _by_card(found, lambda each: each.costs.quoted is not None):
        quoted = found.platforms[numbers[0]].costs.quoted
        assert quoted is not None
        quote: dict[str, object] = {"platforms": letters(numbers), "price": quoted.net, "currency": currency}
        said = {"seller": quoted.seller, "date": quoted.date, "vat": cost.vat(quoted), "more": quoted.note}
        yield Note("hint", "compare.note.quoted", quoted.source, quote | said)
    for numbers in _by_card(found, lambda each: each.height_u is None):
        name = found.platforms[numbers[0]].card.name
        yield Note("hint", "compare.note.no_chassis", "", {"platforms": letters(numbers), "card": name})


def _prices(found: SideBySide) -> Iterator[Note]:
    for number, each in enumerate(found.platforms):
        for name in PRICES:
            for note in cost.low_price(name, getattr(each.platform, name)):
                reason = Word(f"note.{note.key}", tuple(note.values.items()))
                yield Note(note.level, "compare.note.of_platform", "", {"platform": letter(number), "reason": reason})
    currency, energy = found.comparison.currency, inputs()["price_per_kwh"].unit
    if currency != energy and any(each.costs.total is not None for each in found.platforms):
        yield Note("hint", "compare.note.two_currencies", "", {"currency": currency, "energy": energy})


def _gigabyte(found: SideBySide) -> Iterator[Note]:
    """What a gigabyte of the first platform's card costs among all cards, new against new and then against used."""
    own, currency = found.platforms[0].card, found.comparison.currency
    new = {card.name: price.net / card.memory_gb.value for card, price in cost.gigabytes(currency)}
    if own.name not in new:
        return
    used = {card.name: price.net / card.memory_gb.value for card, price in cost.gigabytes(currency, "used")}
    mine = new[own.name]
    groups = {
        "dearer": {name: each for name, each in new.items() if each > mine},
        "cheaper": {name: each for name, each in new.items() if each < mine},
        "used": {name: each for name, each in used.items() if each < mine},
    }
    listed = {key: "; ".join(f"{name} {each:.0f}" for name, each in group.items()) for key, group in groups.items()}
    values = {"card": own.name, "price": mine, "currency": currency}
    yield Note(
        "hint", "compare.note.gigabyte", "facts-2026-12-01", {**values, **{k: v or "–" for k, v in listed.items()}}
    )


def _turns(found: SideBySide) -> Iterator[Note]:
    for turn in found.turns:
        values = {
            "varied": letter(found.varied),
            "other": letters(turn.others),
            "measure": Word(f"compare.unit.{found.comparison.measure}"),
            "price": turn.card_price or 0.0,
            "per_unit": turn.per_unit,
            "currency": found.comparison.currency,
        }
        yield Note("hint", "compare.note.turn" if turn.card_price is not None else "compare.note.never", "", values)


def _does_not_fit(found: SideBySide) -> Iterator[Note]:
    stopped = [number for number, each in enumerate(found.platforms) if not each.sizing.fits]
    if stopped:
        values = {"platforms": letters(stopped), "model": found.platforms[0].sizing.checkpoint.name}
        yield Note("stop", "compare.note.does_not_fit", "", values)


def _refused(found: SideBySide) -> Iterator[Note]:
    """What the engine refuses of every platform, and caps that a card does not accept."""
    first = found.platforms[0].sizing
    yield from sizing_notes.context(first)
    yield from host.processor_notes(first.processor, first.scenario.processors)
    for number, each in enumerate(found.platforms):
        for note in power.cap_notes(each.card, each.platform.cap_w):
            reason = Word(f"note.{note.key}", tuple(note.values.items()))
            yield Note(
                note.level, "compare.note.of_platform", note.source, {"platform": letter(number), "reason": reason}
            )


def _training(found: SideBySide) -> Iterator[Note]:
    pooled = [number for number, each in enumerate(found.platforms) if each.pool_cards > 1]
    if pooled:
        best = max(pooled, key=lambda number: found.platforms[number].pool_gb)
        values = {"platforms": letters(pooled), "best": letter(best), "pool_gb": found.platforms[best].pool_gb}
        yield Note("hint", "compare.note.training_here", "doc-en", values)
    else:
        yield Note("hint", "compare.note.training_elsewhere", "doc-en")


def _strong(found: SideBySide) -> Iterator[Note]:
    """The strong point of each kind: separate cards for many services, a pool for one very large model."""
    for key, kind in (("strong_services", False), ("strong_pool", True)):
        numbers = [number for number, each in enumerate(found.platforms) if (each.pool_cards > 1) is kind]
        if numbers:
            pool = max(found.platforms[number].pool_gb for number in numbers)
            yield Note("hint", f"compare.note.{key}", "doc-en", {"platforms": letters(numbers), "pool_gb": pool})


def _one_person(found: SideBySide) -> Iterator[Note]:
    each = found.platforms[0]
    weights, usable = each.sizing.weights_gib, each.sizing.usable_gib_per_card
    single = weights + each.sizing.kv_gib_per_conversation <= usable
    key = "compare.note.one_person" if single else "compare.note.one_person_not_one_card"
    values = {"model": each.sizing.checkpoint.name, "weights_gib": weights, "usable_gib": usable}
    yield Note("hint", key, "doc-en", values)


def _interactive(found: SideBySide) -> Iterator[Note]:
    """Published rates of a 70B model under a tight limit for each token, per card, where both kinds were measured."""
    from sizing.catalogue import results  # read only where asked for

    rates: dict[str, tuple[float, str]] = {}
    for result in results.published():
        rate = result.per_card or 0.0
        if (result.model, result.scenario) == INTERACTIVE and rate > rates.get(result.card, (0.0, ""))[0]:
            rates[result.card] = (rate, result.source)
    ids = list(dict.fromkeys(each.card.id for each in found.platforms))
    known = sorted((id for id in ids if id in rates), key=lambda id: -rates[id][0])
    if len(known) > 1:
        names = {each.card.id: each.card.name for each in found.platforms}
        first, last = known[0], known[-1]
        values = {
            "first": names[first],
            "first_rate": rates[first][0],
            "last": names[last],
            "last_rate": rates[last][0],
            "times": rates[first][0] / rates[last][0],
        }
        yield Note("hint", "compare.note.interactive", rates[first][1], values)


def _survives(found: SideBySide) -> Iterator[Note]:
    several = [number for number, each in enumerate(found.platforms) if each.platform.servers > 1]
    single = [number for number, each in enumerate(found.platforms) if each.platform.servers == 1]
    for number in several:
        left = found.platforms[number].left_without_server
        values = {"platform": letter(number), "left": left or 0, "all": found.platforms[number].conversations or 0}
        yield Note("hint", "compare.note.survives", "", values)
    if single:
        yield Note("hint", "compare.note.stops_with_server", "", {"platforms": letters(single)})


def _slices(found: SideBySide) -> Iterator[Note]:
    for numbers in _by_card(found, lambda each: each.slices > 0):
        each = found.platforms[numbers[0]]
        smallest = slice_profiles(each.card)[0]
        if smallest.count > SENSIBLE_SLICES:
            values = {
                "platforms": letters(numbers),
                "count": smallest.count,
                "name": smallest.name,
                "most": SENSIBLE_SLICES,
                "gib": smallest.memory_gib,
                "usable_gib": max(0.0, each.sizing.memory_rule.usable_gib(smallest.memory_gib)),
            }
            name = "fine_slices_derived" if smallest.derived else "fine_slices"
            yield Note("hint", f"compare.note.{name}", "doc-en", values)


QUESTIONS = (
    _does_not_fit,
    _refused,
    _not_known,
    _prices,
    _gigabyte,
    _turns,
    _strong,
    _training,
    _interactive,
    _survives,
    _slices,
    _one_person,
)
