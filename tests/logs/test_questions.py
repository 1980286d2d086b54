"""The curator's questions: what counts, the median, beside a running show, in closed folders."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logs import engine, questions, schema
from logs.questions import UnreadableLog, sessions, summary
from logs.visits import Started

NOBODY = 65534


SESSION = dict.fromkeys(
    ("on_at_us", "on_mono_s", "duration_s", "utc_offset_min", "local_hour", "start_x", "start_y"), 0
) | dict.fromkeys(("end_x", "end_y", "seen_at_us", "seen_mono_s", "demo"), 0)
SESSION |= {"run": 1, "source": "camera", "zone": "UTC", "local_date": "2026-01-01", "end_reason": "off"}


def write_rows(path: Path, made: list[dict[str, Any]], measures: dict[str, float] | None = None) -> None:
    """A log with these sessions, the first with these measures."""
    connection = engine.connect(engine.choose(), path)
    connection.execute("PRAGMA synchronous = OFF")
    schema.migrate(connection)
    connection.execute("INSERT INTO run VALUES (1, 'r', 0, 0, '', '', '', '', '', 0, NULL, NULL)")
    for number, row in enumerate(made):
        names, places = ", ".join(row), ", ".join("?" * len(row))
        text = f"INSERT INTO session (uuid, {names}) VALUES (?, {places})"
        connection.execute(text, [str(number), *row.values()])
    rows = [(1, *measure) for measure in (measures or {}).items()]
    connection.executemany("INSERT INTO session_metric VALUES (?, ?, ?)", rows)
    connection.close()


def fill(writing: Any, visit: Any, lengths_s: list[float], source: str = "camera") -> None:
    for number, length_s in enumerate(lengths_s, start=1):
        on_s = number * 1000.0 + (0.5 if source == "demo" else 0.0)
        writing.write(visit(number, on_s, on_s + length_s, source)[1])


@given(
    st.integers(0, 10**16),
    st.integers(0, 10**10) | st.none(),
    st.integers(-(10**12), 10**12),
    st.integers(-1439, 1439),
    # No name of a measure has a NUL, where SQLite ends a text.
    st.dictionaries(
        st.text(st.characters(exclude_characters="\0", codec="utf-8")), st.floats(allow_nan=False)
    ),
)
def test_times_and_measures_are_told_to_their_last_digit(
    on_us: int, length_us: int | None, step_ms: int, offset_min: int, measures: dict[str, float]
) -> None:
    """The true ones: the clock was stepped later, perhaps before the OFF, which another clock then dated."""
    step_ms = min(step_ms, on_us // 1000)
    dated = {"on_at_us": on_us - step_ms * 1000, "clock_step_ms": step_ms, "off_at_us": 5}
    started = [SESSION | dated | {"utc_offset_min": offset_min, "end_reason": "open"}]
    if length_us is not None:
        started[0] |= {"duration_s": length_us / 1e6, "end_reason": "off"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        write_rows(path, started, measures)
        (told,) = sessions(path)
        with pytest.MonkeyPatch.context() as older:
            older.setattr("logs.questions._tells_exactly", lambda connection: False)
            assert sessions(path) == [told]
    on = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=on_us)
    local = datetime.fromisoformat(told["local"])
    assert (local, local.utcoffset()) == (on, timedelta(minutes=offset_min))
    assert told["on"].endswith("Z")
    assert timedelta(0) <= on - datetime.fromisoformat(told["on"]) < timedelta(milliseconds=1)
    if length_us is None:
        assert told["off"] is None
    else:
        off = on + timedelta(microseconds=length_us)
        assert timedelta(0) <= off - datetime.fromisoformat(told["off"]) < timedelta(milliseconds=1)
    assert told["measures"] == measures
    assert told["clock_step_s"] == step_ms / 1000


@pytest.mark.parametrize("driver", engine.installed(), ids=lambda driver: driver.__name__)
def test_a_driver_that_writes_numbers_short_is_known_by_it(driver: Any) -> None:
    chance, connection = random.Random(1), driver.connect(":memory:")
    numbers = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-9, 9) for _ in range(2000)]
    connection.execute("CREATE TABLE made (value REAL)")
    connection.executemany("INSERT INTO made VALUES (?)", [[number] for number in numbers])
    told = json.loads(connection.execute("SELECT json_group_array(value) FROM made").fetchone()[0])
    assert questions._tells_exactly(connection) is (told == numbers)


def test_short_contacts_are_kept_but_stay_out_of_the_figures(begin: Any, visit: Any) -> None:
    writing = begin()
    fill(writing, visit, [4.9, 5.0, 41.0, 41.7, 90.0])
    figures = summary(writing.path)
    assert (figures["n"], figures["short_contacts"], figures["cutoff_s"]) == (4, 1, 5.0)
    assert figures["median_s"] == pytest.approx(41.35)
    assert (figures["min_s"], figures["max_s"]) == pytest.approx((5.0, 90.0))
    assert figures["mean_s"] == pytest.approx(177.7 / 4)
    assert figures["reasons"] == {"off": 4}
    assert len(sessions(writing.path)) == 5


@given(st.lists(st.integers(0, 200), max_size=12), st.integers(0, 20))
def test_figures_agree_with_the_plain_sums(lengths_s: list[int], cutoff_s: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        made = enumerate(lengths_s)
        write_rows(
            path,
            [{**SESSION, "duration_s": s, "local_date": f"2026-01-0{1 + number % 3}"} for number, s in made],
        )
        figures = summary(path, min_s=cutoff_s)
    kept = [length_s for length_s in lengths_s if length_s >= cutoff_s]
    assert figures["n"] == len(kept) == sum(figures["per_day"].values())
    assert figures["short_contacts"] == len(lengths_s) - len(kept)
    assert figures["median_s"] == (statistics.median(kept) if kept else None)
    assert figures["total_s"] == sum(kept)


def test_simulated_visitors_stay_out_unless_asked_for(begin: Any, visit: Any, ask: Any) -> None:
    writing = begin()
    fill(writing, visit, [10.0, 20.0])
    fill(writing, visit, [30.0], source="demo")
    assert summary(writing.path)["n"] == len(sessions(writing.path)) == 2
    assert summary(writing.path, include_demo=True)["n"] == 3
    assert [row["demo"] for row in sessions(writing.path, include_demo=True)] == [False, False, True]
    assert len(ask(writing.path, "SELECT * FROM session_closed")) == 2


def test_the_visitor_who_is_still_there_is_shown_but_not_counted(begin: Any, visit: Any) -> None:
    writing = begin()
    fill(writing, visit, [10.0])
    started = visit(9, 20_000.0, 20_010.0)[0]
    assert isinstance(started, Started)
    writing.write(started)
    figures = summary(writing.path)
    assert (figures["n"], figures["open"]) == (1, 1)
    last = sessions(writing.path)[-1]
    assert (last["reason"], last["off"]) == ("open", None)


def test_days_and_limits_choose_sessions(begin: Any, visit: Any, clock: Any) -> None:
    writing = begin(zone="UTC", **clock.clocks())
    for number in range(1, 5):
        writing.write(visit(number, clock.at_s, clock.at_s + 10.0)[1])
        clock.advance(43_200.0)
    days = [row["local_date"] for row in sessions(writing.path)]
    assert [row["id"] for row in sessions(writing.path, limit=2)] == [3, 4]
    assert [row["local_date"] for row in sessions(writing.path, day=days[0])] == [
        day for day in days if day == days[0]
    ]
    assert sum(summary(writing.path)["per_day"].values()) == 4
    with pytest.raises(ValueError, match="yesterday"):
        sessions(writing.path, day="yesterday")


def test_a_log_that_is_not_there_empty_or_no_log_is_told_plainly(database: Path) -> None:
    with pytest.raises(UnreadableLog, match="no log yet"):
        summary(database)
    database.touch()
    with pytest.raises(UnreadableLog, match="empty"):
        summary(database)
    database.write_bytes(b"junk" * 4096)
    with pytest.raises(UnreadableLog, match="damaged"):
        sessions(database)


def test_asking_does_not_take_the_writers_lock_or_rights(begin: Any, visit: Any, database: Path) -> None:
    writing = begin()
    fill(writing, visit, [10.0])
    for _ in range(20):
        assert summary(database)["n"] == 1
    fill_again = visit(2, 5000.0, 5010.0)[1]
    writing.write(fill_again)
    assert summary(database)["n"] == 2
    assert writing.log.state().error == ""


ASK = """
import os, sys, warnings
from pathlib import Path
from logs.questions import UnreadableLog, summary
os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
try:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        n = summary(Path(sys.argv[1]))["n"]
    print(n, len(heard))
except UnreadableLog as fault:
    print(fault)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user needs root: run the suite as root")
@pytest.mark.parametrize("journal", [False, True])
def test_in_a_closed_folder_a_log_at_rest_is_read_and_one_with_a_journal_is_not(
    journal: bool, begin: Any, visit: Any, checkout: Path
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.db"
        writing = begin(path=path)
        fill(writing, visit, [10.0, 20.0])
        assert writing.log.stop(5.0)
        if journal:
            path.with_name("visits.db-wal").write_bytes(b"rows that stand here only")
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", ASK, str(path), str(NOBODY)]
        done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
        Path(folder).chmod(0o755)
    if journal:
        assert "cannot be read" in done.stdout
    else:
        assert done.stdout == "2 1\n"
