"""The search backwards as cards: the best servers for what is needed, and what each gives up."""

from __future__ import annotations

from typing import Any

from sizing.answers import wording
from sizing.base.errors import SizingError
from sizing.base.markup import Markup, tag
from sizing.base.texts import say
from sizing.demand.goal import Proposal, Proposals


def cards(found: Proposals, language: str) -> tuple[str, list[dict[str, Any]]]:
    """The sentence above, and a card for each answer; where there is none, the nearest one with its reasons."""
    if found.answers:
        intro = say("call.goal.answers", language, looked_at=found.looked_at)
        return intro, [_card(str(number), each, language) for number, each in enumerate(found.answers)]
    intro = say("call.goal.none", language, looked_at=found.looked_at)
    return intro, [_card("0", found.nearest, language)] if found.nearest else []


def error(wrong: SizingError | None, language: str) -> Markup:
    """What keeps the search from starting, "" where nothing does."""
    return Markup() if wrong is None else tag("p", wrong.say(language), class_="sizing-stale")


def _card(key: str, answer: Proposal, language: str) -> dict[str, Any]:
    lines = [(_figures(answer, language), "")]
    lines += [(miss.note.say(language), "bad") for miss in answer.misses]
    lines += [(note.say(language), "good") for note in answer.gains]
    lines += [(say("call.goal.gives_up", language, what=note.say(language)), "") for note in answer.gives_up]
    return {
        "key": key,
        "title": _title(answer, language),
        "lines": [list(line) for line in lines],
        "button": say("call.goal.take", language),
    }


def _title(answer: Proposal, language: str) -> str:
    servers = say("goal.servers.one" if answer.servers == 1 else "goal.servers.many", language, count=answer.servers)
    return say(
        "call.goal.title_one" if answer.scenario.cards == 1 else "call.goal.title",
        language,
        servers=servers,
        cards=answer.scenario.cards,
        layout=wording.layout_phrase(answer.layout, language),
        precision=wording.precision(answer.kv_dtype, language),
    )


def _figures(answer: Proposal, language: str) -> str:
    count = (
        say("ui.no_limit", language)
        if answer.conversations is None
        else say("call.goal.holds", language, conversations=answer.conversations, context_tokens=answer.context_tokens)
    )
    power = say("call.goal.power", language, kw=answer.power_w / 1000, cap_w=answer.cap_w)
    parts = [count, power]
    if answer.price is not None:
        parts.append(say("call.goal.price", language, price=answer.price, currency=answer.scenario.offer_currency))
    return " · ".join(parts)
