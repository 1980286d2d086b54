"""Questions for `bench log`: a large log made up, what it is asked, and readers beside a writer."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from controller.studies.log_cost_datasette import serving
from logs import schema
from logs.engine import choose, connect, connect_to_read
from logs.questions import UnreadableLog, sessions, summary

SESSIONS_A_DAY = 500
MEASURED_DAYS = 50
PAUSE_S = 0.25
OURS, DATASETTE = "ours", "datasette"
# A day is asked for as often; the best tells of the log, the others also of what else the machine does.
TRIES = 3
FIRST_DAY = date(2026, 1, 1)
COLUMNS = (
    "id, uuid, run, source, demo, on_at_us, off_at_us, on_mono_s, duration_s, zone, utc_offset_min, "
    "local_date, local_hour, start_x, start_y, end_x, end_y, seen_at_us, seen_mono_s, end_reason"
)
DAY_LIST = "SELECT local_date, count(*), avg(duration_s) FROM session_valid GROUP BY local_date"
MIDDLE = "SELECT duration_s FROM session_valid ORDER BY duration_s LIMIT 2 OFFSET ?"


def day_of(number: int) -> str:
    """The local date of a session by its place in the log."""
    return (FIRST_DAY + timedelta(days=number // SESSIONS_A_DAY)).isoformat()


def build(path: Path, count: int) -> None:
    """A log of so many ended visits, 500 a day in 10 hours; those of the last 50 days have measures."""
    connection = connect(choose(), path)
    connection.execute("PRAGMA synchronous = OFF")
    schema.migrate(connection)
    connection.execute("BEGIN")
    connection.execute(
        "INSERT INTO run (id, uuid, started_at_us, started_mono_s, boot_id, zone, version, settings_hash, "
        "settings, ended_at_us, end_reason) VALUES (1, 'bench', 0, 0, '', 'UTC', '', '', '{}', 1, 'clean')"
    )
    places = ", ".join("?" * (COLUMNS.count(",") + 1))
    connection.executemany(f"INSERT INTO session ({COLUMNS}) VALUES ({places})", _rows(count))
    connection.execute(
        "INSERT INTO session_metric (session, name, value) WITH RECURSIVE names (n) AS "
        "(SELECT 10 UNION ALL SELECT n + 1 FROM names WHERE n < 23) "
        "SELECT id, 'measure_' || n, n FROM session, names WHERE id > ?",
        [count - MEASURED_DAYS * SESSIONS_A_DAY],
    )
    connection.execute("COMMIT")
    connection.close()


def _rows(count: int) -> Iterator[tuple[Any, ...]]:
    chance = random.Random(1)
    first_us = int(datetime(2026, 1, 1, 10, tzinfo=UTC).timestamp()) * 1_000_000
    for number in range(count):
        day, place = divmod(number, SESSIONS_A_DAY)
        on_us = first_us + day * 86_400_000_000 + place * 72_000_000
        length_s = chance.expovariate(1 / 40)
        off_us = on_us + round(length_s * 1e6)
        name = f"{chance.getrandbits(128):032x}"
        times = (on_us, off_us, on_us / 1e6, length_s, "UTC", 0, day_of(number), 10 + place // 50)
        where = (chance.random(), 0.5, 0.5, 0.5)
        yield (number + 1, name, 1, "camera", 0, *times, *where, off_us, off_us / 1e6, "off")


def took_ms(ask: Callable[[], Any]) -> float:
    """Milliseconds of one question."""
    began_s = time.perf_counter()
    ask()
    return (time.perf_counter() - began_s) * 1e3


def ask_all(path: Path, count: int, repeats: int) -> dict[str, list[float]]:
    """Milliseconds of each question, asked as often; a day each time another."""
    chance = random.Random(2)
    connection = connect_to_read(choose(), path)
    kept = connection.execute("SELECT count(*) FROM session_valid").fetchone()[0]
    asked: dict[str, Callable[[], Any]] = {
        "today": lambda: sessions(path, day=day_of(count - 1)),
        "day_list": lambda: connection.execute(DAY_LIST).fetchall(),
        "median": lambda: connection.execute(MIDDLE, [(kept - 1) // 2]).fetchall(),
        "summary": lambda: summary(path),
    }
    found = {name: [took_ms(ask) for _ in range(repeats)] for name, ask in asked.items()}
    days = [day_of(chance.randrange(count)) for _ in range(repeats)]
    found["any_day"] = [min(took_ms(partial(sessions, path, day=day)) for _ in range(TRIES)) for day in days]
    connection.close()
    return found


def ask_on(name: str, program: str) -> None:
    """A reader: asks four times a second until standard input ends, then tells what it met, as JSON.

    `program` is OURS, or DATASETTE for a Datasette of its own that is asked over HTTP.
    """
    path, ended, asked, errors = Path(name), threading.Event(), 0, []

    def listen() -> None:
        sys.stdin.read()
        ended.set()

    with serving(path) if program == DATASETTE else nullcontext() as page:
        look = partial(_look, path) if page is None else partial(_look_at_pages, page, path.stem)
        print("ready", flush=True)
        threading.Thread(target=listen, daemon=True).start()
        while not ended.wait(PAUSE_S):
            try:
                look(asked)
            except (UnreadableLog, OSError) as error:
                errors.append(str(error))
            asked += 1
    print(json.dumps({"program": program, "asked": asked, "errors": errors}))


def _look(path: Path, turn: int) -> None:
    questions = (
        lambda: summary(path),
        lambda: sessions(path, limit=50),
        lambda: sessions(path, day=FIRST_DAY.isoformat()),
    )
    questions[turn % len(questions)]()


def _look_at_pages(page: Callable[[str], Any], name: str, turn: int) -> None:
    pages = (
        f"/{name}.json?{urlencode({'sql': DAY_LIST})}",
        f"/{name}/session.json?_sort_desc=id&_size=50",
        f"/{name}/session_valid.json?_size=max&local_date={FIRST_DAY.isoformat()}",
    )
    page(pages[turn % len(pages)])
