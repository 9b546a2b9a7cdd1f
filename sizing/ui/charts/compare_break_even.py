"""Where the ranking turns: price per unit against the price of one platform's card."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import Word, say
from sizing.catalogue.listing import letter, letters
from sizing.demand.side_by_side import SideBySide
from sizing.ui import theme

NAME = "compare_break_even"
FALLBACK_PRICE = 20_000  # reach of the axis where no price is known at all


def build(found: SideBySide, language: str) -> dict[str, Any]:
    """The varied platform as a rising line, the others as level ones, and the price at which they cross."""
    reach, top = _reach(found)
    data: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    varied = found.platforms[found.varied]
    if found.line is not None:
        ends = [found.line.at(0.0), found.line.at(reach)]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": letter(found.varied),
                "x": [0, reach],
                "y": ends,
                "line": {"color": theme.ACCENT, "width": 2.5},
                "hoverinfo": "skip",
            }
        )
        labels.append(_at(reach, ends[1], f"<b>{letter(found.varied)}</b>", theme.ACCENT))
        known = varied.costs.card_price
        if known is not None:
            data.append(_point(known, found.line.at(known), theme.ACCENT))
    for turn in found.turns:
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": letters(turn.others),
                "x": [0, reach],
                "y": [turn.per_unit] * 2,
                "line": {"color": theme.GREY_STRONG, "width": 1.5},
                "hoverinfo": "skip",
            }
        )
        labels.append(_at(reach, turn.per_unit, f"<b>{letters(turn.others)}</b>", theme.TEXT))
        if turn.card_price is not None and turn.card_price <= reach:
            data.append(_point(turn.card_price, turn.per_unit, theme.LIMIT))
            text = say("ui.compare.turn", language, price=turn.card_price, currency=found.comparison.currency)
            labels.append(
                {
                    "x": turn.card_price,
                    "y": turn.per_unit,
                    "text": text,
                    "xanchor": "right",
                    "yanchor": "bottom",
                    "xshift": -6,
                    "yshift": 2,
                    "showarrow": False,
                    "font": {"size": 11, "color": theme.LIMIT},
                }
            )
    if not found.turns:
        labels.append(_empty(found, language))
    unit = Word(f"compare.unit.{found.comparison.measure}")
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                say("ui.axis.card_price", language, platform=letter(found.varied), currency=found.comparison.currency),
                range=[0, reach],
                nticks=6,
            ),
            theme.axis(
                say("ui.axis.price_per", language, unit=unit, currency=found.comparison.currency),
                range=[0, top],
                nticks=5,
            ),
            annotations=labels,
            margin={"l": 62, "r": 52},
            separators=say("unit.separators", language),
        ),
    }


def alt(found: SideBySide, language: str) -> str:
    """The chart in words."""
    parts = []
    for turn in found.turns:
        key = "ui.compare.alt_turn" if turn.card_price is not None else "ui.compare.alt_never"
        parts.append(
            say(
                key,
                language,
                varied=letter(found.varied),
                other=letters(turn.others),
                price=turn.card_price or 0,
                currency=found.comparison.currency,
            )
        )
    text = "; ".join(parts) or _why_empty(found, language).removesuffix(".")
    unit = Word(f"compare.unit.{found.comparison.measure}")
    return say("ui.alt.compare_break_even", language, unit=unit, parts=text)


def _reach(found: SideBySide) -> tuple[float, float]:
    """Ends of both axes: everything that is known has room, and the crossing stands inside."""
    prices = [turn.card_price for turn in found.turns if turn.card_price is not None]
    own = found.platforms[found.varied].costs.card_price
    prices += [own] if own is not None else []
    reach = max(prices, default=FALLBACK_PRICE) * 1.5 or FALLBACK_PRICE
    heights = [turn.per_unit for turn in found.turns] + ([found.line.at(reach)] if found.line else [])
    return reach, max(heights, default=1.0) * 1.12 or 1.0


def _at(x: float, y: float, text: str, colour: str) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "text": text,
        "xanchor": "left",
        "xshift": 4,
        "showarrow": False,
        "font": {"size": 12, "color": colour},
    }


def _point(x: float, y: float, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x],
        "y": [y],
        "marker": {"color": colour, "size": 9},
        "hoverinfo": "skip",
    }


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
    unit = Word(f"compare.unit.{found.comparison.measure}")
    return say("ui.compare.no_other_per_unit" if known else "ui.compare.no_other_price", language, unit=unit)


def _empty(found: SideBySide, language: str) -> dict[str, Any]:
    return {
        "x": 0.5,
        "y": 0.5,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "text": _why_empty(found, language),
        "font": {"size": 12, "color": theme.MUTED},
    }
