"""A figure on paper: marks stand where the axes have them, and the longest label that fits is shown."""

from __future__ import annotations

from typing import Any

import pytest

import sizing
from sizing.sheet.drawing import Bar, Dot, Drawing, Label, Stroke
from sizing.sheet.figures import marks, theme
from sizing.sheet.figures.marks import Plot
from sizing.sheet.figures.sizing_charts import layouts, memory, power
from sizing.sheet.plotting import plotted


def drawn(figure: dict[str, Any]) -> Drawing:
    return plotted(figure, "title", "words", "en", width=88, height=50)


def stacked(*values: float) -> Drawing:
    parts = [
        marks.segment(f"part {number}", ["row"], [value], [(f"a long name {value:g}", f"{value:g}")], colours, "%{x}")
        for number, (value, colours) in enumerate(
            zip(values, [(theme.ACCENT, theme.ON_ACCENT), (theme.GREY, theme.TEXT)], strict=True)
        )
    ]
    rules = [marks.upright(5)]
    axis = theme.axis("unit", range=[0, 10])
    return drawn(marks.figure(parts, axis, marks.names_axis(), "en", shapes=rules, barmode="stack", bargap=0.3))


def test_segments_follow_each_other_in_proportion_and_the_limit_stands_at_its_value() -> None:
    made = stacked(6, 2)
    first, second = (mark for mark in made.marks if isinstance(mark, Bar))
    assert first.width == pytest.approx(3 * second.width)
    assert second.x == pytest.approx(first.x + first.width)
    limit = next(mark for mark in made.marks if isinstance(mark, Stroke) and mark.dashed)
    assert limit.points[0][0] == pytest.approx(first.x + first.width * 5 / 6)
    assert limit.colour == theme.paper(theme.LIMIT)


def test_the_longest_label_that_fits_is_shown() -> None:
    said = {mark.text for mark in stacked(8, 0.9).marks if isinstance(mark, Label)}
    assert "a long name 8" in said
    assert "0.9" in said
    assert "a long name 0.9" not in said
    assert not {"0.1", "a long name 0.1"} & {mark.text for mark in stacked(8, 0.1).marks if isinstance(mark, Label)}


def test_a_logarithmic_axis_has_equal_steps() -> None:
    line = marks.line([1, 10, 100], [1000, 100, 10], theme.ACCENT, 2.5)
    up = theme.axis("y", type="log", dtick=1)
    made = drawn(marks.figure([line], theme.axis("x", type="log"), up, "en"))
    (stroke,) = (mark for mark in made.marks if isinstance(mark, Stroke) and mark.colour == theme.paper(theme.ACCENT))
    (x0, y0), (x1, y1), (x2, y2) = stroke.points
    assert x1 - x0 == pytest.approx(x2 - x1)
    assert y1 - y0 == pytest.approx(y2 - y1)
    assert y1 > y0


def test_two_names_at_one_place_are_kept_apart() -> None:
    labels = [marks.label(name, 1, 5, side="left") for name in ("one name", "another")]
    axes = theme.axis("x", range=[0, 2]), theme.axis("y", range=[0, 10])
    made = drawn(marks.figure([], *axes, "en", labels=labels))
    one, other = (mark for mark in made.marks if isinstance(mark, Label) and mark.text in ("one name", "another"))
    assert abs(one.y - other.y) > 1.5


@pytest.mark.parametrize("plot", [layouts, memory, power], ids=lambda plot: plot.name)
@pytest.mark.parametrize(
    "inputs", [{}, {"checkpoint": "BAAI/bge-m3", "cards": 1}, {"checkpoint": "zai-org/GLM-5.3-FP8"}]
)
def test_every_chart_of_a_sizing_can_be_drawn_and_stays_on_its_ground(plot: Plot, inputs: dict[str, Any]) -> None:
    made = drawn(plot.build(sizing.size(sizing.Scenario(**inputs)), "en"))
    for mark in made.marks:
        match mark:
            case Bar(x, y, width, height):
                assert -0.01 <= x <= x + width <= 88.01
                assert -0.01 <= y <= y + height <= 50.01
            case Dot(x, y):
                assert 0 <= x <= 88
                assert 0 <= y <= 50
