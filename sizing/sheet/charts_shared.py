"""The two charts of a shared server: its cards as columns of what stands on them, its services as bars."""

from __future__ import annotations

from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.sharing.blocks import NOBODY, PARTS, Block, blocks
from sizing.sharing.board import CardUse
from sizing.sharing.shared import Shared
from sizing.sheet import drawing
from sizing.sheet.charts import AXIS, nice_step
from sizing.sheet.drawing import Drawing, text_width

HEIGHT = 58.0
_KEY = 7.0  # room for the key below the columns
_COLOURS = {
    "weights": (drawing.GREY_STRONG, drawing.ON_ACCENT),
    "cache": (drawing.ACCENT, drawing.ON_ACCENT),
    "left": (drawing.ACCENT_SOFT, drawing.TEXT),
    "reserve": (drawing.GREY_SOFT, drawing.TEXT),
    "untouched": (drawing.GRID, drawing.TEXT),
    "spare": (drawing.GROUND, drawing.TEXT),
}
_LOWEST_LABEL = 2.3  # [mm] below which a figure does not fit into its block
_NAME_LONGEST = 24


def charts(shared: Shared, language: str, width: float) -> tuple[Drawing, ...]:
    """Both charts, each ``width`` wide. [mm]"""
    return cards(shared, language, width), services(shared, language, width)


def cards(shared: Shared, language: str, width: float) -> Drawing:
    """A column a card, from the bottom up what each engine holds; its letter stands on its largest block."""
    placement = shared.placement
    columns = [(card, list(blocks(placement, card))) for card in placement.cards]
    made = Drawing(width, HEIGHT, say("ui.chart.sharing_cards", language), _cards_alt(shared, language))
    reach = max(block.base_gib + block.size_gib for _, found in columns for block in found) * 1.02
    left, right, top, bottom = 12.0, width - 1, 2.5, HEIGHT - 6.5 - _KEY
    scale, pitch = (bottom - top) / reach, (right - left) / len(columns)
    _scale(made, left, right, bottom, reach, scale, language)
    for number, (card, found) in enumerate(columns):
        x, wide = left + (number + 0.06) * pitch, pitch * 0.88
        for block in found:
            y, high = bottom - (block.base_gib + block.size_gib) * scale, block.size_gib * scale
            colour, on = _COLOURS[block.part]
            made.bar(x, y, wide, high, colour)
            if block.part == "spare":
                corners = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high), (x, y)]
                made.stroke(corners, drawing.LINE, 0.2, dashed=True)
            made.stroke([(x, y), (x + wide, y)], drawing.GROUND, 0.2)
            if high >= _LOWEST_LABEL:
                named = block is _bearer(card, found, block.service)
                _on_block(made, x + wide / 2, y + high / 2 + 0.75, wide, block, named, on, language)
        _below(made, x + wide / 2, bottom, pitch, card, language)
    _key(made, width, language)
    return made


def _bearer(card: CardUse, found: list[Block], service: int) -> Block | None:
    """The block that bears a service's letter: its largest."""
    own = [block for block in found if block.service == service != NOBODY]
    return max(own, key=lambda block: block.size_gib, default=None)


def _on_block(
    made: Drawing, x: float, y: float, width: float, block: Block, named: bool, colour: str, language: str
) -> None:
    """Letter and figure, the letter alone, or nothing, as the width allows."""
    figure = say("unit.gib_number", language, value=block.size_gib)
    name = letter(block.service) if named else ""
    for text in (f"{name} {figure}".strip(), name):
        if text and text_width(text, 5.5) < width:
            made.label(x, y, text, size=5.5, colour=colour, anchor="middle", bold=named)
            return


def _below(made: Drawing, x: float, bottom: float, pitch: float, card: CardUse, language: str) -> None:
    """Number of the card, and what it is used as where there is room."""
    made.label(x, bottom + 2.6, str(card.number), size=6, anchor="middle")
    mode = say(f"ui.sharing.mode_short.{card.mode}", language)
    if text_width(mode, 5) < pitch * 1.15:
        made.label(x, bottom + 5.0, mode, size=5, colour=drawing.MUTED, anchor="middle")


def _scale(made: Drawing, left: float, right: float, bottom: float, reach: float, scale: float, language: str) -> None:
    step = nice_step(reach, 5)
    for number in range(int(reach / step) + 1):
        y = bottom - number * step * scale
        made.stroke([(left, y), (right, y)], drawing.LINE if number == 0 else drawing.GRID, 0.2)
        text = say("unit.integer", language, value=int(number * step))
        made.label(left - 1.2, y + 0.8, text, size=6, colour=drawing.MUTED, anchor="end")
    made.label(0, 1.6, "GiB", size=6, colour=drawing.MUTED)


def _key(made: Drawing, width: float, language: str) -> None:
    """What the colours stand for, from the bottom up, in lines of as many as fit."""
    x, y = 0.0, HEIGHT - _KEY + 2.0
    for part in PARTS:
        text = say(f"ui.sharing.part.{part}", language)
        wide = 2.6 + text_width(text, 5.5) * 0.86 + 2
        if x > 0 and x + wide > width:
            x, y = 0.0, y + 2.9
        made.bar(x, y - 1.6, 1.9, 1.9, _COLOURS[part][0])
        if part == "spare":
            made.stroke(
                [(x, y - 1.6), (x + 1.9, y - 1.6), (x + 1.9, y + 0.3), (x, y + 0.3), (x, y - 1.6)], drawing.LINE, 0.2
            )
        made.label(x + 2.6, y, text, size=5.5, colour=drawing.MUTED)
        x += wide


def _cards_alt(shared: Shared, language: str) -> str:
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


def services(shared: Shared, language: str, width: float) -> Drawing:
    """Two bars a service: what it holds, and in grey what the worst lost card leaves."""
    placement, worst = shared.placement, shared.failures.worst
    names = [_name(shared, number) for number in range(len(placement.needs))]
    labels = [_label(shared, number, language) for number in range(len(names))]
    alt = "; ".join(f"{name}: {label}" for name, label in zip(names, labels, strict=True))
    title = say("ui.chart.sharing_services", language)
    made = Drawing(width, HEIGHT, title, say("ui.alt.sharing_services", language, parts=alt))
    left = max(text_width(name, 6) for name in names) * 0.9 + 1.5
    counts = [(placement.conversations(number) or 0, worst[number].conversations or 0) for number in range(len(names))]
    reach = max([max(pair) for pair in counts] + [1])
    # Each label stands behind its own bars, so that a long one beside a short bar takes nothing from the others.
    rooms = [width - left - text_width(label, 6) * 0.9 - 1.5 for label in labels]
    scale = min([room / max(pair) for room, pair in zip(rooms, counts, strict=True) if max(pair)] or [rooms[0] / reach])
    right = left + reach * scale
    bottom = HEIGHT - AXIS
    pitch = min(9.0, (bottom - 2) / len(names))
    for number, (name, label) in enumerate(zip(names, labels, strict=True)):
        y, high = 1.5 + number * pitch, min(2.6, pitch * 0.4)
        held, left_over = counts[number]
        made.label(left - 1.5, y + pitch * 0.42 + 0.7, name, size=6, anchor="end")
        made.bar(left, y, held * scale, high, drawing.ACCENT)
        made.bar(left, y + high, left_over * scale, high, drawing.GREY)
        missing = number in placement.left_out
        colour = drawing.LIMIT if missing else drawing.TEXT
        made.label(left + max(held, left_over) * scale + 1.2, y + pitch * 0.42 + 0.7, label, size=6, colour=colour)
    made.stroke([(left, 1), (left, bottom)], drawing.LINE, 0.25)
    _counts(made, left, right, bottom, reach, language)
    return made


def _counts(made: Drawing, left: float, right: float, bottom: float, reach: int, language: str) -> None:
    made.stroke([(left, bottom), (right, bottom)], drawing.LINE, 0.25)
    step = max(1, int(nice_step(reach, 4)))
    for number in range(reach // step + 1):
        x = left + number * step / reach * (right - left)
        made.stroke([(x, bottom), (x, bottom + 0.9)], drawing.LINE, 0.25)
        text = say("unit.integer", language, value=number * step)
        made.label(x, bottom + 3.4, text, size=6, colour=drawing.MUTED, anchor="middle")
    title = say("ui.axis.conversations", language)
    made.label((left + right) / 2, bottom + 6.8, title, size=6.5, colour=drawing.MUTED, anchor="middle")


def _name(shared: Shared, number: int) -> str:
    short = shared.plan.services[number].model
    short = short if len(short) <= _NAME_LONGEST else short[: _NAME_LONGEST - 1] + "…"
    return f"{letter(number)} {short}"


def _label(shared: Shared, number: int, language: str) -> str:
    placement, left = shared.placement, shared.failures.worst[number]
    if number in placement.left_out:
        return say("ui.services.no_place", language)
    held = placement.conversations(number)
    if held is None:
        return say("ui.sharing.no_cache_left", language, copies=left.copies)
    said = say("ui.sharing.held_left", language, held=held, left=left.conversations or 0)
    return said.replace("<b>", "").replace("</b>", "")  # the page's chart sets the figure in bold
