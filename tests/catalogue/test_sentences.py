"""Sentences out of the data in each language: carried by the text itself, filled in and shown in the visitor's."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from sizing import catalogue
from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.base.texts import Told, say, tell
from sizing.catalogue import Catalogue
from sizing.catalogue.servers import server, server_ids
from tests.catalogue import broken

OTHER = texts.LANGUAGES[1:]


def test_a_sentence_is_english_and_carries_its_twin(tmp_path: Path) -> None:
    read = Catalogue(broken.write(tmp_path))
    other = read.card("good").memory_bandwidth_gb_s.others[0]
    assert other.reason == "Of another card."
    assert tell(other.reason, "en") == "Of another card."
    assert tell(other.reason, "de") == "Einer anderen."
    assert tell(read.circuit("eu-1ph-16a").name, "de") == "16 A einphasig"


def test_a_text_without_twins_stands_as_it_is() -> None:
    assert tell("RTX PRO 6000", "de") == "RTX PRO 6000"


def test_a_text_of_the_catalogue_fills_a_sentence_in_in_its_own_language() -> None:
    values = {"cap_w": 450, "circuit": Told("one feed", {"de": "eine Einspeisung"})}
    assert say("note.cap_fits_circuit", "en", **values).endswith("of one feed.")
    assert say("note.cap_fits_circuit", "de", **values).endswith("von eine Einspeisung.")


def test_twins_survive_copies_and_other_processes() -> None:
    name = catalogue.circuit("eu-1ph-16a").name
    for same in (copy.copy(name), copy.deepcopy(name), pickle.loads(pickle.dumps(name))):
        assert same == name
        assert tell(same, "de") == "230 V, 16 A einphasig"


def test_a_column_of_sentences_needs_the_columns_of_the_other_languages(tmp_path: Path) -> None:
    lines = broken.FILES["circuits.csv"].splitlines()
    without = [",".join(cell for place, cell in enumerate(line.split(",")) if place != 2) for line in lines]
    root = broken.write(tmp_path, {"circuits.csv": "\n".join(without)})
    with pytest.raises(SizingError, match="'name_de' is missing"):
        Catalogue(root).circuit_ids()


def test_a_name_is_said_the_same_way_unless_a_twin_stands_beside_it() -> None:
    names = {id: server(id).name for id in server_ids()}
    assert tell(names["asus-esc8000a-e13"], "de") == "ASUS ESC8000A-E13 oder E13P"
    assert tell(names["tower"], "en") == "Any tower under a desk"
    assert tell(names["tower"], "de") == "Beliebiger Tower unter dem Schreibtisch"
    assert tell(names["dell-xe7740"], "de") == names["dell-xe7740"] == "Dell PowerEdge XE7740"


@pytest.mark.parametrize("language", OTHER)
def test_circuits_are_called_differently_in_each_language(language: str) -> None:
    for id in catalogue.circuit_ids():
        name = catalogue.circuit(id).name
        assert tell(name, language) != name


def test_a_date_of_the_data_is_written_the_way_of_the_language() -> None:
    read_on = catalogue.circuit("eu-1ph-16a").read_on
    assert read_on == "2026-11-30"
    assert tell(read_on, "en") == "2026-11-30"
    assert tell(read_on, "de") == "30.11.2026"
    assert say("ui.working.read_on", "de", date=read_on).endswith("30.11.2026")
    assert tell(texts.Day("2026-11"), "de") == "11.2026"
    assert tell(texts.Day("2026"), "de") == "2026"
