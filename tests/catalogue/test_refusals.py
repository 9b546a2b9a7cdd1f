"""What the loader refuses: one case a kind of fault, each with its file, its place and its reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sizing.base import texts
from sizing.base.errors import SizingError
from sizing.catalogue import Catalogue
from tests.catalogue import broken

CARD = "cards/good.toml"
CHECKPOINT = "checkpoints/org--good.toml"
CIRCUITS = "circuits.csv"
SOURCES = "sources.toml"
KEYS = "config_keys.toml"
MEMORY = 'memory_gb = { value = 96, unit = "GB", source = "paper" }'

# file, what stands there, what is written instead, reason (key of the text), place that the error names
CASES = [
    # a name that does not exist
    (CARD, "slots = 2", "slotz = 2", "data_misspelt_key", f"{CARD}: slotz"),
    (CARD, "slots = 2", 'colour = "green"', "data_unknown_key", f"{CARD}: colour"),
    (CARD, MEMORY, MEMORY.replace(" }", ", colour = 1 }"), "data_unknown_key", f"{CARD}: memory_gb.colour"),
    (CHECKPOINT, "num_hidden_layers = 2", "num_hidden_layer = 2", "data_misspelt_key", "config.num_hidden_layer"),
    (CHECKPOINT, "num_hidden_layers = 2", "rope_theta = 2", "data_unknown_config_key", "config.rope_theta"),
    (CHECKPOINT, '["head_dim"]', '["head_dims"]', "data_misspelt_key", "config_null[0]"),
    (CHECKPOINT, '["head_dim"]', '["rope_theta"]', "data_unknown_config_key", "config_null[0]"),
    (CHECKPOINT, '["head_dim"]', '["layer_types.head_dim"]', "data_no_such_table", "config_null[0]"),
    (CHECKPOINT, '["head_dim"]', '["num_hidden_layers"]', "data_duplicate", "config_null[0]"),
    (CHECKPOINT, '["head_dim"]', '["head_dim", "head_dim"]', "data_duplicate", "config_null[1]"),
    (CIRCUITS, "region,volts", "region,volt", "data_misspelt_key", f"{CIRCUITS}: line 1.volt"),
    (SOURCES, "licence", "license", "data_misspelt_key", f"{SOURCES}: paper.license"),
    (KEYS, "about", "abouts", "data_misspelt_key", f"{KEYS}: all.abouts"),
    # a figure without source, or anything else that must be there
    (CARD, MEMORY, 'memory_gb = { value = 96, unit = "GB" }', "data_missing_key", f"{CARD}: memory_gb"),
    (CARD, MEMORY, 'memory_gb = { value = 96, source = "paper" }', "data_missing_key", f"{CARD}: memory_gb"),
    (CARD, MEMORY, "", "data_missing_key", CARD),
    (CIRCUITS, "connector_de,source", "connector_de,note", "data_missing_key", f"{CIRCUITS}: line 1"),
    (CIRCUITS, "Schuko,paper", "Schuko,", "data_missing_key", f"{CIRCUITS}: line 2"),
    (SOURCES, 'read_on = "2026-11-30"', "", "data_missing_key", f"{SOURCES}: paper"),
    # a sentence in one language only
    (CARD, ', reason_de = "Einer anderen."', "", "data_missing_key", "others[0]"),
    (CARD, 'reason = "Of another card.", ', "", "data_missing_key", "others[0]"),
    (CARD, "supported = true", 'supported = true, note = "Listed."', "data_missing_key", f"{CARD}: vgpu"),
    (CARD, "supported = true", 'supported = true, note_de = "Gelistet."', "data_missing_key", f"{CARD}: vgpu"),
    (CARD, '"Einer anderen."', '""', "data_blank_text", "others[0].reason_de"),
    (CARD, "reason_de", "reason_fr", "data_misspelt_key", "others[0].reason_fr"),
    (CIRCUITS, "16 A einphasig", "", "data_missing_key", f"{CIRCUITS}: line 2"),
    # a source that nobody described
    (CARD, MEMORY, MEMORY.replace("paper", "hearsay"), "data_unknown_source", f"{CARD}: memory_gb.source"),
    (CIRCUITS, "Schuko,paper", "Schuko,hearsay", "data_unknown_source", f"{CIRCUITS}: line 2.source"),
    # a wrong unit
    (CARD, MEMORY, MEMORY.replace('"GB"', '"GiB"'), "data_not_a_choice", f"{CARD}: memory_gb.unit"),
    (CARD, 'value = 1792, unit = "GB/s"', 'value = 1.792, unit = "TB/s"', "data_not_a_choice", "others[0].unit"),
    # a word that is none of those allowed
    (CARD, '"passive"', '"cold"', "data_not_a_choice", f"{CARD}: cooling"),
    (CHECKPOINT, 'completeness = "yes"', 'completeness = "maybe"', "data_not_a_choice", "config_source.completeness"),
    (CIRCUITS, "EU,230,1,", "EU,230,2,", "data_not_a_choice", f"{CIRCUITS}: line 2.phases"),
    # an impossible value
    (CARD, MEMORY, MEMORY.replace("96", "-96"), "data_out_of_range", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, MEMORY.replace("96", "0"), "data_out_of_range", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, MEMORY.replace("96", "1e18"), "data_out_of_range", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, MEMORY.replace("96", "nan"), "data_wrong_type", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, MEMORY.replace("96", "inf"), "data_wrong_type", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, MEMORY.replace("96", "true"), "data_wrong_type", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, MEMORY.replace("96", '"96"'), "data_wrong_type", f"{CARD}: memory_gb.value"),
    (CARD, MEMORY, "memory_gb = 96", "data_wrong_type", f"{CARD}: memory_gb"),
    (CARD, "value = 97887", "value = 97887.5", "data_wrong_type", f"{CARD}: memory_mib.value"),
    (CARD, "slots = 2", "slots = 2.5", "data_wrong_type", f"{CARD}: slots"),
    (CARD, "slots = 2", "slots = 9", "data_out_of_range", f"{CARD}: slots"),
    (CARD, "supported = true", "supported = 1", "data_wrong_type", f"{CARD}: vgpu.supported"),
    (CARD, 'name = "Good card"', "name = 6000", "data_wrong_type", f"{CARD}: name"),
    (CARD, "count = 4", "count = 0", "data_out_of_range", f"{CARD}: mig[0].count"),
    (CARD, "airflow = [", "airflow = 43 # [", "data_wrong_type", f"{CARD}: airflow"),
    (CHECKPOINT, "num_hidden_layers = 2", "num_hidden_layers = nan", "data_wrong_type", "config.num_hidden_layers"),
    (CHECKPOINT, "num_hidden_layers = 2", "head_dim = 2026-11-30", "data_wrong_type", "config.head_dim"),
    (CHECKPOINT, "[config]", "[[config]]", "data_wrong_type", f"{CHECKPOINT}: config"),
    (CIRCUITS, "EU,230", "EU,abc", "data_wrong_type", f"{CIRCUITS}: line 2.volts"),
    (CIRCUITS, "EU,230", "EU,nan", "data_wrong_type", f"{CIRCUITS}: line 2.volts"),
    (CIRCUITS, "EU,230", "EU,-230", "data_out_of_range", f"{CIRCUITS}: line 2.volts"),
    # a minimum above its maximum
    (CARD, "power_min_w = { value = 300", "power_min_w = { value = 501", "data_wrong_order", CARD),
    (CARD, "power_max_w = { value = 600", "power_max_w = { value = 499", "data_wrong_order", CARD),
    (CHECKPOINT, "params_active = { value = 8", "params_active = { value = 9", "data_wrong_order", CHECKPOINT),
    # too few entries
    (CARD, ', { inlet_c = 45, cfm = 125, source = "paper" }', "", "data_wrong_length", f"{CARD}: airflow"),
    (CARD, '[{ value = 600, unit = "W", source = "paper" }]', "[]", "data_wrong_length", f"{CARD}: power_modes_w"),
    # a text that says nothing, or is not in the form it must have
    (CARD, 'name = "Good card"', 'name = ""', "data_blank_text", f"{CARD}: name"),
    (CARD, 'name = "Good card"', 'name = " Good card"', "data_blank_text", f"{CARD}: name"),
    (CARD, '"1g.24gb"', '"a quarter"', "data_wrong_form", f"{CARD}: mig[0].name"),
    (CARD, 'read_on = "2026-11-30"', 'read_on = "2026-11-31"', "data_wrong_form", f"{CARD}: read_on"),
    (CARD, 'read_on = "2026-11-30"', 'read_on = "November"', "data_wrong_form", f"{CARD}: read_on"),
    (SOURCES, 'licence = "unknown"', 'licence = "unknown"\nurl = "here"', "data_wrong_form", "paper.url"),
    # twice the same
    (CARD, "slots = 2", "slots = 2\nslots = 3", "data_unreadable", CARD),
    (CARD, '"2g.48gb"', '"1g.24gb"', "data_duplicate", f"{CARD}: mig[1]"),
    (CARD, "inlet_c = 45", "inlet_c = 25", "data_duplicate", f"{CARD}: airflow[1]"),
    (CIRCUITS, "eu-3ph-16a", "eu-1ph-16a", "data_duplicate", f"{CIRCUITS}: line 3"),
    (CIRCUITS, "id,name", "name,name", "data_duplicate", f"{CIRCUITS}: line 1"),
    (SOURCES, "[paper]", '[paper]\ntitle = "Another"\n[paper]', "data_unreadable", SOURCES),
    # a file that does not hold what its name says
    (CARD, 'id = "good"', 'id = "better"', "data_wrong_id", f"{CARD}: id"),
    (CHECKPOINT, 'id = "org/good"', 'id = "org/better"', "data_wrong_id", f"{CHECKPOINT}: id"),
    # a file that is no TOML, a row that is no row
    (CARD, "slots = 2", "slots 2", "data_unreadable", CARD),
    (CIRCUITS, "Schuko,paper", '"Schuko"x,paper', "data_unreadable", CIRCUITS),
    (CIRCUITS, "Schuko,paper", "Schuko,red,paper", "data_ragged_row", f"{CIRCUITS}: line 2"),
]

READ: dict[str, Callable[[Catalogue], object]] = {
    CARD: lambda catalogue: catalogue.card("good"),
    CHECKPOINT: lambda catalogue: catalogue.checkpoint("org/good"),
    CIRCUITS: lambda catalogue: catalogue.circuit_ids(),
    SOURCES: lambda catalogue: catalogue.source("paper"),
    KEYS: lambda catalogue: catalogue.checkpoint("org/good"),
}


@pytest.mark.parametrize("file", READ)
def test_the_unbroken_folder_is_read(file: str, tmp_path: Path) -> None:
    assert READ[file](Catalogue(broken.write(tmp_path)))


@pytest.mark.parametrize(("file", "old", "new", "key", "place"), CASES, ids=lambda part: str(part)[:40])
def test_a_fault_is_refused(file: str, old: str, new: str, key: str, place: str, tmp_path: Path) -> None:
    catalogue = Catalogue(broken.write(tmp_path, broken.change(file, old, new)))
    with pytest.raises(SizingError) as caught:
        READ[file](catalogue)
    assert caught.value.key == key
    assert file in caught.value.input
    assert place in caught.value.input
    assert caught.value.input in str(caught.value)
    assert caught.value.fix()


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    root = broken.write(tmp_path)
    (root / CARD).write_bytes("id = 'gr\u00fcn'".encode("latin-1"))
    with pytest.raises(SizingError, match=r"cards/good\.toml cannot be read"):
        Catalogue(root).card("good")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    root = broken.write(tmp_path)
    (root / SOURCES).unlink()
    with pytest.raises(SizingError, match=r"sources\.toml cannot be read"):
        Catalogue(root).card("good")


def test_every_reason_has_a_case() -> None:
    """Each sentence about a broken file is reached by a case above."""
    sentences = {key.split(".")[1] for key in texts.catalogue("en") if key.startswith("error.data_")}
    assert sentences == {case[3] for case in CASES}


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        ("card", "god", "good"),
        ("card", "GOOD", "good"),
        ("card", 4, "good"),
        ("checkpoint", "org/god", "org/good"),
        ("checkpoint", "org--good", "org/good"),
        ("circuit", "eu-1ph-61a", "eu-1ph-16a"),
        ("source", "papers", "paper"),
    ],
)
def test_an_unknown_name_is_told_its_neighbours(kind: str, wrong: object, right: str, tmp_path: Path) -> None:
    catalogue = Catalogue(broken.write(tmp_path))
    with pytest.raises(SizingError) as caught:
        getattr(catalogue, kind)(wrong)
    assert caught.value.key == f"{kind}_unknown"
    assert caught.value.input == kind
    assert right in caught.value.fix()
    assert repr(wrong) in caught.value.what()
