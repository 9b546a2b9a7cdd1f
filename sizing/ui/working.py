""" "Show the working": steps as formula, values, result and source."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sizing import catalogue
from sizing.answers.wording import HERE, number, source_title, with_unit
from sizing.base.markup import Markup, folded, join, tag
from sizing.base.texts import say
from sizing.base.working import Given, Step

__all__ = ["HERE", "number", "section", "source_title", "with_unit"]


def _source(key: str, language: str) -> str:
    if key in HERE:
        return say(f"ui.working.from_{key}", language)
    source = catalogue.source(key)
    date = say("ui.working.read_on", language, date=source.read_on)
    return f"{source.title} ({date})"


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
