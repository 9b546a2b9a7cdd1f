"""What the written parts of every page share: the top with the answer, notes, the working behind a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sizing import catalogue
from sizing.answers import sentence, wording
from sizing.answers.answer import LACKING, Answer
from sizing.answers.wording import HERE, source_title, with_unit
from sizing.base.markup import NOTHING, Markup, folded, join, tag
from sizing.base.notes import Note
from sizing.base.texts import say, tell
from sizing.base.working import Given, Step
from sizing.catalogue import Figure
from sizing.catalogue.inputs import inputs
from sizing.catalogue.scenario import Scenario
from sizing.demand.strip import StripLimit, strip
from sizing.ui import controls


def top(
    subject: str,
    sentence: str,
    *lines: str,
    no: bool,
    stale: bool,
    language: str,
    shown: Iterable[tuple[str | bool, ...]] = (),
    limits: Markup = NOTHING,
) -> Markup:
    """The top of a page: what it speaks of, the answer in large type, lines under it, and the figures a call asks for.

    no: the answer is one that nobody hoped for.   stale: some input cannot be used, so that this speaks of the last
    usable ones.   shown: see `figures`.   limits: see `limit_strip`.
    """
    found = list(shown)
    return join(
        [
            tag("p", subject, class_="sizing-subject"),
            tag("p", sentence, class_="sizing-answer" + (" sizing-no" if no else "")),
            *(line if isinstance(line, Markup) else tag("p", line, class_="sizing-second") for line in lines if line),
            tag("p", say("ui.stale", language), class_="sizing-stale") if stale else NOTHING,
            limits,
            figures(found) if found else NOTHING,
        ]
    )


def opening(
    found: Answer, subject: str, *lines: str, stale: bool, language: str, shown: Iterable[tuple[str | bool, ...]] = ()
) -> Markup:
    """The top of a page that speaks of one scenario: the same sentences on each, then its own lines.

    What may be promised, whether that meets the need, whether the site carries it, and what memory alone would hold.
    """
    need, limits = sentence.need(found, language), strip(found)
    lacks = " sizing-no" if found.verdict in LACKING else ""
    return top(
        subject,
        sentence.promise(found, language),
        tag("p", need, class_=f"sizing-verdict{lacks}") if need else NOTHING,
        wording.connection(found.sizing, language),
        sentence.trade_off(found, language),
        *lines,
        no=any(limit.state == "stop" for limit in limits) or wording.beyond_model(found.sizing),
        stale=stale,
        language=language,
        shown=shown,
        limits=limit_strip(limits, found.scenario, language),
    )


def limit_strip(limits: Iterable[StripLimit], scenario: Scenario, language: str) -> Markup:
    """Every limit as a bar with its words; one that is passed carries the button that cures it."""

    def cure(limit: StripLimit) -> Markup:
        if not limit.changes:
            return NOTHING
        changed = scenario.replace(**limit.changes)
        said = ", ".join(controls.said(inputs()[name], changed, language) for name in limit.changes)
        return tag("button", said, type="button", class_="sizing-cure", data_key=f"cure-{limit.name}")

    items = [
        tag(
            "li",
            tag("span", say(f"strip.name.{limit.name}", language), class_="sizing-limit-name"),
            tag("progress", max="1", value=f"{min(1.0, limit.share or 0.0):.3f}", aria_hidden="true"),
            tag("span", say(f"strip.state.{limit.state}", language), class_="sizing-said"),
            tag("span", say(limit.words.key, language, **dict(limit.words.values)), class_="sizing-limit-words"),
            cure(limit),
            class_=f"sizing-limit sizing-limit-{limit.state}",
        )
        for limit in limits
    ]
    return tag("ul", *items, class_="sizing-strip", aria_label=say("strip.title", language)) if items else NOTHING


def figures(shown: Iterable[tuple[str | bool, ...]]) -> Markup:
    """Figures with their names: name, value, and True where it is an estimate."""
    made = [
        tag("div", tag("dt", str(name)), tag("dd", str(value)), class_="sizing-estimate" if any(estimate) else None)
        for name, value, *estimate in shown
    ]
    return tag("dl", *made, class_="sizing-figures")


def read_on(key: str, language: str) -> str:
    """A source by its title and the date it was read."""
    if key in HERE:
        return source_title(key, language)
    source = catalogue.source(key)
    return f"{source.title}, {say('ui.working.read_on', language, date=source.read_on)}"


def notes(found: Iterable[Note], language: str) -> Markup:
    """Notes under their heading."""
    return join([tag("h2", say("ui.region.notes", language)), note_list(found, language)])


MOST_NOTES = 3
"""Notes in view; the others are a fold away."""


def note_list(found: Iterable[Note], language: str, key: str = "notes") -> Markup:
    """Notes, the most serious in view and the others behind a fold of this ``key``."""
    listed = list(found)
    first, others = listed[:MOST_NOTES], listed[MOST_NOTES:]
    more = say("ui.more_notes", language, count=len(others))
    fold = folded(f"more-{key}", more, lambda: _notes(others, language)) if others else NOTHING
    return join([_notes(first, language), fold])


def _notes(found: Iterable[Note], language: str) -> Markup:
    """Notes with their level as a word, and their source behind a small mark."""

    def source(note: Note) -> Markup:
        if not note.source:
            return NOTHING
        mark = tag("summary", say("ui.column.source", language))
        return tag("details", mark, tag("small", source_title(note.source, language)), class_="sizing-source")

    items = [
        tag(
            "li",
            tag("strong", say(f"ui.level.{note.level}", language)),
            f" {note.say(language)} ",
            source(note),
            class_=f"sizing-note sizing-note-{note.level}",
        )
        for note in found
    ]
    return tag("ul", *items, class_="sizing-notes")


def fact(name: str, figure: Figure, note: str, language: str) -> list[str]:
    """A row of a catalogue's figure: its name, value, those that contradict it with what else is said, its source."""
    others = [
        f"{with_unit(other.value, other.unit, language)} "
        f"({catalogue.source(other.source).title}): {tell(other.reason, language)}"
        for other in figure.others
    ]
    value = with_unit(figure.value, figure.unit, language)
    said = "; ".join([*others, *([note] if note else [])])
    return [name, value, said, read_on(figure.source, language)]


def _source(key: str, language: str) -> str:
    if key in HERE:
        return say(f"ui.working.from_{key}", language)
    source = catalogue.source(key)
    return f"{source.title} ({say('ui.working.read_on', language, date=source.read_on)})"


def _given(given: Given, language: str) -> Markup:
    value = with_unit(given.value, given.unit, language)
    return tag("li", tag("code", given.name), f" = {value} ", tag("small", _source(given.source, language)))


def section(key: str, steps: Callable[[], Iterable[Step]], language: str) -> Markup:
    """The steps behind a figure, folded away and worked out when they are opened. key: unique on the page."""
    return folded(key, say("ui.working.show", language), lambda: join(_step(step, language) for step in steps()))


def _step(step: Step, language: str) -> Markup:
    return tag(
        "div",
        tag("p", tag("strong", step.say_title(language)), class_="sizing-step-title"),
        tag(
            "p",
            tag("code", step.formula),
            " = ",
            tag("strong", with_unit(step.result, step.unit, language)),
            class_="sizing-formula",
        ),
        tag("ul", join(_given(given, language) for given in step.given)),
        tag("p", tag("small", say("ui.working.rule", language, source=_source(step.source, language)))),
        class_="sizing-step",
    )
