"""Languages of requests, notebooks as pages, and the policy of the headers."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from sizing.serve.log import OneLine, plain
from sizing.serve.pages import preferred_language, read_pages
from sizing.serve.workbook import content_policy


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-GB,en;q=0.9,de;q=0.8", "en"),
        ("fr-FR,fr;q=0.9", "en"), ("fr,de;q=0.5,en;q=0.3", "de"), ("*", "en"), ("DE-de", "de"), ("de;q=0", "en"),
        ("de;q=x", "en"), ("de;q=nan,en", "en"), (";;;,,,q=1", "en"), ("x" * 100_000 + ",de", "en"),
    ],
)  # fmt: skip
def test_the_browser_s_language(accepted: str, language: str) -> None:
    assert preferred_language(accepted) == language


def test_cells_for_analysts_are_no_part_of_a_page(tmp_path: Path) -> None:
    cells = [
        nbformat.v4.new_code_cell("view"),
        nbformat.v4.new_code_cell("secret", metadata={"tags": ["analyst"]}),
        nbformat.v4.new_markdown_cell("words"),
        nbformat.v4.new_code_cell(" "),
    ]
    cells[0].outputs = [nbformat.v4.new_output("stream", text="stale")]
    for name in ("b", "a", "first"):
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    pages = read_pages(tmp_path, ("first", "none"))
    assert list(pages) == ["first.ipynb", "a.ipynb", "b.ipynb"]
    assert [cell.source for cell in pages["a.ipynb"].cells] == ["view", "words"]
    assert pages["a.ipynb"].cells[0].outputs == []


def test_the_policy_names_nobody_else() -> None:
    policy = content_policy("pages.example:8866", [], "N")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "'self'"
    assert rules["script-src"] == "'self' blob: 'nonce-N'"
    named = {word for rule in rules.values() for word in rule.split() if "//" in word}
    assert named == {"ws://pages.example:8866", "wss://pages.example:8866"}
    assert "frame-ancestors 'self' https://www.example.com" in content_policy("h", ["https://www.example.com"])
    assert "nonce" not in content_policy("h", [])


def test_an_event_is_one_line() -> None:
    import logging
    import sys

    try:
        raise ValueError("first\nsecond")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "fault %s", ("ab12",), sys.exc_info())
    line = OneLine().format(record)
    assert "\n" not in line
    assert " ERROR fault ab12 | Traceback" in line
    assert line.endswith("ValueError: first | second")
    assert plain("a\nb\x1b[31mc" + "x" * 500) == "a?b?[31mc" + "x" * 191
