"""Amounts of money."""

from __future__ import annotations

from sizing.texts import say


def amount(value: float | None, currency: str, language: str) -> str:
    """ "16,000 USD", or nothing where no price is given.

    >>> amount(16000, "USD", "en")
    '16,000 USD'
    """
    return "" if value is None else f"{say('unit.money', language, value=value)} {currency}"
