"""The strip of limits, against figures worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from sizing.answers.answer import answer
from sizing.catalogue.scenario import Scenario
from sizing.demand.strip import StripLimit, line, strip
from tests.speed.conftest import needs_kernels


def limits(**inputs: Any) -> dict[str, StripLimit]:
    found = answer(Scenario(**inputs))
    found.cures  # noqa: B018 - tried, as on a page whose visitor's hand is still
    return {limit.name: limit for limit in strip(found)}


@needs_kernels
def test_eight_limits_in_the_order_of_a_talk_by_hand() -> None:
    """Two pairs hold 156 in memory; planned are 230 V x 16 A x 0.8 = 2,944 W for (4 x 600 + 560) x 1.15 = 3,404 W."""
    found = limits(wanted_conversations=8, server_u=4, rack_u=42, reserved_u=2)
    assert list(found) == ["memory", "engine", "speed", "power", "air", "space", "money", "failure"]
    assert found["memory"].share == pytest.approx(8 / 156)
    assert found["speed"].share == pytest.approx(8 / 32)
    assert (found["power"].state, found["power"].share) == ("stop", pytest.approx(3404 / 2944))
    assert found["power"].changes == {"power_cap_w": 450}  # the hardware mode before another socket
    assert found["space"].share == pytest.approx(4 / 40)
    assert (found["money"].state, found["money"].share) == ("open", None)  # no budget was given
    assert (found["failure"].state, found["failure"].share) == (
        "good",
        pytest.approx(8 / 16),
    )  # one of two copies stops


@needs_kernels
def test_a_need_beyond_a_limit_is_a_stop_whose_cure_is_offered_once() -> None:
    found = limits(wanted_conversations=40)  # memory holds 156, 32 keep 20 tokens/s
    assert [found[name].state for name in ("memory", "engine", "speed")] == ["good", "good", "stop"]
    both = limits(wanted_conversations=200)
    assert [found.state for found in both.values()][:3] == ["stop"] * 3
    assert [bool(found.changes) for found in both.values()][:3] == [True, False, False]
    cured = answer(Scenario(wanted_conversations=200).replace(**both["memory"].changes))
    assert cured.verdict == "enough"


def test_a_budget_is_judged_and_a_lost_server_counts_where_asked() -> None:
    """Two servers of four cards at 9,000 and 21,000 beside them: 2 x 57,000."""
    prices = {"price_per_card": 9000, "price_per_server": 21_000, "servers_offered": 2}
    within = limits(**prices, budget=120_000)["money"]
    assert (within.state, within.share) == ("tight", pytest.approx(114_000 / 120_000))
    assert limits(**prices, budget=100_000)["money"].state == "stop"
    lost = limits(servers_offered=1, survive_failure="yes", wanted_conversations=4)["failure"]
    assert lost.state == "stop"


def test_a_model_that_does_not_fit_stops_and_several_services_have_no_strip() -> None:
    """141 GB of 16-bit weights are 131 GiB: no single card of 95.6 GiB holds them."""
    found = limits(checkpoint="meta-llama/Llama-3.3-70B-Instruct", cards=1, wanted_conversations=4)
    assert (found["memory"].state, found["failure"].state) == ("stop", "open")
    assert found["memory"].changes
    assert strip(answer(Scenario(workload="several"))) == ()


@pytest.mark.parametrize(("language", "said"), [("en", "Power 3,404 of 2,944 W (passed)"), ("de", "(überschritten)")])
def test_on_paper_it_is_a_line(language: str, said: str) -> None:
    assert said in line(answer(Scenario()), language)
