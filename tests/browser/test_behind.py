"""Figures that are older than the visitor's last change say so, and say no more once they are new."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import Browser

from tests.browser.server import Server
from tests.browser.visit import visiting

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("language", "said"), [("en", "Not yet worked out"), ("de", "noch nicht neu berechnet")])
def test_a_kernel_that_does_not_answer_leaves_its_figures_marked(
    server: Server, chromium: Browser, language: str, said: str
) -> None:
    with visiting(chromium, server.page("sizing", f"?lang={language}&n=2")) as visit:
        page = visit.open().page
        visit.settle()
        assert page.locator(".sizing-behind").count() == 0
        pids = server.kernel_pids(visit.kernel_id())
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            page.locator('[data-input="context_tokens"]').get_by_role("slider").press("ArrowRight")
            page.locator(".sizing-behind[aria-busy=true]").wait_for(timeout=15_000)
            shown = page.evaluate("getComputedStyle(document.querySelector('.sizing-behind'), '::before').content")
            assert said in shown
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        page.locator(".sizing-results[aria-busy=false]").wait_for(timeout=30_000)
        assert page.locator(".sizing-behind").count() == 0
