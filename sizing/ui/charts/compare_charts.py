"""The charts of the comparison: conversations of each platform, and the price at which the ranking turns."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import Word, say
from sizing.catalogue.listing import letter, letters
from sizing.demand.side_by_side import ComparedPlatform, SideBySide
from sizing.sheet.figures import marks
from sizing.sheet.figures.marks import Plot, beside, label
from sizing.sheet.figures.theme import ACCENT, GREY, GREY_STRONG, LIMIT, MUTED, TEXT, axis

# Conversations of each platform, and what is left of them without one server.


def _conversations(found: SideBySide, language: str) -> dict[str, Any]:
    """Two bars a platform, both figures beside them."""
    names = [_name(number, each, language) for number, each in enumerate(found.platforms)]
    held = [each.conversations or 0 for each in found.platforms]
    left = [each.left_without_server or 0 for each in found.platforms]
    labels = [
        beside(_held_left(each, language), count, name)
        for each, count, name in zip(found.platforms, held, names, strict=True)
    ]
    data = [
        marks.bars(names, held, ACCENT, name=say("ui.compare.held", language)),
        marks.bars(names, left, GREY, name=say("ui.compare.left", language)),
    ]
    return marks.pairs(data, max(held), labels, language, room=1.7, bargap=0.3, bargroupgap=0.06)


def _conversations_alt(found: SideBySide, language: str) -> str:
    parts = [
        f"{_name(number, each, language)}: {_held_left(each, language)}" for number, each in enumerate(found.platforms)
    ]
    text = "; ".join(parts).replace("<b>", "").replace("</b>", "").replace("<br>", " ")
    return say("ui.alt.compare_conversations", language, parts=text)


def _name(number: int, each: ComparedPlatform, language: str) -> str:
    platform = each.platform
    key = "ui.compare.short" if platform.servers == 1 else "ui.compare.short_servers"
    key += "_one" if platform.cards == 1 else ""
    return f"{letter(number)} " + say(key, language, servers=platform.servers, cards=platform.cards)


def _held_left(each: ComparedPlatform, language: str) -> str:
    if not each.sizing.fits:
        return say("ui.does_not_fit", language)
    if each.conversations is None:
        return say("ui.no_limit", language)
    said = say("ui.compare.held_left", language, held=each.conversations, left=each.left_without_server or 0)
    return say("ui.compare.at_most", language, value=said) if each.answer.at_most and each.conversations else said


# Where the ranking turns: price per unit against the price of one platform's card.

_FALLBACK_PRICE = 20_000  # reach of the axis where no price is known at all


def _break_even(found: SideBySide, language: str) -> dict[str, Any]:
    """The varied platform as a rising line, the others as level ones, and the price at which they cross."""
    reach, top = _reach(found)
    varied, currency = found.platforms[found.varied], found.comparison.currency
    data, labels = [], []

    def ray(ends: list[float], name: str, colour: str, width: float, text_colour: str) -> None:
        data.append(marks.line([0, reach], ends, colour, width) | {"name": name})
        labels.append(label(f"<b>{name}</b>", reach, ends[1], text_colour, "left", size=12, xshift=4))

    if found.line is not None:
        ray([found.line.at(0.0), found.line.at(reach)], letter(found.varied), ACCENT, 2.5, ACCENT)
        known = varied.costs.card_price
        if known is not None:
            data.append(marks.dots([known], [found.line.at(known)], ACCENT, 9))
    for turn in found.turns:
        ray([turn.per_unit] * 2, letters(turn.others), GREY_STRONG, 1.5, TEXT)
        if turn.card_price is not None and turn.card_price <= reach:
            data.append(marks.dots([turn.card_price], [turn.per_unit], LIMIT, 9))
            said = say("ui.compare.turn", language, price=turn.card_price, currency=currency)
            above: marks.Mark = {"yanchor": "bottom", "xshift": -6, "yshift": 2}
            labels.append(label(said, turn.card_price, turn.per_unit, LIMIT, "right", **above))
    if not found.turns:
        labels.append(label(_why_empty(found, language), 0.5, 0.5, MUTED, paper="xy", size=12))
    price = say("ui.axis.card_price", language, platform=letter(found.varied), currency=currency)
    per_unit = say("ui.axis.price_per", language, unit=_unit(found), currency=currency)
    return marks.figure(
        data,
        axis(price, range=[0, reach], nticks=6),
        axis(per_unit, range=[0, top], nticks=5),
        language,
        labels=labels,
        margin={"l": 62, "r": 52},
    )


def _break_even_alt(found: SideBySide, language: str) -> str:
    parts = [
        say(
            "ui.compare.alt_turn" if turn.card_price is not None else "ui.compare.alt_never",
            language,
            varied=letter(found.varied),
            other=letters(turn.others),
            price=turn.card_price or 0,
            currency=found.comparison.currency,
        )
        for turn in found.turns
    ]
    text = "; ".join(parts) or _why_empty(found, language).removesuffix(".")
    return say("ui.alt.compare_break_even", language, unit=_unit(found), parts=text)


def _unit(found: SideBySide) -> Word:
    return Word(f"compare.unit.{found.comparison.measure}")


def _reach(found: SideBySide) -> tuple[float, float]:
    """Ends of both axes: everything that is known has room, and the crossing stands inside."""
    prices = [turn.card_price for turn in found.turns if turn.card_price is not None]
    own = found.platforms[found.varied].costs.card_price
    prices += [own] if own is not None else []
    reach = max(prices, default=_FALLBACK_PRICE) * 1.5 or _FALLBACK_PRICE
    heights = [turn.per_unit for turn in found.turns] + ([found.line.at(reach)] if found.line else [])
    return reach, max(heights, default=1.0) * 1.12 or 1.0


def _why_empty(found: SideBySide, language: str) -> str:
    """Why there is no crossing: prices that stand for nothing, such as of a model without a cache, or none at all."""
    if not any(each.holds for each in found.platforms):
        return say("ui.compare.price.none_holds", language)
    if len(found.platforms) == 1:
        return say("ui.compare.one_alone", language)
    if not found.platforms[found.varied].holds:
        return say("ui.compare.varied_does_not_hold", language, platform=letter(found.varied))
    others = [each for number, each in enumerate(found.platforms) if number != found.varied]
    known = any(each.costs.card_price is not None for each in others)
    return say("ui.compare.no_other_per_unit" if known else "ui.compare.no_other_price", language, unit=_unit(found))


compare_conversations = Plot("compare_conversations", _conversations, _conversations_alt)
compare_break_even = Plot("compare_break_even", _break_even, _break_even_alt)
