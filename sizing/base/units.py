"""Units: the only place with 2**30 and 1e9, and with the reading of quantities that people type.

GiB is 2**30 bytes (memory as engines and drivers count it), GB is 10**9 bytes (files and product names).
"""

from __future__ import annotations

import math

GIB = 2**30
MIB = 2**20
KIB = 2**10
GB = 10**9

CFM_PER_M3_PER_S = 2118.880003  # 1 ft = 0.3048 m exactly, so 1 m³/s = 60 / 0.3048**3 ft³/min
BTU_PER_H_PER_W = 3.412141633


def gib(num_bytes: float) -> float:
    """Bytes as GiB.

    >>> gib(72.7e9)
    67.7
    """
    return num_bytes / GIB


def binary(num_bytes: float) -> tuple[float, str]:
    """Bytes in the unit that leaves a readable number: "gib", "mib", "kib" (from 10 of them on) or "bytes".

    >>> binary(65536), binary(4096)
    ((64.0, 'kib'), (4096, 'bytes'))
    """
    if num_bytes >= GIB:
        return num_bytes / GIB, "gib"
    if num_bytes >= MIB:
        return num_bytes / MIB, "mib"
    return (num_bytes / KIB, "kib") if num_bytes >= 10 * KIB else (num_bytes, "bytes")


def gb(num_bytes: float) -> float:
    """Bytes as GB."""
    return num_bytes / GB


def bytes_from_gib(value_gib: float) -> float:
    """GiB as bytes."""
    return value_gib * GIB


def gib_from_mib(value_mib: float) -> float:
    """MiB as GiB.

    >>> gib_from_mib(97_887)
    95.59
    """
    return value_mib / 1024


def w_from_kw(value_kw: float) -> float:
    """Kilowatts as watts."""
    return value_kw * 1000


def gb_from_tb(value_tb: float) -> float:
    """Terabytes as gigabytes, both in powers of ten. [GB] value_tb: [TB]"""
    return value_tb * 1000


def kw(value_w: float) -> float:
    """Watts as kilowatts."""
    return value_w / 1000


def floor_count(quotient: float) -> int:
    """Whole things that fit, forgiving the rounding of binary fractions, which could cost one that fits exactly.

    >>> floor_count(0.3 / 0.1)
    3
    """
    return math.floor(quotient * (1 + 1e-12) + 1e-12)


def ceil_div(a: int, b: int) -> int:
    """a / b, rounded up.

    >>> ceil_div(17, 16)
    2
    """
    return -(-a // b)
