"""Reads the JSON files of a repository: strict, but for the bare word Infinity that real configs hold."""

from __future__ import annotations

import json
from typing import Any

from sizing.errors import SizingError

_INFINITY = {"Infinity": float("inf"), "-Infinity": float("-inf")}


def read_object(text: str, file: str) -> dict[str, Any]:
    """The JSON object in a text. file: what an error calls it.

    The bare words Infinity and -Infinity are read as what they mean; NaN and anything else that is not JSON is refused
    with line and column, as are a value that is not an object and one nested beyond reason.
    """

    def constant(word: str) -> float:
        if word not in _INFINITY:
            raise SizingError("hub_json_word", input=file, word=word)
        return _INFINITY[word]

    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=constant)
    except json.JSONDecodeError as error:
        raise SizingError("hub_json_broken", input=file, line=error.lineno, column=error.colno) from None
    except SizingError:  # which is a ValueError
        raise
    except (RecursionError, ValueError):  # nested thousands deep, or a number of thousands of digits
        raise SizingError("hub_json_unreasonable", input=file) from None
    if not isinstance(value, dict):
        raise SizingError("hub_json_not_object", input=file)
    return value
