"""A look-up as an entry of the catalogue: pasted, it loads, and says the same."""

import json
import math
import shutil

import pytest

from sizing.base.errors import SizingError
from sizing.base.files import data_dir
from sizing.catalogue import Catalogue
from sizing.catalogue.loader import default
from sizing.models.hub.model import catalogue_row, weight_format
from tests.models.hub.conftest import config_json, plain_repo
from tests.models.hub.server import weights


def _paste(row, tmp_path):
    """The catalogue with the row in it."""
    root = tmp_path / "data"
    shutil.copytree(data_dir(), root, dirs_exist_ok=True)
    (root / row.path).write_text(row.checkpoint, encoding="utf-8")
    with (root / "sources.toml").open("a", encoding="utf-8") as file:
        file.write("\n" + row.source)
    return Catalogue(root)


def _large_enough(**files):
    """The catalogue takes weights from 10 MB on."""
    return plain_repo(**{"model.safetensors": weights(("w", "BF16", [5000, 2000], 20_000_000)), **files})


def test_the_row_loads_and_agrees(hub, ask, tmp_path):
    config = config_json(
        rope_scaling={"rope_type": "llama3", "factor": 8.0},
        eos_token_id=[1, 2],
        quantization_config=None,
        bos_token_id=1,
    )
    hub.repos["acme/New.Model-7B"] = _large_enough(**{"config.json": config})
    model = ask("acme/New.Model-7B")
    row = catalogue_row(model)
    assert row.path == "checkpoints/acme--New.Model-7B.toml"
    entry = _paste(row, tmp_path).checkpoint("acme/New.Model-7B")
    assert entry.weight_bytes.value == model.weight_bytes
    assert entry.params_total.value == 10_000_000
    assert entry.weight_format == "bf16"
    assert (entry.revision, entry.read_on, entry.config_source.completeness) == (model.commit, model.read_on, "yes")
    assert (
        entry.architecture.kv_bytes(8192)
        == model.architecture.kv_bytes(8192)
        == model.checkpoint().architecture.kv_bytes(8192)
    )
    assert dict(entry.config)["rope_scaling"] == {"rope_type": "llama3", "factor": 8.0}
    assert "bos_token_id" in row.left_out
    source = _paste(row, tmp_path).source(entry.weight_bytes.source)
    assert model.commit in source.url
    assert source.read_on == model.read_on


def test_nulls_are_listed_and_come_back(hub, ask, tmp_path):
    config = config_json(rope_scaling={"factor": 8.0, "original_max_position_embeddings": None}, sliding_window=None)
    hub.repos["acme/odd"] = _large_enough(**{"config.json": config})
    row = catalogue_row(ask("acme/odd"))
    assert row.left_out == ()
    entry = _paste(row, tmp_path).checkpoint("acme/odd")
    assert entry.config["sliding_window"] is None
    assert entry.config["rope_scaling"] == {"factor": 8.0, "original_max_position_embeddings": None}


def test_values_that_toml_cannot_hold_are_left_out_and_named(hub, ask, tmp_path):
    config = config_json(rope_scaling={"factor": 8.0}, layer_types=[None, "full_attention"])
    config = config.replace(b'"factor"', b'"type": Infinity, "factor"').replace(b'"layer_types"', b'"gating"')
    hub.repos["acme/odd"] = _large_enough(**{"config.json": config})
    model = ask("acme/odd")
    assert math.isinf(model.config["rope_scaling"]["type"])
    row = catalogue_row(model)
    assert set(row.left_out) == {"rope_scaling.type", "gating"}
    assert _paste(row, tmp_path).checkpoint("acme/odd").config["rope_scaling"] == {"factor": 8.0}


def test_a_row_that_would_lose_the_architecture_is_refused(hub, ask, monkeypatch):
    hub.repos["acme/x"] = _large_enough(**{"config.json": config_json(num_key_value_heads=4)})
    model = ask("acme/x")
    known = default().config_keys - {"num_key_value_heads"}  # as if the catalogue had never heard of it
    monkeypatch.setitem(vars(default()), "config_keys", known)
    with pytest.raises(SizingError) as caught:
        catalogue_row(model)
    assert caught.value.key == "hub_row_incomplete"
    assert "num_key_value_heads" in str(caught.value)


def test_hostile_text_stays_text(hub, ask, tmp_path):
    evil = 'x"\n[weight_bytes]\nvalue = 1 # \\ \x7f \u2028 \ud800'
    hub.repos["acme/evil"] = _large_enough(**{"config.json": config_json(model_type=evil)})
    entry = _paste(catalogue_row(ask("acme/evil")), tmp_path).checkpoint("acme/evil")
    assert entry.weight_bytes.value > 20_000_000
    assert entry.config["model_type"].startswith('x"\n[weight_bytes]')


@pytest.mark.parametrize(
    ("config", "quant", "dtype", "wanted"),
    [
        ({}, None, "BF16", "bf16"),
        ({}, None, "F16", "fp16"),
        ({}, None, "F32", "fp32"),
        ({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}, None, "F8_E4M3", "fp8"),
        ({"quantization_config": {"quant_method": "mxfp4"}}, None, "U8", "mxfp4"),
        ({}, {"quantization": {"quant_algo": "NVFP4"}}, "U8", "nvfp4"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4}}, None, "I32", "int4"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 8}}, None, "I32", ""),
        ({}, None, "U8", ""),
    ],
)
def test_weight_format(hub, ask, config, quant, dtype, wanted):
    files = {
        "config.json": config_json(**config),
        "model.safetensors": weights(("w", dtype, [10, 10], 400)),
        **({"hf_quant_config.json": json.dumps(quant).encode()} if quant else {}),
    }
    hub.repos["acme/x"] = plain_repo(**files)
    assert weight_format(ask("acme/x")) == wanted
