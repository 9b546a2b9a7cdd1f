"""The server as columns of cards: what each engine holds of each card, from the bottom up."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.sharing import CardUse
from sizing.sharing.blocks import NOBODY, blocks, engine_parts
from sizing.sharing.shared import Shared
from sizing.ui import theme

NAME = "sharing_cards"

# Part, colour, colour of the text on it.
PARTS = (
    ("weights", theme.GREY_STRONG, theme.GROUND),
    ("cache", theme.ACCENT, theme.ON_ACCENT),
    ("left", theme.ACCENT_SOFT, theme.TEXT),
    ("reserve", theme.GREY_SOFT, theme.TEXT),
    ("untouched", theme.GRID, theme.TEXT),
    ("spare", theme.GROUND, theme.TEXT),
)
SMALLEST_LABEL = 0.042  # part of the axis below which a figure does not fit into its block
WHOLE_FIGURES, NO_FIGURES = 6, 9  # so many cards, and a column on a phone has no room for decimals, or for figures


def build(shared: Shared, language: str) -> dict[str, Any]:
    """A column a card; inside it a block for each part of each engine, with the engine's letter on its weights."""
    placement = shared.placement
    columns = [(card, tuple(blocks(placement, card))) for card in placement.cards]
    reach = max(block.base_gib + block.size_gib for _, column in columns for block in column)
    count = len(placement.cards)
    found: dict[str, list[tuple[int, float, float, str, str]]] = {part: [] for part, _, _ in PARTS}
    for card, column in columns:
        named = _named(card, SMALLEST_LABEL * reach)
        for block in column:
            bearer = block.service if (block.service, block.part) in named else NOBODY
            found[block.part].append(
                (
                    card.number,
                    block.base_gib,
                    block.size_gib,
                    _label(block.size_gib, bearer, reach, count, language),
                    _hover(block.part, block.service, language),
                )
            )
    data = [
        {
            "type": "bar",
            "name": say(f"ui.sharing.part.{part}", language),
            "x": [number for number, *_ in rows],
            "base": [round(base, 3) for _, base, *_ in rows],
            "y": [round(size, 3) for _, _, size, *_ in rows],
            "text": [text for *_, text, _ in rows],
            "customdata": [hover for *_, hover in rows],
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "constraintext": "none",
            "textfont": {"size": 11, "color": on},
            "marker": {"color": colour, "line": {"color": theme.LINE if part == "spare" else theme.GROUND, "width": 1}},
            "hovertemplate": "%{customdata}: %{y:.1f} GiB<extra></extra>",
        }
        for part, colour, on in PARTS
        if (rows := found[part])
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(
                tickvals=[card.number for card in placement.cards],
                ticktext=[_name(card, count, language) for card in placement.cards],
                tickangle=0,
                tickfont={"size": 12 if count < WHOLE_FIGURES else 10},
                range=[-0.5, len(placement.cards) - 0.5],
                ticks="",
                showgrid=False,
                color=theme.TEXT,
            ),
            theme.axis(say("ui.axis.sharing_gib", language), range=[0, reach * 1.02], nticks=6),
            barmode="overlay",
            bargap=0.12,
            margin={"b": 52, "t": 8},
            separators=say("unit.separators", language),
        ),
    }


def alt(shared: Shared, language: str) -> str:
    """The chart in words: what stands on each card."""
    parts = []
    for card in shared.placement.cards:
        engines = ", ".join(letter(engine.service) for engine in card.engines)
        parts.append(
            say(
                "ui.sharing.alt_card",
                language,
                number=card.number,
                mode=say(f"ui.sharing.mode.{card.mode}", language),
                engines=engines or say("ui.sharing.nobody", language),
                free=card.free_gib,
            )
        )
    return say("ui.alt.sharing_cards", language, parts="; ".join(parts))


def _named(card: CardUse, smallest_gib: float) -> set[tuple[int, str]]:
    """The block of each engine that bears its letter: the weights, or the largest where they are too small."""
    found = set()
    for engine in card.engines:
        parts = dict(engine_parts(engine))
        largest = max(parts, key=lambda part: parts[part])
        found.add((engine.service, "weights" if parts["weights"] >= smallest_gib else largest))
    return found


def _label(size: float, service: int, reach: float, cards: int, language: str) -> str:
    """The figure of a block, before it the letter of its service where this is the block that bears it."""
    if size < SMALLEST_LABEL * reach:
        return ""
    figure = say(f"unit.{'gib_number' if cards < WHOLE_FIGURES else 'gib_whole'}", language, value=size)
    name = f"<b>{letter(service)}</b>" if service >= 0 else ""
    return " ".join(each for each in (name, figure if cards < NO_FIGURES else "") if each)


def _hover(part: str, service: int, language: str) -> str:
    name = say(f"ui.sharing.part.{part}", language)
    return f"{letter(service)}, {name}" if service >= 0 else name


def _name(card: CardUse, cards: int, language: str) -> str:
    key = "card" if cards < WHOLE_FIGURES else "card_short"
    return say(
        f"ui.sharing.{key}", language, number=card.number, mode=say(f"ui.sharing.mode_short.{card.mode}", language)
    )
