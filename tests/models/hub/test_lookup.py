"""Look-ups that succeed: what is counted, what is left out, and that no weights are downloaded."""

import json

import pytest

from sizing.base.errors import SizingError
from tests.models.hub.conftest import config_json, plain_repo
from tests.models.hub.server import COMMIT, Repo, weights


def _keys(model):
    return [note.key.removeprefix("hub.note.") for note in model.notes]


def test_a_plain_model(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    model = ask("acme/small")
    assert (model.id, model.revision, model.commit) == ("acme/small", "main", COMMIT)
    # 2 tensors x 1,000 x 500 elements x 2 B, and the header in front of them
    assert model.weight_bytes == len(hub.repos["acme/small"].files["model.safetensors"])
    assert model.weight_bytes - 2_000_000 < 300
    assert [(t.dtype, t.tensors, t.elements, t.size_bytes) for t in model.dtypes] == [("BF16", 2, 1_000_000, 2_000_000)]
    assert model.parameters == 1_000_000
    assert model.config["num_key_value_heads"] == 8
    # 2 layers x (keys and values) x 8 heads x 128 x 2 B
    assert model.architecture.kv_bytes(1) == 2 * 2 * 8 * 128 * 2
    assert model.notes == ()
    assert (model.other_files, model.left_out, model.from_cache) == (3, (), False)
    assert "acme/small" in model.say_source()
    assert COMMIT[:12] in model.say_source()
    assert model.read_on in model.say_source()


def test_no_weights_are_downloaded_and_the_token_stays_with_the_hub(hub, ask):
    size = 40_000_000_000
    repo = plain_repo(**{"model.safetensors": weights(("w", "BF16", [100, 200_000_000], size))})
    hub.repos["acme/large"] = repo
    hub.tokens = {"hf_secret"}
    assert ask("acme/large", token="hf_secret").weight_bytes > size
    assert hub.bytes_sent < 300_000
    to_cdn = [seen for seen in hub.seen if f"http://{seen.host}" == hub.cdn]
    assert to_cdn
    assert all(seen.authorization is None for seen in to_cdn)
    assert all(seen.range for seen in to_cdn)


def test_a_server_that_ignores_ranges_still_sends_no_weights(hub, ask):
    size = 4_000_000_000
    hub.repos["acme/large"] = plain_repo(**{"model.safetensors": weights(("w", "BF16", [2, 10**9], size))})
    hub.ignore_range = True
    assert ask("acme/large").parameters == 2 * 10**9
    assert hub.bytes_sent < 50_000_000  # what lies in socket buffers when the client hangs up


def test_a_header_longer_than_the_first_read(hub, ask):
    tensors = [(f"layer.{i}.some_long_name_of_a_tensor.weight", "BF16", [10], 20) for i in range(3000)]
    hub.repos["acme/many"] = plain_repo(**{"model.safetensors": weights(*tensors)})
    model = ask("acme/many")
    assert len(hub.repos["acme/many"].files["model.safetensors"].start) > 200_000
    assert (model.dtypes[0].tensors, model.parameters) == (3000, 30_000)


def _sharded(count, **more):
    shards = {
        f"model-{i:05d}-of-{count:05d}.safetensors": weights((f"t{i}", "BF16", [i, 1000], i * 2000))
        for i in range(1, count + 1)
    }
    weight_map = {f"t{i}": f"model-{i:05d}-of-{count:05d}.safetensors" for i in range(1, count + 1)}
    total = sum(i * 2000 for i in range(1, count + 1))
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    return {**shards, "config.json": config_json(), "model.safetensors.index.json": json.dumps(index).encode(), **more}


def test_the_index_decides_before_loose_files(hub, ask):
    extra = {
        "model.safetensors": weights(("all", "F32", [12, 1000], 48_000)),
        "consolidated.safetensors": weights(("all", "BF16", [12, 1000], 24_000)),
        "mtp.safetensors": weights(("x", "BF16", [5], 10)),
        "original/consolidated.00.pth": b"x" * 900,
        "metal/model.bin": b"x" * 700,
        "optimizer.pt": b"x" * 500,
        "checkpoint-500/model.safetensors": b"x" * 400,
        "training_args.bin": b"x" * 300,
        "adapter_model.safetensors": b"x" * 200,
        "onnx/model.onnx": b"x" * 100,
        "flax_model.msgpack": b"x" * 90,
        "small-Q4_K_M.gguf": b"x" * 80,
        "pytorch_model.bin": b"x" * 70,
    }
    hub.repos["acme/many"] = Repo(_sharded(3, **extra))
    model = ask("acme/many")
    assert [file.path for file in model.counted] == [f"model-{i:05d}-of-00003.safetensors" for i in (1, 2, 3)]
    assert model.parameters == (1 + 2 + 3) * 1000
    assert {file.path: file.reason for file in model.left_out} == {
        "model.safetensors": "not_in_index",
        "consolidated.safetensors": "consolidated",
        "mtp.safetensors": "not_in_index",
        "original/consolidated.00.pth": "original",
        "metal/model.bin": "subfolder",
        "optimizer.pt": "training",
        "checkpoint-500/model.safetensors": "training",
        "training_args.bin": "training",
        "adapter_model.safetensors": "adapter",
        "onnx/model.onnx": "subfolder",
        "flax_model.msgpack": "other_format",
        "small-Q4_K_M.gguf": "gguf",
        "pytorch_model.bin": "not_in_index",
    }
    assert all(file.say() for file in model.left_out)
    assert _keys(model) == ["left_out"]


def test_every_weight_file_is_counted_or_left_out_once(hub, ask):
    files = _sharded(2, **{"a.safetensors": weights(("a", "F16", [1], 2)), "sub/b.bin": b"1", "c.gguf": b"2"})
    hub.repos["acme/x"] = Repo(files)
    model = ask("acme/x")
    told = [file.path for file in model.counted] + [file.path for file in model.left_out]
    assert sorted(told) == sorted(p for p in files if p.endswith((".safetensors", ".bin", ".gguf")))
    assert model.other_files == len(files) - len(told)


def test_an_index_with_a_wrong_total_is_said(hub, ask):
    files = _sharded(2)
    index = json.loads(files["model.safetensors.index.json"])
    index["metadata"]["total_size"] *= 60  # seen on the real Hub: 550.7 GB for a 4B model
    files["model.safetensors.index.json"] = json.dumps(index).encode()
    hub.repos["acme/x"] = Repo(files)
    model = ask("acme/x")
    assert _keys(model) == ["index_total"]
    assert model.weight_bytes == sum(len(files[file.path]) for file in model.counted)


def test_a_stale_index_beside_a_whole_file(hub, ask):
    files = _sharded(2, **{"model.safetensors": weights(("all", "BF16", [3, 1000], 6000))})
    del files["model-00002-of-00002.safetensors"]
    del files["model-00001-of-00002.safetensors"]
    hub.repos["acme/x"] = Repo(files)
    model = ask("acme/x")
    assert [file.path for file in model.counted] == ["model.safetensors"]
    assert "stale_index" in _keys(model)


def test_one_safetensors_file_before_an_index_of_pickled_ones(hub, ask):
    index = json.dumps({"weight_map": {"a": "pytorch_model-00001-of-00001.bin"}}).encode()
    old = {"pytorch_model.bin.index.json": index, "pytorch_model-00001-of-00001.bin": b"x" * 900}
    hub.repos["acme/x"] = plain_repo(**old)
    model = ask("acme/x")
    assert (model.container, [file.path for file in model.counted]) == ("safetensors", ["model.safetensors"])
    del hub.repos["acme/x"].files["model.safetensors"]
    assert [file.path for file in ask("acme/x").counted] == ["pytorch_model-00001-of-00001.bin"]


def test_an_index_that_names_nothing_does_not_count_as_no_weights(hub, ask):
    hub.repos["acme/x"] = plain_repo(**{"model.safetensors.index.json": b'{"weight_map": {}}'})
    model = ask("acme/x")
    assert model.parameters == 1_000_000
    assert "stale_index" in _keys(model)


def test_consolidated_files_alone_are_counted(hub, ask):
    parts = {f"consolidated-{i:05d}-of-00002.safetensors": weights(("a", "BF16", [4], 8)) for i in (1, 2)}
    hub.repos["acme/m"] = Repo({"config.json": config_json(), **parts})
    assert len(ask("acme/m").counted) == 2


def test_packed_numbers_are_counted_in_bytes(hub, ask):
    # 4-bit: 1,000 x 500 weights in 1,000 x 250 bytes, with one FP8 scale for 16; and a 16-bit part
    packed = weights(
        ("w", "U8", [1000, 250], 250_000), ("s", "F8_E4M3", [1000, 31], 31_000), ("e", "BF16", [100, 10], 2_000)
    )
    hub.repos["acme/fp4"] = plain_repo(**{"model.safetensors": packed})
    model = ask("acme/fp4")
    assert model.weight_bytes == len(packed)
    assert [(t.dtype, t.size_bytes) for t in model.dtypes] == [("U8", 250_000), ("F8_E4M3", 31_000), ("BF16", 2_000)]
    assert model.parameters is None
    assert model.packed == ("U8",)
    assert _keys(model) == ["packed"]


def test_a_few_whole_numbers_beside_the_weights_are_not_packing(hub, ask):
    file = weights(("w", "BF16", [1000, 500], 1_000_000), ("ids", "I64", [64], 512))
    hub.repos["acme/x"] = plain_repo(**{"model.safetensors": file})
    assert ask("acme/x").parameters == 500_064


def test_pickled_files_are_counted_and_said(hub, ask):
    files = {"config.json": config_json(), "pytorch_model.bin": b"x" * 5000, "rng_state_0.pth": b"x"}
    hub.repos["acme/old"] = Repo(files)
    model = ask("acme/old")
    assert (model.container, model.weight_bytes, model.dtypes, model.parameters) == ("pickle", 5000, (), None)
    assert _keys(model) == ["no_safetensors_pickle", "left_out"]


GGUF = {
    "m-Q4_K_M.gguf": b"x" * 400,
    "m-UD-Q2_K_XL.gguf": b"x" * 200,
    "BF16/m-BF16-00001-of-00002.gguf": b"x" * 900,
    "BF16/m-BF16-00002-of-00002.gguf": b"x" * 700,
    "mmproj-F16.gguf": b"x" * 50,
    "imatrix.gguf": b"x" * 5,
}


def test_gguf_asks_which(hub, ask):
    hub.repos["acme/gguf"] = Repo({"config.json": config_json(), **GGUF})
    with pytest.raises(SizingError) as caught:
        ask("acme/gguf")
    assert caught.value.key == "hub_gguf_choose"
    offered = caught.value.values["offered"]
    assert [(entry.name, entry.size_bytes) for entry in offered] == [
        ("UD-Q2_K_XL", 200),
        ("Q4_K_M", 400),
        ("BF16", 1600),
    ]
    assert "Q4_K_M" in str(caught.value)
    model = ask("acme/gguf", quantisation="bf16")
    assert model.weight_bytes == 1600
    assert model.quantisations == offered
    assert {file.path: file.reason for file in model.left_out} == {
        "m-Q4_K_M.gguf": "quantisation",
        "m-UD-Q2_K_XL.gguf": "quantisation",
        "mmproj-F16.gguf": "projector",
        "imatrix.gguf": "projector",
    }


def test_gguf_without_config_takes_one_from_its_base(hub, ask):
    hub.repos["acme/gguf"] = Repo(GGUF, card={"base_model": ["acme/small"]})
    hub.repos["acme/small"] = plain_repo()
    with pytest.raises(SizingError) as caught:
        ask("acme/gguf", quantisation="Q4_K_M")
    assert (caught.value.key, caught.value.values["base"]) == ("hub_no_config_but_base", "acme/small")
    model = ask("acme/gguf", quantisation="Q4_K_M", config_from="acme/small")
    assert (model.id, model.config_id, model.weight_bytes) == ("acme/gguf", "acme/small", 400)
    assert model.architecture.attention_heads == 32
    assert "config_from" in _keys(model)


def test_a_renamed_model(hub, ask):
    hub.repos["acme/new"] = plain_repo()
    hub.moved["acme/old"] = "acme/new"
    model = ask("acme/old")
    assert model.id == "acme/new"
    assert _keys(model) == ["renamed"]
    assert "acme/old" in model.notes[0].text


@pytest.mark.parametrize(
    "form", ["acme/small", " acme/small ", "https://huggingface.co/acme/small", "https://hf.co/acme/small/"]
)
def test_ways_to_name_a_model(hub, ask, form):
    hub.repos["acme/small"] = plain_repo()
    assert ask(form).id == "acme/small"


def test_a_revision(hub, ask):
    repo = plain_repo()
    repo.branches.add("v1.0")
    hub.repos["acme/small"] = repo
    assert ask("acme/small", revision="v1.0").revision == "v1.0"
    assert ask("acme/small", revision=COMMIT).commit == COMMIT
    assert ask("https://huggingface.co/acme/small/tree/v1.0").revision == "v1.0"


def test_quantisation_and_infinity_in_the_configs(hub, ask):
    config = config_json().decode().replace('"vocab_size"', '"time_step_limit": [0.0, Infinity], "vocab_size"').encode()
    quant = {
        "producer": {"name": "modelopt"},  # without it the engine does not look at the file's wish for the cache
        "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"},
    }
    hub.repos["acme/q"] = plain_repo(**{"config.json": config, "hf_quant_config.json": json.dumps(quant).encode()})
    model = ask("acme/q")
    assert model.config["time_step_limit"] == [0.0, float("inf")]
    assert model.hf_quant_config == quant
    # the checkpoint declares an FP8 cache: half of 2 x 2 x 8 x 128 x 2 B
    assert model.architecture.kv_bytes(1, kv_dtype="auto") == 2 * 2 * 8 * 128


def test_the_token_of_the_usual_place_opens_a_gated_model(hub, ask, monkeypatch):
    repo = plain_repo()
    repo.gated, repo.members = "manual", {"hf_member"}
    hub.repos["acme/gated"] = repo
    hub.tokens = {"hf_member"}
    monkeypatch.setenv("HF_TOKEN", "hf_member")
    assert ask("acme/gated", token=None).weight_bytes > 0


def test_progress_tells_each_step(hub, ask):
    hub.repos["acme/many"] = Repo(_sharded(3))
    told = []
    ask("acme/many", progress=told.append)
    assert [(p.step, p.done, p.total) for p in told] == [
        ("files", 0, 1),
        ("files", 1, 1),
        ("config", 0, 1),
        ("config", 1, 1),
        ("headers", 0, 3),
        ("headers", 1, 3),
        ("headers", 2, 3),
        ("headers", 3, 3),
    ]
    assert all(progress.say() for progress in told)
