"""What was measured at the wall counts on a shared server as it does at a site."""

from __future__ import annotations

import pytest

from sizing.answers.siting import site
from sizing.sharing import Plan
from sizing.sharing.shared import shared


def test_a_measured_server_draws_what_was_measured() -> None:
    plan = Plan().replace(cards=4, measured_full_w=3100.0)
    found = shared(plan)
    assert found.server_w == 3100.0
    assert found.server_w == site(plan.scenario).plan.draw.server_w


def test_the_cap_that_survives_a_lost_feed_goes_by_the_share_that_a_measurement_implies() -> None:
    # Of 4 x 1,600 W supplies two stay: 3,200 W. Rated 4 x 600 + 2 x 280 = 2,960 W, measured 3,700 W: 1.25 times that.
    # 3,200 / 1.25 = 2,560 W for cards and processors, 2,000 W for four cards: 500 W each.
    plan = Plan().replace(cards=4, measured_full_w=3700.0, supplies=4, supply_w=1600.0)
    assert shared(plan).failures.feed_cap_w == pytest.approx(500)
