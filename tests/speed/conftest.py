"""What the tests of speed share: kernels with answers known by hand, and the real ones where they are installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from sizing.catalogue.loader import default
from sizing.speed import operations
from sizing.speed.measured import StepPart

needs_kernels = pytest.mark.skipif(not operations.installed(), reason="the extra 'speed' is not installed")


class ByHand:
    """Operations whose answers a person can work out: a step of 10 ms and 1 ms a request, 0.1 ms a prompt token."""

    scaling = None
    expert_parallel = False

    def decode_ms(self, requests: int, context_tokens: int) -> float:
        return 10.0 + requests

    def prefill_ms(self, prompt_tokens: int, history_tokens: int = 0, prompts: int = 1) -> float:
        return prompts * prompt_tokens * 0.1

    def parts(self, requests: int, context_tokens: int) -> tuple[StepPart, ...]:
        return (
            StepPart("attention", 8.0, "other", True),
            StepPart("generation_ar_1", 2.0, "all_reduce", True),
            StepPart("norm", 1.0, "other", False),
        )


@pytest.fixture
def without_the_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the extra were not installed: its import is blocked, and nothing found earlier is remembered."""
    forget()
    for name in ("aiconfigurator_core", "aiconfigurator_core.sdk", "aiconfigurator_core.sdk.engine"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "sizing.speed.aic", raising=False)
    monkeypatch.delattr("sizing.speed.aic", raising=False)
    yield
    forget()


def forget() -> None:
    """Drops the kernels kept with each model."""
    for model in default()._checkpoints.values():
        if not model.config_source.missing:
            kept = model.architecture.derived
            for key in [key for key in kept if isinstance(key, tuple) and key[0] == "kernels"]:
                del kept[key]
