"""Dates as a language writes them."""

from __future__ import annotations

import datetime
import re

from sizing.texts import say

_WRITTEN = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


def written(date: datetime.date | str, language: str) -> str:
    """A day or month, given as "2026-11-30" or "2026-11", as the language writes it; any other text as it stands.

    >>> written("2026-11-30", "de"), written("2026-11", "de"), written("2026", "de"), written("2026-11-30", "en")
    ('30.11.2026', '11.2026', '2026', '2026-11-30')
    """
    text = date.isoformat() if isinstance(date, datetime.date) else date
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return text
    year, month, day = (int(part) if part else 0 for part in found.groups())
    return say("unit.day" if day else "unit.month", language, year=year, month=month, day=day)
