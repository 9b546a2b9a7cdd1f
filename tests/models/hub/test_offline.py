"""What is kept on this machine is used when the Hub cannot be asked, and it is said."""

import shutil

import pytest
from huggingface_hub import constants, hf_hub_download

from sizing.base.errors import SizingError
from tests.models.hub.conftest import plain_repo
from tests.models.hub.server import Repo, weights


def test_an_earlier_answer_serves_offline(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    fresh = ask("acme/small")
    hub.seen.clear()
    kept = ask("acme/small", offline=True)
    assert hub.seen == []
    assert kept.from_cache
    assert [note.key for note in kept.notes] == ["hub.note.kept"]
    for name in ("id", "commit", "config", "weight_bytes", "counted", "left_out", "dtypes", "read_on", "other_bytes"):
        assert getattr(kept, name) == getattr(fresh, name)


def test_the_machines_own_switch_is_followed(hub, ask, monkeypatch):
    hub.repos["acme/small"] = plain_repo()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(SizingError) as caught:
        ask("acme/small")
    assert caught.value.key == "hub_offline"
    assert hub.seen == []


def test_an_earlier_answer_serves_when_the_hub_is_down(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    ask("acme/small")
    hub.close()
    assert ask("acme/small", tries=1).from_cache


def test_a_refusal_is_not_covered_by_an_earlier_answer(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    ask("acme/small")
    del hub.repos["acme/small"]
    with pytest.raises(SizingError) as caught:
        ask("acme/small")
    assert caught.value.key == "hub_missing_or_private"


def test_nothing_kept(ask):
    with pytest.raises(SizingError) as caught:
        ask("acme/small", offline=True)
    assert caught.value.key == "hub_offline"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 99}', '{"format": 1, "files": 3}'])
def test_a_damaged_store_is_as_none(hub, ask, tmp_path, text):
    hub.repos["acme/small"] = plain_repo()
    ask("acme/small")
    for path in (tmp_path / "store").iterdir():
        path.write_text(text)
    with pytest.raises(SizingError) as caught:
        ask("acme/small", offline=True)
    assert caught.value.key == "hub_offline"


def test_a_store_that_cannot_be_written_costs_nothing(hub, ask, tmp_path):
    hub.repos["acme/small"] = plain_repo()
    (tmp_path / "store").write_text("a file where the folder should be")
    assert ask("acme/small").weight_bytes > 0


def _download(hub, tmp_path, *paths):
    for path in paths:
        hf_hub_download("acme/small", path, cache_dir=tmp_path / "hub", endpoint=hub.endpoint, token=False)


def _stored_repo():
    """Small enough to download for real."""
    tensors = weights(("a", "BF16", [10, 5], 100), ("b", "F32", [5], 20))
    return plain_repo(**{"model.safetensors": tensors.start + bytes(120)})


def test_what_other_programs_downloaded_serves_offline(hub, ask, tmp_path):
    hub.repos["acme/small"] = _stored_repo()
    fresh = ask("acme/small")
    shutil.rmtree(tmp_path / "store")
    _download(hub, tmp_path, "config.json", "model.safetensors")
    with pytest.raises(SizingError):  # without an account: perhaps it was downloaded with one
        ask("acme/small", offline=True)
    found = ask("acme/small", offline=True, token=None)
    assert (found.weight_bytes, found.commit, found.dtypes) == (fresh.weight_bytes, fresh.commit, fresh.dtypes)
    assert found.from_cache


def test_a_half_downloaded_model_is_said(hub, ask, tmp_path):
    hub.repos["acme/small"] = _stored_repo()
    _download(hub, tmp_path, "config.json")
    with pytest.raises(SizingError) as caught:
        ask("acme/small", offline=True, token=None)
    assert caught.value.key == "hub_offline_incomplete"


def test_offline_gguf_can_still_be_chosen(hub, ask):
    files = plain_repo().files
    del files["model.safetensors"]
    hub.repos["acme/gguf"] = Repo({**files, "m-Q4_K_M.gguf": b"x" * 10, "m-Q8_0.gguf": b"x" * 20})
    ask("acme/gguf", quantisation="Q4_K_M")
    assert ask("acme/gguf", quantisation="Q8_0", offline=True).weight_bytes == 20
