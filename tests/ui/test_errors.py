"""What becomes of an exception in a callback."""

from __future__ import annotations

import logging
import re

import pytest

from sizing.base.errors import SizingError
from sizing.ui.errors import guarded
from sizing.ui.widgets.frame import Messages


def refuse(value: int) -> int:
    """Fail as a bad input does, on odd numbers."""
    if value % 2:
        raise SizingError("not_whole", label="Cards", value="four", example="4")
    return value


def test_a_good_call_returns_and_says_nothing() -> None:
    messages = Messages()
    assert guarded(refuse, messages)(4) == 4
    assert messages.sentences == []


def test_a_bad_input_is_said_and_cleared_by_the_next_good_one() -> None:
    messages = Messages()
    run = guarded(refuse, messages)
    assert run(3) is None
    assert messages.sentences == [("Cards must be a whole number, not four.", "Type a number such as 4.")]
    run(4)
    assert messages.sentences == []


def test_one_callback_does_not_clear_what_another_says() -> None:
    messages = Messages()
    refusing, other = guarded(refuse, messages), guarded(lambda: None, messages)
    refusing(3)
    other()
    assert len(messages.sentences) == 1


def test_any_other_fault_is_a_number_and_a_traceback_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    messages = Messages()

    def divide() -> float:
        return 1 / 0

    run = guarded(divide, messages)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            assert run() is None
    [(what, fix)] = messages.sentences
    assert "ZeroDivisionError" not in what + fix
    number = re.search(r"number ([0-9a-f]{6})", fix)
    assert number is not None
    [record] = [record for record in caplog.records if number[1] in record.getMessage()]
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_stopping_the_kernel_is_not_a_fault() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(stop, Messages())()
