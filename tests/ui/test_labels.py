"""Names of lines on a chart: beside their line, clear of each other."""

from __future__ import annotations

from math import log10

from sizing.sheet.figures import marks as labels

STEPS = [1024 * 2**step for step in range(8)]


def _boxes(lines: list[list[tuple[float, float]]], names: list[str]) -> list[tuple[float, float, float, float]]:
    """Where the names lie on the smallest plot, in its pixels."""
    points = [point for line in lines for point in line]
    xs, ys = [log10(x) for x, _ in points], [log10(y) for _, y in points]
    per_x = labels.PLOT_WIDTH / (max(xs) - min(xs))
    per_y = labels.PLOT_HEIGHT / (max(ys) - min(ys))
    found = []
    for place, name in zip(labels.places(lines, names), names, strict=True):
        assert place is not None
        x, y = (place.x - min(xs)) * per_x, (place.y - min(ys)) * per_y
        width = len(name) * labels.CHARACTER
        left = x if place.xanchor == "left" else x - width
        bottom = y if place.yanchor == "bottom" else y - labels.LINE_HEIGHT
        found.append((left, bottom, left + width, bottom + labels.LINE_HEIGHT))
    return found


def test_names_of_lines_that_run_close_do_not_overlap_and_stay_inside() -> None:
    lines = [[(x, factor * 1e7 / x) for x in STEPS] for factor in (1.0, 1.6, 2.6)]
    boxes = _boxes(lines, ["Morning-27B", "Llama 3.3 70B Instruct FP8", "gpt-oss-120b"])
    for number, one in enumerate(boxes):
        assert one[0] >= -1
        assert one[2] <= labels.PLOT_WIDTH + 1
        for other in boxes[number + 1 :]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one, other)


def test_a_line_without_points_has_no_name() -> None:
    assert labels.places([[], [(1024.0, 5.0), (4096.0, 2.0)]], ["nothing", "something"])[0] is None
    assert labels.places([], []) == []


def test_a_single_point_and_a_flat_line_have_a_place() -> None:
    assert labels.places([[(1024.0, 5.0)]], ["one"])[0] is not None
    assert labels.places([[(x, 3.0) for x in STEPS]], ["flat"])[0] is not None


def test_an_anchor_lies_inside_the_lines_range() -> None:
    """At the very end of a line a rounding would put it outside, and plotly would not show it."""
    lines = [[(x, 1586.0 - x**0.5) for x in STEPS]]
    place = labels.places(lines, ["a name of nearly half of the plot"])[0]
    assert place is not None
    assert log10(STEPS[0]) < place.x < log10(STEPS[-1])
    assert log10(lines[0][-1][1]) < place.y < log10(lines[0][0][1])
