"""Every engine fills the protocol, and one without rules is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sizing
from sizing.base.errors import SizingError
from sizing.memory import engines
from sizing.memory.starting import EngineRules
from sizing.memory.vllm import settings


@pytest.mark.parametrize("name", engines.names())
def test_every_engine_fills_the_protocol(name: str) -> None:
    rules = engines.engine(name)
    wanted = {each for each in vars(EngineRules) if not each.startswith("_")} | set(EngineRules.__annotations__)
    assert not {each for each in wanted if not hasattr(rules, each)}
    assert name == rules.NAME


def test_an_engine_without_rules_is_named() -> None:
    with pytest.raises(SizingError) as caught:
        engines.engine("trtllm")
    assert caught.value.key == "engine_rules_unknown"
    assert "vllm" in caught.value.fix()


def test_an_engine_is_named_in_its_own_room_alone() -> None:
    """Neither its module, nor what it is typed with, nor a flag of its start stands in another room's code."""
    root = Path(sizing.__file__).parent
    flag = re.compile(f'"(?:{"|".join(settings.FLAGS.values())})')  # what a docstring mentions is prose
    for path in sorted(root.rglob("*.py")):
        room = path.relative_to(root).parts[0]
        if room == "memory":
            continue
        code = path.read_text(encoding="utf-8")
        for name in engines.names():
            assert not re.search(rf"memory\.{name}\b|engine\(\"{name}\"\)|\b{name} serve\b", code), path
        assert not flag.search(code), path
