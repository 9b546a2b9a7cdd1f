"""Platforms side by side: what each offers for one model, what it draws and costs, and whom it suits."""

from sizing.compare.platform import Platform, fields, preset_names, preset_platforms
from sizing.compare.side_by_side import Compared, SideBySide, compare
from sizing.compare.wish import Comparison

__all__ = [
    "Compared",
    "Comparison",
    "Platform",
    "SideBySide",
    "compare",
    "fields",
    "preset_names",
    "preset_platforms",
]
