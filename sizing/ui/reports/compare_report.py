"""The written parts of the page that compares platforms."""

from __future__ import annotations

from sizing import catalogue
from sizing.answers import sentence, wording
from sizing.base.markup import Markup, folded, join, table, tag
from sizing.base.texts import Word, say, tell
from sizing.catalogue.listing import letter, letters
from sizing.demand import cost
from sizing.demand.side_by_side import PROMISED, ComparedPlatform, Platform, SideBySide
from sizing.ui.reports import common

WINS = "✓"


def answer(found: SideBySide, language: str, *, stale: bool) -> Markup:
    """Who holds the most conversations, at which price, and what cannot be said without one."""
    scenario = found.comparison.scenario
    subject = say(
        wording.of_cache("ui.compare.subject", found.platforms[0].sizing),
        language,
        model=found.platforms[0].sizing.checkpoint.name,
        context_tokens=scenario.context_tokens,
        precision=wording.precision(found.platforms[0].sizing.kv_dtype, language),
    )
    top = _top(found)
    best = found.platforms[top[0]].answer if len(top) == 1 else None
    return common.top(
        subject,
        headline(found, language),
        sentence.whole(best, language) if best else "",
        sentence.trade_off(best, language) if best else "",
        price_line(found, language),
        _safer(found, language),
        no=not any(each.holds for each in found.platforms),
        stale=stale,
        language=language,
    )


def headline(found: SideBySide, language: str) -> str:
    """The platform that holds the most conversations."""
    alone = platform_name(found.platforms[0].platform, language) if len(found.platforms) == 1 else ""
    if not any(each.sizing.fits for each in found.platforms):
        return say("ui.compare.headline.none_alone" if alone else "ui.compare.headline.none", language, name=alone)
    if wording.beyond_model(found.platforms[0].sizing):
        longest = found.platforms[0].sizing.architecture.max_context_tokens
        asked = found.comparison.scenario.context_tokens
        return say("ui.headline.beyond_model", language, longest_tokens=longest, context_tokens=asked)
    counts = [each.conversations for each in found.platforms]
    if any(count is None for count in counts):
        return say("ui.compare.headline.no_limit", language)
    top = _top(found)
    bound = "_mixed" if found.mixed else "_bound" if found.platforms[found.ranked[0]].answer.at_most else ""
    if alone:
        return say(f"ui.compare.headline.alone{bound}", language, name=alone, conversations=counts[0])
    most = counts[top[0]]
    if len(top) == len(counts):
        return say(f"ui.compare.headline.level{bound}", language, conversations=most)
    others = ", ".join(
        say(f"ui.compare.other_{_kind(found.platforms[number])}", language, platform=letter(number), count=count)
        for number, count in enumerate(counts)
        if number not in top
    )
    if len(top) > 1:
        values = {"platforms": letters(top), "conversations": most, "others": others}
        return say(f"ui.compare.headline.tied{bound}", language, **values)
    return say(
        f"ui.compare.headline.best{bound}",
        language,
        platform=letter(top[0]),
        name=platform_name(found.platforms[top[0]].platform, language),
        conversations=most,
        others=others,
    )


def _safer(found: SideBySide, language: str) -> str:
    """What is left where a whole server may be lost; "" where none of several kinds of servers is the safer one."""
    counted = [(each.left_without_server or 0, number) for number, each in enumerate(found.platforms) if each.holds]
    if not counted or min(counted)[0] or not max(counted)[0]:
        return ""
    left, number = max(counted)
    stopped = letters(each for count, each in counted if not count)
    return say("ui.compare.safer", language, platform=letter(number), left=left, stopped=stopped)


def _top(found: SideBySide) -> list[int]:
    """Numbers of the platforms that serve the most of those that can be ranked."""
    counts = {number: found.platforms[number].conversations for number in found.ranked}
    most = max((count or 0 for count in counts.values()), default=0)
    return [number for number, count in counts.items() if count == most]


def _kind(each: ComparedPlatform) -> str:
    """What its number is: none at all, an upper bound, or one that may be promised."""
    return "none" if not each.conversations else "bound" if each.answer.at_most else "count"


def price_line(found: SideBySide, language: str) -> str:
    """The cheapest per unit; where a price is missing, at which price it would be."""
    comparison = found.comparison
    unit = Word(f"compare.unit.{comparison.measure}")
    if not any(each.holds for each in found.platforms):
        return say("ui.compare.price.none_holds", language)
    missing = letters(number for number in found.without_price if found.platforms[number].holds)
    if missing:
        turns = (
            [turn for turn in found.turns if turn.card_price is not None] if found.varied in found.without_price else []
        )
        if turns:
            cheapest = min(turns, key=lambda turn: turn.per_unit)
            return say(
                "ui.compare.price.turn",
                language,
                varied=letter(found.varied),
                other=letters(cheapest.others),
                price=cheapest.card_price,
                currency=comparison.currency,
                unit=unit,
                per_unit=cheapest.per_unit,
            )
        return say("ui.compare.price.missing", language, platforms=missing, currency=comparison.currency)
    of_promise = comparison.measure == "conversation"
    ranked = found.ranked if of_promise else [number for number, each in enumerate(found.platforms) if each.holds]
    prices = {number: found.platforms[number].price_per(comparison.measure) for number in ranked}
    known = [(price, number) for number, price in prices.items() if price is not None]
    if not known:
        return say("ui.compare.price.no_units", language, unit=unit)
    if of_promise and found.mixed:
        listed = "; ".join(
            f"{letter(number)} {_value('per_conversation', each.price_per('conversation'), each, language)}"
            for number, each in enumerate(found.platforms)
            if each.holds
        )
        return say("ui.compare.price.mixed", language, unit=unit, currency=comparison.currency, listed=listed)
    price, _ = min(known)
    cheapest_of = [number for each, number in known if abs(each - price) <= 1e-9 * price]
    key = "cheapest_whole" if found.with_servers else "cheapest"
    key += "_bound" if of_promise and found.platforms[ranked[0]].answer.at_most else ""
    return say(
        f"ui.compare.price.{key}",
        language,
        platforms=letters(cheapest_of),
        price=price,
        currency=comparison.currency,
        unit=unit,
    )


def platform_name(platform: Platform, language: str) -> str:
    """ "4 × H200 NVL", "2 servers of 4 × …"."""
    key = "ui.compare.name" if platform.servers == 1 else "ui.compare.name_servers"
    card = catalogue.card(platform.card).name
    return say(key, language, servers=platform.servers, cards=platform.cards, card=card)


def side_by_side(found: SideBySide, language: str) -> Markup:
    """The table: a column a platform, the best of each row marked by word, sign and colour."""
    head = [say("ui.compare.row.what", language)]
    head += [
        f"{letter(number)} · {platform_name(each.platform, language)}" for number, each in enumerate(found.platforms)
    ]
    rows: list[list[str]] = []
    for row in found.rows:
        name = say(f"ui.compare.row.{row.name}", language, currency=found.comparison.currency)
        cells: list[str] = [name]
        for number, value in enumerate(row.values):
            text = _value(row.name, value, found.platforms[number], language)
            cells.append(_best(text, language) if number == row.best else text)
        rows.append(cells)
        if row.name == "pool_gb":
            rows.append([say("ui.compare.row.pool", language), *(_pool(each, language) for each in found.platforms)])
        if row.name == "conversations":
            layouts = (
                wording.layout_name(each.sizing.best, language) if each.sizing.fits else "" for each in found.platforms
            )
            rows.append([say("ui.compare.row.layout", language), *layouts])
        if row.name == "power_w":
            circuit = found.platforms[0].sizing.circuit.name
            said = (say(f"ui.compare.circuit_{each.connection.verdict}", language) for each in found.platforms)
            rows.append([say("ui.compare.row.circuit", language, circuit=circuit), *said])
    return table(say("ui.region.compare_table", language), head, rows)


def _best(text: str, language: str) -> Markup:
    """The best of a row, by sign, colour and a word for who sees neither."""
    said = tag("span", say("ui.compare.wins", language), class_="sizing-said")
    return tag("span", f"{WINS} {text}", said, class_="compare-best")


FORMATS: dict[str, str] = {
    "nominal_gb": "unit.gb",
    "pool_gb": "unit.gb",
    "usable_gib": "unit.gib",
    "power_w": "ui.compare.kw",
    "cfm": "unit.cfm",
    "height_u": "ui.compare.u",
}


def _value(name: str, value: float | None, each: ComparedPlatform, language: str) -> str:
    if name == "conversations" and not each.sizing.fits:
        return say("ui.does_not_fit", language)
    if value is None:
        key = "no_limit" if name in ("conversations", "left_without_server") else "not_known"
        return say("ui.no_limit" if key == "no_limit" else "ui.compare.not_known", language)
    if name == "power_w":
        return say("ui.compare.kw", language, value=value / 1000)
    said = say(FORMATS.get(name, "ui.compare.whole"), language, value=value)
    if name in PROMISED and value and each.answer.at_most:
        return say(f"ui.compare.{'at_least' if name == 'per_conversation' else 'at_most'}", language, value=said)
    return said


def _pool(each: ComparedPlatform, language: str) -> str:
    if each.one_pool and each.pool_cards > 1:
        return say("ui.compare.pool.one", language)
    if each.pool_cards > 1:
        return say("ui.compare.pool.groups", language, cards=each.pool_cards)
    if each.all_cards == 1:
        return say("ui.compare.pool.single", language)
    return say("ui.compare.pool.separate", language, count=each.all_cards, gb=each.card.memory_gb.value)


def working(found: SideBySide, language: str) -> Markup:
    """The divisions behind the prices per unit."""
    steps = []
    for each in found.platforms:
        for measure in ("nominal_gb", "usable_gib", "conversation", "kw"):
            amount = each.amount(measure)
            if each.costs.total is not None and amount:
                unit = say(f"compare.unit.{measure}", language)
                steps.append(cost.step(measure, each.costs.total, amount, unit, found.comparison.currency, "step"))
    return common.section("working-compare", lambda: steps, language) if steps else Markup()


def quotes(found: SideBySide, language: str) -> Markup:
    """Every public quote for the cards shown, with date and source."""
    return folded("quotes", say("ui.compare.quotes_summary", language), lambda: _quotes(found, language))


def _quotes(found: SideBySide, language: str) -> Markup:
    names = ("card", "kind", "price", "vat", "date", "seller", "note", "source")
    head = [say(f"ui.compare.quote_column.{name}", language) for name in names]
    cards = {each.card.id: each.card for each in found.platforms}
    known = {id: [each for each in catalogue.prices(id) if each.kind != "rental"] for id in cards}
    rows = [
        [
            cards[id].name,
            say(f"price.kind.{price.kind}", language),
            say("ui.compare.money", language, value=price.net, currency=price.currency),
            say(cost.vat(price).key, language, **dict(cost.vat(price).values)),
            tell(price.date, language),
            price.seller,
            tell(price.note, language),
            catalogue.source(price.source).title,
        ]
        for id, prices in known.items()
        for price in prices
    ]
    parts = [_gigabytes(found.comparison.currency, language)]
    if rows:
        parts.append(table(say("ui.compare.quotes", language), head, rows, numeric=9))
    without = [cards[id].name for id, prices in known.items() if not prices]
    if without:
        parts.append(tag("p", say("ui.compare.no_quotes", language, cards=", ".join(without)), class_="sizing-small"))
    return join(parts)


def _gigabytes(currency: str, language: str) -> Markup:
    """Every card by the price of a nominal gigabyte: new, used and list beside each other, never mixed."""
    kinds = ("new", "used", "list")
    quoted = {kind: dict(cost.gigabytes(currency, kind)) for kind in kinds}
    cards = dict.fromkeys(card for kind in kinds for card in quoted[kind])

    def cell(card: catalogue.Card, kind: str) -> str:
        price = quoted[kind].get(card)
        if price is None:
            return ""
        per_gb = price.net / card.memory_gb.value
        return say("ui.compare.gigabyte", language, value=per_gb, date=price.date)

    head = [say("ui.compare.quote_column.card", language), *(say(f"price.kind.{kind}", language) for kind in kinds)]
    rows = [[card.name, *(cell(card, kind) for kind in kinds)] for card in cards]
    return table(say("ui.compare.gigabytes", language, currency=currency), head, rows)
