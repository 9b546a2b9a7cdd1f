"""Memory of the fullest card in each layout, as one stacked bar."""

from __future__ import annotations

from typing import Any

from sizing.answers import wording
from sizing.answers.size import CardMemory, Sizing
from sizing.base.texts import say
from sizing.ui import marks, theme

NAME = "memory"

# In the order of the bar: field of CardMemory, colour, colour of the text on it.
PARTS = (
    ("weights_gib", theme.GREY_STRONG, theme.GROUND),
    ("cache_used_gib", theme.ACCENT, theme.ON_ACCENT),
    ("cache_free_gib", theme.ACCENT_SOFT, theme.TEXT),
    ("reserve_gib", theme.GREY_SOFT, theme.TEXT),
    ("driver_gib", theme.GRID, theme.TEXT),
)


def build(sizing: Sizing, language: str) -> dict[str, Any]:
    """A bar a layout; the edge of the usable memory and of the card are lines with their figures."""
    cards = [sizing.card_memory(layout) for layout in sizing.layouts]
    names = [wording.layout_name(layout, language) for layout in sizing.layouts]
    reach = max([sizing.reported_gib_per_card, *(memory.weights_gib for memory in cards)])
    data = [
        marks.segment(
            say(f"ui.memory.{part}", language),
            names,
            [_shown(memory, part, sizing) for memory in cards],
            [_labels(memory, part, sizing, language) for memory in cards],
            (colour, on),
            "%{x:.1f} GiB",
        )
        for part, colour, on in PARTS
    ]
    return {
        "data": data,
        "layout": theme.layout(
            theme.axis(say("ui.axis.gib_per_card", language), range=[0, reach * 1.02], nticks=6),
            marks.names_axis(),
            barmode="stack",
            bargap=marks.gap(len(names)),
            margin={"l": 8, "t": 24},
            shapes=[marks.limit_line(sizing.usable_gib_per_card)],
            annotations=[_limit(sizing, reach, language)],
            separators=say("unit.separators", language),
        ),
    }


def _limit(sizing: Sizing, reach: float, language: str) -> dict[str, Any]:
    """The parts of a card above its edge, which lies far left where weights go far beyond it."""
    beyond = reach > 1.3 * sizing.reported_gib_per_card
    place = (sizing.usable_gib_per_card, "left") if beyond else (reach * 1.02, "right")
    return marks.limit_label(_parts_of_a_card(sizing, language), *place)


def _shown(memory: CardMemory, part: str, sizing: Sizing) -> float:
    """What is drawn: beyond the card's edge the weights alone, since nothing else is there."""
    value: float = getattr(memory, part)
    overflowing = memory.weights_gib > sizing.usable_gib_per_card
    return 0.0 if overflowing and part != "weights_gib" else value


def _labels(memory: CardMemory, part: str, sizing: Sizing, language: str) -> tuple[str, str]:
    """With the part's name and without, nothing for nothing."""
    value = _shown(memory, part, sizing)
    figure = say("unit.gib_number", language, value=value) if value else ""
    return f"{say(f'ui.memory.{part}_short', language)} {figure}" if figure else "", figure


def _parts_of_a_card(sizing: Sizing, language: str) -> str:
    return say(
        "ui.memory.usable",
        language,
        usable=sizing.usable_gib_per_card,
        reserve=sizing.memory_rule.reserve_gib,
        driver=sizing.card_memory(sizing.best).driver_gib,
        reported=sizing.reported_gib_per_card,
    )


def alt(sizing: Sizing, language: str) -> str:
    """The chart in words: the card of the best layout."""
    memory = sizing.card_memory(sizing.best)
    parts = [
        f"{say(f'ui.memory.{part}', language)} {say('unit.gib', language, value=getattr(memory, part))}"
        for part, _, _ in PARTS
    ]
    return say("ui.alt.memory", language, layout=wording.layout_name(sizing.best, language), parts="; ".join(parts))
