"""The load tests in small, so that they are known to work; ``make load`` runs them in earnest."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from tests.browser.server import running
from tests.load import crowd, torn
from tests.load.replicas import behind_nginx, kill_one, replicas
from tests.serve.conftest import NOTEBOOKS


def test_a_small_crowd_loses_nothing() -> None:
    with running("--notebooks", NOTEBOOKS, "--visitors", "10") as server:
        addresses = [server.page("sizing", "?lang=en"), server.page("site", "?lang=de")]
        outcome, came = asyncio.run(
            crowd.crowd(addresses, visitors=4, seconds=6, pause_s=1, arrive_per_s=4, leave=True)
        )
    assert len(came) == 4
    assert outcome.errors == []
    assert outcome.lost == 0
    assert len(outcome.answers_s) >= 4 * 2


def test_visits_that_are_torn_off_leave_nothing() -> None:
    left = asyncio.run(torn.visits(20, at_once=4))
    assert left.failed == 0
    assert left.kernels == []
    assert left.files == []
    assert left.sockets == 0


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx: apt install nginx-light")
def test_a_killed_replica_concerns_its_own_visitors_only() -> None:
    with replicas(2, 10) as servers, behind_nginx(servers) as proxy:
        assert asyncio.run(kill_one(servers, proxy, visitors=6, seconds=10, pause_s=1))
