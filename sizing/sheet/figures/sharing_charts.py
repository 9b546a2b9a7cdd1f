"""The charts of a shared server: its cards as columns of what stands on them, its services as bars."""

from __future__ import annotations

from typing import Any

from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.sharing import CardUse
from sizing.sharing.placement import NOBODY, blocks, engine_parts
from sizing.sharing.shared import Shared
from sizing.sheet.figures import marks, theme
from sizing.sheet.figures.marks import Plot, beside
from sizing.sheet.figures.theme import axis

# What each engine holds of each card, from the bottom up.

PARTS = (
    ("weights", theme.GREY_STRONG, theme.GROUND),
    ("cache", theme.ACCENT, theme.ON_ACCENT),
    ("left", theme.ACCENT_SOFT, theme.TEXT),
    ("reserve", theme.GREY_SOFT, theme.TEXT),
    ("untouched", theme.GRID, theme.TEXT),
    ("spare", theme.GROUND, theme.TEXT),
)
"""Part, colour, colour of the text on it."""
_SMALLEST_LABEL = 0.042  # part of the axis below which a figure does not fit into its block
_WHOLE_FIGURES, _NO_FIGURES = 6, 9  # so many cards, and a column on a phone has no room for decimals, or for figures


def _cards(shared: Shared, language: str) -> dict[str, Any]:
    """A column a card; inside it a block for each part of each engine, with the engine's letter on its weights."""
    placement = shared.placement
    columns = [(card, tuple(blocks(placement, card))) for card in placement.cards]
    reach = max(block.base_gib + block.size_gib for _, column in columns for block in column)
    count = len(placement.cards)
    found: dict[str, list[tuple[int, float, float, str, str]]] = {part: [] for part, _, _ in PARTS}
    for card, column in columns:
        named = _named(card, _SMALLEST_LABEL * reach)
        for block in column:
            bearer = block.service if (block.service, block.part) in named else NOBODY
            text = _block_label(block.size_gib, bearer, reach, count, language)
            hover = say(f"ui.sharing.part.{block.part}", language)
            hover = f"{letter(block.service)}, {hover}" if block.service >= 0 else hover
            sizes = round(block.base_gib, 3), round(block.size_gib, 3)
            found[block.part].append((card.number, *sizes, text, hover))
    data = []
    for part, colour, on in PARTS:
        if found[part]:
            numbers, bases, heights, texts, hovers = (list(column) for column in zip(*found[part], strict=True))
            edge = theme.LINE if part == "spare" else theme.GROUND
            data.append(
                {"type": "bar", "x": numbers, "base": bases, "y": heights, "text": texts, "customdata": hovers}
                | {"name": say(f"ui.sharing.part.{part}", language), "marker": marks.outlined(colour, edge)}
                | {"hovertemplate": "%{customdata}: %{y:.1f} GiB<extra></extra>", **marks.inside(on)}
            )
    return marks.figure(
        data,
        axis(
            tickvals=[card.number for card in placement.cards],
            ticktext=[_card_name(card, count, language) for card in placement.cards],
            tickangle=0,
            tickfont={"size": 12 if count < _WHOLE_FIGURES else 10},
            range=[-0.5, count - 0.5],
            ticks="",
            showgrid=False,
            color=theme.TEXT,
        ),
        axis(say("ui.axis.sharing_gib", language), range=[0, reach * 1.02], nticks=6),
        language,
        barmode="overlay",
        bargap=0.12,
        margin={"b": 52, "t": 8},
    )


def _cards_alt(shared: Shared, language: str) -> str:
    """What stands on each card."""
    parts = [
        say(
            "ui.sharing.alt_card",
            language,
            number=card.number,
            mode=say(f"ui.sharing.mode.{card.mode}", language),
            engines=", ".join(letter(engine.service) for engine in card.engines) or say("ui.sharing.nobody", language),
            free=card.free_gib,
        )
        for card in shared.placement.cards
    ]
    return say("ui.alt.sharing_cards", language, parts="; ".join(parts))


def _named(card: CardUse, smallest_gib: float) -> set[tuple[int, str]]:
    """The block of each engine that bears its letter: the weights, or the largest where they are too small."""
    found = set()
    for engine in card.engines:
        parts = dict(engine_parts(engine))
        largest = max(parts, key=lambda part: parts[part])
        found.add((engine.service, "weights" if parts["weights"] >= smallest_gib else largest))
    return found


def _block_label(size: float, service: int, reach: float, cards: int, language: str) -> str:
    """The figure of a block, before it the letter of its service where this is the block that bears it."""
    if size < _SMALLEST_LABEL * reach:
        return ""
    figure = say(f"unit.{'gib_number' if cards < _WHOLE_FIGURES else 'gib_whole'}", language, value=size)
    name = f"<b>{letter(service)}</b>" if service >= 0 else ""
    return " ".join(each for each in (name, figure if cards < _NO_FIGURES else "") if each)


def _card_name(card: CardUse, cards: int, language: str) -> str:
    key = "card" if cards < _WHOLE_FIGURES else "card_short"
    mode = say(f"ui.sharing.mode_short.{card.mode}", language)
    return say(f"ui.sharing.{key}", language, number=card.number, mode=mode)


# Conversations of each service, and what the worst single lost card leaves of them.


def _services(shared: Shared, language: str) -> dict[str, Any]:
    """Two bars a service: what it holds, and in grey what is left; both figures stand beside them."""
    placement, worst = shared.placement, shared.failures.worst
    names = [_service_name(shared, number) for number in range(len(placement.needs))]
    held = [placement.conversations(number) or 0 for number in range(len(names))]
    left = [each.conversations or 0 for each in worst]
    labels = [
        beside(
            _held_left(shared, number, language),
            max(held[number], left[number]),
            name,
            theme.LIMIT if number in placement.left_out else theme.TEXT,
        )
        for number, name in enumerate(names)
    ]
    data = [
        marks.bars(names, held, theme.ACCENT, name=say("ui.sharing.held", language)),
        marks.bars(names, left, theme.GREY, name=say("ui.sharing.left", language)),
    ]
    return marks.pairs(data, max(held), labels, language, room=1.6, bargap=0.25, bargroupgap=0.05)


def _services_alt(shared: Shared, language: str) -> str:
    parts = [
        f"{_service_name(shared, number)}: {_held_left(shared, number, language)}"
        for number in range(len(shared.placement.needs))
    ]
    return say("ui.alt.sharing_services", language, parts="; ".join(parts)).replace("<b>", "").replace("</b>", "")


def _service_name(shared: Shared, number: int) -> str:
    short = shared.plan.services[number].model
    return f"{letter(number)} {short if len(short) <= 22 else short[:21] + '…'}"


def _held_left(shared: Shared, number: int, language: str) -> str:
    placement = shared.placement
    if number in placement.left_out:
        return say("ui.services.no_place", language)
    left = shared.failures.worst[number]
    held = placement.conversations(number)
    if held is None:
        return say("ui.sharing.no_cache_left", language, copies=left.copies)
    return say("ui.sharing.held_left", language, held=held, left=left.conversations or 0)


def _services_height(shared: Shared) -> int:
    """A row for each service."""
    return max(180, 70 + 30 * len(shared.plan.services))


sharing_cards = Plot("sharing_cards", _cards, _cards_alt)
sharing_services = Plot("sharing_services", _services, _services_alt, _services_height)
