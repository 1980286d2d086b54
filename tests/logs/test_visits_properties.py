"""Whatever the light does, visits account for it: no time invented, no contact lost or told twice."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from logs.settings import LogSettings
from logs.visits import Beat, Ended, Event, Started, Visits

HOLDS_S = {"camera": 0.4, "torch": 0.25, "mouse": 0.0}
LIGHT = st.lists(st.tuples(st.booleans(), st.integers(1, 90)), min_size=1, max_size=30)
TIMES = st.lists(
    st.tuples(st.booleans(), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(list(HOLDS_S))),
    max_size=60,
)


def run(light: list[tuple[bool, int]], source: str) -> tuple[list[Event], list[bool]]:
    """Feed spans of ticks and a long dark after them; returns the events and the light of each tick."""
    lit = [on for on, ticks in light for _ in range(ticks)] + [False] * 120
    visits = Visits(LogSettings())
    told = [visits.step(tick, 10 + tick / 60, on, 1, 2, source, "off") for tick, on in enumerate(lit)]
    return [event for event in told if event is not None], lit


@given(LIGHT, st.sampled_from(list(HOLDS_S)))
@settings(max_examples=150, deadline=None)
def test_sessions_cover_the_lit_time_and_nothing_beyond_the_holds(
    light: list[tuple[bool, int]], source: str
) -> None:
    events, lit = run(light, source)
    ended = [event for event in events if isinstance(event, Ended)]
    total_s, lit_s = sum(event.duration_s for event in ended), sum(lit) / 60
    assert lit_s - 1e-6 <= total_s <= lit_s + sum(event.joins for event in ended) * HOLDS_S[source] + 1e-6


@given(LIGHT, st.sampled_from(list(HOLDS_S)))
@settings(max_examples=150, deadline=None)
def test_each_off_longer_than_the_hold_ends_exactly_one_session(
    light: list[tuple[bool, int]], source: str
) -> None:
    events, lit = run(light, source)
    spans = [(on, len(list(ticks))) for on, ticks in groupby(lit)]
    offs = spans[1:] if not spans[0][0] else spans
    expected = sum(not on and ticks / 60 >= HOLDS_S[source] - 1e-9 for on, ticks in offs)
    assert sum(isinstance(event, Ended) for event in events) == expected


@given(LIGHT, st.sampled_from(list(HOLDS_S)))
@settings(max_examples=100, deadline=None)
def test_events_alternate_and_sessions_never_overlap(light: list[tuple[bool, int]], source: str) -> None:
    events, _ = run(light, source)
    edges = [event for event in events if not isinstance(event, Beat)]
    assert [type(event) for event in edges] == [Started, Ended] * (len(edges) // 2)
    times = [event.at_s for event in edges]
    assert times == sorted(times)


@given(TIMES)
@settings(max_examples=200, deadline=None)
def test_no_time_a_device_may_give_makes_a_negative_or_endless_duration(
    readings: list[tuple[bool, float, str]],
) -> None:
    visits = Visits(LogSettings())
    told = [
        visits.step(tick, at_s, on, 0, 0, source, "off") for tick, (on, at_s, source) in enumerate(readings)
    ]
    told.append(visits.close(float("nan"), "stopped"))
    for event in filter(None, told):
        assert event.at_s >= event.started_at_s
        assert event.duration_s == event.at_s - event.started_at_s
        assert abs(event.at_s) != float("inf")
