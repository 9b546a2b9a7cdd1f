"""Safetensors headers: what a weight file holds, from its first bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from sizing.errors import SizingError
from sizing.hub.model import DtypeTotal
from sizing.hub.reading import read_object

LENGTH_BYTES = 8
LARGEST_HEADER_BYTES = 100_000_000  # the format's own limit

Totals = dict[str, tuple[int, int, int]]
"""By storage type: tensors, elements, bytes."""


def header_bytes(start: bytes, path: str, file_bytes: int) -> int:
    """Length of the header, from the first 8 bytes of a file. [bytes]"""
    length = int.from_bytes(start[:LENGTH_BYTES], "little")
    fits = LENGTH_BYTES + length <= file_bytes
    if len(start) < LENGTH_BYTES or not 2 <= length <= LARGEST_HEADER_BYTES or not fits:
        raise SizingError("hub_header_broken", input=path)
    return length


def read_totals(header: bytes, path: str, file_bytes: int) -> Totals:
    """What the tensors of one file take, by storage type. header: without its length.   file_bytes: of the file."""
    try:
        text = header.decode("utf-8")
    except UnicodeDecodeError:
        raise SizingError("hub_header_broken", input=path) from None
    totals: Totals = {}
    room = file_bytes - LENGTH_BYTES - len(header)
    for name, tensor in read_object(text, path).items():
        if name == "__metadata__":
            continue
        dtype, elements, size = _tensor(tensor, path, room)
        tensors, all_elements, all_bytes = totals.get(dtype, (0, 0, 0))
        totals[dtype] = (tensors + 1, all_elements + elements, all_bytes + size)
    return totals


def _tensor(tensor: Any, path: str, room: int) -> tuple[str, int, int]:
    match tensor:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
            plain = all(isinstance(width, int) and not isinstance(width, bool) and width >= 0 for width in shape)
            if plain and 0 <= begin <= end <= room and len(dtype) <= 16:
                return dtype, math.prod(shape), end - begin
    raise SizingError("hub_header_broken", input=path)


def add_up(files: Iterable[Mapping[str, Iterable[int]]]) -> tuple[DtypeTotal, ...]:
    """Totals of several files, largest first."""
    sums: Totals = {}
    for totals in files:
        for dtype, (tensors, elements, size) in totals.items():
            before = sums.get(dtype, (0, 0, 0))
            sums[dtype] = (before[0] + tensors, before[1] + elements, before[2] + size)
    return tuple(
        DtypeTotal(dtype, *values) for dtype, values in sorted(sums.items(), key=lambda item: (-item[1][2], item[0]))
    )
