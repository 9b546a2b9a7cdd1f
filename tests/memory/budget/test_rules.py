"""Planning rules against the figures of the German document and hand calculations."""

import math

import pytest

from sizing.base.errors import SizingError
from sizing.memory.budget import RULES, reported_memory, resolve_rule, usable_gib

# Cards whose product size in GB and driver figure in MiB are both published (NVIDIA data sheets and nvidia-smi).
CARDS = [
    ("RTX PRO 6000 Blackwell", 96, 97_887),
    ("RTX PRO 5000 Blackwell", 48, 48_935),
    ("H200", 141, 143_771),
    ("H100 NVL", 94, 95_830),
    ("H100", 80, 81_559),
    ("L40S", 48, 46_068),
    ("A100 PCIe", 80, 81_920),
    ("B200", 180, 183_359),
    ("B300", 270, 275_040),
    ("L4", 24, 23_034),
]


@pytest.mark.parametrize(("cards", "printed", "digits"), [(1, 83.04, 2), (2, 166.1, 1), (4, 332.2, 1), (8, 664.3, 1)])
def test_planning_gives_the_documents_figures(cards, printed, digits):
    reported = reported_memory(mib=97_887)
    assert reported.value_gib == 95.6
    assert round(cards * usable_gib(reported.value_gib, rule="planning"), digits) == printed


def test_vllm_rule_by_hand():
    # 0.92 x 95.6 = 87.952; less 4.6 (median of 1.1, 2.3, 4.6, 4.9, 7.55) and 0.92 x 0.555 = 0.51, together 5.1
    assert sorted([1.1, 2.3, 4.6, 4.9, 7.55])[2] + round(0.92 * (0.44 + 0.67) / 2, 1) == RULES["vllm-0.20"].reserve_gib
    assert usable_gib(95.6, rule="vllm-0.20") == pytest.approx(87.952 - 5.1)
    assert RULES["vllm-0.20"].graphs_in_share


def test_custom_by_hand():
    assert usable_gib(95.6, rule="custom", share=0.95, reserve_gib=1.6) == pytest.approx(90.82 - 1.6)
    assert usable_gib(24, rule="custom", share=1, reserve_gib=0) == 24


@pytest.mark.parametrize(("name", "gb", "mib"), CARDS)
def test_derivation_from_gb_is_marked_and_never_above_the_driver(name, gb, mib):
    derived, reported = reported_memory(gb=gb), reported_memory(mib=mib)
    assert derived.derived
    assert not reported.derived
    assert derived.value_gib <= reported.value_gib <= derived.value_gib * 1.08


def test_gb_by_hand():
    # 192e9 / 2**30 = 178.81, rounded down to 178.8
    assert reported_memory(gb=192).value_gib == 178.8
    assert reported_memory(mib=97_887, gb=96) == reported_memory(mib=97_887)


@pytest.mark.parametrize(
    ("call", "key", "named"),
    [
        (lambda: usable_gib(95.6, rule="guess"), "memory_rule_unknown", "memory_rule"),
        (lambda: usable_gib(95.6, rule=None), "memory_rule_unknown", "memory_rule"),
        (lambda: usable_gib(0, rule="planning"), "reported_out_of_range", "reported_gib"),
        (lambda: usable_gib(math.nan, rule="planning"), "reported_out_of_range", "reported_gib"),
        (lambda: usable_gib("96", rule="planning"), "reported_out_of_range", "reported_gib"),
        (lambda: usable_gib(True, rule="planning"), "reported_out_of_range", "reported_gib"),
        (lambda: usable_gib(95.6, rule="custom", reserve_gib=3), "memory_rule_needs", "share"),
        (lambda: usable_gib(95.6, rule="custom", share=0.9), "memory_rule_needs", "reserve_gib"),
        (lambda: usable_gib(95.6, rule="custom", share=0, reserve_gib=3), "share_out_of_range", "share"),
        (lambda: usable_gib(95.6, rule="custom", share=1.01, reserve_gib=3), "share_out_of_range", "share"),
        (lambda: usable_gib(95.6, rule="custom", share=math.inf, reserve_gib=3), "share_out_of_range", "share"),
        (lambda: usable_gib(95.6, rule="custom", share=0.9, reserve_gib=-1), "reserve_out_of_range", "reserve_gib"),
        (lambda: usable_gib(95.6, rule="planning", share=0.8), "memory_rule_fixed", "share"),
        (lambda: usable_gib(95.6, rule="vllm-0.20", reserve_gib=1), "memory_rule_fixed", "reserve_gib"),
        (lambda: usable_gib(3.3, rule="planning"), "memory_rule_leaves_nothing", "card"),
        (lambda: reported_memory(), "card_memory_unknown", "card"),
        (lambda: reported_memory(mib=-1), "reported_out_of_range", "mib"),
        (lambda: reported_memory(gb=math.nan), "reported_out_of_range", "gb"),
    ],
)
def test_bad_input_is_named(call, key, named):
    with pytest.raises(SizingError) as caught:
        call()
    assert caught.value.key == key
    assert caught.value.input == named
    assert caught.value.what()
    assert caught.value.fix()


def test_resolved_rule_says_where_its_figures_come_from():
    assert resolve_rule("planning").share_source == "doc-de"
    assert resolve_rule("custom", share=0.9, reserve_gib=2).reserve_source == "input"
