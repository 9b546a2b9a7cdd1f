"""A Hub on loopback for each test, and a look-up that asks it and keeps its answers in the test's folder."""

from __future__ import annotations

import functools
import json

import pytest
from huggingface_hub import close_session

from sizing.models.hub.lookup import look_up
from tests.models.hub.server import Hub, Repo, weights

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 2,
    "num_key_value_heads": 8,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
}


def config_json(**changed) -> bytes:
    return json.dumps({**LLAMA, **changed}).encode()


def plain_repo(**files) -> Repo:
    """A model of one bfloat16 weight file of 2 x 1,000 x 500 elements, with the usual small files."""
    held = {
        "config.json": config_json(),
        "tokenizer.json": b"{}" * 50,
        "README.md": b"# A model",
        "model.safetensors": weights(("a", "BF16", [1000, 500], 1_000_000), ("b", "BF16", [1000, 500], 1_000_000)),
    }
    return Repo({**held, **files})


@pytest.fixture(scope="session", autouse=True)
def _direct_line():
    """No proxy to loopback. One client for all tests, since making one takes a fifth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "127.0.0.1")
        close_session()
        yield
        close_session()


@pytest.fixture
def hub(monkeypatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    server = Hub()
    yield server
    server.close()


@pytest.fixture
def ask(hub, tmp_path):
    """look_up against the loopback Hub, anonymous, quick to give up."""
    return functools.partial(
        look_up,
        endpoint=hub.endpoint,
        token=False,
        timeout_s=5.0,
        tries=2,
        store_dir=tmp_path / "store",
        hub_cache_dir=tmp_path / "hub",
    )
