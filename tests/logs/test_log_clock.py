"""Time in the log: wall clocks that jump, midnight, daylight saving, a machine in another zone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from logs.clock import local_time
from logs.questions import sessions, summary
from logs.settings import machine_zone, zone_named

DAY_S = 86_400.0
HOUR_S = 3_600.0


def at_us(text: str, zone: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1_000_000)


def test_a_clock_that_jumps_during_a_session_changes_no_duration(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    writing = begin(zone="Asia/Tokyo", **clock.clocks())
    first, second = visit(1, clock.at_s, clock.at_s + 30.0), visit(2, clock.at_s + 40.0, clock.at_s + 60.0)
    writing.write(first[0])
    clock.advance(10.0)
    clock.step_wall(14 * DAY_S)
    clock.advance(20.0)
    writing.write(first[1])
    clock.advance(10.0)
    writing.write(second[0])
    clock.step_wall(-HOUR_S)
    clock.advance(20.0)
    writing.write(second[1])
    assert writing.log.stop(5.0)
    rows = ask(writing.path, "SELECT * FROM session ORDER BY id")
    assert [row["duration_s"] for row in rows] == [30.0, 20.0]
    notes = ask(writing.path, "SELECT * FROM event WHERE kind = 'clock_step' ORDER BY id")
    assert [json.loads(note["detail"])["step_s"] for note in notes] == [14 * DAY_S, -HOUR_S]


def test_rows_before_a_step_are_marked_so_that_their_times_can_be_put_right(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    writing = begin(**clock.clocks())
    for event in visit(1, clock.at_s - 9.0, clock.at_s - 2.0):
        writing.write(event)
    clock.step_wall(14 * DAY_S)
    for event in visit(2, clock.at_s, clock.at_s + 5.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    before, after = ask(writing.path, "SELECT * FROM session ORDER BY id")
    assert (before["clock_step_ms"], after["clock_step_ms"]) == (round(14 * DAY_S * 1000), 0)
    mended_us = before["on_at_us"] + before["clock_step_ms"] * 1000
    assert after["on_at_us"] - mended_us == 9_000_000


def test_the_slow_correction_of_a_healthy_clock_is_no_step(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    writing = begin(**clock.clocks())
    for number in range(1, 21):
        clock.step_wall(0.2)
        for event in visit(number, clock.at_s, clock.at_s + 1.0):
            writing.write(event)
        clock.advance(2.0)
    assert writing.log.stop(5.0)
    assert not ask(writing.path, "SELECT * FROM event WHERE kind = 'clock_step'")


def test_an_event_is_dated_when_it_happened_not_when_it_was_written(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    writing = begin(**clock.clocks())
    on_s, wall_us = clock.at_s, clock.wall_ns // 1000
    clock.advance(90.0)
    for event in visit(1, on_s, on_s + 41.35):
        writing.write(event)
    assert writing.log.stop(5.0)
    (row,) = ask(writing.path, "SELECT on_at_us, off_at_us, duration_s FROM session")
    assert row == {
        "on_at_us": wall_us,
        "off_at_us": wall_us + 41_350_000,
        "duration_s": pytest.approx(41.35, abs=1e-9),
    }


MIDNIGHT = """
import sys
from pathlib import Path
from logs.questions import summary
from logs.settings import LogSettings
from logs.visits import Visits
from logs.writer import Log
path, wall_ns = Path(sys.argv[1]), int(sys.argv[2])
log = Log(path, zone="Asia/Tokyo", perf=lambda: 0.0, wall_ns=lambda: wall_ns)
visits = Visits(LogSettings())
log.put(visits.step(0, 0.0, True, 0, 0, "camera"))
for tick in range(1, 90):
    log.put(visits.step(tick * 60, float(tick), True, tick * 50.0, 0, "camera"))
log.put(visits.step(5400, 90.0, False, 0, 0, "camera", "off"))
log.put(visits.close(95.0, "stopped"))
assert log.stop(20.0)
"""


def test_a_visit_across_midnight_counts_once_on_the_day_of_its_on(database: Path, checkout: Path) -> None:
    wall_ns = at_us("2026-03-02T23:59:30", "Asia/Tokyo") * 1000
    environment = {**os.environ, "TZ": "UTC", "PYTHONPATH": str(checkout)}
    subprocess.run([sys.executable, "-c", MIDNIGHT, str(database), str(wall_ns)], env=environment, check=True)
    figures = summary(database)
    assert figures["per_day"] == {"2026-03-02": 1}
    assert figures["total_s"] == 90.0
    (row,) = sessions(database)
    assert (row["on"], row["off"]) == ("2026-03-02T14:59:30.000Z", "2026-03-02T15:01:00.000Z")
    assert (row["local"], row["local_hour"]) == ("2026-03-02T23:59:30+09:00", 23)
    assert sum(figures["per_day"].values()) == figures["n"]


def test_the_day_is_that_of_the_on_even_when_only_the_end_could_be_written(
    begin: Any, clock: Any, visit: Any
) -> None:
    clock.began_ns = at_us("2026-03-03T00:01:00", "Asia/Tokyo") * 1000
    writing = begin(zone="Asia/Tokyo", **clock.clocks())
    writing.write(visit(1, clock.at_s - 90.0, clock.at_s)[1])
    (row,) = sessions(writing.path)
    assert (row["local_date"], row["local_hour"], row["duration_s"]) == ("2026-03-02", 23, 90.0)


@pytest.mark.parametrize(("utc", "offset_min", "hour"), [
    ("2026-10-25T00:30:00", 120, 2),
    ("2026-10-25T01:30:00", 60, 2),
    ("2026-03-29T00:30:00", 60, 1),
    ("2026-03-29T01:30:00", 120, 3),
])  # fmt: skip
def test_hours_at_a_change_of_daylight_saving_follow_the_gallery(
    utc: str, offset_min: int, hour: int
) -> None:
    local = local_time(at_us(utc, "UTC"), ZoneInfo("Europe/Berlin"))
    assert (local.utc_offset_min, local.hour, local.date) == (offset_min, hour, utc[:10])


def test_a_visit_through_the_repeated_hour_keeps_its_length(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    clock.began_ns = at_us("2026-10-25T00:50:00", "UTC") * 1000
    writing = begin(zone="Europe/Berlin", **clock.clocks())
    on, off = visit(1, clock.at_s, clock.at_s + 1200.0)
    writing.write(on)
    clock.advance(1200.0)
    writing.write(off)
    assert writing.log.stop(5.0)
    (row,) = sessions(writing.path)
    assert (row["duration_s"], row["local"]) == (1200.0, "2026-10-25T02:50:00+02:00")


def test_the_machine_zone_is_taken_when_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert str(zone_named("")) == "Asia/Tokyo"
    monkeypatch.setenv("TZ", "no/such/zone")
    assert datetime.now(UTC).astimezone(machine_zone()).utcoffset() is not None
    with pytest.raises(ValueError, match="Asia/Edo"):
        zone_named("Asia/Edo")
