"""The evidence page in a real browser: filters by keyboard, a table that opens, a link that keeps them."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from sizing.catalogue.parts import ResultFilters
from sizing.models import evidence
from sizing.ui.charts.evidence_charts import evidence_results
from tests.browser.server import Server
from tests.browser.visit import visiting
from tests.speed.conftest import needs_kernels

pytestmark = pytest.mark.browser


def test_filters_change_chart_table_and_link(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("evidence")) as visit:
        page = visit.open().page
        expect(page.locator(".evidence-notice")).to_contain_text("trademarks of MLCommons")
        page.locator('.sizing-field[data-input="result_suite"] select').select_option("rtx6kpro")
        page.locator('.sizing-field[data-input="result_model"] select').select_option("all")
        expect(page.locator(".sizing-answer")).to_contain_text("46 of 500 published results")
        visit.settle()
        filters, _ = ResultFilters.read_link(urlsplit(page.url).query)
        assert filters == ResultFilters(result_suite="rtx6kpro", result_model="all")
        wanted = evidence_results.build(evidence.evidence(filters), "en")["data"]
        drawn = visit.charts()["evidence_results"]["data"]
        assert [trace["x"] for trace in drawn] == [trace["x"] for trace in wanted]
        page.get_by_text("Show the results in a table (46)").click()
        expect(page.locator('[data-live="evidence_results"] tbody tr')).to_have_count(46)
        assert not visit.complaints
        assert not visit.foreign()


@needs_kernels
def test_our_errors_appear_once_the_kernels_are_loaded(server: Server, chromium: Browser) -> None:
    with visiting(chromium, server.page("evidence")) as visit:
        page = visit.open().page
        expect(page.locator('[data-live="evidence_speed"]')).to_contain_text("Every condition stated", timeout=90_000)
        expect(page.locator('[data-live="evidence_logs"]')).to_contain_text("logs within 1 %")
