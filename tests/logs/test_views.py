"""The views of gaps and visits against a plain loop that knows when each light truly came and went."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from controller.studies.log_cost_reading import SESSIONS_A_DAY, build, day_of
from logs import engine, schema
from logs.clock import local_time
from logs.settings import zone_named

TOKYO = zone_named("Asia/Tokyo")
START_US = 1_777_000_000_000_000
JOIN_S = schema.JOIN_S
INSERT = """
INSERT INTO session (id, uuid, run, source, demo, on_at_us, off_at_us, on_mono_s, duration_s, zone,
    utc_offset_min, local_date, local_hour, start_x, start_y, end_x, end_y, seen_at_us, seen_mono_s,
    clock_step_ms, end_reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'Asia/Tokyo', 540, ?, ?, 0.5, 0.5, 0.5, 0.5, ?, ?, ?, ?)
"""


@dataclass
class Truth:
    """A light as it was: when in microseconds of true UTC, and on which day the log filed it."""

    number: int
    on_us: int
    length_s: float
    day: str
    counts: bool

    @property
    def off_us(self) -> int:
        return self.on_us + round(self.length_s * 1e6)


@dataclass
class Gallery:
    """Makes runs with lights at random times, on a wall clock that is stepped between and during them.

    Between two lights the machine may sleep: its monotonic clock stands still, and the visitors do not.
    """

    connection: Any
    chance: random.Random
    now_us: int = START_US
    run: int = 0
    number: int = 0

    def open_for_a_run(self) -> Iterator[Truth]:
        """Write one run; later steps of its clock stand on each row, as the log marks them."""
        chance = self.chance
        self.run += 1
        self.connection.execute(
            "INSERT INTO run VALUES (?, ?, 0, 0, '', 'Asia/Tokyo', '', '', '{}', 0, NULL, NULL)",
            [self.run, f"run {self.run}"],
        )
        imported = chance.random() < 0.2
        booted_us = self.now_us - chance.randint(1, 10**12)
        steps_ms = [chance.choice([0, 0, 0, 3_600_000, -3_600_000, 9_000]) for _ in range(12)]
        for place in range(chance.randint(0, 12)):
            asleep_us = chance.choice([0, 0, 0, 3_600_000_000])
            self.now_us += asleep_us
            booted_us += asleep_us
            self.now_us += round(chance.choice([0.5, 2.799, 2.801, 60.0, 20_000.0]) * 1e6)
            later_ms = 0 if imported else sum(steps_ms[place:])
            yield self.light_up(0 if imported else booted_us, later_ms, steps_ms[place] * (not imported))
        self.now_us += chance.randint(0, 5) * 1_000_000

    def light_up(self, booted_us: int, later_ms: int, during_ms: int, reason: str = "off") -> Truth:
        """One light; `during_ms` of the steps come while it is on, so its end is dated by another clock."""
        chance = self.chance
        self.number += 1
        length_s = chance.choice([0.0, 0.3, 4.9, 5.0, 41.35, 600.0])
        demo = chance.random() < 0.2
        on_us, self.now_us = self.now_us, self.now_us + round(length_s * 1e6)
        dated_us = on_us - later_ms * 1000
        ended_us = self.now_us - (later_ms - during_ms) * 1000
        mono_s = (on_us - booted_us) / 1e6 if booted_us else 0.0
        local = local_time(on_us, TOKYO)
        source = "demo" if demo else "camera"
        row = [
            self.number,
            str(self.number),
            self.run,
            source,
            int(demo),
            dated_us,
            ended_us,
            mono_s,
            length_s,
        ]
        row += [local.date, local.hour, ended_us, mono_s + length_s, later_ms, reason]
        self.connection.execute(INSERT, row)
        return Truth(self.number, on_us, length_s, local.date, not demo and reason != "open")


def days_of(lights: list[Truth]) -> list[list[Truth]]:
    """What counts, day by day, in the order in which it was."""
    days: dict[str, list[Truth]] = defaultdict(list)
    for light in sorted(lights, key=lambda light: (light.on_us, light.number)):
        if light.counts:
            days[light.day].append(light)
    return list(days.values())


def gaps_of(lights: list[Truth]) -> dict[int, float | None]:
    """Seconds of dark before each light, None for the first of a day."""
    gaps: dict[int, float | None] = {}
    for day in days_of(lights):
        gaps[day[0].number] = None
        for before, after in pairwise(day):
            gaps[after.number] = (after.on_us - before.off_us) / 1e6
    return gaps


def visits_of(lights: list[Truth], join_s: float) -> list[list[Truth]]:
    """Lights with less than `join_s` of dark between them are one visit."""
    gaps, visits = gaps_of(lights), []
    for day in days_of(lights):
        for light in day:
            gap_s = gaps[light.number]
            if gap_s is None or gap_s >= join_s:
                visits.append([light])
            else:
                visits[-1].append(light)
    return visits


@pytest.fixture
def connection(database: Path) -> Iterator[Any]:
    """An empty log, open for writing."""
    found = engine.connect(engine.choose(), database)
    found.execute("PRAGMA synchronous = OFF")
    schema.migrate(found)
    yield found
    found.close()


@pytest.mark.parametrize("seed", range(25))
def test_gaps_and_visits_are_those_of_a_plain_loop(seed: int, connection: Any) -> None:
    """Several runs, imported ones too, simulated visitors between, steps of the clock before and during."""
    gallery = Gallery(connection, random.Random(seed))
    connection.execute("BEGIN")
    lights = [light for _ in range(6) for light in gallery.open_for_a_run()]
    lights.append(gallery.light_up(START_US, 0, 0, "open"))
    connection.execute("COMMIT")
    told = dict(connection.execute("SELECT session, gap_s FROM gap").fetchall())
    assert told == pytest.approx(gaps_of(lights), abs=1e-4)
    for join_s in (JOIN_S, 0.0, 61.0):
        connection.execute("UPDATE view_setting SET join_s = ?", [join_s])
        check_visits(connection, visits_of(lights, join_s))


def check_visits(connection: Any, true: list[list[Truth]]) -> None:
    names = "sessions, on_us, off_us, light_s, span_s"
    told = connection.execute(f"SELECT first_session, {names} FROM visit ORDER BY first_session").fetchall()
    assert len(told) == len(true)
    for row, visit in zip(told, sorted(true, key=lambda visit: visit[0].number), strict=True):
        first, last = visit[0], visit[-1]
        assert row[:2] == (first.number, len(visit))
        assert row[2:4] == pytest.approx((first.on_us, last.off_us), abs=2)
        assert row[4] == pytest.approx(sum(light.length_s for light in visit))
        assert row[5] == pytest.approx((last.off_us - first.on_us) / 1e6, abs=1e-3)
    assert sum(row[1] for row in told) == sum(len(visit) for visit in true)


def test_the_random_galleries_hold_every_kind_of_neighbour(connection: Any) -> None:
    """Joined and apart, in one run and across two, with a step of the clock and without."""
    gallery = Gallery(connection, random.Random(0))
    lights = [light for _ in range(200) for light in gallery.open_for_a_run()]
    runs = dict(connection.execute("SELECT id, run FROM session").fetchall())
    gaps = [(number, gap_s) for number, gap_s in gaps_of(lights).items() if gap_s is not None]
    stepped = dict(connection.execute("SELECT id, clock_step_ms <> 0 FROM session").fetchall())
    kinds = {(gap_s < JOIN_S, runs[n] == runs.get(n - 1), bool(stepped[n])) for n, gap_s in gaps}
    assert len(kinds) == 8


@pytest.mark.parametrize("view", ["session_valid", "gap", "visit", "per_hour", "per_day"])
def test_a_question_for_one_day_reads_that_day_only(view: str, database: Path) -> None:
    """Of 40 days one costs a twentieth of all at most, in steps of the engine."""
    build(database, 40 * SESSIONS_A_DAY)
    connection = engine.choose().module.connect(database)
    steps: list[int] = []
    connection.set_progress_handler(lambda: steps.append(1), 100)

    def cost(where: str, values: list[str]) -> int:
        steps.clear()
        assert connection.execute(f"SELECT * FROM {view} {where}", values).fetchall()
        return len(steps)

    whole = cost("", [])
    assert cost("WHERE local_date = ?", [day_of(20 * SESSIONS_A_DAY)]) < whole / 20
    connection.close()
