"""A shared server as a person says it: the answer, what makes it fit, what a lost card costs, where copies stand."""

from __future__ import annotations

from sizing.base.texts import say
from sizing.catalogue.listing import letter
from sizing.sharing.board import Engine
from sizing.sharing.remedy import Change
from sizing.sharing.shared import Shared


def subject(shared: Shared, language: str) -> str:
    """ "4 × RTX PRO 6000 … · aim: each on its own where there is room"."""
    plan = shared.plan
    return say(
        "ui.sharing.subject_two" if plan.servers > 1 else "ui.sharing.subject",
        language,
        cards=plan.scenario.cards,
        servers=plan.servers,
        card=shared.placement.card.name,
        aim=say(f"input.aim.{plan.aim}", language),
    )


def headline(shared: Shared, language: str) -> str:
    """Whether all services fit, and on how many cards."""
    placement = shared.placement
    services = len(placement.needs)
    placed, only = services - len(placement.left_out), services == 1
    key = ("only" if only else "all") if placement.fits else "some" if placed else "none_only" if only else "none"
    return say(
        f"ui.sharing.headline.{key}",
        language,
        placed=placed,
        services=services,
        used=placement.cards_used,
        cards=len(placement.cards),
        left_out=", ".join(letter(number) for number in placement.left_out),
    )


def second(shared: Shared, language: str) -> str:
    """What makes it fit; where it does, what one lost card costs."""
    if shared.changes is not None:
        found = remedy(shared, language)
        nearest = shared.changes.cards
        none = "no_remedy" if shared.changes.in_time else "no_remedy_in_time"
        parts = [found] if found else [say(f"ui.sharing.{none}", language)]
        if nearest:
            parts.append(say("ui.sharing.cards_would_do", language, cards=nearest))
        return " ".join(parts)
    stopped = sorted({number for loss in shared.failures.cards for number in loss.stopped})
    named = ", ".join(letter(number) for number in stopped)
    lost = say("ui.sharing.stops_with_card" if stopped else "ui.sharing.survives_card", language, services=named)
    return f"{say('ui.sharing.memory_alone', language)} {lost}"


def remedy(shared: Shared, language: str) -> str:
    """The smallest change as a sentence, "" where there is none."""
    found = shared.changes
    if found is None or not found.edits:
        return ""
    parts = "; ".join(_change(edit, language) for edit in found.edits)
    if found.left_out:
        left = ", ".join(letter(number) for number in found.left_out)
        return say("ui.sharing.remedy_partly", language, parts=parts, left_out=left)
    return say("ui.sharing.remedy", language, parts=parts)


def _change(edit: Change, language: str) -> str:
    if edit.field in ("isolation", "kv_dtype"):
        after = say(f"input.{edit.field}.{edit.after}", language)
        return say(f"ui.sharing.change.{edit.field}", language, service=letter(edit.service), after=after)
    return say(
        f"ui.sharing.change.{edit.field}", language, service=letter(edit.service), before=edit.before, after=edit.after
    )


def where(shared: Shared, number: int, language: str) -> str:
    """Cards, slices or shares of a service's copies."""
    return "; ".join(place(engine, language) for engine in shared.placement.engines_of(number))


def place(engine: Engine, language: str) -> str:
    """The card, slice or share of one copy."""
    cards = " + ".join(str(card) for card in engine.cards)
    if engine.kind == "slice":
        return say("ui.sharing.place.slice", language, profile=engine.profile, cards=cards)
    if engine.kind == "share":
        return say("ui.sharing.place.share", language, share=engine.share, cards=cards)
    if len(engine.cards) == 1:
        return say("ui.sharing.place.whole", language, cards=cards)
    split = " × ".join([f"TP={engine.tp}"] * (engine.tp > 1) + [f"PP={engine.pp}"] * (engine.pp > 1))
    return say("ui.sharing.place.group", language, cards=cards, split=split)


def wanted(shared: Shared, number: int, language: str) -> str:
    """Conversations that a service asks for, "as many as fit" where it names no number."""
    asked = shared.plan.services[number].conversations
    return say("unit.integer", language, value=asked) if asked else say("ui.services.as_many", language)


def held(shared: Shared, number: int, language: str) -> str:
    """Conversations that a service's copies hold, "runs" where memory sets none, "no place" where it has none."""
    if number in shared.placement.left_out:
        return say("ui.services.no_place", language)
    count = shared.placement.conversations(number)
    return say("ui.sharing.runs", language) if count is None else say("unit.integer", language, value=count)
