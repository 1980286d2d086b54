"""The log's thread looks for itself: what is put wakes nobody, what is told to wake it does at once."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from logs.clock import ClockPair
from logs.intake import POLL_S, Intake


class Look:
    """Stands for the event that cuts a wait short; counts the waits, and does something in one of them."""

    def __init__(self) -> None:
        self.waits_s: list[float] = []
        self.meanwhile: dict[int, Callable[[], Any]] = {}
        self.is_set = False
        self.times_set = 0

    def set(self) -> None:
        self.is_set = True
        self.times_set += 1

    def clear(self) -> None:
        self.is_set = False

    def wait(self, wait_s: float) -> bool:
        self.waits_s.append(wait_s)
        self.meanwhile.get(len(self.waits_s), lambda: None)()
        return self.is_set


@pytest.fixture
def intake(clock: Any) -> Intake:
    made = Intake(uuid.uuid4(), ClockPair(**clock.clocks()), UTC, lambda: (1.0, 1.0))
    made._woken = Look()  # type: ignore[assignment]
    return made


def test_what_is_put_is_found_at_the_next_look_and_wakes_nobody(intake: Intake) -> None:
    look: Any = intake._woken
    look.meanwhile[3] = lambda: intake.note("kind", {}, 1.0)
    intake.collect(1.0)
    assert look.waits_s == [POLL_S] * 3
    assert look.times_set == 0
    assert [entry.kind for entry in intake.waiting] == ["kind"]  # type: ignore[union-attr]


def test_it_looks_no_longer_than_asked_and_not_at_all_for_what_is_there(intake: Intake) -> None:
    look: Any = intake._woken
    intake.collect(1.0)
    assert sum(look.waits_s) == pytest.approx(1.0, abs=POLL_S)
    looked = len(look.waits_s)
    intake.note("kind", {}, 1.0)
    intake.collect(1.0)
    intake.collect(0.0)
    assert len(look.waits_s) == looked


def test_a_wake_ends_one_wait(intake: Intake) -> None:
    look: Any = intake._woken
    look.meanwhile[2] = intake.wake
    intake.collect(1.0)
    assert len(look.waits_s) == 2
    intake.collect(5 * POLL_S)
    assert len(look.waits_s) == 2 + 5
