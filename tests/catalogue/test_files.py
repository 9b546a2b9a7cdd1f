"""Every file of the data is read by the strict loader; nothing is read before it is asked for."""

from __future__ import annotations

import math
import shutil
import time
from pathlib import Path

import pytest

from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.files import data_dir, find_data
from sizing.catalogue import Catalogue
from tests.catalogue import broken

DATA = data_dir()


@pytest.mark.parametrize("path", sorted((DATA / "cards").iterdir()), ids=lambda path: path.name)
def test_a_card_is_read(path: Path) -> None:
    card = catalogue.card(path.name.removesuffix(".toml"))
    assert path.name == f"{card.id}.toml"


@pytest.mark.parametrize("path", sorted((DATA / "checkpoints").iterdir()), ids=lambda path: path.name)
def test_a_checkpoint_is_read(path: Path) -> None:
    checkpoint = catalogue.checkpoint(path.name.removesuffix(".toml").replace("--", "/", 1))
    assert path.name == f"{checkpoint.id.replace('/', '--')}.toml"


def test_the_circuits_are_read() -> None:
    circuits = [catalogue.circuit(id) for id in catalogue.circuit_ids()]
    european = [(c.phases, c.amps) for c in circuits if c.region == "EU"]
    # EU: 10, 16, 32 A single-phase, 16, 32, 63 A three-phase
    assert {(1, 10), (1, 16), (1, 32), (3, 16), (3, 32), (3, 63)} <= set(european)
    # ten of circuits.csv of 2026-11-30; the 15 A of a desk and the 60 A at 415 V of 2026-12-01
    assert len([c for c in circuits if c.region == "US"]) == 12
    assert [len([c for c in circuits if c.region == region]) for region in ("UK", "CH", "JP")] == [3, 4, 4]


@pytest.mark.parametrize(
    ("id", "kva"),
    # 230 V x A, or the root of 3 x 400 V x A; the planned loads of the documents are 80 % of these
    [
        ("eu-1ph-16a", 3.68),
        # circuits_extra.csv of 2026-12-01
        ("us-120v-1ph-15a", 1.80),
        ("uk-1ph-13a", 2.99),
        ("uk-1ph-32a", 7.36),
        ("ch-1ph-10a", 2.30),
        ("ch-1ph-16a", 3.68),
        ("ch-3ph-10a", 6.93),
        ("ch-3ph-16a", 11.09),
        ("eu-1ph-32a", 7.36),
        ("eu-3ph-16a", 11.09),
        ("eu-3ph-63a", 43.65),
        ("us-208v-3ph-30a", 10.81),
    ],
)
def test_the_rating_of_a_circuit(id: str, kva: float) -> None:
    circuit = catalogue.circuit(id)
    phases = math.sqrt(3) if circuit.phases == 3 else 1
    assert phases * circuit.volts * circuit.amps / 1000 == pytest.approx(kva, abs=0.005)


def test_listing_reads_no_file(tmp_path: Path) -> None:
    """Names come from file names: a broken file is noticed when it is asked for, and harms no other."""
    broken.write(tmp_path, {"cards/bad.toml": "no toml", "checkpoints/org--bad.toml": "no toml"})
    found = Catalogue(tmp_path)
    assert found.card_ids() == ("bad", "good")
    assert found.checkpoint_ids() == ("org/bad", "org/good")
    assert found.card("good").id == "good"
    with pytest.raises(SizingError):
        found.card("bad")


def test_a_file_is_read_once(tmp_path: Path) -> None:
    found = Catalogue(broken.write(tmp_path))
    card, checkpoint = found.card("good"), found.checkpoint("org/good")
    shutil.rmtree(tmp_path)
    assert found.card("good") is card
    assert found.checkpoint("org/good") is checkpoint


def test_a_new_card_and_a_new_checkpoint_are_one_file_each(tmp_path: Path) -> None:
    card = broken.FILES["cards/good.toml"].replace('"good"', '"new"')
    checkpoint = broken.FILES["checkpoints/org--good.toml"].replace('"org/good"', '"org/new--a"')
    broken.write(tmp_path, {"cards/new.toml": card, "checkpoints/org--new--a.toml": checkpoint})
    found = Catalogue(tmp_path)
    assert found.card("new").memory_gb.value == 96
    assert found.checkpoint("org/new--a").name == "Good"


def test_loading_costs_nothing_that_a_user_notices() -> None:
    """Sources, one card, one checkpoint and the circuits: a few milliseconds, here with room for a busy machine."""
    best = math.inf
    for _ in range(3):
        found = Catalogue(DATA)
        start = time.perf_counter()
        found.card("rtx-pro-6000-server")
        found.checkpoint("openai/gpt-oss-120b")
        found.circuit("eu-1ph-16a")
        found.checkpoint_ids()
        best = min(best, time.perf_counter() - start)
    assert best < 0.1


def test_an_installed_package_carries_its_data(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "sizing"
    package.mkdir(parents=True)
    assert find_data(package) == tmp_path / "site-packages" / "data"
    (package / "_data").mkdir()
    assert find_data(package) == package / "_data"
