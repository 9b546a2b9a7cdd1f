"""The written parts of the page for a shared server."""

from __future__ import annotations

from sizing import catalogue
from sizing.base.markup import Markup, folded, join, table, tag
from sizing.base.texts import say, tell
from sizing.catalogue.listing import letter
from sizing.catalogue.slices import SliceProfile
from sizing.sharing.losses import Left
from sizing.sharing.shared import Shared
from sizing.sharing.wording import headline, second, subject, wanted, where
from sizing.sheet.figures.sharing_charts import PARTS
from sizing.ui.reports import common


def answer(shared: Shared, language: str, *, stale: bool) -> Markup:
    """Whether all services fit, on how many cards, and the figures that a call asks for."""
    placement = shared.placement
    placed = len(placement.needs) - len(placement.left_out)
    figures = (
        ("services", say("ui.sharing.of", language, part=placed, whole=len(placement.needs))),
        ("cards", say("ui.sharing.of", language, part=placement.cards_used, whole=len(placement.cards))),
        ("slots", say("ui.sharing.of", language, part=placement.slots - placement.free_slots, whole=placement.slots)),
        ("free", say("unit.gib", language, value=placement.free_gib)),
        ("server", say("unit.kw", language, value=shared.server_w / 1000)),
    )
    return common.top(
        subject(shared, language),
        headline(shared, language),
        second(shared, language),
        no=not placement.fits,
        stale=stale,
        language=language,
        shown=[(say(f"ui.sharing.figure.{name}", language), value) for name, value in figures],
    )


def key(language: str) -> Markup:
    """What the colours of the columns stand for, from the bottom up."""
    items = []
    for part, colour, _ in PARTS:
        square, name = tag("i", style=f"background: {colour}"), say(f"ui.sharing.part.{part}", language)
        items.append(tag("span", square, name, class_="sharing-key"))
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
        row = [
            f"{letter(number)} {service.checkpoint.partition('/')[2]}",
            where(shared, number, language),
            say("unit.gib", language, value=each.weights_gib),
            say("unit.gib_exact", language, value=each.kv_gib) if each.kv_kib else say("ui.sharing.none", language),
            wanted(shared, number, language),
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


def facts(shared: Shared, language: str) -> Markup:
    """Slices of the card with what they really hold, and which cards virtual machines can share."""
    summary = say("ui.sharing.facts_summary", language, card=shared.placement.card.name)
    return folded("facts", summary, lambda: _facts(shared, language))


def _reported(profile: SliceProfile, language: str) -> str:
    name = "derived" if profile.derived else "by_driver" if profile.most_gib > profile.memory_gib else "exactly"
    return say(f"ui.sharing.{name}", language, value=profile.memory_gib, most=profile.most_gib)


def _facts(shared: Shared, language: str) -> Markup:
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
                _reported(profile, language),
                say("ui.sharing.exactly", language, value=profile.vgpu_memory_gib) if profile.vgpu_memory_gib else "",
                say("ui.sharing.exactly", language, value=max(0.0, rule.usable_gib(profile.memory_gib))),
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
            key = "not" if not card.vgpu.supported else "from" if card.vgpu.release else "yes"
            listed = say(f"ui.sharing.vm_{key}", language, release=card.vgpu.release)
            rows.append([card.name, listed, tell(card.vgpu.note, language), catalogue.source(card.vgpu.source).title])
    parts.append(table(say("ui.sharing.vms", language), head, rows, numeric=9))
    return join(parts)
