"""Charts without a browser: what they send, and when they send nothing."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from sizing.serve.voila import plotly_js
from sizing.ui.widgets.regions import Chart


class Recorded(Chart):
    """Keeps what would go to the browser."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sent: list[set[str]] = []
        super().__init__(*args, **kwargs)
        self.sent.clear()

    def send_state(self, key: Any = None) -> None:
        self.sent.append(set(key) if isinstance(key, (set, list, tuple)) else {key})


def figure(height: int, title: str = "a") -> dict[str, Any]:
    return {"data": [{"type": "bar", "y": [height]}], "layout": {"title": {"text": title}}}


def test_a_figure_is_one_message_with_what_differs() -> None:
    shown = Recorded("one", figure(1), alt="one")
    shown.show(figure(2), alt="two")
    assert shown.sent == [{"figure_data", "alt", "seq"}]
    assert shown.figure == figure(2)
    assert shown.seq == 2


def test_the_same_figure_again_sends_nothing() -> None:
    shown = Recorded("one", figure(1), alt="one")
    shown.show(figure(1), alt="one")
    assert [message for message in shown.sent if message] == []
    assert shown.seq == 1


def test_the_first_figure_counts_even_if_empty() -> None:
    shown = Recorded("one")
    assert shown.seq == 0
    shown.show({"data": [], "layout": {}})
    assert shown.seq == 1


def test_the_text_alternative_stays_when_none_is_given() -> None:
    shown = Recorded("one", figure(1), alt="one bar")
    shown.show(figure(2))
    assert shown.alt == "one bar"


def test_a_plotly_figure_is_taken_as_well() -> None:
    graph_objects = pytest.importorskip("plotly.graph_objects")
    shown = Recorded("one", graph_objects.Figure(graph_objects.Bar(y=[3])))
    assert shown.figure_data == [{"type": "bar", "y": [3]}]


def test_plotly_is_sent_only_when_asked_and_packed() -> None:
    shown = Recorded("one", figure(1))
    sent: list[tuple[Any, Any]] = []
    shown.send = lambda content, buffers=None: sent.append((content, buffers))  # type: ignore[method-assign]
    shown._receive(shown, {"kind": "something else"}, [])
    assert sent == []
    shown._receive(shown, {"kind": "plotly"}, [])
    [(content, [packed])] = sent
    assert content == {"kind": "plotly"}
    assert gzip.decompress(packed) == plotly_js().read_bytes()
    assert len(packed) < 2_000_000
