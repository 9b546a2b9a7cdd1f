"""The HTML page: whole in one file, nothing runs, nothing is fetched, nothing that is typed becomes markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from sizing.sheet import sheet
from sizing.sheet.content import Content
from sizing.texts import say

from .conftest import LINK, SCENARIOS, request

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def page(name: str = "department", **more: object) -> str:
    return sheet(request(name, **more), "html").decode()


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_holds_the_figures_of_the_sizing(name: str) -> None:
    asked = request(name)
    sized, said = asked.sizing, re.sub(r"<[^>]+>", "", page(name))
    for shown in (
        say("unit.gib", value=sized.usable_gib),
        say("unit.kw", value=sized.server_w / 1000),
        Content(asked).answer,
    ):
        assert shown in said
    assert page(name).count("<figure>") == (3 if sized.fits and sized.best.conversations is not None else 2)


def test_nothing_is_fetched_and_nothing_runs() -> None:
    made = page(customer=HOSTILE, remark=HOSTILE)
    assert "<script" not in made
    assert "<img" not in made
    assert not re.search(r"<[^>]+\son\w+=", made)
    assert not re.search(r"(src|href)=\"(?!https://sizing\.example\.com)", made)
    assert "url(" not in made
    assert "@import" not in made
    assert "default-src 'none'" in made


def test_every_drawing_is_sound_xml_with_words_for_it() -> None:
    for drawn in re.findall(r"<svg.*?</svg>", page(), flags=re.DOTALL):
        root = ET.fromstring(drawn)
        assert root.attrib["aria-label"]
        assert root.attrib["role"] == "img"


def test_the_page_is_sound() -> None:
    """Every element that opens closes again."""
    body = re.sub(r"<!doctype html>|<meta[^>]*>", "", page(customer=HOSTILE))
    ET.fromstring(body)


def test_it_links_back() -> None:
    assert f'href="{LINK.replace("&", "&amp;")}"' in page()
    assert "href" not in page(link="")
