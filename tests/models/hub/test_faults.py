"""Look-ups that fail: each with its own sentence, no traceback, and never the token."""

import json
import logging
import re
import time
import traceback

import httpx2
import pytest

from sizing.base.errors import SizingError
from sizing.models.hub.lookup import look_up
from tests.models.hub.conftest import config_json, plain_repo
from tests.models.hub.server import Big, Repo, weights


def _fails(call, *args, **kwargs):
    with pytest.raises(SizingError) as caught:
        call(*args, **kwargs)
    assert caught.value.what()
    assert caught.value.fix()
    return caught.value


def test_missing_model(hub, ask):
    assert _fails(ask, "acme/none").key == "hub_missing_or_private"
    hub.tokens = {"hf_good"}
    assert _fails(ask, "acme/none", token="hf_good").key == "hub_missing"


def test_private_model_is_not_told_from_a_missing_one(hub, ask):
    repo = plain_repo()
    repo.private = True
    hub.repos["acme/private"] = repo
    assert _fails(ask, "acme/private").key == "hub_missing_or_private"


def test_missing_revision(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    error = _fails(ask, "acme/small", revision="v9")
    assert (error.key, error.input) == ("hub_revision_missing", "revision")
    assert "v9" in str(error)


def test_gated(hub, ask):
    repo = plain_repo()
    repo.gated = "manual"
    hub.repos["acme/gated"] = repo
    hub.tokens = {"hf_other"}
    assert _fails(ask, "acme/gated").key == "hub_gated_login"
    assert _fails(ask, "acme/gated", token="hf_other").key == "hub_gated_refused"


def test_disabled(hub, ask):
    repo = plain_repo()
    repo.disabled = True
    hub.repos["acme/off"] = repo
    assert _fails(ask, "acme/off").key == "hub_disabled"


def test_a_token_that_the_hub_does_not_know(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    assert _fails(ask, "acme/small", token="hf_stale").key == "hub_token_invalid"


def test_forbidden(hub, ask):
    hub.before = lambda path, count: (403, {"X-Error-Message": "Not in your region"}, b"{}")
    assert _fails(ask, "acme/small").key == "hub_forbidden"


LIMIT = {"RateLimit": '"api";r=0;t=55', "RateLimit-Policy": '"fixed window";"api";q=500;w=300'}


def test_rate_limit_is_told_with_its_seconds(hub, ask):
    hub.before = lambda path, count: (429, LIMIT, b"<html>Too many requests</html>")
    began = time.monotonic()
    error = _fails(ask, "acme/small")
    assert (error.key, error.values["seconds"]) == ("hub_rate_limited", 55)
    assert time.monotonic() - began < 3


def test_a_short_rate_limit_is_waited_out(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    hub.before = lambda path, count: (429, {"Retry-After": "1"}, b"") if count == 1 else None
    assert ask("acme/small").weight_bytes > 0


def test_errors_of_the_hub_are_tried_again_then_told(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    hub.before = lambda path, count: (503, {}, b"") if count == 1 else None
    assert ask("acme/small").weight_bytes > 0
    hub.seen.clear()
    hub.before = lambda path, count: (502, {}, b"<html>Bad gateway</html>")
    error = _fails(ask, "acme/small")
    assert (error.key, error.values["status"]) == ("hub_server_error", 502)
    assert len(hub.seen) == 2  # as many as tries


def test_a_dropped_connection_is_tried_again(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    hub.before = lambda path, count: "drop" if count == 1 else None
    assert ask("acme/small").weight_bytes > 0


def test_nobody_listens(ask, hub):
    hub.close()
    assert _fails(ask, "acme/small", tries=1).key == "hub_unreachable"


def test_no_answer_in_time(hub, ask):
    hub.before = lambda path, count: "stall"
    began = time.monotonic()
    assert _fails(ask, "acme/small", timeout_s=0.3, tries=1).key == "hub_timeout"
    assert time.monotonic() - began < 1.4


def test_the_whole_look_up_has_an_end(hub, ask):
    hub.repos["acme/small"] = plain_repo()
    assert _fails(ask, "acme/small", deadline_s=-1).key == "hub_deadline"


@pytest.mark.parametrize(
    "body", [b"<html>Please log in to the hotel</html>", b"[]", b'{"id": 5}', b'{"id": "a/b"}', b"null"]
)
def test_an_answer_that_is_not_the_hubs(hub, ask, body):
    hub.before = lambda path, count: (200, {"Content-Type": "text/html"}, body)
    assert _fails(ask, "acme/small").key == "hub_answer_unreadable"


@pytest.mark.parametrize(
    "id",
    [
        "",
        "   ",
        "a b/c",
        "acme/",
        "/x",
        "a/b/c",
        "../x",
        "acme/..",
        "https://example.com/a/b",
        "<b>/x",
        None,
        7,
        "a" * 300,
    ],
)
def test_ids_that_are_none(ask, id):
    assert _fails(ask, id).key == "hub_id_invalid"


@pytest.mark.parametrize("revision", ["a b", "../main", "-x", 5, "x" * 300])
def test_revisions_that_are_none(ask, revision):
    assert _fails(ask, "acme/small", revision=revision).key == "hub_revision_invalid"


def test_no_config(hub, ask):
    repo = plain_repo()
    del repo.files["config.json"]
    hub.repos["acme/x"] = repo
    assert _fails(ask, "acme/x").key == "hub_no_config"


@pytest.mark.parametrize(
    ("text", "key", "where"),
    [
        (b'{"a": 1,\n "b": }', "hub_json_broken", (2, 7)),
        (b"", "hub_json_broken", (1, 1)),
        (b'{"a": NaN}', "hub_json_word", None),
        (b"[1, 2]", "hub_json_not_object", None),
        (b"[" * 100_000, "hub_json_unreasonable", None),
        (b'{"a": ' + b"9" * 10_000 + b"}", "hub_json_unreasonable", None),
        (b"\xff\xfe{", "hub_json_broken", (1, 1)),
    ],
)
def test_broken_config(hub, ask, text, key, where):
    hub.repos["acme/x"] = plain_repo(**{"config.json": text})
    error = _fails(ask, "acme/x")
    assert (error.key, error.input) == (key, "config.json")
    if where:
        assert (error.values["line"], error.values["column"]) == where


def test_a_config_of_unreasonable_size(hub, ask):
    hub.repos["acme/x"] = plain_repo(**{"config.json": Big(b"{", 5_000_000_000)})
    assert _fails(ask, "acme/x").key == "hub_file_too_large"
    assert hub.bytes_sent < 60_000_000


def test_adapter_only(hub, ask):
    files = {"adapter_config.json": b'{"base_model_name_or_path": "acme/small"}', "adapter_model.safetensors": b"x" * 9}
    hub.repos["acme/lora"] = Repo(files)
    error = _fails(ask, "acme/lora")
    assert (error.key, error.values["base"]) == ("hub_adapter_of", "acme/small")
    hub.repos["acme/lora"] = Repo({"adapter_model.safetensors": b"x" * 9})
    assert _fails(ask, "acme/lora").key == "hub_adapter_only"


def test_no_weights(hub, ask):
    hub.repos["acme/data"] = Repo({"config.json": config_json(), "unet/model.safetensors": b"x"})
    assert _fails(ask, "acme/data").key == "hub_no_weights"


def test_shards_missing(hub, ask):
    shards = {f"model-{i:05d}-of-00004.safetensors": weights(("a", "BF16", [1], 2)) for i in (1, 2, 4)}
    hub.repos["acme/x"] = Repo({"config.json": config_json(), **shards})
    error = _fails(ask, "acme/x")
    assert (error.key, error.values["found"], error.values["total"]) == ("hub_shards_missing", 3, 4)
    index = {"weight_map": {"a": "model-00001-of-00004.safetensors", "b": "model-00003-of-00004.safetensors"}}
    hub.repos["acme/x"].files["model.safetensors.index.json"] = json.dumps(index).encode()
    assert _fails(ask, "acme/x").key in ("hub_index_broken", "hub_shards_missing")


def test_two_sets_of_weights_side_by_side(hub, ask):
    files = {f"{name}.safetensors": weights(("a", "BF16", [1], 2)) for name in ("base-4bit", "base-8bit")}
    hub.repos["acme/x"] = Repo({"config.json": config_json(), **files})
    error = _fails(ask, "acme/x")
    assert error.key == "hub_weights_ambiguous"
    assert "base-4bit" in str(error)


def test_an_unknown_quantisation(hub, ask):
    hub.repos["acme/gguf"] = Repo({"config.json": config_json(), "m-Q4_K_M.gguf": b"x"})
    assert _fails(ask, "acme/gguf", quantisation="Q9").key == "hub_gguf_unknown"


def _header(text: bytes, size: int = 10_000) -> Big:
    return Big(len(text).to_bytes(8, "little") + text, size)


@pytest.mark.parametrize(
    "file",
    [
        Big(b"short", 5),
        Big((2**60).to_bytes(8, "little"), 10_000),
        Big((9_999_999).to_bytes(8, "little"), 10_000),
        _header(b'{"a": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 99999999]}}'),
        _header(b'{"a": {"dtype": "BF16", "shape": [-1], "data_offsets": [0, 2]}}'),
        _header(b'{"a": {"dtype": "BF16", "shape": [1], "data_offsets": [4, 2]}}'),
        _header(b'{"a": {"dtype": 3, "shape": [1], "data_offsets": [0, 2]}}'),
        _header(b'{"a": 5}'),
        _header(b"\xff\xfe\xfd"),
    ],
)
def test_broken_headers(hub, ask, file):
    hub.repos["acme/x"] = plain_repo(**{"model.safetensors": file})
    error = _fails(ask, "acme/x")
    assert (error.key, error.input) == ("hub_header_broken", "model.safetensors")


def test_a_file_that_goes_away_between_list_and_read(hub, ask):
    hub.repos["acme/x"] = plain_repo()
    gone = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
    hub.before = lambda path, count: (404, gone, b"{}") if path.endswith("config.json") else None
    assert _fails(ask, "acme/x").key == "hub_file_missing"


def test_cancel(hub, ask):
    hub.repos["acme/x"] = plain_repo()
    asked = []

    def cancelled():
        asked.append(1)
        return len(hub.seen) >= 2

    assert _fails(ask, "acme/x", cancelled=cancelled).key == "hub_cancelled"
    assert asked
    assert len(hub.seen) <= 4


def test_cancel_while_waiting_for_another_try(hub, ask):
    hub.before = lambda path, count: (429, {"Retry-After": "8"}, b"")
    began = time.monotonic()
    assert _fails(ask, "acme/x", cancelled=lambda: time.monotonic() - began > 0.4).key == "hub_cancelled"
    assert time.monotonic() - began < 2


def test_the_token_is_in_no_message_log_or_store(hub, ask, caplog, tmp_path, monkeypatch):
    secret = "hf_VerySecretToken"
    hub.tokens = {secret}
    hub.repos["acme/small"] = plain_repo()
    gated = plain_repo()
    gated.gated = "manual"
    hub.repos["acme/gated"] = gated
    monkeypatch.setenv("HF_TOKEN", secret)
    with caplog.at_level(logging.DEBUG):
        ask("acme/small", token=None)
        error = _fails(ask, "acme/gated", token=None)
    assert any(seen.authorization == f"Bearer {secret}" for seen in hub.seen)
    assert secret not in caplog.text
    assert secret not in "".join(traceback.format_exception(error))
    assert secret not in repr(error.values)
    assert error.__cause__ is None
    assert error.__suppress_context__
    kept = [path.read_text() for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert kept
    assert all(secret not in text for text in kept)


def test_any_other_trouble_of_the_line_is_a_sentence(monkeypatch, tmp_path):
    for trouble in (httpx2.ReadError("x"), httpx2.TooManyRedirects("x"), httpx2.DecodingError("x"), OSError("x")):

        def broken(*args, error=trouble, **kwargs):
            raise error

        monkeypatch.setattr("huggingface_hub.HfApi.model_info", broken)
        _fails(look_up, "acme/x", token=False, tries=1, store_dir=tmp_path, hub_cache_dir=tmp_path)


@pytest.mark.parametrize("more", [{"offline": True}, {"tries": 1, "endpoint": "http://127.0.0.1:9"}, {}])
@pytest.mark.parametrize(("id", "example"), [("gpt-oss-120b", "openai/gpt-oss-120b"), ("Qwen3-32b", "Qwen/Qwen3-32B")])
def test_a_name_without_an_owner_is_told_first(ask, more, id, example):
    error = _fails(ask, id, **more)
    assert error.key == "hub_id_without_owner"
    assert "owner/name" in error.what()
    assert f"such as {example}" in error.fix()
    # And the rest is not hidden: offline, out of reach, or not there.
    assert re.search("offline|reached|model", error.fix().split("As it stands: ")[1])


def test_an_old_name_without_an_owner_is_still_asked_for(hub, ask):
    # A few models from before owners still answer to a bare name, such as gpt2.
    _fails(ask, "gpt2")
    assert any("/models/gpt2" in seen.path for seen in hub.seen)


def test_a_name_with_its_owner_keeps_its_reason(ask):
    assert _fails(ask, "acme/small", offline=True).key == "hub_offline"
