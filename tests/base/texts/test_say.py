"""Texts are filled in, and numbers in them follow the language."""

from __future__ import annotations

import re

import pytest

from sizing.base import texts


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_text_can_be_filled_in(language: str) -> None:
    for key, template in texts.catalogue(language).items():
        assert template.strip(), key
        names = re.findall(r"\{(\w+)", template)
        values = dict.fromkeys(names, 1)
        assert texts.say(key, language, **values)


def test_numbers_follow_the_language() -> None:
    assert texts._FORMATTERS["en"].vformat("{x:,.1f}", (), {"x": 1234.5}) == "1,234.5"
    assert texts._FORMATTERS["de"].vformat("{x:,.1f}", (), {"x": 1234.5}) == "1.234,5"


def test_a_missing_text_is_found() -> None:
    with pytest.raises(texts.UnknownTextError, match="no text"):
        texts.say("note.of_nothing")
