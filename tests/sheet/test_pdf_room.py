"""Nothing on a PDF's pages is printed over something else, and nothing beyond the right edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from fpdf import FPDF

from sizing.sheet.request import Request
from sizing.sheet.sheets import sheet

from .conftest import PLANS, SCENARIOS, mixed, request, services
from .test_pdf import LONGEST, crowded

PT_MM = 25.4 / 72
TOUCHING_MM = 0.25  # that two texts may share, since a face's own sides are wider than its strokes


@dataclass(frozen=True)
class Printed:
    """A text where it stands. [mm]"""

    page: int
    left: float
    right: float
    top: float
    bottom: float
    text: str

    def meets(self, other: Printed) -> bool:
        """The two share ground."""
        return (
            self.left < other.right - TOUCHING_MM
            and other.left < self.right - TOUCHING_MM
            and self.top < other.bottom - TOUCHING_MM
            and other.top < self.bottom - TOUCHING_MM
        )


def printed(asked: Request, monkeypatch: pytest.MonkeyPatch) -> list[Printed]:
    """Every text of a sheet: from the height of its small letters down to its baseline."""
    found: list[Printed] = []
    real = FPDF.text

    def text(self: FPDF, x: float, y: float, text: str = "", **more: Any) -> None:
        if text.strip():
            high = self.font_size_pt * PT_MM * 0.53
            found.append(Printed(self.page, x, x + self.get_string_width(text), y - high, y, text))
        real(self, x, y, text, **more)

    with monkeypatch.context() as patch:
        patch.setattr(FPDF, "text", text)
        sheet(asked, "pdf")
    return found


def clashes(found: list[Printed]) -> list[tuple[str, str]]:
    ordered = sorted(found, key=lambda each: (each.page, each.top))
    met = []
    for number, one in enumerate(ordered):
        for other in ordered[number + 1 :]:
            if other.page != one.page or other.top > one.bottom:
                break
            if one.meets(other):
                met.append((one.text, other.text))
    return met


def asked() -> dict[str, Request]:
    offer: dict[str, Any] = {"price_per_card": 9000.0, "price_per_server": 21_000.0, "virtual_machines": True}
    found = {}
    for language in ("en", "de"):
        for name in SCENARIOS:
            found[f"{name}, {language}"] = request(name, language=language, **offer)
        for name in PLANS:
            found[f"{name}, {language}"] = services(name, language=language, **offer)
        found[f"mixed, {language}"] = request(language=language, counts=mixed(request().sizing), **offer)
    found["longest"] = request("compressed", language="de", counts=mixed(request("compressed").sizing), **LONGEST)
    found["crowded"] = crowded()
    return found


def test_no_text_stands_on_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, one in asked().items():
        found = printed(one, monkeypatch)
        assert len(found) > 200
        assert clashes(found) == [], name
        assert max(each.right for each in found) <= 196.5, name


def test_a_text_on_another_is_found() -> None:
    one, other = Printed(1, 10, 20, 5, 7, "a"), Printed(1, 19, 30, 5.5, 7.5, "b")
    assert clashes([one, other]) == [("a", "b")]
    assert clashes([one, Printed(1, 20, 30, 5, 7, "b"), Printed(2, 10, 20, 5, 7, "c")]) == []
