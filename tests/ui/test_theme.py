"""The look: both themes name the same colours, and every text and mark can be seen."""

from __future__ import annotations

import re

import pytest

from sizing.sheet.figures import theme

# What stands on what; WCAG 2.2 AA asks a contrast of 4.5 for text, of 3 for marks and borders of controls.
TEXTS = [
    ("text", "ground"),
    ("text", "raised"),
    ("muted", "ground"),
    ("muted", "raised"),
    ("accent", "ground"),
    ("limit", "ground"),
    ("limit", "raised"),
    ("on-accent", "accent"),
    ("ground", "text"),
]
MARKS = [("control", "ground"), ("control", "raised"), ("grey-strong", "ground")]


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb by WCAG.

    >>> luminance("#ffffff"), luminance("#000000")
    (1.0, 0.0)
    """
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def seen_without_red(colour: str) -> tuple[float, float, float]:
    """What a person without red cones sees: Viénot, Brettel and Mollon 1999, in linear light."""
    linear = [(int(colour[k : k + 2], 16) / 255) ** 2.2 for k in (1, 3, 5)]
    matrix = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
    red, green, blue = (sum(a * b for a, b in zip(row, linear, strict=True)) for row in matrix)
    return red, green, blue


def test_both_themes_have_the_same_names() -> None:
    assert theme.colours("light").keys() == theme.colours("dark").keys()


def test_every_token_stands_for_a_colour() -> None:
    tokens = [value for name, value in vars(theme).items() if name.isupper() and str(value).startswith("var(")]
    assert len(tokens) >= 10
    for token in tokens:
        assert token.removeprefix("var(").removesuffix(")") in theme.colours("light")


@pytest.mark.parametrize("name", theme.THEMES)
@pytest.mark.parametrize(("front", "back"), TEXTS)
def test_text_can_be_read(name: theme.Name, front: str, back: str) -> None:
    colours = theme.colours(name)
    assert contrast(colours[f"--sizing-{front}"], colours[f"--sizing-{back}"]) >= 4.5


@pytest.mark.parametrize("name", theme.THEMES)
@pytest.mark.parametrize(("front", "back"), MARKS)
def test_marks_can_be_seen(name: theme.Name, front: str, back: str) -> None:
    colours = theme.colours(name)
    assert contrast(colours[f"--sizing-{front}"], colours[f"--sizing-{back}"]) >= 3


@pytest.mark.parametrize("name", theme.THEMES)
def test_choice_and_limit_differ_without_red(name: theme.Name) -> None:
    """By blue: of the two, only the accent keeps it."""
    colours = theme.colours(name)
    accent, limit = (seen_without_red(colours[f"--sizing-{which}"]) for which in ("accent", "limit"))
    assert accent[2] > 3 * limit[2]


def test_pages_use_no_colour_of_their_own() -> None:
    for path in (theme.TEMPLATE / "static").glob("*.css"):
        if path.name != "theme.css":
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![-\w])", _without_selectors(path.read_text(encoding="utf-8")))


def _without_selectors(css: str) -> str:
    return "\n".join(re.findall(r":([^;{}]+)[;}]", css))


def test_a_chart_can_change_what_it_starts_from() -> None:
    made = theme.layout(theme.axis("x"), theme.axis("y", type="log"), margin={"l": 99}, bargap=0.4)
    assert made["yaxis"]["type"] == "log"
    assert made["margin"]["l"] == 99
    assert made["margin"]["r"] == theme.layout()["margin"]["r"]
    assert made["bargap"] == 0.4
    assert made["showlegend"] is False
    assert made["dragmode"] is False
    assert made["xaxis"]["fixedrange"] is True
