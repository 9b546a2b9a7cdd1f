"""A folder of the user's own beside the package's data: what it adds is read as strictly, and everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sizing.base.errors import SizingError
from sizing.base.files import data_dir
from sizing.catalogue import Catalogue
from sizing.catalogue.records import Circuit
from tests.catalogue import broken

SOURCES = broken.FILES["sources.toml"].replace("[paper]", "[our-list]")
CARD = broken.FILES["cards/good.toml"].replace('"paper"', '"our-list"').replace('"good"', '"ours"')
CIRCUITS = broken.FILES["circuits.csv"].splitlines()[0] + "\neu-1ph-25a,25 A,25 A,EU,230,1,25,a,a,our-list,2026-11-30\n"


def folder(tmp_path: Path, **files: str) -> Path:
    (tmp_path / "cards").mkdir()
    for name, text in files.items():
        (tmp_path / name.replace("__", "/").replace("_dot_", ".")).write_text(text, encoding="utf-8")
    return tmp_path


def ours(tmp_path: Path) -> Path:
    return folder(tmp_path, sources_dot_toml=SOURCES, cards__ours_dot_toml=CARD, circuits_dot_csv=CIRCUITS)


def test_what_it_adds_stands_beside_what_is_there(tmp_path: Path) -> None:
    both = Catalogue(data_dir(), ours(tmp_path))
    assert {"ours", "h100-sxm"} <= set(both.card_ids())
    assert both.card("ours").memory_mib.source == "our-list"  # type: ignore[union-attr]
    assert both.source("our-list").producer == "A maker"
    assert [each.id for each in both.rows("circuits.csv", Circuit)][-1] == "eu-1ph-25a"
    assert both.circuit("eu-1ph-25a").amps == 25


def test_an_id_stands_in_one_folder_only(tmp_path: Path) -> None:
    beside = folder(tmp_path, sources_dot_toml=SOURCES, cards__l4_dot_toml=CARD.replace('"ours"', '"l4"'))
    with pytest.raises(SizingError, match="l4"):
        Catalogue(data_dir(), beside).card_ids()


def test_a_source_stands_in_one_folder_only(tmp_path: Path) -> None:
    beside = folder(tmp_path, sources_dot_toml=SOURCES.replace("our-list", "doc-de"))
    with pytest.raises(SizingError, match="doc-de"):
        Catalogue(data_dir(), beside).source("doc-de")


def test_a_fault_names_the_folder(tmp_path: Path) -> None:
    wrong = CARD.replace("slots = 2", "slotz = 2")
    beside = folder(tmp_path, sources_dot_toml=SOURCES, cards__ours_dot_toml=wrong)
    with pytest.raises(SizingError, match="slotz") as raised:
        Catalogue(data_dir(), beside).card("ours")
    assert str(tmp_path) in raised.value.input


SCRIPT = """
import json, sizing
from sizing import catalogue
try:
    sized = sizing.size(sizing.Scenario(card="ours", cards=2, circuit="eu-1ph-25a"))
    print(json.dumps([sized.cards_w, sized.circuit.name, catalogue.source(sized.card.source).title]))
except sizing.SizingError as error:
    print(json.dumps(error.key))
"""


def run(beside: str) -> object:
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "SIZING_DATA": beside},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(shown.stdout)


def test_the_environment_names_it(tmp_path: Path) -> None:
    assert run(str(ours(tmp_path))) == [1000, "25 A", "A paper"]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert run(str(tmp_path / "nowhere")) == "own_no_folder"
