"""Every engine fills the protocol, and one without rules is named."""

from __future__ import annotations

import pytest

from sizing.base.errors import SizingError
from sizing.memory import engines
from sizing.memory.starting import EngineRules


@pytest.mark.parametrize("name", engines.names())
def test_every_engine_fills_the_protocol(name: str) -> None:
    rules = engines.engine(name)
    wanted = {each for each in vars(EngineRules) if not each.startswith("_")} | set(EngineRules.__annotations__)
    assert not {each for each in wanted if not hasattr(rules, each)}
    assert name == rules.NAME


def test_an_engine_without_rules_is_named() -> None:
    with pytest.raises(SizingError) as caught:
        engines.engine("sglang")
    assert caught.value.key == "engine_rules_unknown"
    assert "vllm" in caught.value.fix()
