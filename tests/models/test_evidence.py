"""Start-up logs beside predictions: what the documents of the engine's users print, and how near we come."""

from __future__ import annotations

import pytest

from sizing.models import evidence


def test_the_logs_are_near_and_the_worst_says_why() -> None:
    numbers = evidence.log_summary()
    assert numbers.count == len(evidence.startup_logs()) == 49
    assert numbers.near >= 0.92 * numbers.count
    assert numbers.worst.reason


@pytest.mark.parametrize(
    ("id", "printed"),
    # as the threads print them: vllm-project/vllm#33263 (Qwen3-1.7B), and a log of Llama 3.3 70B in 16 bit
    [("vlog-016", 175856), ("vlog-087", 126832)],
)
def test_a_log_as_printed(id: str, printed: int) -> None:
    log = next(log for log in evidence.startup_logs() if log.id == id)
    assert log.printed == printed
    assert abs(log.error) < 0.001
