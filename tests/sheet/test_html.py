"""The HTML page: whole in one file, nothing runs, nothing is fetched, nothing that is typed becomes markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from sizing.base.texts import say
from sizing.sheet.one_model import ModelContent
from sizing.sheet.services import SharedContent
from sizing.sheet.sheets import sheet

from .conftest import LINK, PLANS, SCENARIOS, mixed, request, services
from .reading import html_text

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
        ModelContent(asked).answer,
    ):
        assert shown in said
    assert page(name).count("<figure>") == (3 if sized.fits and sized.best.conversations is not None else 2)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", PLANS)
def test_it_holds_the_figures_of_the_placement(name: str, language: str) -> None:
    asked = services(name, language=language)
    content, made = SharedContent(asked), sheet(asked, "html")
    said = html_text(made)
    for row in content.table.rows:
        for cell in row:
            assert cell in said
    for shown in (content.answer, content.second, *(figure.shown for figure in content.figures)):
        assert shown in said
    assert made.decode().count("<figure>") == 2
    assert f'<html lang="{language}">' in made.decode()
    ET.fromstring(re.sub(r"<!doctype html>|<meta[^>]*>", "", made.decode()))


def test_working_of_people_and_of_mixed_lengths() -> None:
    asked = request()
    said = html_text(sheet(request(counts=mixed(asked.sizing)), "html"))
    for shown in ("Requests running at once, on average", "Length when they end", "4,523 tokens", "3,798 tokens"):
        assert shown in said


def test_prices_add_up_in_one_currency_only() -> None:
    assert "57,000 EUR" in html_text(sheet(request(price_per_card=9000.0, price_per_server=21_000.0), "html"))
    # No card has a quote in CHF: theirs is in dollars, 4 x 13,399.99 on 23 June 2026.
    said = html_text(sheet(request(price_per_server=21_000.0, currency="CHF"), "html"))
    assert "53,600 USD" in said
    assert "Sum of the priced lines" not in said
    assert "Prices in CHF, USD are not added up." in said


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
