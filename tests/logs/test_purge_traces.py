"""Traces of purged visits: in copies, on free pages, in files left behind, after a kill at any moment."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from logs import engine, residue
from logs.closed_log import CannotWrite
from logs.purging import look, purge
from logs.questions import summary
from tests.logs.gallery import (
    BERLIN,
    CUT,
    DAYS,
    HOURS,
    Show,
    closed,
    near,
    seen,
    take,
)


@pytest.fixture
def show(tmp_path: Path) -> Show:
    return closed(tmp_path / "home")


def test_copies_are_named_while_they_hold_such_visits_and_go_on_demand(show: Show) -> None:
    home = show.path.parent
    for name in ("visits.before-migration.db", "visits.damaged-20261020T000000Z.db"):
        shutil.copy(show.path, home / name)
    broken = home / "visits.damaged-20261021T000000Z.db"
    broken.write_bytes(b"broken" + show.path.read_bytes()[6:])
    journal = home / "visits.damaged-20261022T000000Z.db-wal"
    journal.write_bytes(show.path.read_bytes())
    (home / "visits.damaged-20261023T000000Z.db").touch()
    other = sqlite3.connect(home / "visits.damaged-20261024T000000Z.db")
    other.execute("CREATE TABLE recipes (a)")
    other.close()
    held = [
        *("visits.before-migration.db", "visits.damaged-20261020T000000Z.db"),
        *(broken.name, journal.name.removesuffix("-wal")),
    ]
    assert look(show.path, CUT, BERLIN).copies == held
    told = take(show)
    assert [problem.split()[0] for problem in told.problems] == held
    again = take(show)
    assert (again.sessions, again.problems) == (0, told.problems)
    last = take(show, with_copies=True)
    assert (last.copies_removed, last.problems) == (held, [])
    assert seen(show.old, home) == 0
    assert len(list(home.glob("visits.damaged-*"))) == 2


def test_a_copy_with_later_visits_only_is_no_problem_and_stays(show: Show) -> None:
    take(show)
    copy = show.path.with_name("visits.before-migration.db")
    shutil.copy(show.path, copy)
    assert take(show, with_copies=True).problems == []
    assert copy.exists()


def test_a_log_of_an_older_program_is_brought_up_to_date_and_its_copy_is_named(
    database: Path, old_file: Any, ask: Any
) -> None:
    old_file(database, 2)
    assert summary(database)["purged"] == {"days": 0, "contacts": 0, "sessions": 0, "total_s": 0.0}
    assert look(database, CUT, BERLIN).sessions == 1
    told = purge(database, CUT, BERLIN)
    assert (told.sessions, told.runs) == (1, 1)
    assert [problem.split()[0] for problem in told.problems] == ["visits.before-migration.db"]
    assert summary(database)["purged"] == {"days": 1, "contacts": 1, "sessions": 1, "total_s": 41.35}


def test_names_that_stand_anywhere_else_in_the_home_are_found(show: Show) -> None:
    """An export that was killed half way, a file of the curator's, and entries nobody could read."""
    home = show.path.parent
    aside, own = home / ".0123456789abcdef.new", home / f"visits.{show.old[0].uuid}.csv"
    aside.write_bytes(show.path.read_bytes())
    own.touch()
    (home / "visits.spill-1.jsonl.unread").write_text(json.dumps({"uuid": show.old[1].uuid}))
    (home / "notes.txt").write_text("mine")
    told = take(show)
    found = [problem.split()[0] for problem in told.problems]
    assert found == ["visits.spill-1.jsonl.unread", aside.name, own.name]
    assert f"{len(show.old) + told.events + told.runs} deleted rows" in told.problems[1]
    aside.unlink()
    own.unlink()
    assert take(show, with_copies=True).problems == []


def test_a_recording_that_a_killed_show_left_goes_with_its_visit_and_empty_folders_too(show: Show) -> None:
    folder = show.path.parent / "recordings"
    for row in (show.old[0], show.kept[0]):
        (folder / "2026-10-20").mkdir(exist_ok=True)
        (folder / "2026-10-20" / f"{row.uuid}.jsonl").write_text("{}")
    assert take(show).recordings == len(show.old) + 1
    assert [file.name for file in folder.glob("*/*.jsonl")] == [f"{show.kept[0].uuid}.jsonl"]
    assert sorted(day.name for day in folder.iterdir()) == ["2026-10-20", "2026-10-26"]


def test_what_is_no_file_is_left_and_told_and_keeps_nothing_else_from_going(show: Show) -> None:
    """A row may name a folder, a pipe or no path at all; a draft may be a folder with a visit's name."""
    recordings = show.path.parent / "recordings"
    folder, pipe, draft = recordings / "a folder", recordings / "a pipe", recordings / show.old[0].uuid
    folder.mkdir()
    draft.mkdir()
    os.mkfifo(pipe)
    (recordings / "a link").symlink_to(folder)
    with closing(sqlite3.connect(show.path)) as connection, connection:
        for row, name in enumerate(("a folder", "a pipe", "a link", "no\0path/x")):
            where = "WHERE session = (SELECT id FROM session WHERE uuid = ?)"
            file = f"recordings/{name}"
            connection.execute(f"UPDATE recording SET file = ? {where}", [file, show.old[row].uuid])
    told = take(show)
    left = [problem for problem in told.problems if "left where it is" in problem]
    assert [problem.split(":")[0] for problem in left] == sorted(map(str, (folder, pipe, draft)))
    assert (told.sessions, told.recordings) == (len(show.old), len(show.old) + 1), (
        "each by its name, and the link"
    )
    assert {path.name for path in recordings.iterdir() if path.name[:2] != "20"} == {
        *("a folder", "a pipe", draft.name)
    }


def test_entries_that_wait_for_the_log_come_first(show: Show) -> None:
    """Else the next start would write a purged visit again."""
    spill = show.path.with_name("visits.spill-1.jsonl")
    spill.write_text(json.dumps({"uuid": show.old[0].uuid}))
    with pytest.raises(CannotWrite, match="logs recover"):
        take(show)
    assert seen(show.old, show.path.parent) == len(show.old)


def test_entries_that_wait_in_another_folder_come_first_too(show: Show, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    digest = hashlib.sha256(str(show.path).encode()).hexdigest()[:12]
    spill = other / f"visits.spill-{digest}-1-0.jsonl"
    spill.write_text(json.dumps({"uuid": show.old[0].uuid}))
    with pytest.raises(CannotWrite, match="logs recover"):
        take(show, spill_at=[other])
    spill.rename(spill.with_name(f"{spill.name}.unread"))
    (problem,) = take(show, spill_at=[other]).problems
    assert f"{spill}.unread still holds 1" in problem


def test_a_new_log_that_waits_for_its_place_comes_first(show: Show) -> None:
    """A power cut came between the making of a new file and the exchange."""
    finished = show.path.with_name("visits.db.next")
    shutil.copy(show.path, finished)
    with pytest.raises(CannotWrite, match="logs recover"):
        take(show, with_copies=True)
    assert finished.read_bytes() == show.path.read_bytes()
    assert seen(show.old, show.path.parent) == len(show.old)


def test_a_trace_that_an_interrupted_purge_left_is_seen_by_the_next(show: Show) -> None:
    """Rows deleted, their bytes left on free pages: no question sees them, the search does."""
    connection = sqlite3.connect(show.path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute("DELETE FROM session WHERE local_date < '2026-10-26'")
    connection.commit()
    connection.close()
    assert residue.in_the_log(show.path, set())["visits.db"] > 0
    assert (take(show).sessions, residue.in_the_log(show.path, set())) == (0, {})


@contextmanager
def reader(path: Path, journal: str) -> Iterator[None]:
    """Another program in the middle of reading a log of this journal."""
    connection = engine.choose().module.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM session").fetchone()
    yield
    connection.close()


@pytest.fixture
def journal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The purge writes with this journal and waits for nobody."""
    chosen = replace(engine.choose(), journal=request.param)
    monkeypatch.setattr("logs.closed_log.choose", lambda: chosen)
    monkeypatch.setattr("logs.purging.PATIENCE_MS", 10)
    return str(request.param)


@pytest.mark.parametrize("journal", ["WAL"], indirect=True)
def test_a_reader_that_holds_the_old_bytes_is_told_and_the_next_purge_ends_it(
    show: Show, journal: str
) -> None:
    with reader(show.path, journal):
        told = take(show)
    assert told.sessions == len(show.old)
    assert "close it there" in told.problems[0]
    assert told.problems[1].startswith("visits.db still holds")
    assert take(show).problems == []
    assert seen(show.old, show.path.parent) == 0


@pytest.mark.parametrize("journal", ["DELETE"], indirect=True)
def test_with_a_rollback_journal_a_reader_keeps_the_purge_from_beginning(show: Show, journal: str) -> None:
    with reader(show.path, journal), pytest.raises(CannotWrite, match="another program holds it"):
        take(show)
    assert len(list(show.path.parent.glob("recordings/*/*"))) == len(show.old) + len(show.kept)
    assert seen(show.old, show.path.parent) == len(show.old)
    assert take(show).problems == []
    assert seen(show.old, show.path.parent) == 0


KILLED = """
import os, shutil, sys
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo
from logs import closed_log, purging

made, connect = Path(sys.argv[1]), closed_log.connect


def purge_until(end, home, recordings=10**9):
    shutil.copytree(made, home)
    count = [0, 0]

    def step():
        count[0] += 1
        return os._exit(9) if count[0] == end else 0

    def watched(*arguments):
        connection = connect(*arguments)
        connection.set_progress_handler(step, 100)
        return connection

    def removed(file):
        count[1] += 1
        return os._exit(9) if count[1] > recordings else unlink(file)

    unlink, Path.unlink = Path.unlink, removed
    closed_log.connect = watched
    purging.purge(home / "visits.db", date(2026, 10, 26), ZoneInfo("Europe/Berlin"))
    return count[0]


def killed(name, *words):
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    else:
        purge_until(words[0], made.with_name(name), *words[1:])
        os._exit(0)


total = purge_until(0, made.with_name("whole"))
kills = int(sys.argv[2])
for kill in range(kills):
    killed(f"killed-{kill}", 1 + (total - 1) * kill // (kills - 1))
killed("killed-recording", 0, 5)
"""


def kill_everywhere(show: Show, kills: int, checkout: Path, ask: Any) -> list[int]:
    """Kill a purge at so many moments and once among the recordings; the sessions left in each home."""
    home = show.path.parent
    days, hours = ask(show.path, DAYS), ask(show.path, HOURS)
    command = [sys.executable, "-c", KILLED, str(home), str(kills)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(checkout)})
    counts = []
    for killed in sorted(home.parent.glob("killed-*")):
        again = show._replace(path=killed / "visits.db")
        left = ask(again.path, "SELECT count(*) AS n FROM session WHERE local_date < '2026-10-26'")[0]["n"]
        counts.append(left)
        assert ask(again.path, DAYS) == near(days)
        assert ask(again.path, HOURS) == near(hours)
        told = take(again)
        assert (told.problems, told.sessions) == ([], left)
        assert seen(show.old, killed) == 0
        assert seen(show.kept, killed) == len(show.kept)
        assert ask(again.path, DAYS) == near(days)
        assert ask(again.path, HOURS) == near(hours)
    return counts


def test_killed_anywhere_all_or_nothing_is_purged_and_the_next_one_ends_it(
    show: Show, checkout: Path, ask: Any
) -> None:
    counts = kill_everywhere(show, 12, checkout, ask)
    assert set(counts) == {0, len(show.old)}
    assert len(counts) == 13


@pytest.mark.full
def test_killed_at_200_moments(show: Show, checkout: Path, ask: Any) -> None:
    counts = kill_everywhere(show, 200, checkout, ask)
    assert set(counts) == {0, len(show.old)}
    assert len(counts) == 201
