"""The rules of a visit: holds, joins, bounces, changes of source, stuck lights, bad times."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pytest
from pydantic import ValidationError

from logs.settings import LogSettings
from logs.visits import Beat, Ended, Event, Started, Visits

TICK_S = 1 / 60
T0_S = 500.0


class Feed:
    """Runs spans of light into the rules, 60 ticks a second, and keeps what they say."""

    def __init__(self, **settings: Any) -> None:
        self.visits = Visits(LogSettings(**settings))
        self.tick = 0
        self.events: list[Event] = []

    @property
    def now_s(self) -> float:
        return T0_S + self.tick * TICK_S

    def span(self, duration_s: float, on: bool, source: str = "camera", **more: Any) -> Feed:
        for _ in range(round(duration_s * 60)):
            self.one(self.now_s, on, source, **more)
        return self

    def one(self, at_s: float, on: bool, source: str, reason: str = "", x: float = 5, y: float = 6) -> None:
        event = self.visits.step(self.tick, at_s, on, x, y, source, "" if on else reason or "off")
        self.tick += 1
        if event is not None:
            self.events.append(event)

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def lengths(events: Iterable[Event]) -> list[float]:
    return [round(event.duration_s, 3) for event in events]


def test_a_contact_is_one_session_from_on_to_the_true_off() -> None:
    feed = Feed().span(0.5, False).span(2.0, True).span(1.0, False)
    (started,), (ended,) = feed.of(Started), feed.of(Ended)
    assert started.started_at_s == pytest.approx(T0_S + 0.5)
    assert ended.at_s == pytest.approx(T0_S + 2.5)
    assert (ended.reason, ended.joins, ended.number) == ("off", 0, 1)


@pytest.mark.parametrize(("source", "gap_s", "sessions", "joins"), [
    ("camera", 0.30, 1, 1),
    ("camera", 0.50, 2, 0),
    ("torch", 0.20, 1, 1),
    ("torch", 0.30, 2, 0),
    ("mouse", TICK_S, 2, 0),
    ("replay", TICK_S, 2, 0),
    ("demo", TICK_S, 2, 0),
])  # fmt: skip
def test_a_gap_shorter_than_the_hold_of_its_source_is_joined(
    source: str, gap_s: float, sessions: int, joins: int
) -> None:
    feed = Feed().span(1.0, True, source).span(gap_s, False, source).span(1.0, True, source)
    feed.span(1.0, False, source)
    ended = feed.of(Ended)
    assert len(ended) == len(feed.of(Started)) == sessions
    assert sum(event.joins for event in ended) == joins
    assert sum(event.duration_s for event in ended) == pytest.approx(2.0 + gap_s * joins)


def test_edges_of_a_bouncing_switch_are_one_session() -> None:
    feed = Feed()
    for number, edge_s in enumerate([0.0, 0.003, 0.005, 0.009, 0.014]):
        feed.one(T0_S + edge_s, number % 2 == 0, "torch")
    feed.tick = 2
    feed.span(3.0, True, "torch").span(1.0, False, "torch")
    (ended,) = feed.of(Ended)
    assert ended.joins == 2
    assert ended.started_at_s == T0_S


def test_the_end_within_a_hold_is_the_true_off_not_the_end_of_the_hold() -> None:
    feed = Feed().span(1.0, True).span(0.2, False)
    assert not feed.of(Ended)
    ended = feed.visits.close(feed.now_s, "stopped")
    assert isinstance(ended, Ended)
    assert ended.duration_s == pytest.approx(1.0)
    assert ended.reason == "off"


def test_a_lit_session_closed_from_outside_ends_then_with_that_reason() -> None:
    feed = Feed().span(1.0, True)
    ended = feed.visits.close(feed.now_s, "closing")
    assert isinstance(ended, Ended)
    assert (round(ended.duration_s, 6), ended.reason) == (1.0, "closing")
    assert feed.visits.close(feed.now_s, "closing") is None


def test_a_change_of_source_splits_the_session_without_losing_time() -> None:
    feed = Feed().span(1.0, True, "torch").span(1.0, True, "camera").span(1.0, False, "camera")
    first, second = feed.of(Ended)
    assert (first.reason, second.reason) == ("source_changed", "off")
    assert (first.source, second.source) == ("torch", "camera")
    assert second.started_at_s == first.at_s == pytest.approx(T0_S + 1.0)
    kinds = [type(event) for event in feed.events if not isinstance(event, Beat)]
    assert kinds == [Started, Ended, Started, Ended]


def test_a_contact_of_one_tick_right_after_a_change_of_source_is_kept() -> None:
    feed = Feed().span(1.0, True, "camera").span(TICK_S, True, "mouse").span(0.5, False, "mouse")
    assert [event.source for event in feed.of(Started)] == ["camera", "mouse"]
    assert lengths(feed.of(Ended)) == [1.0, 0.017]


def test_dark_from_another_source_ends_the_session_as_a_change() -> None:
    feed = Feed().span(1.0, True, "camera").span(1.0, False, "mouse")
    (ended,) = feed.of(Ended)
    assert ended.reason == "source_changed"
    assert ended.duration_s == pytest.approx(1.0)


def test_a_source_that_flips_each_tick_neither_grows_a_queue_nor_ends_the_visit() -> None:
    feed = Feed()
    for number in range(6000):
        feed.one(feed.now_s, True, ("camera", "torch")[number % 2])
    assert len(feed.visits._waiting) <= 66
    assert feed.visits.open


def test_late_news_of_a_lost_camera_ends_the_session_at_the_last_live_frame() -> None:
    feed = Feed().span(12.0, True)
    feed.one(T0_S + 10.0, False, "camera", reason="camera_lost")
    feed.span(1.0, False, reason="camera_lost")
    (ended,) = feed.of(Ended)
    assert (ended.reason, ended.duration_s) == ("camera_lost", pytest.approx(10.0))
    assert feed.visits.bad_times == 0


def test_a_device_whose_clock_stands_still_when_dark_still_ends_its_session() -> None:
    feed = Feed().span(1.0, True)
    for _ in range(60):
        feed.one(T0_S + 1.0, False, "camera", reason="camera_lost")
    (ended,) = feed.of(Ended)
    assert ended.duration_s == pytest.approx(1.0)


def told_late(feed: Feed, gap_s: float, late_s: float, source: str) -> None:
    """Darkness, then an ON whose true time is `gap_s` after the OFF, told `late_s` after that moment."""
    off_s = feed.now_s
    feed.span(gap_s + late_s, False, source)
    feed.one(off_s + gap_s, True, source)
    feed.span(1.0, True, source)


@pytest.mark.parametrize(("source", "gap_s", "late_s", "sessions"), [
    ("camera", 0.36, 0.0667, 1),
    ("camera", 0.39, 0.0667, 1),
    ("camera", 0.39, 0.24, 1),
    ("camera", 0.41, 0.0667, 2),
    ("camera", 0.39, 0.30, 2),
    ("torch", 0.24, 0.0667, 1),
    ("torch", 0.26, 0.0667, 2),
    ("mouse", 0.01, 0.0667, 2),
])  # fmt: skip
def test_a_gap_is_measured_by_the_true_time_of_an_on_that_is_told_late(
    source: str, gap_s: float, late_s: float, sessions: int
) -> None:
    feed = Feed().span(1.0, True, source)
    off_s = feed.now_s
    told_late(feed, gap_s, late_s, source)
    feed.span(2.0, False, source)
    assert len(feed.of(Ended)) == len(feed.of(Started)) == sessions
    assert sum(event.joins for event in feed.of(Ended)) == 2 - sessions
    assert feed.visits.bad_times == 0
    if sessions == 2:
        assert feed.of(Ended)[0].at_s == pytest.approx(off_s)
        assert feed.of(Started)[1].at_s == pytest.approx(off_s + gap_s)
    assert feed.of(Ended)[-1].at_s == pytest.approx(off_s + gap_s + late_s + 1.0, abs=2.1 * TICK_S)


@pytest.mark.parametrize(("source", "gap_ticks"), [("camera", 24), ("torch", 15)])
def test_a_gap_of_exactly_the_hold_ends_the_session_wherever_it_lies(source: str, gap_ticks: int) -> None:
    for before_ticks in range(1, 300):
        feed = Feed().span(before_ticks / 60, True, source).span(gap_ticks / 60, False, source)
        feed.span(0.1, True, source).span(1.0, False, source)
        assert len(feed.of(Ended)) == 2


def test_the_wait_for_late_news_is_short_and_none_without_a_hold() -> None:
    for settings, source, wait_s in (
        ({}, "camera", 0.65),
        ({}, "torch", 0.35),
        ({}, "mouse", 0.0),
        ({"hold_camera_s": 0.0}, "camera", 0.0),
    ):
        feed = Feed(**settings).span(1.0, True, source)
        began = feed.tick
        while not feed.of(Ended):
            feed.one(feed.now_s, False, source)
        assert (feed.tick - 1 - began) / 60 == pytest.approx(wait_s, abs=TICK_S)
        assert feed.of(Ended)[0].duration_s == pytest.approx(1.0)


def test_a_flicker_of_a_stuck_light_that_is_told_late_begins_no_session() -> None:
    feed = Feed(stuck_s=60).span(100.0, True)
    told_late(feed, 0.39, 0.0667, "camera")
    assert len(feed.of(Started)) == 1
    told_late(feed, 0.41, 0.0667, "camera")
    assert len(feed.of(Started)) == 2


def test_a_light_that_never_moves_is_stuck_until_a_real_off() -> None:
    feed = Feed(stuck_s=60).span(200.0, True)
    (ended,) = feed.of(Ended)
    assert (ended.reason, ended.duration_s) == ("stuck", pytest.approx(60.0, abs=0.05))
    feed.span(0.2, False).span(5.0, True)
    assert len(feed.of(Started)) == 1, "a flicker shorter than the hold must not begin a session"
    feed.span(1.0, False).span(5.0, True)
    assert len(feed.of(Started)) == 2


def test_a_light_that_moves_is_not_stuck_and_a_tremble_is_no_movement() -> None:
    moving, trembling = Feed(stuck_s=60), Feed(stuck_s=60)
    for second in range(300):
        moving.span(1.0, True, x=second % 2 * 100.0)
        trembling.span(1.0, True, x=second % 2 * 10.0)
    assert not moving.of(Ended)
    assert [event.reason for event in trembling.of(Ended)] == ["stuck"]


def test_another_source_may_begin_while_one_is_stuck() -> None:
    feed = Feed(stuck_s=10).span(20.0, True, "camera").span(2.0, True, "torch")
    assert [event.source for event in feed.of(Started)] == ["camera", "torch"]


def test_the_default_limit_is_fifteen_minutes() -> None:
    feed = Feed().span(16 * 60, True)
    (ended,) = feed.of(Ended)
    assert ended.duration_s == pytest.approx(900, abs=0.05)


def test_an_open_session_beats_each_second_and_tells_how_long_it_has_been_lit() -> None:
    feed = Feed().span(5.5, True).span(0.3, False).span(4.0, True)
    beats = feed.of(Beat)
    assert len(beats) == 9
    assert lengths(beats[:5]) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_beat_within_a_hold_does_not_count_the_dark() -> None:
    feed = Feed(hold_camera_s=5.0).span(1.5, True).span(2.0, False)
    assert lengths(feed.of(Beat)) == [1.0, 1.5, 1.5]


def test_simulated_visitors_are_marked() -> None:
    marks = {}
    for source in ("mouse", "camera", "torch", "osc", "demo", "replay"):
        (started,) = Feed().span(1.0, True, source).of(Started)
        marks[source] = started.demo
    assert [source for source, demo in marks.items() if demo] == ["demo", "replay"]


@pytest.mark.parametrize("bad_s", [math.nan, math.inf, -math.inf, -5.0, 0.0, T0_S + 0.2])
def test_a_bad_time_is_held_and_counted_and_never_makes_a_negative_duration(bad_s: float) -> None:
    feed = Feed().span(1.0, True, "mouse")
    feed.one(bad_s, True, "mouse")
    feed.span(1.0, True, "mouse").span(0.5, False, "mouse")
    assert feed.visits.bad_times == 1
    assert lengths(feed.of(Ended)) == [2.017]


def test_a_bad_time_at_the_edge_itself_ends_at_the_last_good_time() -> None:
    for bad_s in (math.nan, -1e9):
        feed = Feed().span(1.0, True, "mouse")
        feed.one(bad_s, False, "mouse")
        (ended,) = feed.of(Ended)
        assert ended.duration_s == pytest.approx(1.0, abs=TICK_S * 1.01)
        assert feed.visits.bad_times == 1


def test_a_clock_set_back_while_dark_is_believed_for_the_next_session() -> None:
    feed = Feed().span(1.0, True, "mouse").span(1.0, False, "mouse")
    for number in range(120):
        feed.one(3.0 + number * TICK_S, number >= 60, "mouse")
    feed.one(5.0, False, "mouse")
    assert lengths(feed.of(Ended)) == [1.0, 1.0]


def test_a_position_that_is_no_number_keeps_the_last_good_one() -> None:
    feed = Feed().span(1.0, True, "mouse", x=7.0, y=8.0)
    feed.one(feed.now_s, False, "mouse", x=math.nan, y=1.0)
    (ended,) = feed.of(Ended)
    assert (ended.x, ended.y) == (7.0, 8.0)


def test_the_same_light_makes_the_same_events() -> None:
    def run() -> list[Event]:
        return Feed().span(1.0, True).span(0.3, False).span(2.0, True, "torch").span(2.0, False).events

    assert run() == run()


@pytest.mark.parametrize("change", [{"zone": "Asia/Edo"}, {"hold_camera_s": -1}, {"unheard": 1}])
def test_settings_that_cannot_be_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LogSettings(**change)
