"""Start-up logs that others have published: how near the prediction comes, and why where it does not.

A log prints available memory to 0.01 GiB. "To one block" allows for that, and for the one block that rounding down
may cost on a card whose figure is not shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sizing.memory import vllm

from .tables import arguments, model, number, rows

ROWS = rows("logs.csv")
# Half of the last digit that a log prints of the available memory. [GiB]
ROUNDING_GIB = 0.005
BLOCK_TOKENS = 16


@dataclass(frozen=True)
class Compared:
    """One log beside its prediction."""

    name: str
    printed: int
    predicted: int
    to_one_block: bool
    inferred: str
    reason: str

    @property
    def error(self) -> float:
        """Prediction against print, as a fraction."""
        return self.predicted / self.printed - 1


def _tokens(row: dict[str, str], shift_gib: float = 0.0) -> vllm.Startup:
    call = arguments(row)
    call["available_kv_gib"] += shift_gib
    return vllm.startup(model(row["model"]), **call)


def _compare(row: dict[str, str]) -> Compared:
    started = _tokens(row)
    assert started.starts, f"{row['id']}: {started.reason}"
    assert started.kv_tokens is not None
    assert started.num_blocks is not None
    blocks = number(row["num_blocks"])
    printed = number(row["kv_tokens"]) or (blocks or 0) * BLOCK_TOKENS
    block = started.kv_tokens / started.num_blocks + 1
    low, high = (_tokens(row, shift).kv_tokens or 0 for shift in (-ROUNDING_GIB, ROUNDING_GIB))
    near = low - block <= printed <= high + block
    return Compared(row["id"], printed, started.kv_tokens, near, row["inferred"], row["reason"])


COMPARED = [_compare(row) for row in ROWS]


def _share(found: list[Compared]) -> float:
    return len(found) / len(COMPARED)


def test_there_are_sixty_logs() -> None:
    assert len(COMPARED) == 60


def test_at_least_92_percent_are_within_one_percent() -> None:
    assert _share([log for log in COMPARED if abs(log.error) <= 0.01]) >= 0.92


def test_at_least_75_percent_are_exact_to_one_block() -> None:
    assert _share([log for log in COMPARED if log.to_one_block]) >= 0.75


@pytest.mark.parametrize("log", COMPARED, ids=lambda log: log.name)
def test_a_log_that_is_further_off_says_why(log: Compared) -> None:
    assert abs(log.error) <= 0.01 or log.reason, f"{log.error:+.2%}: {log.predicted} for {log.printed}"


def test_a_reason_stands_only_where_one_is_needed() -> None:
    """A row that became right must lose its excuse."""
    assert [log.name for log in COMPARED if log.reason and log.to_one_block and abs(log.error) <= 0.01] == []


def test_logs_that_say_all_their_settings_are_within_one_percent() -> None:
    """Without the rows of which a setting was inferred, those off by more are the ones with a reason."""
    whole = [log for log in COMPARED if not log.inferred]
    off = {log.name for log in whole if abs(log.error) > 0.01}
    assert off == {log.name for log in whole if log.reason}
    assert len(off) <= 2
