"""The data of processors, servers and site facts: read strictly, every key has its text, every figure its source."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from sizing import catalogue
from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.base.files import data_dir
from sizing.catalogue import processors, servers, site_facts
from sizing.catalogue.loader import Catalogue


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in ("sources.toml", "processors.csv", "servers.csv", "power.toml", "host.toml"):
        shutil.copy(data_dir() / name, tmp_path / name)
    return tmp_path


def edit_row(file: Path, id: str, cells: dict[str, str]) -> None:
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, **(cells if row["id"] == id else {})})


def test_processors() -> None:
    assert processors.processor_ids()[0] == "epyc-9355"
    default = catalogue.processor("epyc-9355")
    channels = default.memory_channels
    assert channels is not None
    assert (default.cores.value, default.tdp_w.value, channels.value) == (32, 280, 12)
    for id in processors.processor_ids():
        one = processors.processor(id)
        for figure in (one.cores, one.tdp_w, one.base_ghz, one.memory_channels, one.sockets_max):
            assert figure is not None
            assert catalogue.source(figure.source).read_on == "2026-11-30"


def test_a_conflict_is_kept() -> None:
    (other,) = catalogue.processor("xeon-6527p").tdp_w.others
    assert (catalogue.processor("xeon-6527p").tdp_w.value, other.value) == (255, 250)
    assert other.reason


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(SizingError, match="epyc-9355"):
        catalogue.processor("epyc-9354")
    with pytest.raises(SizingError, match="dell-xe7740"):
        servers.server("dell-xe7750")


def test_every_condition_and_conflict_has_its_sentence() -> None:
    used: dict[str, set[str]] = {"condition": set(), "conflict": set()}
    for id in servers.server_ids():
        one = servers.server(id)
        used["condition"] |= set(one.conditions)
        used["conflict"] |= set(one.conflicts)
        assert all(catalogue.source(key).title for key in one.sources)
    for kind, keys in used.items():
        written = {key.rsplit(".", 1)[1] for key in texts.catalogue("en") if key.startswith(f"chassis.{kind}.")}
        assert written == keys


def test_the_list_has_every_server_that_was_looked_at() -> None:
    assert len(servers.server_ids()) == 43  # 42 machines and the tower
    nothing_found = {id for id in servers.server_ids() if servers.server(id).confidence == "none"}
    assert nothing_found == {"dell-r7725", "dell-r760xa", "dell-r770", "qct-d75t-7u"}
    for id in nothing_found:
        assert (servers.server(id).cards_at, servers.server(id).cards_any_cap) == ((), None)


@pytest.mark.parametrize(
    ("file", "id", "cells", "reason"),
    [
        ("servers.csv", "dell-xe7740", {"height_u": "four"}, "height_u"),
        ("servers.csv", "dell-xe7740", {"form": "desk"}, "form"),
        ("servers.csv", "dell-xe7740", {"sources": "dell-e118s;nobody"}, "nobody"),
        ("servers.csv", "dell-xe7740", {"supply_low_line_w": "3300"}, "supply_low_line_w"),
        ("servers.csv", "dell-xe7740", {"cards_at_450w": "2"}, "cards_at_600w"),
        ("servers.csv", "dell-xe7740", {"inlet_max_c": "95"}, "inlet_max_c"),
        ("servers.csv", "dell-xe7740", {"id": "dell-xe7745"}, "dell-xe7745"),
        ("servers.csv", "dell-xe7740", {"sources": ""}, "sources"),
        ("processors.csv", "epyc-9355", {"tdp_w": "280 W"}, "tdp_w"),
        ("processors.csv", "epyc-9355", {"source": ""}, "source"),
        ("processors.csv", "epyc-9355", {"cores": "32.5"}, "cores"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(
    copied: Path, file: str, id: str, cells: dict[str, str], reason: str
) -> None:
    edit_row(copied / file, id, cells)
    read = servers.read if file == "servers.csv" else processors.read
    with pytest.raises(SizingError) as caught:
        read(Catalogue(copied))
    assert file in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("power.toml", "[[0.1, 0.90], [0.2, 0.94]", "[[0.2, 0.94], [0.1, 0.90]", "points"),
        ("power.toml", 'value = 1.54\nunit = "-"', 'value = 0.54\nunit = "-"', "pue"),
        ("power.toml", 'unit = "EUR/kWh"', 'unit = "EUR/MWh"', "price_eur_per_kwh"),
        ("power.toml", 'source = "uptime-pue-2025"\n', "", "source"),
        ("power.toml", "[bank_share]", "[bank_sharing]", "bank_sharing"),
        ("power.toml", "value = 640", "value = 140", "peak_w"),
        ("host.toml", 'unit = "GHz"', 'unit = "MHz"', "base_ghz_min"),
        ("host.toml", "gb = 48", "gb = 32", "32"),
    ],
)
def test_bad_facts_are_refused_with_their_place(copied: Path, file: str, old: str, new: str, reason: str) -> None:
    text = (copied / file).read_text(encoding="utf-8")
    assert old in text
    (copied / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SizingError) as caught:
        (site_facts.read_power if file == "power.toml" else site_facts.read_host)(Catalogue(copied))
    assert file in str(caught.value)
    assert reason in str(caught.value)
