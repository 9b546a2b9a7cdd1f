"""One door to a model: wherever it comes from it is sized alike, and what is none ends in a sentence."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

import sizing
from sizing import catalogue
from sizing.models import bring

CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
    "num_hidden_layers": 2, "intermediate_size": 14336, "vocab_size": 32000, "torch_dtype": "bfloat16",
}  # fmt: skip
TOKEN_BYTES = 2 * 8 * 128 * 2 * 2  # K and V, 8 heads of 128, 2 bytes, 2 layers


def test_every_way_in_gives_the_same_cache(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIG), encoding="utf-8")
    ways: list[Any] = [CONFIG, json.dumps(CONFIG), file, str(file), tmp_path, bring.from_text(json.dumps(CONFIG))]
    for way in ways:
        found = sizing.model(way)
        assert found.architecture.kv_bytes(1) == TOKEN_BYTES, way
        assert sizing.model(found) is found
    assert sizing.model(tmp_path).name == tmp_path.name
    assert sizing.model(CONFIG, name="ours").id == "ours"


def test_a_name_of_the_catalogue_is_the_catalogue_s() -> None:
    id = catalogue.checkpoint_ids()[0]
    assert sizing.model(id) is catalogue.checkpoint(id)


def test_a_folder_s_weights_are_its_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    header = json.dumps({"w": {"dtype": "BF16", "shape": [1000, 1000], "data_offsets": [0, 2_000_000]}}).encode()
    whole = struct.pack("<Q", len(header)) + header + bytes(2_000_000)
    (tmp_path / "model.safetensors").write_bytes(whole)
    found = sizing.model(tmp_path)
    assert found.weight_bytes is not None
    assert found.weight_bytes.value == len(whole)
    assert sizing.size(sizing.Scenario(cards=1), checkpoint=found).fits


@pytest.mark.parametrize(
    "bad", [3, None, ["a"], "./nothing", "nothing.json", "a\0b", "a" * 5000, {"a": {1}}, {}, "{", "", Path("/no/such")]
)
def test_what_is_no_model_ends_in_a_sentence(bad: Any) -> None:
    with pytest.raises(sizing.SizingError):
        sizing.model(bad, offline=True)


def test_a_folder_without_a_config_says_so(tmp_path: Path) -> None:
    with pytest.raises(sizing.SizingError, match=r"holds no config\.json"):
        sizing.model(tmp_path)
