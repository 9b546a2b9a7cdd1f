"""Writes sizing/catalogue/parts.pyi, which tells type checkers what data/inputs.toml holds: ``make inputs``."""

from __future__ import annotations

from pathlib import Path

from sizing.catalogue import parts
from sizing.catalogue.values import Values

STUB = Path(parts.__file__).with_suffix(".pyi")
HEAD = '''"""Written by ``make inputs`` from data/inputs.toml; not to be edited."""

from dataclasses import dataclass
from typing import Any

from sizing.catalogue.values import Values
'''
TAIL = "\ndef default_cap_w(card: Any) -> float: ...\n"


def stub() -> str:
    """The stub as the table asks for it."""
    made = [HEAD]
    for part in (each for each in vars(parts).values() if isinstance(each, type) and issubclass(each, Values)):
        if part is not Values:
            made.append(f"\n@dataclass(frozen=True, kw_only=True)\nclass {part.__name__}(Values):\n")
            for name, value in part.DEFAULTS.items():
                unit = part.INPUTS[name].unit
                made.append(f"    {name}: {type(value).__name__} = ..." + (f"  # [{unit}]" if unit else "") + "\n")
    return "".join([*made, TAIL])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
