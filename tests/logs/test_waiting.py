"""Visits that wait in files for the log: no purged one comes back, and every question tells of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from logs.clock import ClockPair
from logs.closed_log import CannotWrite
from logs.lock import HomeLock
from logs.purging import look
from logs.records import Anchor, Entry, Note, Run, SessionRecord, note, session_record
from logs.recovery import recover
from logs.spill import Spill
from logs.visits import Ended
from tests.logs.gallery import BERLIN, CUT, Show, closed, files, seen, take

OLD, LATE = datetime(2026, 10, 25, 22, 59, tzinfo=UTC), datetime(2026, 10, 25, 23, 1, tzinfo=UTC)
ANCHOR = Anchor(0.0, 0.0, 1, True)
HOUR = timedelta(hours=1)


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """The gallery's midnight, from which on visits are kept, is at 23:00 UTC; a fallback folder is there."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return closed(tmp_path / "home")


def fallback(show: Show) -> Path:
    return show.path.parent.parent / "temporary" / f"baited-{os.getuid()}"


def session_at(at: datetime, run: Run) -> SessionRecord:
    clock = ClockPair(lambda: 0.0, lambda: round(at.timestamp() * 1e9))
    event = Ended(at.hour, "mouse", False, 0.0, 1.0, 1.0, 8.0, 1.0, 1.0, 0, "off")
    return session_record(event, run.uuid, clock, BERLIN, (10.0, 10.0))


def note_at(at: datetime, step_ms: int = 0) -> Note:
    anchor = replace(ANCHOR, at_us=round(at.timestamp() * 1e6)) if step_ms else None
    return note("camera_lost", round(at.timestamp() * 1e6), 1.0, {}, step_ms, anchor)


def spilled(show: Show, *wait: Any, place: Path | None = None) -> Path:
    """A spill file as a show leaves it that was killed: sessions of these instants, and the notes."""
    run = Run(round(OLD.timestamp() * 1e6), 0.0, "Europe/Berlin")
    entries: list[Entry] = [session_at(one, run) if isinstance(one, datetime) else one for one in wait]
    spill = Spill(show.path, [place] if place else [], run, before=place is not None)
    assert spill.keep(entries)
    spill.close()
    return Path(spill.path)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_purge_is_refused_while_a_visit_of_that_time_waits_that_the_log_does_not_know(
    show: Show, elsewhere: bool
) -> None:
    """Else the next start brings it in, after `No trace` was said."""
    file = spilled(show, LATE + HOUR, OLD, place=fallback(show) if elsewhere else None)
    before = set(files(show.path.parent))
    with pytest.raises(CannotWrite, match="logs recover") as refused:
        take(show, spill_at=[fallback(show)])
    assert file.name in str(refused.value)
    assert set(files(show.path.parent)) == {*before, "visits.db.lock"}
    assert seen(show.old, show.path.parent) == len(show.old)
    (said,) = look(show.path, CUT, BERLIN, [fallback(show)]).waiting
    assert file.name in said
    recover(show.path, [], [fallback(show)], lambda: 1)
    assert look(show.path, CUT, BERLIN, [fallback(show)]).waiting == []
    assert take(show, spill_at=[fallback(show)]).sessions == len(show.old) + 1


@pytest.mark.parametrize("wait", [[note_at(OLD)], [LATE + HOUR, note_at(LATE, -60_000)]])
def test_an_event_of_that_time_and_a_visit_that_will_be_dated_anew_come_first_too(
    show: Show, wait: list[Any]
) -> None:
    spilled(show, *wait)
    with pytest.raises(CannotWrite, match="logs recover"):
        take(show)
    assert len(look(show.path, CUT, BERLIN).waiting) == 1


def test_what_waits_of_later_is_no_hindrance(show: Show) -> None:
    file = spilled(show, LATE, note_at(LATE))
    assert look(show.path, CUT, BERLIN).waiting == []
    assert take(show).problems == []
    assert file.exists()


@pytest.mark.parametrize("spoilt", [b"no entry\n", b'{"kind": "Ended", "row": {"local_da', b"\0" * 4096])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_no_program_can_read_of_a_waiting_file_is_told(
    show: Show, spoilt: bytes, elsewhere: bool
) -> None:
    """As it waits, and as the next start puts it aside."""
    file = spilled(show, LATE, place=fallback(show) if elsewhere else None)
    file.write_bytes(file.read_bytes() + spoilt)
    (said,) = look(show.path, CUT, BERLIN, [fallback(show)]).waiting
    told = take(show, spill_at=[fallback(show)])
    assert (told.sessions, told.problems) == (len(show.old), [said])
    assert str(file) in said
    file.rename(f"{file}.unread")
    (problem,) = take(show, spill_at=[fallback(show)]).problems
    assert f"{file.name}.unread may hold visits from before 2026-10-26" in problem


def ask(show: Show, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--home", str(show.path.parent)])


def questions(show: Show) -> list[tuple[str, ...]]:
    out = str(show.path.parent.parent / "out.csv")
    return [
        *(("logs", "sessions", "--json"), ("logs", "summary", "--json")),
        ("logs", "export", "--format", "csv", "--out", out, "--json"),
        ("logs", "purge", "--before", "2026-10-20", "--dry-run", "--json"),
    ]


def test_every_question_says_once_that_visits_wait_and_makes_no_file(show: Show) -> None:
    spilled(show, LATE)
    spilled(show, LATE + HOUR, place=fallback(show))
    ask(show, "logs", "sessions")
    before = set(files(show.path.parent))
    for words in questions(show):
        done = ask(show, *words)
        assert done.exit_code == 0, done.output
        json.loads(done.stdout)
        (line,) = done.stderr.splitlines()
        assert "2 files with visits wait" in line
        assert "logs recover" in line
    assert set(files(show.path.parent)) == before


def test_beside_a_show_and_where_nothing_waits_no_question_says_anything(show: Show) -> None:
    for words in questions(show):
        assert ask(show, *words).stderr == ""
    spilled(show, LATE)
    lock = HomeLock(show.path)
    lock.take()
    for words in questions(show):
        assert ask(show, *words).stderr == ""
    lock.release()
    assert ask(show, *questions(show)[0]).stderr != ""


HOLDER = """
import sys
from pathlib import Path
from logs.records import Run, note
from logs.spill import Spill
spill = Spill(Path(sys.argv[1]), [], Run(1, 0.0, "Europe/Berlin"))
assert spill.keep([note("a", 1, 0.0, {})])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_file_that_a_show_is_writing_does_not_wait(show: Show, checkout: Path) -> None:
    """Its lock on the home may be lost, when somebody deleted the file of it."""
    env = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-c", HOLDER, str(show.path)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, env=env, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        assert ask(show, *questions(show)[0]).stderr == ""
        child.kill()
    assert "1 file with visits waits" in ask(show, *questions(show)[0]).stderr


def row(show: Show, name: str) -> dict[str, str]:
    found = json.loads(ask(show, "check", "--json").stdout)
    return next(finding for finding in found if finding["name"] == name)


def test_check_tells_of_visits_that_wait_and_of_lines_nobody_could_read(show: Show) -> None:
    assert row(show, "waiting visits") == {
        "name": "waiting visits",
        "state": "none",
        "fault": "",
        "level": "problem",
    }
    file = spilled(show, LATE)
    found = row(show, "waiting visits")
    assert (found["state"], found["level"]) == ("1 file with visits waits", "note")
    assert "the next start, or `logs recover`, puts" in found["fault"]
    unread = Path(f"{file}.unread")
    file.rename(unread)
    found = row(show, "waiting visits")
    assert (found["state"], found["level"]) == ("none", "problem")
    assert str(unread) in found["fault"]
    assert "technician" in found["fault"]


GONE = [("logs", "sessions"), ("logs", "summary"), ("replay", "1", "--check")]


def test_a_log_that_is_gone_is_told_as_gone_by_check_and_by_every_question(show: Show) -> None:
    show.path.unlink()
    for words in [*GONE, ("logs", "purge", "--before", "2026-10-20", "--yes")]:
        done = ask(show, *words)
        assert done.exit_code == 1
        assert "the log of the last run is gone" in done.stderr
        assert "no log yet" not in done.stderr
    found = row(show, "database")
    assert "the log of the last run is gone" in found["fault"]
    assert found["level"] == "problem"
    assert ask(show, "check").exit_code == 1


def test_a_journal_without_its_log_is_a_log_that_is_gone(show: Show) -> None:
    for file in show.path.parent.glob("visits.db*"):
        file.unlink()
    assert "no log yet" in ask(show, "logs", "sessions").stderr
    assert row(show, "database")["fault"] == ""
    show.path.with_name("visits.db-wal").write_bytes(b"rows")
    assert "the log of the last run is gone" in ask(show, "logs", "sessions").stderr
    assert "the log of the last run is gone" in row(show, "database")["fault"]


def test_a_new_log_that_waits_for_its_place_is_told_as_such(show: Show) -> None:
    show.path.rename(show.path.with_name("visits.db.next"))
    assert "waits for its place" in ask(show, "logs", "sessions").stderr
    assert "waits for its place" in row(show, "database")["fault"]


@pytest.mark.parametrize("known", [True, False])
def test_a_link_in_the_place_of_the_log_that_leads_nowhere_is_told(show: Show, known: bool) -> None:
    show.path.unlink()
    if not known:
        show.path.with_name("visits.db.identity").unlink()
    show.path.symlink_to("/away/visits.db")
    for said in (row(show, "database")["fault"], *(ask(show, *words).stderr for words in GONE)):
        assert "leads nowhere" in said
        assert "/away/visits.db" in said
