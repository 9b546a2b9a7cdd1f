"""The catalogues of words: the same in every language, complete, and used. Each check is shown to fail on a fault."""

from __future__ import annotations

import csv
import dataclasses
import functools
import re
import string
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sizing import catalogue
from sizing.base import texts
from sizing.base.files import data_dir
from sizing.base.frozen import Frozen
from sizing.base.texts import Told
from sizing.catalogue import results
from sizing.catalogue.servers import server, server_ids
from sizing.catalogue.site_facts import power_facts
from sizing.models.evidence import startup_logs
from sizing.speed import caps
from tests.base.texts import uses
from tests.base.texts.uses import Uses

ROOT = Path(texts.__file__).parents[3]
FOLDER = Path(texts.__file__).parent
OTHER = texts.LANGUAGES[1:]

Files = dict[str, dict[str, str]]


@functools.cache
def read(language: str) -> Files:
    """Texts by file and key."""
    return {
        path.name: dict(texts._flatten(tomllib.loads(path.read_text(encoding="utf-8"))))
        for path in sorted((FOLDER / language).glob("*.toml"))
    }


def keys(files: Files) -> set[tuple[str, str]]:
    return {(file, key) for file, held in files.items() for key in held}


def pairs(english: Files, other: Files) -> Iterator[tuple[str, str, str]]:
    """Key, English text, text of the other language, where both have the key."""
    for file, held in english.items():
        for key, text in held.items():
            if key in other.get(file, {}):
                yield key, text, other[file][key]


# The same keys in files of the same name


def unlike(english: Files, other: Files) -> set[tuple[str, str]]:
    return keys(english) ^ keys(other)


@pytest.mark.parametrize("language", OTHER)
def test_every_language_has_the_keys_of_english(language: str) -> None:
    assert unlike(read("en"), read(language)) == set()


def test_a_key_that_is_missing_or_in_another_file_is_found() -> None:
    english = {"a.toml": {"note.one": "One.", "note.two": "Two."}}
    assert unlike(english, {"a.toml": {"note.one": "Eins."}}) == {("a.toml", "note.two")}
    moved = {"a.toml": {"note.one": "Eins."}, "b.toml": {"note.two": "Zwei."}}
    assert unlike(english, moved) == {("a.toml", "note.two"), ("b.toml", "note.two")}


# The same values in the same formats


def placeholders(text: str) -> set[tuple[str, str, str]]:
    """Name, format and conversion of each value that a text mentions."""
    return {
        (name, spec or "", conversion or "")
        for _, name, spec, conversion in string.Formatter().parse(text)
        if name is not None
    }


def misfilled(english: Files, other: Files) -> list[str]:
    return [key for key, text, twin in pairs(english, other) if placeholders(text) != placeholders(twin)]


@pytest.mark.parametrize("language", OTHER)
def test_every_language_mentions_the_same_values(language: str) -> None:
    assert misfilled(read("en"), read(language)) == []


@pytest.mark.parametrize(
    "twin", ["{cards} Karten", "{cards:,} Karten, {more}", "Karten", "{card:,} Karten", "{cards!r}"]
)
def test_a_value_that_is_dropped_added_or_written_otherwise_is_found(twin: str) -> None:
    assert misfilled({"a.toml": {"note.one": "{cards:,} cards"}}, {"a.toml": {"note.one": twin}}) == ["note.one"]


# Numbers in the language's own way

VERSION = r"(?:vLLM|Releases?|Llama|Qwen|Capability|CUDA|Python|ESXi)(?: [\d.]+)?(?: ab| bis| vor| und| oder)? "
"""What stands before a number that is a name: "vLLM ab 0.20", "Llama 3.1"."""


def english_numbers(english: str, german: str) -> list[str]:
    """Numbers of a German text that are written the English way: 0.9, or 1,024 where English has 1,024 too."""
    found = []
    for number in re.finditer(r"(?<![\w.,])\d+(?:[.,]\d+)+(?![\w])", german):
        written, before = number[0], german[: number.start()]
        if written.count(".") > 1 and "," not in written and not re.fullmatch(r"\d{1,3}(\.\d{3})+", written):
            continue  # 0.33.0 is a release
        if re.search(rf"{VERSION}$", before) or before.endswith("-") or german[number.end() :].startswith("-"):
            continue  # so is vLLM 0.20; GLM-4.5 and MLPerf's entry 6.0-0054 are names
        decimal_point = "." in written and not re.fullmatch(r"\d{1,3}(\.\d{3})+(,\d+)?", written)
        grouped = re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+", written) and written in english
        if decimal_point or grouped:
            found.append(written)
    return found


def bare(text: str) -> str:
    """A text without its placeholders, whose formats hold points and commas."""
    return re.sub(r"\{[^}]*\}", "", text)


def test_german_texts_write_numbers_the_german_way() -> None:
    wrong = {
        key: found
        for key, english, german in pairs(read("en"), read("de"))
        if (found := english_numbers(bare(english), bare(german)))
    }
    assert wrong == {}


def test_sentences_of_the_data_write_numbers_the_german_way() -> None:
    said = [(str(told), told.twins["de"]) for told in told_texts() if "de" in told.twins]
    assert [(german, found) for english, german in said if (found := english_numbers(english, german))] == []


@pytest.mark.parametrize("german", ["etwa 0.9", "bei 1,024 Token", "72.7 GB", "0.9 × 95.6 GiB"])
def test_an_english_number_is_found(german: str) -> None:
    assert english_numbers("such as 0.9, or 1,024 tokens, 72.7 GB, 0.9 × 95.6 GiB", german)


@pytest.mark.parametrize(
    "german", ["0,9", "1.024", "100.000 GB", "vLLM 0.33.0", "vLLM ab 0.20", "GLM-4.5-Air", "2,494 GHz", "12.481,5"]
)
def test_a_german_number_and_a_name_pass(german: str) -> None:
    assert english_numbers("0.9, 1,024, 100,000 GB, vLLM 0.33.0, GLM-4.5-Air, 2.494 GHz, 12,481.5", german) == []


# How the texts speak


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_no_text_shouts(language: str) -> None:
    assert [key for held in read(language).values() for key, text in held.items() if "!" in bare(text)] == []


def test_german_speaks_formally() -> None:
    informal = re.compile(r"\b(du|dein\w*|dir|dich)\b", re.IGNORECASE)
    assert [key for held in read("de").values() for key, text in held.items() if informal.search(text)] == []
    assert informal.search("Wähle deine Karte.")


# Every text is used

FAMILIES: dict[str, tuple[tuple[str, Callable[[str], str]], ...]] = {
    # start of the key: the calls that lead to it, and what they name it by
    "note.": (("Note", lambda key: key.removeprefix("note.")), ("Word", str), ("say", str)),
    "step.": tuple((call, lambda key: key.removeprefix("step.")) for call in ("Step", "derive")),
    "error.": tuple(
        (call, lambda key: key.removeprefix("error.").rpartition(".")[0]) for call in ("SizingError", "refuse")
    ),
}


@functools.cache
def names() -> frozenset[str]:
    """Names that stand in data files and may be part of a key: inputs and their choices, presets, studies, remarks."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        match value:
            case dict():
                found.update(value)
                for inner in value.values():
                    walk(inner)
            case list():
                for inner in value:
                    walk(inner)
            case str():
                found.add(value)

    tables = [path for path in data_dir().glob("*.toml") if path.name != "sources.toml"]
    tables += [path for path in (ROOT / "sizing").rglob("*.toml") if FOLDER not in path.parents]
    for path in [*tables, *(data_dir() / "cards").glob("*.toml")]:
        walk(tomllib.loads(path.read_text(encoding="utf-8")))
    for path in data_dir().glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found.update(part for cell in row.values() for part in cell.split(";"))
    return frozenset(found)


@functools.cache
def project() -> Uses:
    return uses.of_project(ROOT)


def unused(known: set[str], found: Uses, names: frozenset[str]) -> list[str]:
    """Texts that no code asks for."""
    words = found.words
    names |= {key.removeprefix(start).split(".")[0] for key in known for start in found.listed if key.startswith(start)}
    asked = {call: found.of(call) for call in uses.KEYED}

    def is_used(key: str) -> bool:
        for start, calls in FAMILIES.items():
            if key.startswith(start):
                return any(asked[call].asks_for(named(key), words, names) for call, named in calls)
        return words.asks_for(key, words, names)

    return sorted(key for key in known if not is_used(key))


def test_every_text_is_used() -> None:
    assert unused(set(texts.catalogue("en")), project(), names()) == []


@pytest.mark.parametrize(
    "key",
    [
        "note.of_nothing",
        "step.of_nothing",
        "error.of_nothing.what",
        "ui.region.of_nothing",
        "input.cards.of_nothing",
        "hub.note.of_nothing",
        "sheet.licence.of_nothing.what",
        "unit_name.furlongs",
    ],
)
def test_an_unused_text_is_found(key: str) -> None:
    assert unused({key, "note.no_conversation_fits"}, project(), names()) == [key]


def test_a_text_whose_call_is_gone_is_found_though_its_name_stands_elsewhere() -> None:
    code = "def notes():\n    yield Note('hint', 'kept')\n\nname = 'dropped'\nraise SizingError('kept')"
    known = {"note.kept", "note.dropped", "error.kept.what", "error.dropped.what", "step.kept"}
    found = unused(known, uses.of_python(code), frozenset())
    assert found == ["error.dropped.what", "note.dropped", "step.kept"]


def test_a_key_put_together_when_the_code_runs_is_followed() -> None:
    code = "say(f'ui.{name}.{place}_heading', language)\nnames = ('left', 'model')"
    known = {"ui.model.left_heading", "ui.model.right_heading", "ui.other.left_heading"}
    assert unused(known, uses.of_python(code), frozenset()) == ["ui.model.right_heading", "ui.other.left_heading"]


def test_texts_that_the_code_lists_are_followed() -> None:
    code = (
        "ids = [key.split('.')[1] for key in texts.catalogue(language) if key.startswith('term.')]\n"
        "say(f'term.{id}.name', language)"
    )
    known = {"term.breaker.name", "term.breaker.aside", "terms.breaker.name"}
    assert unused(known, uses.of_python(code), frozenset()) == ["term.breaker.aside", "terms.breaker.name"]


# Every text that is asked for exists

SUFFIXES = {
    "Note": "note.",
    "Step": "step.",
    "derive": "step.",
    "SizingError": "error.",
    "refuse": "error.",
    "say": "",
    "Word": "",
}


def missing(known: set[str], found: Uses) -> list[str]:
    """Keys that stand in a call and that the catalogue does not have; of an f-string one match is enough."""
    wrong = []
    for call, named in found.named.items():
        for key in named:
            if key.endswith(".html"):
                continue  # a page that a handler sends
            full = key if "." in key or key.startswith(uses.WILD) else SUFFIXES[call] + key
            wanted = [f"{full}.{part}" for part in ("what", "fix")] if SUFFIXES[call] == "error." else [full]
            if "." not in full.replace(uses.WILD, ""):
                continue  # the language of a note, or a key that is nothing but values
            for each in wanted:
                pattern = re.compile(r".*".join(map(re.escape, each.split(uses.WILD))))
                if not any(pattern.fullmatch(have) for have in known):
                    wrong.append(each.replace(uses.WILD, "{}"))
    return sorted(wrong)


def test_every_text_that_is_asked_for_exists() -> None:
    assert missing(set(texts.catalogue("en")), project()) == []


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("say('note.gone', language)", "note.gone"),
        ("say(f'ui.gone.{name}', language)", "ui.gone.{}"),
        ("Word('unit.gone')", "unit.gone"),
        ("Note('hint', 'gone')", "note.gone"),
        ("Note('hint', 'sharing.note.gone')", "sharing.note.gone"),
        ("Note('hint', 'kept' if fits else 'gone')", "note.gone"),
        ("raise SizingError('gone', input='cards')", "error.gone.fix"),
        ("place.refuse('gone')", "error.gone.what"),
        ("Step('gone', 'a + b', given, 1, 'GiB', 'step')", "step.gone"),
    ],
)
def test_a_missing_text_is_found(code: str, wanted: str) -> None:
    assert wanted in missing({"note.kept", "error.kept.what", "error.kept.fix"}, uses.of_python(code))


# Sentences of the data


def told_texts() -> Iterator[Told]:
    """Every sentence and name that carries its twins, in the catalogue's own data."""
    yield from _told([catalogue.card(id) for id in catalogue.card_ids()])
    yield from _told([catalogue.circuit(id) for id in catalogue.circuit_ids()])
    yield from _told([catalogue.processor(id) for id in catalogue.processor_ids()])
    yield from _told([catalogue.checkpoint(id).weight_bytes for id in catalogue.checkpoint_ids()])
    yield from _told([server(id) for id in server_ids()])
    yield from _told([power_facts(), startup_logs(), results.published(), caps.stated()])


def _told(value: Any) -> Iterator[Told]:
    if isinstance(value, Told):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _told(each)
    elif isinstance(value, Frozen):
        for each in vars(value).values():
            yield from _told(each)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _told(getattr(value, field.name))


def test_the_data_carry_sentences() -> None:
    # By hand: 17 circuits with a name and a connector each are 34, and cards, power and logs have more of them.
    assert len(set(told_texts())) > 34 / 2 + 50
