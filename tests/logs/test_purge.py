"""Visits whose time is over: gone from every byte, the others whole, the sums of days and hours kept."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from logs.closed_log import CannotWrite
from logs.lock import AlreadyRunning
from logs.purging import due_from, look, purge
from logs.questions import sessions, summary
from tests.logs.gallery import (
    BERLIN,
    CUT,
    DAYS,
    HOURS,
    Gallery,
    Show,
    closed,
    files,
    fill,
    near,
    real,
    seen,
    take,
)


@pytest.fixture
def show(tmp_path: Path) -> Show:
    return closed(tmp_path / "home")


def test_no_byte_of_a_purged_visit_is_left_and_the_others_are_whole(tmp_path: Path, ask: Any) -> None:
    """The rows stand in the journal, and some in the database too, as a killed show leaves them."""
    gallery = Gallery(tmp_path / "made")
    gallery.connection.execute("PRAGMA wal_autocheckpoint = 0")
    made = fill(gallery)
    home = tmp_path / "home"
    shutil.copytree(tmp_path / "made", home)
    gallery.connection.close()
    show = made._replace(path=home / "visits.db")
    journal = files(home).get("visits.db-wal") or files(home)["visits.db"]
    assert all(needle in journal for row in show.old for needle in (row.uuid.encode(), real(row.duration_s)))
    assert seen(show.old, home) == len(show.old)
    ids = [row["id"] for row in sessions(show.path, include_demo=True)]
    told = take(show)
    assert (told.problems, told.sessions, told.recordings) == ([], len(show.old), len(show.old))
    assert seen(show.old, home) == 0
    rolled = {row[name] for row in ask(show.path, "SELECT * FROM day_rollup") for name in ("min_s", "max_s")}
    others = [row.duration_s for row in show.old if row.duration_s not in rolled]
    assert len(others) > len(show.old) / 3
    assert not any(real(value) in content for content in files(home).values() for value in others)
    assert all(
        any(needle in content for content in files(home).values())
        for row in show.kept
        for needle in (row.uuid.encode(), real(row.start_x), real(row.duration_s))
    )
    assert [row["id"] for row in sessions(show.path, include_demo=True)] == ids[len(show.old) :]
    for table in ("session_metric", "pointer_grid", "recording"):
        assert len(ask(show.path, f"SELECT * FROM {table}")) == len(show.kept)
    assert ask(show.path, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert ask(show.path, "PRAGMA foreign_key_check") == []


def test_days_and_hours_have_the_same_sums_before_and_after(show: Show, ask: Any) -> None:
    """Two midnights, and the day on which 2 o'clock comes twice; the cut moves on in three steps."""
    days, hours = ask(show.path, DAYS), ask(show.path, HOURS)
    assert [row["local_hour"] for row in hours if row["local_date"] == "2026-10-25"].count(2) == 2
    ended = summary(show.path)
    for before in (date(2026, 10, 25), CUT, CUT + timedelta(days=1)):
        told = take(show, before)
        assert told.problems == []
        assert ask(show.path, DAYS) == near(days)
        assert ask(show.path, HOURS) == near(hours)
    figures = summary(show.path)
    left = figures["purged"]
    assert (left["days"], left["sessions"]) == (len(days) - (figures["n"] > 0), ended["n"] - figures["n"])
    assert left["contacts"] == ended["n"] + ended["short_contacts"] - figures["n"] - figures["short_contacts"]
    assert left["total_s"] + figures["total_s"] == pytest.approx(ended["total_s"])
    bins = "under_5_s + under_15_s + under_30_s + under_60_s + from_60_s"
    assert ask(show.path, f"SELECT sum({bins}) AS n FROM day_rollup") == [{"n": left["contacts"]}]


def test_a_day_of_23_hours_keeps_its_sums(tmp_path: Path, ask: Any) -> None:
    gallery = Gallery(tmp_path)
    first = datetime(2026, 3, 28, 22, 30, tzinfo=UTC)
    run = gallery.run(first, first)
    for number in range(30):
        gallery.session(run, first + timedelta(hours=number))
    gallery.connection.close()
    days, hours = ask(gallery.path, DAYS), ask(gallery.path, HOURS)
    assert [row["contacts"] for row in days] == [1, 23, 6]
    assert purge(gallery.path, date(2026, 3, 30), BERLIN).problems == []
    assert ask(gallery.path, DAYS) == near(days)
    assert ask(gallery.path, HOURS) == near(hours)


def test_visits_that_come_late_are_added_to_their_hour_under_its_limit(tmp_path: Path, ask: Any) -> None:
    """The limit of short contacts was raised from 5 to 30 s between two purges of the same hour."""
    at = datetime(2026, 10, 24, 12, tzinfo=UTC)
    for lengths_s in ((2.0, 10.0), (3.0, 20.0, 61.0)):
        gallery = Gallery(tmp_path)
        run = gallery.run(at, at)
        for length_s in lengths_s:
            gallery.session(run, at, duration_s=length_s)
        gallery.connection.close()
        assert purge(gallery.path, CUT, BERLIN).problems == []
        gallery.chance.seed(8)
        connection = sqlite3.connect(gallery.path)
        connection.execute("UPDATE view_setting SET short_s = 30")
        connection.commit()
        connection.close()
    (row,) = ask(gallery.path, "SELECT * FROM day_rollup")
    assert (row["contacts"], row["sessions"], row["short_s"]) == (5, 3, 5.0)
    assert (row["min_s"], row["max_s"], row["total_s"]) == (10.0, 61.0, 91.0)
    assert [row[name] for name in row if "under" in name or "from" in name] == [2, 1, 1, 0, 1]


def test_simulated_visitors_go_too_and_count_nowhere(show: Show, ask: Any) -> None:
    before = ask(show.path, "SELECT count(*) AS n FROM session WHERE demo = 1")[0]["n"]
    take(show)
    assert ask(show.path, "SELECT count(*) AS n FROM session WHERE demo = 1")[0]["n"] < before
    closed = sum(row.duration_s > 0 for number, row in enumerate(show.old) if number % 7)
    assert summary(show.path)["purged"]["contacts"] == closed


def test_ids_never_come_back(show: Show, begin: Any, visit: Any) -> None:
    assert take(show, CUT + timedelta(days=30)).sessions == len(show.old) + len(show.kept)
    writing = begin(show.path)
    writing.write(visit(1, 10.0, 20.0)[1])
    assert writing.log.state().warning == ""
    assert [row["id"] for row in sessions(show.path)] == [len(show.old) + len(show.kept) + 1]


def test_of_events_and_starts_those_stay_that_are_of_later_or_are_needed(show: Show, ask: Any) -> None:
    """The first start is over; the second goes on beyond the cut, though its one event is old."""
    told = take(show)
    assert (told.runs, told.events) == (1, 2)
    assert [row["id"] for row in ask(show.path, "SELECT id FROM run")] == [2]
    assert [row["run"] for row in ask(show.path, "SELECT run FROM clock_anchor")] == [2]


def test_a_visit_that_is_still_open_stays_and_is_told(tmp_path: Path, ask: Any) -> None:
    gallery = Gallery(tmp_path)
    at = datetime(2026, 10, 24, 12, tzinfo=UTC)
    gallery.session(gallery.run(at, None), at, reason="open")
    gallery.connection.close()
    told = purge(gallery.path, CUT, BERLIN)
    assert told.sessions == 0
    assert "still open" in told.problems[0]
    assert len(ask(gallery.path, "SELECT * FROM session")) == 1


def test_it_is_refused_while_a_show_writes(show: Show, begin: Any) -> None:
    writing = begin(show.path)
    with pytest.raises(AlreadyRunning, match="stop it first"):
        take(show)
    writing.log.stop(5.0)
    assert seen(show.old, show.path.parent) == len(show.old)
    assert look(show.path, CUT, BERLIN).sessions == len(show.old)


@pytest.mark.parametrize(
    "name", ["../precious", "recordings/../precious", "recordings", "", "recordings/..", None]
)
def test_no_file_outside_of_the_recordings_is_deleted(name: str | None, show: Show) -> None:
    precious = show.path.with_name("precious")
    precious.write_text("kept")
    outside = show.path.parent.parent / "precious"
    outside.write_text("kept")
    connection = sqlite3.connect(show.path)
    connection.execute(
        "UPDATE recording SET file = ? WHERE session = 1", [str(outside) if name is None else name]
    )
    connection.commit()
    connection.close()
    told = take(show)
    assert told.sessions == len(show.old)
    assert told.problems[0].endswith("it was left where it is")
    assert (precious.read_text(), outside.read_text()) == ("kept", "kept")


def test_a_recording_that_is_a_link_goes_and_what_it_leads_to_stays(show: Show) -> None:
    target = show.path.parent.parent / "target"
    target.write_text("kept")
    (link,) = show.path.parent.glob(f"recordings/*/{show.old[0].uuid}.jsonl.gz")
    link.unlink()
    link.symlink_to(target)
    assert take(show).problems == []
    assert not link.is_symlink()
    assert target.read_text() == "kept"


@pytest.mark.parametrize(
    ("show_until", "keep_months", "due"),
    [
        ("2026-04-05", 12, "2027-04-06"),
        ("2026-04-05", 0, "2026-04-06"),
        ("2026-08-31", 6, "2027-03-01"),
        ("2027-08-31", 6, "2028-03-01"),
        ("2026-12-31", 1, "2027-02-01"),
        ("2024-02-29", 12, "2025-03-01"),
        ("2026-01-15", 1200, "2126-01-16"),
    ],
)
def test_a_show_is_due_when_its_last_day_and_the_months_are_over(
    show_until: str, keep_months: int, due: str
) -> None:
    assert due_from(date.fromisoformat(show_until), keep_months).isoformat() == due


def test_without_a_log_nothing_is_made(database: Path) -> None:
    with pytest.raises(CannotWrite, match="no log yet"):
        purge(database, CUT, BERLIN)
    assert list(database.parent.iterdir()) == []
