"""Redundancy of the supplies as a small diagram: what is left in each situation, and how full it is."""

from __future__ import annotations

from sizing.answers.siting import Siting
from sizing.base.markup import Markup, join, tag
from sizing.base.texts import say
from sizing.base.units import kw
from sizing.site.supplies import Case

WIDTH, HEIGHT, GAP = 13, 26, 4


def diagram(siting: Siting, language: str) -> Markup:
    """A row a situation: supplies by feed, filled to their load, lost ones crossed out, and the verdict in words."""
    rows = [_row(case, siting, language) for case in siting.plan.supply_cases]
    scheme = siting.plan.supply_scheme
    title = say("ui.region.supplies", language)
    values = {
        "count": siting.scenario.supplies,
        "supply_w": siting.scenario.supply_w,
        "scheme": scheme,
        "cord": siting.plan.cord.name,
    }
    lead = say("ui.site.supplies.scheme" if scheme else "ui.site.supplies.too_small", language, **values)
    return join([tag("h2", title), tag("p", lead, class_="site-lead"), *rows, _point(siting, language)])


def _row(case: Case, siting: Siting, language: str) -> Markup:
    feeds = siting.plan.arrangement.feeds
    lost = {"all_working": (0, 0), "one_supply_lost": (1, 0), "one_feed_lost": (feeds[0], 0)}[case.name]
    drawn = [
        tag(
            "span",
            tag("span", say(f"ui.site.feed.{number}", language) if len(feeds) > 1 else ""),
            _feed(count, lost[number] if number < 2 else 0, case.share),
            class_="site-feed",
        )
        for number, count in enumerate(feeds)
    ]
    key = (
        ("carried" if case.working > 1 else "carried_one")
        if case.fits
        else "not_carried"
        if case.working
        else "none_left"
    )
    values = {
        "working": case.working,
        "available_kw": kw(case.available_w),
        "load_kw": kw(case.load_w),
        "share": case.share,
    }
    return tag(
        "div",
        tag("span", *drawn, class_="site-feeds", aria_hidden="true"),
        tag(
            "span",
            tag("strong", say(f"ui.site.supplies.{case.name}", language)),
            " ",
            say(f"ui.site.supplies.{key}", language, **values),
            class_="" if case.fits else "site-over",
        ),
        class_="site-case",
    )


def _feed(count: int, lost: int, share: float) -> Markup:
    """The supplies of one feed: filled from below to their share of the load, the lost ones empty and crossed out."""
    parts = []
    filled = round(min(1.0, share) * HEIGHT, 1)
    for number in range(count):
        x = number * (WIDTH + GAP) + 1
        gone = number >= count - lost
        if not gone:
            kind = "site-fill" if share <= 1 else "site-fill site-full"
            parts.append(
                tag("rect", x=str(x), y=str(HEIGHT - filled + 1), width=str(WIDTH), height=str(filled), class_=kind)
            )
        parts.append(
            tag(
                "rect",
                x=str(x),
                y="1",
                width=str(WIDTH),
                height=str(HEIGHT),
                class_="site-gone" if gone else "site-box",
            )
        )
        if gone:
            cross = f"M{x} 1L{x + WIDTH} {HEIGHT + 1}M{x + WIDTH} 1L{x} {HEIGHT + 1}"
            parts.append(tag("path", d=cross, class_="site-cross"))
    wide = count * (WIDTH + GAP) - GAP + 2
    return tag("svg", *parts, width=str(wide), height=str(HEIGHT + 2), viewBox=f"0 0 {wide} {HEIGHT + 2}")


def _point(siting: Siting, language: str) -> Markup:
    """Where the supplies work on their curve of efficiency."""
    point = siting.plan.operating_point
    if point.efficiency is None or point.loss_w is None:
        text = say("ui.site.supplies.no_efficiency", language, share=point.load_share)
    else:
        values = {"share": point.load_share, "efficiency": point.efficiency, "loss_w": point.loss_w}
        text = say("ui.site.supplies.efficiency", language, **values)
    return tag("p", text, class_="site-small")
