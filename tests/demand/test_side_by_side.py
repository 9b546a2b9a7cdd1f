"""Platforms side by side: the English document's table, figures by hand, winners, and what is not said."""

from __future__ import annotations

import pytest

import sizing
from sizing.base.errors import SizingError
from sizing.catalogue.inputs import inputs
from sizing.demand import suits
from sizing.demand.side_by_side import Comparison, Platform, compare
from sizing.sharing.plan import Plan


def test_the_english_documents_table_against_the_h200_nvl() -> None:
    found = compare(Comparison())
    se, nvl = found.platforms
    assert found.row("nominal_gb").values == (384, 282)
    assert not se.one_pool
    assert se.pool_gb == 96
    assert nvl.one_pool
    assert nvl.pool_gb == 282
    # "up to a dozen" slices against "slices available, but only two cards": 16 of the smallest size, and two cards' 14.
    assert se.slices == 16 >= 12
    assert nvl.slices == 14
    assert (se.all_cards, nvl.all_cards) == (4, 2)
    # "For a 70B model with many interactive users the H200 NVL is the stronger card" (doc-de): MLPerf Interactive.
    (rates,) = [note for note in suits.notes(found) if note.key == "compare.note.interactive"]
    assert rates.values["first"] == nvl.card.name
    assert found.row("pool_gb").best == 1


def test_an_upper_bound_wins_nothing_over_a_promise() -> None:
    found = compare(Comparison(platforms=(Platform(), Platform(card="mi300x", cards=2))))
    ours, bound = found.platforms
    assert (ours.answer.at_most, bound.answer.at_most) == (False, True)  # no speed was measured on an MI300X
    assert (bound.conversations or 0) > (ours.conversations or 0)
    assert found.ranked == (0,)
    assert [found.row(name).best for name in ("conversations", "left_without_server", "per_conversation")] == [-1] * 3


def test_eight_cards_are_twice_four_without_changing_the_platform() -> None:
    two, four, eight = compare(Comparison(platforms=Comparison.preset_entries("sizes"))).platforms
    assert (two.nominal_gb, four.nominal_gb, eight.nominal_gb) == (192, 384, 768)
    assert [round(each.usable_gib, 1) for each in (two, four, eight)] == [166.1, 332.2, 664.3]
    # (N x 600 + 2 x 280) x 1.15 W
    assert [each.power_w for each in (two, four, eight)] == pytest.approx([2024, 3404, 6164])


def test_two_servers_of_four_keep_half_and_one_of_eight_nothing() -> None:
    one, two = compare(Comparison(platforms=Comparison.preset_entries("failure"))).platforms
    assert one.left_without_server == 0
    assert two.conversations == 64  # twice the 32 that keep 20 tokens/s on four cards
    assert two.left_without_server == 32
    assert two.power_w == pytest.approx(2 * 3404)


def test_a_pool_is_as_large_as_the_bridge_joins() -> None:
    found = compare(Comparison(platforms=(Platform(card="h200-nvl", cards=4), Platform(card="h200-nvl", cards=8))))
    assert [each.pool_gb for each in found.platforms] == [564, 564]
    assert [each.one_pool for each in found.platforms] == [True, False]


def test_figures_are_those_of_the_sizing() -> None:
    comparison = Comparison(platforms=Comparison.preset_entries("pools")).replace(context_tokens=32768, kv_dtype="bf16")
    for each in compare(comparison).platforms:
        scenario = comparison.scenario.replace(
            card=each.platform.card, cards=each.platform.cards, power_cap_w=each.platform.cap_w
        )
        assert each.conversations == sizing.answer(scenario).conversations


def test_the_winner_has_the_best_value_and_ties_have_none() -> None:
    found = compare(Comparison(platforms=Comparison.preset_entries("pools")))
    for row in found.rows:
        known = [value for value in row.values if value is not None]
        if row.best >= 0:
            top = max(known) if row.better == "more" else min(known)
            assert row.values[row.best] == top
            assert known.count(top) == 1
            assert len(known) == len(row.values)
    same = compare(Comparison(platforms=(Platform(), Platform())))
    assert {row.best for row in same.rows} == {-1}


def test_without_a_price_nobody_wins_and_the_turn_is_named() -> None:
    platforms = (Platform(card_price=16_000), Platform(card="h200-nvl", cards=2))
    found = compare(Comparison(platforms=platforms, measure="nominal_gb", currency="EUR"))
    assert found.without_price == (1,)
    for name in ("total", "per_nominal_gb", "per_usable_gib", "per_conversation"):
        assert found.row(name).best == -1
    [turn] = found.turns
    # 4 x 16,000 / 384 GB = 166.67 a GB; two H200 NVL of 282 GB cost as much a GB at 23,500 a card.
    assert turn.others == (0,)
    assert turn.card_price == pytest.approx(23_500)
    assert any("No price in EUR is known for B" in note.text for note in suits.notes(found))
    assert any("23,500 EUR" in note.text for note in suits.notes(found))


def test_a_typed_price_decides_the_row() -> None:
    own = Platform(card_price=16_000)
    cheap = Comparison(platforms=(own, Platform(card="h200-nvl", cards=2, card_price=23_000)))
    dear = Comparison(platforms=(own, Platform(card="h200-nvl", cards=2, card_price=24_000)))
    assert compare(cheap).row("per_nominal_gb").best == 1
    assert compare(dear).row("per_nominal_gb").best == 0


def test_a_servers_price_counts_only_when_every_platform_has_one() -> None:
    platforms = (
        Platform(card_price=10_000, server_price=20_000),
        Platform(card="h200-nvl", cards=2, card_price=30_000),
    )
    assert [each.costs.total for each in compare(Comparison(platforms=platforms)).platforms] == [40_000, 60_000]
    both = (platforms[0], platforms[1].replace(server_price=15_000))
    assert [each.costs.total for each in compare(Comparison(platforms=both)).platforms] == [60_000, 75_000]


def test_nothing_is_converted_between_currencies() -> None:
    found = compare(Comparison(currency="EUR"))
    assert found.without_price == (1,)  # the facts have no quote in EUR for an H200 NVL, and six in USD
    assert compare(Comparison()).without_price == ()


def test_each_kind_of_platform_has_its_strong_point_said() -> None:
    """English document: many services on separate cards, one very large model in a pool."""
    texts = [note.text for note in suits.notes(compare(Comparison()))]
    assert any(text.startswith("A: good for several models around the clock") for text in texts)
    assert any(text.startswith("B: good for one very large model") and "282 GB" in text for text in texts)
    [gigabyte] = [text for text in texts if "the price of a gigabyte decides" in text]
    assert "140 USD a GB, new" in gigabyte
    dearer, cheaper = gigabyte.split("Dearer: ")[1].split(". Cheaper: ")
    assert "H200 NVL 238" in dearer
    assert "L4 108" in cheaper


def test_whom_it_suits_comes_from_figures_and_sources() -> None:
    texts = [note.text for note in suits.notes(compare(Comparison()))]
    # Per card: the best published interactive rates are 16,419.18 / 8 and 6,262.63 / 8 tokens/s.
    assert any("2,052 tokens/s" in text and "783" in text and "2.6 times" in text for text in texts)
    assert any("one pool of memory over a direct link, as in B" in text for text in texts)
    assert any("tower" in text for text in texts)
    elsewhere = suits.notes(compare(Comparison(platforms=Comparison.preset_entries("sizes"))))
    assert any("none of these has one" in note.text for note in elsewhere)
    for note in suits.notes(compare(Comparison(platforms=Comparison.preset_entries("failure")))):
        assert note.text


def test_a_model_that_fits_nowhere_is_said() -> None:
    found = compare(Comparison().replace(checkpoint="moonshotai/Kimi-K2-Instruct"))
    assert [each.conversations for each in found.platforms] == [0, 0]
    assert suits.notes(found)[0].level == "stop"
    assert found.line is None


@pytest.mark.parametrize("card", sizing.catalogue.card_ids())
def test_any_card_of_the_catalogue_can_be_compared(card: str) -> None:
    found = compare(Comparison(platforms=(Platform(), Platform(card=card, cards=2))))
    assert all(note.text for note in suits.notes(found))
    assert len(found.rows) == 16


@pytest.mark.parametrize("name", Comparison.PRESETS)
def test_a_comparison_survives_json_and_a_link(name: str) -> None:
    platforms = (
        *Comparison.preset_entries(name)[:3],
        Platform(card="l40s", cards=3, card_price=7500.5, server_price=0.0),
    )
    comparison = Comparison(platforms=platforms, currency="EUR", measure="usable_gib", varied=3).replace(cards=2)
    assert Comparison.from_json(comparison.to_json()) == comparison
    assert Comparison.from_query(comparison.to_query()) == comparison


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("rig=", "does not describe a platform"),
        ("rig=h200-nvl~many", "must be a number"),
        ("rig=a~1~2~3~4~5~6", "does not describe a platform"),
        ("rig=h200-nvl~2~1~0~-4", "cannot be -4"),
        ("cur=CHF", "Choose one of"),
        ("per=slogan", "Choose one of"),
        ("vary=9", "between 1 and 4"),
        ("cv=7", "another version"),
        ("rig=h200-nvl&" * 5, "1 to 4 platforms"),
    ],
)
def test_a_damaged_link_is_said_and_the_rest_is_kept(query: str, said: str) -> None:
    found, dropped = Comparison.read_query("ctx=4096&" + query)
    assert found.scenario.context_tokens == 4096
    assert any(said in str(error) for error in dropped)
    with pytest.raises(SizingError):
        Comparison.from_query(query)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"platforms": 3}', '{"platforms": [3]}', '{"comparison": "0"}', '{"x": 1}']
)
def test_a_damaged_file_is_refused_in_words(text: str) -> None:
    with pytest.raises(SizingError):
        Comparison.from_json(text)


def test_names_in_a_link_mean_one_thing_only() -> None:
    """Scenario, plan and comparison share the address of a page."""
    scenario = {spec.short for spec in inputs().values()} | {"v", "theme", "lang"}
    plan = set(Plan.parameters())
    comparison = set(Comparison.parameters())
    assert not scenario & plan
    assert not scenario & comparison
    assert not plan & comparison


# 67.7 GiB of FP8 weights: an L4 of 24 GB holds them on no two cards, four RTX PRO 6000 do.
TOO_SMALL = Platform(card="l4", cards=2)
LARGE = Platform(cards=4, card_price=9_000)


def test_a_platform_that_cannot_hold_the_model_wins_nothing() -> None:
    # Alone it draws the least, weighs the least in the rack and costs the least.
    found = compare(Comparison(platforms=(TOO_SMALL.replace(card_price=2_500), LARGE, LARGE.replace(cards=8))))
    assert [each.holds for each in found.platforms] == [False, True, True]
    assert all(row.best != 0 for row in found.rows)
    assert found.row("power_w").best == 1  # four cards against eight
    assert found.row("conversations").best == 2


def test_where_one_alone_holds_it_it_wins_the_conversations_and_no_more() -> None:
    found = compare(Comparison(platforms=(TOO_SMALL, LARGE)))
    assert {row.name for row in found.rows if row.best >= 0} == {"conversations"}
    assert found.row("conversations").best == 1


def test_nothing_is_won_where_none_holds_it() -> None:
    for comparison in (
        Comparison(platforms=(TOO_SMALL, TOO_SMALL.replace(cards=1))),
        Comparison(platforms=(LARGE, LARGE.replace(cards=2))).replace(context_tokens=200_000),  # it ends at 131,072
    ):
        found = compare(comparison)
        assert not any(each.holds for each in found.platforms)
        assert all(row.best == -1 for row in found.rows)
        assert not found.turns
        assert found.line is None


def test_no_price_turns_against_a_platform_that_cannot_hold_the_model() -> None:
    small = TOO_SMALL.replace(card_price=2_500)
    by_memory = Comparison(platforms=(LARGE, small), measure="usable_gib", varied=1)
    assert not compare(by_memory).turns
    assert compare(by_memory.replace(varied=2)).line is None


def test_an_upper_bound_is_not_compared_as_a_promise() -> None:
    # No speed of the MI300X was measured, those of the Server Edition were.
    found = compare(Comparison(platforms=(Platform(), Platform(card="mi300x", cards=2))))
    assert [each.answer.bound_only for each in found.platforms] == [False, True]
    (note,) = [note for note in suits.notes(found) if note.key == "compare.note.bound_only"]
    assert note.level == "warn"
    assert note.text.startswith("B: ")
