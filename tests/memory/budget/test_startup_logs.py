"""The engine estimate against real start-up logs: fitted on one half, shown on the other."""

import importlib.util
import statistics
import sys
from pathlib import Path

import pytest

from sizing.memory.vllm.estimate import Constants, fitted

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def fitting():
    spec = importlib.util.spec_from_file_location("fit_budget", ROOT / "scripts" / "fit_budget.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_budget"] = module
    spec.loader.exec_module(module)
    return module


def test_table_holds_every_log_once(fitting):
    logs = fitting.read_logs()
    assert len({log.id for log in logs}) == len(logs) == 36


def test_split_keeps_every_log_and_each_regime_in_both_halves(fitting):
    logs = fitting.read_logs()
    fit_half, shown_half = fitting.halves(logs)
    assert sorted(log.id for log in fit_half + shown_half) == sorted(log.id for log in logs)
    assert {fitting.regime(log) for log in fit_half} == {fitting.regime(log) for log in shown_half}


def test_shipped_constants_are_those_of_the_fit(fitting):
    again = fitting.fit(fitting.halves(fitting.read_logs())[0])
    for name in Constants.__dataclass_fields__:
        assert getattr(fitted(), name) == pytest.approx(getattr(again, name), abs=0.0006), name


def test_shown_half_meets_the_target(fitting):
    # 80 % within 1 GiB, 90 % inside the band, on logs that took no part in the fit
    shown = fitting.halves(fitting.read_logs())[1]
    parts = [(fitting.predict(log), log.available_gib) for log in shown]
    near = sum(abs(part.typical_gib - left) <= 1.0 for part, left in parts)
    inside = sum(part.pessimistic_gib <= left <= part.optimistic_gib for part, left in parts)
    assert near / len(parts) >= 0.8
    assert inside / len(parts) >= 0.9


def test_fit_half_is_no_better_than_stated(fitting):
    # said in data/budget.toml: 10 of 16 within 1 GiB, 14 inside the band, the misses listed by the script
    half = fitting.halves(fitting.read_logs())[0]
    parts = [(fitting.predict(log), log.available_gib) for log in half]
    assert sum(abs(part.typical_gib - left) <= 1.0 for part, left in parts) == 10
    assert sum(part.pessimistic_gib <= left <= part.optimistic_gib for part, left in parts) == 14


def test_better_than_any_constant(fitting):
    """The three terms must earn their place: the best constant reserve, chosen on these very logs, does worse."""
    logs = [log for log in fitting.read_logs() if not log.unknown_draft]
    constant = statistics.median(log.reserve_gib for log in logs)
    best = statistics.fmean(abs(log.reserve_gib - constant) for log in logs)
    ours = statistics.fmean(abs(fitting.predict(log).typical_gib - log.available_gib) for log in logs)
    assert ours < 0.6 * best
