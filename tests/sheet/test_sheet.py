"""What every kind of file has in common: the same bytes for the same request, and what may be written on it."""

from __future__ import annotations

import builtins
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

import sizing
from sizing import SizingError
from sizing.sheet import drawing
from sizing.sheet.figures import theme
from sizing.sheet.request import Request
from sizing.sheet.sheets import KINDS, file_name, sheet

from .conftest import mixed, request, services


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_request_gives_the_same_bytes(kind: Any) -> None:
    assert sheet(request(), kind) == sheet(request(), kind)
    assert sheet(request(made_on=None), kind) == sheet(request(made_on=None), kind)
    assert sheet(request(), kind) != sheet(request(customer="Another Ltd"), kind)


@pytest.mark.parametrize("kind", KINDS)
def test_another_process_gives_the_same_bytes(kind: str) -> None:
    code = (
        "import hashlib, sizing; from sizing.sheet.sheets import sheet; from sizing.sheet.request import Request;"
        f"print(hashlib.sha256(sheet(Request(sizing.answer(sizing.Scenario())), {kind!r})).hexdigest())"
    )
    made = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "12"
    }
    assert len(made) == 1


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//host/x",
        "https://",
        "ftp://x/y",
        "https://a b",
        'https://a/"x',
        "x",
        "https://[x",
    ],
)
def test_a_link_is_an_address_or_refused(link: str) -> None:
    with pytest.raises(SizingError) as caught:
        request(link=link)
    assert caught.value.input == "link"


@pytest.mark.parametrize(("name", "longest"), [("customer", 120), ("remark", 600)])
def test_texts_have_room(name: str, longest: int) -> None:
    assert getattr(request(**{name: "x" * longest}), name) == "x" * longest
    with pytest.raises(SizingError) as caught:
        request(**{name: "x" * (longest + 1)})
    assert caught.value.input == name


def test_signs_that_steer_are_left_out() -> None:
    assert request(customer="A\x00B\u202eC\ud800D\r\n E").customer == "A BCD E"


@pytest.mark.parametrize(
    "changes", [{"currency": "eur"}, {"currency": "<b>"}, {"price_per_card": -1.0}, {"price_per_server": 2e9}]
)
def test_prices_are_prices(changes: dict[str, Any]) -> None:
    with pytest.raises(SizingError):
        request(**changes)


def test_the_name_of_a_file_holds_nothing_odd() -> None:
    assert file_name(request(), "pdf") == "sizing-Llama-3.3-70B-Instruct-FP8-4x-rtx-pro-6000-server.pdf"
    assert file_name(services(), "xlsx") == "sizing-12-services-4x-rtx-pro-6000-server.xlsx"
    assert file_name(services(language="de"), "html") == "auslegung-12-dienste-4x-rtx-pro-6000-server.html"


class _EndedError(Exception):
    pass


@pytest.mark.parametrize("kind", KINDS)
def test_progress_is_told_and_can_end_the_work(kind: Any) -> None:
    told: list[tuple[int, int]] = []
    made = sheet(request(), kind, lambda done, total: told.append((done, total)))
    assert made == sheet(request(), kind)
    total = told[0][1]
    assert told == [(done, total) for done in range(total + 1)]
    assert total >= 5

    def end(done: int, total: int) -> None:
        if done == total - 1:
            raise _EndedError

    with pytest.raises(_EndedError):
        sheet(request(), kind, end)


def test_sheets_made_side_by_side_are_those_made_alone() -> None:
    asked = [
        request(counts=mixed(request().sizing)),
        services(),
        request("windows", language="de"),
        services("one_70b", language="de"),
    ]
    wanted = [(one, kind, sheet(one, kind)) for one in asked for kind in KINDS]  # type: ignore[arg-type]
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda each: sheet(each[0], each[1]), wanted))  # type: ignore[arg-type]
    assert made == [bytes for _, _, bytes in wanted]


def test_a_server_whose_scenario_is_another_than_the_plan_s_is_sized_anew() -> None:
    alone = services("eight_cards")
    other = Request(
        sizing.answer(sizing.Scenario(cards=2)), shared=alone.shared, customer="Example Ltd", link=alone.link
    )
    assert sheet(other, "html") == sheet(replace(alone, made_on=None), "html")


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.split(".")[0] == "xlsxwriter":
            raise ModuleNotFoundError("gone", name="xlsxwriter")
        return real(name, *args, **more)

    for name in [name for name in sys.modules if name.startswith(("xlsxwriter", "sizing.sheet.xlsx"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SizingError, match="xlsxwriter"):
        sheet(request(), "xlsx")


def test_libraries_are_loaded_only_when_asked_for() -> None:
    code = (
        "import sys, sizing; from sizing.sheet.sheets import sheet; from sizing.sheet.request import Request;"
        "sheet(Request(sizing.answer(sizing.Scenario())), 'html');"
        "print(sorted({'fpdf', 'xlsxwriter', 'fontTools', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_colours_are_those_of_the_pages() -> None:
    pages = theme.colours("light")
    for name in ("text", "muted", "line", "grid", "accent", "limit"):
        assert getattr(drawing, name.upper()) == pages[f"--sizing-{name}"]
    for token in (value for value in vars(theme).values() if isinstance(value, str) and value.startswith("var(")):
        assert theme.paper(token) in pages.values()
