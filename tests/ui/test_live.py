"""Live HTML: a folded section is made, and travels, only when it is opened."""

from __future__ import annotations

from sizing.base.markup import Markup, folded, join, tag
from sizing.ui.widgets.regions import Live

made: list[str] = []


def inside() -> Markup:
    """What stands in the section, with another section in it; notes that it was made."""
    made.append("w")
    return join([tag("p", "a step"), folded("inner", "More", lambda: tag("p", "deep")), tag("p", "last")])


WORKING = folded("w", "Show the working", inside)
CLOSED = '<details data-key="w" class="sizing-folded"><summary>Show the working</summary></details>'
INNER = '<details data-key="inner" class="sizing-folded"><summary>More</summary></details>'


def test_a_closed_section_is_its_summary_and_is_not_made() -> None:
    made.clear()
    whole = join(["<p>", tag("p", "before"), WORKING, tag("p", "after")])
    assert whole == f"&lt;p&gt;<p>before</p>{CLOSED}<p>after</p>"
    assert whole.opened(lambda key: False) == whole
    assert made == []


def test_an_open_section_is_whole_but_for_what_is_closed_in_it() -> None:
    shown = WORKING.opened({"w"}.__contains__)
    assert shown == CLOSED.replace("</details>", f"<p>a step</p>{INNER}<p>last</p></details>")
    whole = WORKING.opened({"w", "inner"}.__contains__)
    assert whole == shown.replace("</summary></details><p>last", "</summary><p>deep</p></details><p>last")


def test_sections_beside_each_other_and_in_other_elements() -> None:
    other = folded("v", "Show the working", lambda: tag("b", "other"))
    shown = tag("div", WORKING, tag("div", other)).opened({"v"}.__contains__)
    opened = CLOSED.replace('"w"', '"v"').replace("</details>", "<b>other</b></details>")
    assert shown == f"<div>{CLOSED}<div>{opened}</div></div>"


def test_what_has_no_fold_stays() -> None:
    for html in ("", "<p>text</p>", "<details><summary>s</summary>inside</details>"):
        assert Markup(html).opened(lambda key: True) == html


def test_the_visitor_opens_and_closes() -> None:
    live = Live("working", WORKING)
    assert "deep" in live.html
    assert live.shown == CLOSED
    live._receive(live, {"kind": "open", "keys": ["w"]}, [])
    assert "a step" in live.shown
    live.show(folded("w", "Show the working", lambda: tag("p", "another step")))
    assert "another step" in live.shown
    live._receive(live, {"kind": "open", "keys": []}, [])
    assert live.shown == CLOSED
    live._receive(live, {"kind": "open", "keys": "nonsense"}, [])
    assert live.shown == CLOSED
