"""Days of 23 and 25 hours, a day that never was, odd offsets: each visit counts once, as long as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from logs.questions import sessions, summary

EVERY_S = 600.0
LENGTHS_S = (3.0, 6.0, 41.35, 90.0)
HOUR_S = 3600.0


class Stay(NamedTuple):
    """A visitor as the test sent them: the true ON in seconds of UTC, and how long."""

    on_s: float
    length_s: float


def seconds(local: str, zone: str) -> float:
    """UTC of a local time that is not ambiguous."""
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).timestamp()


@pytest.fixture
def visitors(begin: Any, visit: Any, clock: Any) -> Callable[..., Path]:
    """visitors(zone, stays): a log of that gallery with these visitors, on a clock moved by hand."""

    def come(zone: str, stays: list[Stay]) -> Path:
        clock.began_ns = round(stays[0].on_s * 1e9)
        writing = begin(zone=zone, **clock.clocks())
        for number, stay in enumerate(stays, start=1):
            on_s = stay.on_s - stays[0].on_s
            clock.at_s = on_s + stay.length_s
            for event in visit(number, on_s, on_s + stay.length_s):
                writing.log.put(event)
        assert writing.log.stop(30.0)
        assert writing.log.state().refused == 0
        return Path(writing.path)

    return come


def through(zone: str, first: str, last: str) -> list[Stay]:
    """Visitors every ten minutes from one local time to another, of four lengths."""
    begin_s, end_s = seconds(first, zone), seconds(last, zone)
    count = round((end_s - begin_s) / EVERY_S)
    return [Stay(begin_s + n * EVERY_S, LENGTHS_S[n % len(LENGTHS_S)]) for n in range(count)]


def counted(stays: list[Stay], zone: str) -> Counter[tuple[str, int, int]]:
    """Contacts by local date, offset in minutes and hour, counted one by one."""
    found: Counter[tuple[str, int, int]] = Counter()
    for stay in stays:
        local = datetime.fromtimestamp(stay.on_s, UTC).astimezone(ZoneInfo(zone))
        offset = local.utcoffset()
        assert offset is not None
        found[(f"{local:%Y-%m-%d}", round(offset.total_seconds() / 60), local.hour)] += 1
    return found


def check_sums(path: Path, stays: list[Stay], zone: str, ask: Any) -> list[dict[str, Any]]:
    """Hours, days and the whole agree with a plain count; returns the hours in order."""
    hours = list(ask(path, "SELECT * FROM per_hour ORDER BY local_date, utc_offset_min DESC, local_hour"))
    names = ("local_date", "utc_offset_min", "local_hour")
    assert {tuple(hour[name] for name in names): hour["contacts"] for hour in hours} == counted(stays, zone)
    valid_s = [stay.length_s for stay in stays if stay.length_s >= 5]
    for part in (hours, ask(path, "SELECT * FROM per_day")):
        assert sum(row["contacts"] for row in part) == len(stays)
        assert sum(row["sessions"] for row in part) == len(valid_s)
        assert sum(row["total_s"] for row in part) == pytest.approx(sum(valid_s))
    figures = summary(path)
    assert figures["n"] == sum(figures["per_day"].values()) == len(valid_s)
    return hours


def check_gaps(path: Path, stays: list[Stay], ask: Any) -> None:
    """Each gap is what passed between a true OFF and the next true ON, whatever the clocks said."""
    told = {row["session"]: row["gap_s"] for row in ask(path, "SELECT session, gap_s FROM gap")}
    true = [after.on_s - before.on_s - before.length_s for before, after in pairwise(stays)]
    first_of_day = {number for number, gap_s in told.items() if gap_s is None}
    assert len(first_of_day) == len(ask(path, "SELECT * FROM per_day"))
    for number, gap_s in enumerate(true, start=2):
        if number not in first_of_day:
            assert told[number] == pytest.approx(gap_s, abs=1e-5)
    assert len(ask(path, "SELECT * FROM visit")) == len(stays), "ten minutes apart nobody is the same"


@pytest.mark.parametrize(("day", "after", "hours", "two_oclock"), [
    ("2026-03-29", "2026-03-30", 23, {}),
    ("2026-10-25", "2026-10-26", 25, {120: 6, 60: 6}),
    ("2026-06-01", "2026-06-02", 24, {120: 6}),
])  # fmt: skip
def test_a_day_with_a_change_of_clocks_has_its_hours_and_loses_no_visit(
    day: str, after: str, hours: int, two_oclock: dict[int, int], visitors: Any, ask: Any
) -> None:
    """Hour 2 is missing in spring; in autumn it is there twice, told apart by the offset."""
    stays = through("Europe/Berlin", day, after)
    assert len(stays) == hours * 6
    path = visitors("Europe/Berlin", stays)
    found = check_sums(path, stays, "Europe/Berlin", ask)
    assert len(found) == hours
    assert {hour["contacts"] for hour in found} == {6}
    assert {row["utc_offset_min"]: row["contacts"] for row in found if row["local_hour"] == 2} == two_oclock
    (only,) = ask(path, "SELECT local_date, contacts FROM per_day")
    assert only == {"local_date": day, "contacts": hours * 6}
    check_gaps(path, stays, ask)


@pytest.mark.parametrize(("begins", "length_s", "ends"), [
    ("2026-03-29T01:50:00", 1200.0, "03:10:00+02:00"),
    ("2026-10-25T01:50:00", 2 * HOUR_S, "02:50:00+01:00"),
])  # fmt: skip
def test_a_visit_across_a_change_of_clocks_lasts_as_long_as_it_did(
    begins: str, length_s: float, ends: str, visitors: Any, ask: Any
) -> None:
    on_s = seconds(begins, "Europe/Berlin")
    next_on_s = on_s + length_s + 2.0
    path = visitors("Europe/Berlin", [Stay(on_s, length_s), Stay(next_on_s, 7.0)])
    rows = sessions(path)
    assert [row["duration_s"] for row in rows] == pytest.approx([length_s, 7.0])
    off = datetime.fromisoformat(rows[0]["off"]).astimezone(ZoneInfo("Europe/Berlin"))
    assert off.isoformat()[11:] == ends
    (visit,) = ask(path, "SELECT * FROM visit")
    assert (visit["sessions"], visit["light_s"]) == (2, pytest.approx(length_s + 7.0))
    assert visit["span_s"] == pytest.approx(length_s + 9.0)
    assert visit["off_us"] == pytest.approx((next_on_s + 7.0) * 1e6, abs=2)


def test_hours_of_a_zone_with_an_offset_of_45_minutes_begin_on_its_own_clock(visitors: Any, ask: Any) -> None:
    """In Nepal an hour begins at a quarter past one of UTC."""
    stays = through("Asia/Kathmandu", "2026-05-01T00:00:00", "2026-05-01T12:00:00")
    assert stays[0].on_s % HOUR_S == 900
    hours = check_sums(visitors("Asia/Kathmandu", stays), stays, "Asia/Kathmandu", ask)
    assert [(hour["local_hour"], hour["contacts"]) for hour in hours] == [(hour, 6) for hour in range(12)]
    assert {hour["utc_offset_min"] for hour in hours} == {345}


def test_a_day_that_a_zone_left_out_has_no_visits_and_its_neighbours_lose_none(
    visitors: Any, ask: Any
) -> None:
    """Samoa went from the end of 29 December 2011 straight to the 31st."""
    zone = "Pacific/Apia"
    stays = through(zone, "2011-12-29T12:00:00", "2011-12-31T12:00:00")
    assert len(stays) == 24 * 6
    path = visitors(zone, stays)
    check_sums(path, stays, zone, ask)
    days = ask(path, "SELECT local_date, contacts FROM per_day ORDER BY local_date")
    assert days == [
        {"local_date": "2011-12-29", "contacts": 72},
        {"local_date": "2011-12-31", "contacts": 72},
    ]
    check_gaps(path, stays, ask)


def test_a_light_of_26_hours_is_one_session_of_its_first_day(visitors: Any, ask: Any) -> None:
    on_s = seconds("2026-04-02T22:00:00", "Asia/Tokyo")
    path = visitors("Asia/Tokyo", [Stay(on_s, 26 * HOUR_S), Stay(on_s + 27 * HOUR_S, 8.0)])
    days = ask(path, "SELECT local_date, contacts, total_s, max_s FROM per_day ORDER BY local_date")
    assert [tuple(day.values()) for day in days] == [
        ("2026-04-02", 1, 93_600.0, 93_600.0),
        ("2026-04-04", 1, 8.0, 8.0),
    ]
    assert summary(path)["total_s"] == pytest.approx(93_608.0)


def test_f44_a_tokyo_visit_over_midnight_on_a_machine_of_any_zone_is_one_of_the_first_day(
    visitors: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    path = visitors("Asia/Tokyo", [Stay(seconds("2026-03-02T23:59:30", "Asia/Tokyo"), 90.0)])
    (day,) = ask(path, "SELECT local_date, sessions, total_s FROM per_day")
    assert day == {"local_date": "2026-03-02", "sessions": 1, "total_s": 90.0}
    (hour,) = ask(path, "SELECT local_hour, sessions FROM per_hour")
    assert hour == {"local_hour": 23, "sessions": 1}
