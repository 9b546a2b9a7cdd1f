"""A model brought along: as text, from the Hub, or changed from the catalogue."""

from __future__ import annotations

import dataclasses
import json
import shutil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sizing
from sizing import catalogue
from sizing.base.errors import SizingError
from sizing.base.files import data_dir
from sizing.catalogue import Catalogue
from sizing.models import bring
from sizing.models.hub.model import DtypeTotal, HubModel, RepoFile
from tests.memory.config.conftest import CASES, config, rows, whole

EXPECTED = {row["hf_id"]: row for row in rows("expected.csv")}
LLAMA = config("meta-llama/Meta-Llama-3.1-8B")
READ = ["meta-llama/Meta-Llama-3.1-8B", "google/gemma-3-27b-it", "Qwen/Qwen3.8-27B", "zai-org/GLM-5.1"]


def text(**changed: Any) -> str:
    return json.dumps({**LLAMA, **changed})


@pytest.mark.parametrize("hf_id", READ)
def test_a_pasted_config_gives_the_published_cache(hf_id: str) -> None:
    found = bring.from_text(json.dumps(config(hf_id)), weights="55")
    total = int(EXPECTED[hf_id]["total_bytes_at_32768_tokens"])
    assert found.checkpoint.architecture.kv_bytes(32_768) == pytest.approx(total, rel=1e-3)


def test_conversations_by_hand() -> None:
    # Four cards by the planning rule: 4 x 83.04 = 332.16 GiB. 16 GB of weights are 14.9012 GiB; 32 layers x 8 heads x
    # (128 + 128) x 2 B = 131,072 B a token, 1 GiB a conversation of 8,192 tokens. One copy over all four cards:
    # a card has 83.04 - 3.7253 = 79.3147 GiB for a quarter GiB each: 317.
    found = bring.from_text(text(), weights="16")
    scenario = sizing.Scenario(cards=4, context_tokens=8192, kv_dtype="bf16")
    assert sizing.size(scenario, checkpoint=found.checkpoint).layout(copies=1, tp=4).conversations == 317


@pytest.mark.parametrize(
    ("typed", "unit", "size"),
    [
        ("72.7", "gb", 72_700_000_000),
        ("67.7", "gib", 72_692_321_485),  # 67.7 x 1,073,741,824
        ("72,700,000,000", "bytes", 72_700_000_000),
        (" 72.7 ", "gb", 72_700_000_000),
    ],
)
def test_the_size_of_the_weights_in_its_unit(typed: str, unit: str, size: int) -> None:
    figure = bring.from_text(text(), weights=typed, unit=unit).checkpoint.weight_bytes
    assert figure is not None
    assert figure.value == size


def test_without_a_size_the_estimate_stands_in_and_is_marked() -> None:
    found = bring.from_text(text())
    sized = sizing.size(sizing.Scenario(kv_dtype="bf16"), checkpoint=found.checkpoint)
    assert sized.weights_estimated
    # The published files have 16,060,522,496 bytes.
    assert sized.weights_gib == pytest.approx(16_060_522_496 / 2**30, rel=0.02)
    assert "weights_estimated" in {note.key for note in sized.notes}


@pytest.mark.parametrize(
    ("given_text", "key", "at"),
    [
        ("", "bring_nothing", "config.json"),
        ("  \n ", "bring_nothing", "config.json"),
        ("{", "hub_json_broken", "config.json"),
        ('{"hidden_size": 4096,}', "hub_json_broken", "config.json"),
        ("[1, 2]", "hub_json_not_object", "config.json"),
        ('{"rope_theta": NaN}', "hub_json_word", "config.json"),
        ("[" * 50_000, "hub_json_unreasonable", "config.json"),
        ("<script>alert(1)</script>", "hub_json_broken", "config.json"),
        ("x" * 2_000_001, "bring_too_long", "config.json"),
        ("ü" * 1_500_000, "bring_too_long", "config.json"),  # two bytes each
    ],
)
def test_a_text_that_is_no_config_is_refused(given_text: str, key: str, at: str) -> None:
    with pytest.raises(SizingError) as refused:
        bring.from_text(given_text)
    assert (refused.value.key, refused.value.input) == (key, at)


def test_a_config_that_cannot_be_read_names_the_key() -> None:
    with pytest.raises(SizingError, match="num_key_value_heads"):
        bring.from_text(text(num_key_value_heads="eight"))


def test_the_bare_word_infinity_of_real_files_is_read() -> None:
    found = bring.from_text(text().replace('"vocab_size"', '"time_step_limit": [0.0, Infinity], "vocab_size"'))
    assert found.checkpoint.config["time_step_limit"] == [0.0, float("inf")]


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"weights": "heavy"}, "bring_weights_unreadable"),
        ({"weights": "0"}, "bring_weights_out_of_range"),
        ({"weights": "-5"}, "bring_weights_out_of_range"),
        ({"weights": "72700000000"}, "bring_weights_out_of_range"),  # bytes typed as GB
        ({"weights": "7", "unit": "stone"}, "bring_unit_unknown"),
        ({"name": "x" * 101}, "bring_name_long"),
        ({"hf_quant_config": "{"}, "hub_json_broken"),
    ],
)
def test_what_goes_with_the_text_is_checked(more: dict[str, str], key: str) -> None:
    with pytest.raises(SizingError) as refused:
        bring.from_text(text(), **more)  # type: ignore[arg-type]
    assert refused.value.key == key


def test_a_model_without_feed_forward_width_asks_for_the_size_of_its_weights() -> None:
    without = {key: value for key, value in LLAMA.items() if key != "intermediate_size"}
    with pytest.raises(SizingError, match="bytes of its safetensors files"):
        bring.from_text(json.dumps(without))
    assert bring.from_text(json.dumps(without), weights="16").checkpoint.architecture.layers


@settings(max_examples=150, deadline=500)
@given(st.one_of(st.text(max_size=300), st.dictionaries(st.text(max_size=12), st.integers() | st.text(max_size=8))))
def test_any_text_ends_in_a_model_or_a_sentence(anything: Any) -> None:
    try:
        found = bring.from_text(anything if isinstance(anything, str) else json.dumps(anything), weights="1")
        ending: object = found.checkpoint.architecture.layers
    except SizingError as error:
        ending = error.what() and error.fix()
    assert ending


# Changing an entry of the catalogue


def test_an_entry_comes_back_as_texts_and_reads_the_same() -> None:
    entry = catalogue.checkpoint("openai/gpt-oss-120b")
    texts = bring.texts("openai/gpt-oss-120b")
    found = bring.from_text(
        texts.config, texts.hf_quant_config, weights=texts.weights, unit=texts.unit, name=texts.name
    ).checkpoint
    assert found.architecture == entry.architecture
    assert entry.weight_bytes is not None
    assert found.weight_bytes is not None
    assert found.weight_bytes.value == entry.weight_bytes.value


def test_every_entry_that_can_be_sized_can_be_changed() -> None:
    for id in catalogue.checkpoint_ids():
        entry = catalogue.checkpoint(id)
        texts = bring.texts(id)
        try:
            wanted = entry.architecture
        except SizingError:
            continue
        found = bring.from_text(texts.config, texts.hf_quant_config, weights=texts.weights or "1", unit=texts.unit)
        assert found.checkpoint.architecture == wanted, id


# The row to paste


def _paste(row: bring.CatalogueRow, tmp_path: Any) -> Catalogue:
    root = tmp_path / "data"
    shutil.copytree(data_dir(), root)
    (root / row.path).write_text(row.checkpoint, encoding="utf-8")
    with (root / "sources.toml").open("a", encoding="utf-8") as file:
        file.write("\n" + row.source)
    return Catalogue(root)


def test_the_row_of_a_pasted_model_loads_and_sizes_the_same(tmp_path: Any) -> None:
    found = bring.from_text(text(), weights="16.06", name="acme/Morning-8B")
    row = bring.row(found)
    assert row.path == "checkpoints/acme--Morning-8B.toml"
    catalogue = _paste(row, tmp_path)
    entry = catalogue.checkpoint("acme/Morning-8B")
    assert entry.architecture == found.checkpoint.architecture
    assert entry.weight_bytes is not None
    assert entry.weight_bytes.value == 16_060_000_000
    source = catalogue.source(entry.config_source.source)
    assert "as pasted" in source.title
    assert source.read_on == found.checkpoint.read_on


def test_an_estimate_does_not_become_a_fact_of_the_catalogue(tmp_path: Any) -> None:
    row = bring.row(bring.from_text(text(), name="acme/Morning-8B"))
    assert "weight_bytes" not in row.checkpoint
    assert _paste(row, tmp_path).checkpoint("acme/Morning-8B").weight_bytes is None


@pytest.mark.parametrize("name", ["", "morning", "a b/c", "../../etc/passwd", "acme/x/y"])
def test_no_row_without_a_hub_id(name: str) -> None:
    with pytest.raises(SizingError) as refused:
        bring.row(bring.from_text(text(), name=name))
    assert refused.value.key == "bring_row_needs_id"


@pytest.mark.parametrize("hf_id", sorted(CASES))
def test_every_model_has_a_row_that_loses_nothing(hf_id: str, tmp_path: Any) -> None:
    """The whole file where the collection is at hand, else the keys that decide."""
    files = whole(hf_id) or (CASES[hf_id]["config"], CASES[hf_id].get("hf_quant_config"))
    texts = [json.dumps(file) if file is not None else "" for file in files]
    try:
        found = bring.from_text(*texts, weights="55", name="acme/m")
    except SizingError:
        pytest.skip("a file that is not whole, see the tests of the reader")
    assert "[config]" in bring.row(found).checkpoint


# From the Hub


def _looked_up(**changed: Any) -> HubModel:
    model = HubModel(
        id="acme/Morning-8B",
        revision="main",
        commit="0123456789abcdef",
        config=LLAMA,
        config_id="acme/Morning-8B",
        hf_quant_config=None,
        weight_bytes=16_060_522_496,
        container="safetensors",
        counted=(RepoFile("model.safetensors", 16_060_522_496),),
        left_out=(),
        other_files=3,
        other_bytes=9_000_000,
        dtypes=(DtypeTotal("BF16", 291, 8_030_261_248, 16_060_522_496),),
        quantisations=(),
        notes=(),
        read_on="2026-11-30",
    )
    return dataclasses.replace(model, **changed)


def test_a_look_up_is_sized_with_the_bytes_of_its_files() -> None:
    found = bring.from_hub(_looked_up())
    sized = sizing.size(sizing.Scenario(kv_dtype="bf16"), checkpoint=found.checkpoint)
    assert not sized.weights_estimated
    assert sized.weights_gib == pytest.approx(16_060_522_496 / 2**30)
    assert "0123456789abcdef" in bring.row(found).source


def test_a_look_up_whose_config_cannot_be_read_is_refused() -> None:
    with pytest.raises(SizingError, match="num_hidden_layers"):
        bring.from_hub(_looked_up(config={**LLAMA, "num_hidden_layers": -1}))
