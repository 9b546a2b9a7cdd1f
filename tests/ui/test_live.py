"""Live HTML: a folded section travels only when it is opened."""

from __future__ import annotations

from sizing.base.markup import folded, tag
from sizing.ui.live import Live, folded_away

WORKING = folded(
    "w", "Show the working", tag("p", "a step"), folded("inner", "More", tag("p", "deep")), tag("p", "last")
)
CLOSED = '<details data-key="w" class="sizing-folded"><summary>Show the working</summary></details>'


def test_a_closed_section_is_its_summary() -> None:
    assert folded_away(f"<p>before</p>{WORKING}<p>after</p>", ()) == f"<p>before</p>{CLOSED}<p>after</p>"


def test_an_open_section_is_whole_but_for_what_is_closed_in_it() -> None:
    shown = folded_away(WORKING, {"w"})
    assert "a step" in shown
    assert "last" in shown
    assert "deep" not in shown
    assert "deep" in folded_away(WORKING, {"w", "inner"})
    assert folded_away(WORKING, {"w", "inner"}) == WORKING


def test_sections_beside_each_other() -> None:
    other = WORKING.replace('"w"', '"v"')
    assert folded_away(WORKING + other, {"v"}) == CLOSED + folded_away(other, {"v"})


def test_what_has_no_key_or_no_fold_stays() -> None:
    for html in ("", "<p>text</p>", "<details><summary>s</summary>inside</details>"):
        assert folded_away(html, ()) == html


def test_the_visitor_opens_and_closes() -> None:
    live = Live("working", WORKING)
    assert live.html == WORKING
    assert live.shown == CLOSED
    live._receive(live, {"kind": "open", "keys": ["w"]}, [])
    assert "a step" in live.shown
    live.show(WORKING.replace("a step", "another step"))
    assert "another step" in live.shown
    live._receive(live, {"kind": "open", "keys": []}, [])
    assert live.shown == CLOSED
    live._receive(live, {"kind": "open", "keys": "nonsense"}, [])
    assert live.shown == CLOSED
