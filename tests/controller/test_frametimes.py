"""The pictures' times in rings and minutes: what is counted, what is handed over, what it costs."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from controller.frametimes import KEPT_PICTURES, FrameTimes


class Reel:
    """Frame times at a rate that can be changed, and the notes they make."""

    def __init__(self, rate_hz: float = 60.0, start_s: float = 1e6) -> None:
        self.rate_hz, self.now_s = rate_hz, start_s
        self.notes: list[Mapping[str, Any]] = []
        self.times = FrameTimes(lambda: self.rate_hz, lambda kind, detail: self.notes.append(detail))
        self.show(0.0)

    def show(self, interval_s: float, gpu_s: float | None = None) -> None:
        """One picture: 1 ms to step, 2 ms to submit, the rest to flip."""
        self.now_s += interval_s
        self.times.add(0.001, 0.002, interval_s - 0.003, self.now_s, gpu_s)


def test_a_minute_has_its_number_mean_percentiles_longest_and_dropped() -> None:
    """1 % of the pictures take 25 ms and one 100 ms; the limit is 1.2 periods of 60 Hz, 20 ms."""
    reel = Reel()
    for k in range(3560):
        reel.show(0.1 if k == 1700 else 0.025 if k % 50 == 0 else 1 / 60, gpu_s=0.004)
    reel.times.collect()
    (minute,) = reel.notes
    assert minute["n"] == pytest.approx(3554, abs=10)
    assert minute["dropped"] == sum(k % 50 == 0 or k == 1700 for k in range(int(minute["n"])))
    assert minute["mean"] == pytest.approx(60_000 / minute["n"], abs=0.01)
    assert (minute["p50"], minute["p99"], minute["max"]) == (16.667, 25.0, 100.0)
    assert (minute["step_p50"], minute["submit_p50"], minute["flip_p50"]) == (1.0, 2.0, 13.667)
    assert (minute["gpu_p50"], minute["gpu_p99"], minute["period"]) == (4.0, 4.0, 16.667)


@pytest.mark.parametrize(("periods", "dropped"), [(1.19, 0), (1.21, 1), (50.0, 1)])
def test_a_picture_is_dropped_beyond_a_fifth_more_than_the_period_of_the_moment(
    periods: float, dropped: int
) -> None:
    reel = Reel()
    for rate_hz in (50.0, 59.94, 144.0):
        reel.rate_hz = rate_hz
        before = reel.times.dropped
        reel.show(periods / rate_hz)
        assert reel.times.dropped - before == dropped


def test_pictures_without_a_graphics_clock_leave_its_values_open() -> None:
    reel = Reel()
    for k in range(100):
        reel.show(1 / 60, gpu_s=0.002 if k < 10 else None)
    reel.times.finish()
    assert reel.notes[0]["gpu_p50"] == 2.0
    bare = Reel()
    bare.show(1 / 60)
    bare.times.finish()
    assert bare.notes[0]["gpu_p50"] is None


def test_the_minute_under_way_is_told_at_the_end_and_an_empty_one_is_not() -> None:
    reel = Reel()
    reel.times.finish()
    assert reel.notes == []
    for _ in range(90):
        reel.show(1 / 60)
    reel.times.finish()
    reel.times.finish()
    assert [minute["n"] for minute in reel.notes] == [90]


def test_a_clock_set_back_gives_no_interval_and_minutes_go_on() -> None:
    reel = Reel()
    reel.show(-3600.0)
    assert (reel.times.pictures, reel.times.dropped) == (0, 0)
    for _ in range(3700):
        reel.show(1 / 60)
    reel.times.collect()
    assert [minute["n"] for minute in reel.notes] == [pytest.approx(3600, abs=2)]


def test_the_status_has_the_last_whole_minute_and_all_dropped_pictures() -> None:
    reel = Reel()
    assert reel.times.facts() == {"minute": {}, "pictures": 0, "dropped": 0}
    for k in range(2 * 3600 + 60):
        reel.show(0.05 if k in (10, 5000) else 1 / 60)
        if k % 30 == 0:
            reel.times.collect()
    facts = reel.times.facts()
    assert facts["dropped"] == 2
    assert facts["minute"] == reel.notes[1]
    assert [minute["dropped"] for minute in reel.notes] == [1, 1]


def test_where_nobody_collects_in_time_only_the_oldest_minutes_are_lost() -> None:
    """Four minutes of 125 pictures a second fill the ring: what was written over is not told as theirs."""
    reel = Reel(500.0)
    for minute in range(4):
        for _ in range(30_000):
            reel.show((minute + 1) / 500)
    reel.times.collect()
    newest = reel.notes[-1]
    assert newest["n"] > 7000
    assert newest["p50"] == newest["max"] == 8.0
    assert len(reel.notes) in (3, 4)


def test_a_picture_costs_no_memory_that_stays() -> None:
    """100,000 pictures, 28 minutes with their summaries: less than 16 KiB more."""
    reel = Reel()
    for _ in range(4000):
        reel.show(1 / 60, 0.001)
    reel.times.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for k in range(100_000):
        reel.show(1 / 60, 0.001)
        if k % 1000 == 0:
            reel.times.collect()
            reel.notes.clear()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 16 * 1024


def test_minutes_summed_up_in_another_thread_are_those_that_were_shown() -> None:
    """The frame thread writes on while the status thread sums up: each minute is of one interval only."""
    reel, done = Reel(240.0), threading.Event()

    def collect() -> None:
        while not done.wait(0.0005):
            reel.times.collect()

    worker = threading.Thread(target=collect)
    worker.start()
    for minute in range(6):
        while len(reel.notes) < minute - 1:
            time.sleep(0.001)
        end_s = reel.now_s + 60.0
        while reel.now_s < end_s:
            reel.show((1 + minute % 2) / 240)
    done.set()
    worker.join()
    reel.times.finish()
    assert sum(minute["n"] for minute in reel.notes) == reel.times.pictures
    assert {minute["p50"] for minute in reel.notes} == {4.167, 8.333}
    assert all(minute["max"] == minute["p50"] or minute["dropped"] for minute in reel.notes)


def test_the_ring_is_there_from_the_start() -> None:
    """A page touched late would look like a leak, and cost a picture."""
    rows = FrameTimes(lambda: 60.0, lambda kind, detail: None)._rows
    assert rows.shape == (KEPT_PICTURES, 5)
    assert np.isnan(rows).all()
