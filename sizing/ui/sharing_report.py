"""The written parts of the page for a shared server."""

from __future__ import annotations

from sizing import catalogue
from sizing.memory.sharing import Change, Engine
from sizing.memory.sharing.failure import Left
from sizing.memory.sharing.remarks import letter
from sizing.sharing import Shared
from sizing.texts import say, tell
from sizing.ui.charts.sharing_cards import PARTS
from sizing.ui.html import Markup, folded, join, table, tag


def answer(shared: Shared, language: str, *, stale: bool) -> Markup:
    """Whether all services fit, on how many cards, and the figures that a call asks for."""
    placement, plan = shared.placement, shared.plan
    placed = len(placement.needs) - len(placement.left_out)
    values = {
        "placed": placed,
        "services": len(placement.needs),
        "used": placement.cards_used,
        "cards": len(placement.cards),
        "left_out": ", ".join(letter(number) for number in placement.left_out),
    }
    only = len(placement.needs) == 1
    key = ("only" if only else "all") if placement.fits else "some" if placed else "none_only" if only else "none"
    figures = (
        ("services", say("ui.sharing.of", language, part=placed, whole=len(placement.needs))),
        ("cards", say("ui.sharing.of", language, part=placement.cards_used, whole=len(placement.cards))),
        ("slots", say("ui.sharing.of", language, part=placement.slots - placement.free_slots, whole=placement.slots)),
        ("free", say("unit.gib", language, value=placement.free_gib)),
        ("server", say("unit.kw", language, value=shared.server_w / 1000)),
    )
    shown = [
        tag("div", tag("dt", say(f"ui.sharing.figure.{name}", language)), tag("dd", value)) for name, value in figures
    ]
    many = "ui.sharing.subject_two" if plan.servers > 1 else "ui.sharing.subject"
    subject = say(
        many,
        language,
        cards=plan.scenario.cards,
        servers=plan.servers,
        card=placement.card.name,
        aim=say(f"input.aim.{plan.aim}", language),
    )
    return join(
        [
            tag("p", subject, class_="sizing-subject"),
            tag(
                "p",
                say(f"ui.sharing.headline.{key}", language, **values),
                class_="sizing-answer" + ("" if placement.fits else " sizing-no"),
            ),
            tag("p", second(shared, language), class_="sizing-second"),
            tag("p", say("ui.stale", language), class_="sizing-stale") if stale else Markup(),
            tag("dl", *shown, class_="sizing-figures"),
        ]
    )


def second(shared: Shared, language: str) -> str:
    """What makes it fit; where it does, what one lost card costs."""
    if shared.changes is not None:
        found = remedy(shared, language)
        nearest = shared.changes.cards
        parts = [found] if found else [say("ui.sharing.no_remedy", language)]
        if nearest:
            parts.append(say("ui.sharing.cards_would_do", language, cards=nearest))
        return " ".join(parts)
    stopped = sorted({number for loss in shared.failures.cards for number in loss.stopped})
    if not stopped:
        return say("ui.sharing.survives_card", language)
    return say("ui.sharing.stops_with_card", language, services=", ".join(letter(number) for number in stopped))


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


def key(language: str) -> Markup:
    """What the colours of the columns stand for, from the bottom up."""
    items = [
        tag(
            "span",
            tag("i", style=f"background: {colour}"),
            say(f"ui.sharing.part.{part}", language),
            class_="sharing-key",
        )
        for part, colour, _ in PARTS
    ]
    return tag("p", say("ui.sharing.key", language), " ", *items, class_="sizing-small")


def services(shared: Shared, language: str) -> Markup:
    """Every service with its place, what it holds, and what failures leave of it."""
    placement, failures = shared.placement, shared.failures
    columns = ["service", "where", "weights", "per_conversation", "wanted", "holds", "card_lost"]
    if failures.feed is not None:
        columns.append("feed_lost")
    columns += [f"server_{number}_lost" for number in range(len(failures.servers))]
    columns.append("spare")
    head = [_column(column, shared, language) for column in columns]
    rows = []
    for number, each in enumerate(placement.needs):
        service = each.service
        now = Left(len(placement.engines_of(number)), placement.conversations(number))
        wanted = (
            say("unit.integer", language, value=service.conversations)
            if service.conversations
            else say("ui.services.as_many", language)
        )
        row = [
            f"{letter(number)} {service.checkpoint.partition('/')[2]}",
            _where(shared, number, language),
            say("unit.gib", language, value=each.weights_gib),
            say("unit.gib_exact", language, value=each.kv_gib) if each.kv_kib else say("ui.sharing.none", language),
            wanted,
        ]
        if number in placement.left_out:
            rows.append([*row, say("ui.services.no_place", language), *[""] * (len(columns) - len(row) - 1)])
            continue
        row += [_left(now, language), _left(failures.worst[number], language)]
        if failures.feed is not None:
            row.append(_left(now if failures.feed.fits else Left(0, 0), language))
        row += [_left(loss.left[number], language) for loss in failures.servers]
        row.append(say("unit.integer", language, value=failures.spare_copies[number]))
        rows.append(row)
    made = table(say("ui.region.sharing_services", language), head, rows, numeric=2)
    return join([made, tag("p", feed(shared, language), class_="sizing-small")])


def feed(shared: Shared, language: str) -> str:
    """What the loss of a feed means for a server."""
    failures, scenario = shared.failures, shared.plan.scenario
    if failures.feed is None:
        return say("ui.sharing.feed.single", language)
    values = {
        "available_kw": failures.feed.available_w / 1000,
        "server_kw": failures.server_w / 1000,
        "supplies": failures.feed.working,
        "supply_w": scenario.supply_w,
        "cap_w": failures.feed_cap_w or 0,
    }
    name = "holds" if failures.feed.fits else "with_cap" if failures.feed_cap_w else "falls"
    one = "_one" if failures.feed.working == 1 else ""
    return say(f"ui.sharing.feed.{name}{one}", language, **values)


def _column(name: str, shared: Shared, language: str) -> str:
    if name.startswith("server_"):
        key = "server_lost" if shared.plan.servers > 1 else "only_server_lost"
        return say(f"ui.sharing.column.{key}", language, number=int(name.split("_")[1]))
    return say(f"ui.sharing.column.{name}", language)


def _left(left: Left, language: str) -> str:
    if left.copies == 0:
        return say("ui.sharing.stops", language)
    if left.conversations is None:
        return say("ui.sharing.runs", language)
    return say("unit.integer", language, value=left.conversations)


def _where(shared: Shared, number: int, language: str) -> str:
    """Cards, slices or shares of a service's copies."""
    return "; ".join(_place(engine, language) for engine in shared.placement.engines_of(number))


def _place(engine: Engine, language: str) -> str:
    cards = " + ".join(str(card) for card in engine.cards)
    if engine.kind == "slice":
        return say("ui.sharing.place.slice", language, profile=engine.profile, cards=cards)
    if engine.kind == "share":
        return say("ui.sharing.place.share", language, share=engine.share, cards=cards)
    if len(engine.cards) == 1:
        return say("ui.sharing.place.whole", language, cards=cards)
    split = " × ".join([f"TP={engine.tp}"] * (engine.tp > 1) + [f"PP={engine.pp}"] * (engine.pp > 1))
    return say("ui.sharing.place.group", language, cards=cards, split=split)


def facts(shared: Shared, language: str) -> Markup:
    """Slices of the card with what they really hold, and which cards virtual machines can share."""
    placement = shared.placement
    rule = placement.room.rule
    parts = []
    if placement.profiles:
        head = [
            say(f"ui.sharing.slice_column.{name}", language)
            for name in ("name", "count", "gib", "vm", "usable", "source")
        ]
        rows = [
            [
                profile.name,
                say("unit.integer", language, value=profile.count),
                say(
                    "ui.sharing.about" if profile.derived else "ui.sharing.exactly", language, value=profile.memory_gib
                ),
                say("ui.sharing.exactly", language, value=profile.vgpu_memory_gib) if profile.vgpu_memory_gib else "",
                say("ui.sharing.exactly", language, value=max(0.0, rule.share * profile.memory_gib - rule.reserve_gib)),
                catalogue.source(profile.source).title,
            ]
            for profile in placement.profiles
        ]
        parts.append(table(say("ui.sharing.slices_of", language, card=placement.card.name), head, rows))
    else:
        parts.append(tag("p", say("ui.sharing.no_slices", language, card=placement.card.name)))
    head = [say(f"ui.sharing.vm_column.{name}", language) for name in ("card", "listed", "more", "source")]
    rows = []
    for id in catalogue.card_ids():
        card = catalogue.card(id)
        if card.vgpu is not None:
            listed = (
                say("ui.sharing.vm_from", language, release=card.vgpu.release)
                if card.vgpu.supported
                else say("ui.sharing.vm_not", language)
            )
            rows.append([card.name, listed, tell(card.vgpu.note, language), catalogue.source(card.vgpu.source).title])
    parts.append(table(say("ui.sharing.vms", language), head, rows, numeric=9))
    return folded("facts", say("ui.sharing.facts_summary", language, card=placement.card.name), *parts)
