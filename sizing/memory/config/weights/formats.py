"""Bytes of a matrix in the formats in which checkpoints hold them, scales included."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """One way to store a matrix.

    bits: of one value. [bit]   scale_bytes: of one scale. [bytes]
    block: values that share a scale, as (rows, columns); 0 stands for all of them. [-]
    zero_bits: of the zero point beside each scale. [bit]   besides: bytes a matrix takes on top. [bytes]
    index_bytes: for each input, where groups are reordered. [bytes]
    """

    bits: float
    scale_bytes: int = 0
    block: tuple[int, int] = (0, 0)
    zero_bits: float = 0
    besides: int = 0
    index_bytes: int = 0

    def bytes(self, rows: int, columns: int) -> float:
        """One matrix of ``rows`` outputs and ``columns`` inputs. [bytes]"""
        total = rows * columns * self.bits / 8 + self.besides + self.index_bytes * columns
        if self.scale_bytes or self.zero_bits:
            high, wide = self.block[0] or rows, self.block[1] or columns
            scales = -(-rows // high) * -(-columns // wide)
            total += scales * (self.scale_bytes + self.zero_bits / 8)
        return total


FP8_TENSOR = Format(8, scale_bytes=4, besides=4)
FP8_CHANNEL = Format(8, scale_bytes=2, block=(1, 0))
NVFP4 = Format(4, scale_bytes=1, block=(1, 16), besides=8)
MXFP4 = Format(4, scale_bytes=1, block=(1, 32))
MXFP8 = Format(8, scale_bytes=1, block=(1, 32))


def fp8_block(rows: int, columns: int, scale_bytes: int = 4) -> Format:
    """FP8 with one scale for each block."""
    return Format(8, scale_bytes=scale_bytes, block=(rows, columns))


def integer_groups(bits: int, group: int, zeros: bool, reordered: bool = False, shape_bytes: int = 0) -> Format:
    """Packed integers with one 16-bit scale for each group of inputs (0: one for each output).

    reordered: an index for every input beside them.   shape_bytes: the unpacked shape, kept beside them. [bytes]
    """
    return Format(
        bits,
        scale_bytes=2,
        block=(1, group),
        zero_bits=bits if zeros else 0,
        besides=shape_bytes,
        index_bytes=4 if reordered else 0,
    )
