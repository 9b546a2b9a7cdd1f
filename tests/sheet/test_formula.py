"""Expressions as a spreadsheet writes them."""

from __future__ import annotations

import pytest

import sizing
from sizing.base.working import FUNCTIONS
from sizing.sheet import cells as formula


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("a + b * 2", "=(A+(B*2))"),
        ("-a ** 2", "=(-(A^2))"),  # a spreadsheet would read -A^2 as (-A)^2
        ("a ** b ** 2", "=(A^(B^2))"),  # and A^B^2 as (A^B)^2
        ("a - (b - 1)", "=(A-(B-1))"),
        ("max(0, a - b)", "=(MAX(0,(A-B)))"),
        ("sqrt(3) * a", "=((SQRT(3))*A)"),
        ("ceil(a / b)", "=(-INT(-(A/B)))"),
        ("min(a, b, 1e-06)", "=(MIN(A,B,1E-06))"),
    ],
)
def test_translation(expression: str, written: str) -> None:
    assert formula.translate(expression, {"a": "A", "b": "B"}) == written


@pytest.mark.parametrize("expression", ["a if a else b", "__import__('os')", "a.b", "a[0]", "'x'", "f(a)", "a @ b"])
def test_nothing_but_arithmetic(expression: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        formula.translate(expression, {"a": "A", "b": "B"})


def test_every_function_of_a_working_has_a_twin() -> None:
    assert set(formula._CALLS) == set(FUNCTIONS)


def test_what_comes_from_a_step_is_linked_to_it() -> None:
    sized = sizing.size(sizing.Scenario(checkpoint="google/gemma-3-27b-it"))
    linked = formula.link(sized.working, sized.scenario)
    by_name = {each.step.name: each for each in linked}
    follows = {cell.name[4:]: cell.formula for each in linked for cell in each.inputs}
    assert follows["part_1"] == f"={by_name['cache_sliding'].result.name}"
    assert follows["part_2"] == f"={by_name['cache_full'].result.name}"
    assert follows["kv_gib_per_card"] == f"={by_name['kv_gib_per_card'].result.name}"
    assert follows["free_gib_per_card"] == f"={by_name['free_gib_per_card'].result.name}"
    assert follows["heat_w"] == f"={by_name['server_w'].result.name}"
    assert follows["context_tokens"] == "=in_context_tokens"
    assert follows["cap_w"] == "=in_power_cap_w"
    assert follows["cards"] == ""  # another number of cards is another layout
    assert follows["processor_w"] == ""  # a fact


def test_names_are_unique_and_none_reads_as_a_cell() -> None:
    sized = sizing.size(sizing.Scenario(checkpoint="deepseek-ai/DeepSeek-V4-Flash-0731"))
    linked = formula.link(sized.working, sized.scenario)
    names = [cell.name for each in linked for cell in (*each.inputs, each.result)]
    assert len({name.lower() for name in names}) == len(names)
    assert all("_" in name and name.isidentifier() for name in names)
