"""The landing page's list: each page with the question it answers and a small picture of its chart."""

from __future__ import annotations

from collections.abc import Callable

from sizing.base.markup import Markup, join, tag
from sizing.base.texts import say
from sizing.serve.voila import PAGES

WIDTH, HEIGHT = 96, 64
GREY, SOFT, ACCENT, LIMIT = (
    "var(--sizing-grey)",
    "var(--sizing-grey-soft)",
    "var(--sizing-accent)",
    "var(--sizing-limit)",
)


def doors(query: str, language: str) -> Markup:
    """Heading, a sentence, and a link for each page. query: of the scenario, which the links carry along."""
    items = [
        tag(
            "li",
            tag(
                "a",
                PICTURES.get(name, _sizing)(),
                tag("span", say(f"ui.page.{name}", language), class_="sizing-door-name"),
                tag("p", say(f"index.answers.{name}", language)),
                href=f"{name}.ipynb?{query}",
                data_file=f"{name}.ipynb",
                class_="sizing-door",
            ),
            class_="sizing-first" if name == PAGES[0] else None,
        )
        for name in PAGES
    ]
    return join(
        [
            tag("h1", say("index.title", language)),
            tag("p", say("index.sentence", language)),
            tag("ul", *items, class_="sizing-doors"),
        ]
    )


def _picture(*shapes: Markup) -> Markup:
    return tag("svg", *shapes, viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true", focusable="false")


def _bar(x: float, y: float, width: float, height: float, fill: str) -> Markup:
    return tag("rect", x=str(x), y=str(y), width=str(width), height=str(height), fill=fill)


def _line(points: str, stroke: str, dash: str | None = None) -> Markup:
    return tag("polyline", points=points, fill="none", stroke=stroke, stroke_width="2", stroke_dasharray=dash)


def _dot(x: float, y: float, fill: str) -> Markup:
    return tag("circle", cx=str(x), cy=str(y), r="3.5", fill=fill)


def _call() -> Markup:
    steps = [_bar(4 + 18.4 * number, 6, 15, 3, ACCENT if number == 0 else SOFT) for number in range(5)]
    heights = (4, 10, 19, 27, 30, 27, 21, 14, 9, 5, 3)
    bars = [
        _bar(4 + 8 * number, 58 - height, 6, height, ACCENT if number == 8 else GREY)
        for number, height in enumerate(heights)
    ]
    return _picture(*steps, *bars, _line("92,18 92,58", LIMIT, "2 3"))


def _rows(widths: tuple[int, ...], chosen: int) -> list[Markup]:
    step = 56 / len(widths)
    return [
        _bar(4, 4 + step * number, width, step - 4, ACCENT if number == chosen else GREY)
        for number, width in enumerate(widths)
    ]


def _sizing() -> Markup:
    return _picture(*_rows((20, 52, 52, 84), 3))


def _site() -> Markup:
    return _picture(*_rows((84, 66, 50), 1), _line("70,0 70,62", LIMIT, "2 3"))


def _new_model() -> Markup:
    blocks = [
        _bar(4 + 11 * (number % 8), 6 + 14 * (number // 8), 8, 10, ACCENT if number % 4 == 3 else SOFT)
        for number in range(32)
    ]
    return _picture(*blocks)


def _speed() -> Markup:
    return _picture(
        _line("4,8 22,14 42,26 64,42 92,54", ACCENT),
        _line("4,4 92,18", SOFT),
        _line("4,46 92,46", LIMIT, "2 3"),
        _dot(64, 42, ACCENT),
    )


def _shared_server() -> Markup:
    columns = ((GREY, 18, ACCENT, 22), (ACCENT, 30, SOFT, 16), (GREY, 12, GREY, 20), (SOFT, 24, ACCENT, 14))
    shapes = []
    for number, (low, low_height, high, high_height) in enumerate(columns):
        x = 6 + 23 * number
        shapes += [
            _bar(x, 60 - low_height, 16, low_height - 1, low),
            _bar(x, 60 - low_height - high_height, 16, high_height, high),
        ]
    return _picture(*shapes)


def _compare() -> Markup:
    return _picture(_line("4,14 92,34", GREY), _line("4,50 92,8", ACCENT), _dot(51, 27, LIMIT))


def _evidence() -> Markup:
    dots = ((12, 50), (20, 44), (30, 42), (38, 33), (50, 30), (58, 22), (70, 20), (84, 8))
    return _picture(
        _line("4,58 92,4", SOFT), *(_dot(x, y, ACCENT if number % 3 else GREY) for number, (x, y) in enumerate(dots))
    )


PICTURES: dict[str, Callable[[], Markup]] = {
    "call": _call,
    "sizing": _sizing,
    "site": _site,
    "new_model": _new_model,
    "speed": _speed,
    "shared_server": _shared_server,
    "compare": _compare,
    "evidence": _evidence,
}
