"""`logs recover`: the log put right without a show, and what a kept file still has, put in once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from logs import identity
from logs.closed_log import CannotWrite
from logs.engine import choose
from logs.exporting import Choice, export_db
from logs.lock import AlreadyRunning, HomeLock
from logs.pointing import Pointing
from logs.recovery import Recovered, recover

NOW_US = 1_900_000_000_000_000
SCRIPT = """
import sys, time
from pathlib import Path
from logs.settings import LogSettings
from logs.visits import Visits
from logs.writer import Log

log = Log(Path(sys.argv[1]), acknowledged=lambda *_: print("safe", flush=True))
log.put(Visits(LogSettings()).step(0, time.perf_counter(), True, 5.0, 5.0, "mouse"))
time.sleep(60)
"""


def put_right(path: Path, *files: Path) -> Recovered:
    return recover(path, files, [], lambda: NOW_US)


@pytest.fixture
def lived(begin: Any, visit: Any) -> Any:
    """lived(path, numbers): a run of visits of 8 s with a measure and a grid each."""

    def live(path: Path, *numbers: int) -> None:
        writing, pointing = begin(path), Pointing()
        pointing.add(1.0, 1.0, (100, 100))
        for number in numbers:
            for event in visit(number, number * 20.0, number * 20.0 + 8.0):
                writing.log.put(event, {"bored": float(number)}, pointing.ticks())
        writing.log.note("a note", {"of": str(path)})
        assert writing.log.stop(5.0)

    return live


def test_a_show_that_was_killed_leaves_nothing_open(database: Path, ask: Any) -> None:
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, str(database)], stdout=-1, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "safe\n"
    with pytest.raises(AlreadyRunning):
        put_right(database)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    found = put_right(database)
    assert (found.closed, found.sessions, found.is_well) == (1, 1, True)
    assert [row["end_reason"] for row in ask(database, "SELECT end_reason FROM session")] == ["recovered"]
    assert [row["end_reason"] for row in ask(database, "SELECT end_reason FROM run")] == ["crash"]
    assert put_right(database).closed == 0


def test_a_damaged_log_is_replaced_with_what_can_be_read_and_that_is_a_problem(
    database: Path, lived: Any, ask: Any
) -> None:
    lived(database, *range(1, 40))
    whole = database.read_bytes()
    database.write_bytes(whole[: len(whole) - 4096] + b"\xff" * 4096)
    found = put_right(database)
    assert not found.is_well
    assert "damaged" in found.moved[0]
    assert found.sessions == ask(database, "SELECT count(*) AS n FROM session")[0]["n"] > 0
    assert put_right(database).is_well


def test_a_kept_file_gives_what_the_log_has_not_and_only_once(
    database: Path, lived: Any, ask: Any, tmp_path: Path
) -> None:
    lived(database, 1, 2, 3)
    kept = tmp_path / "visits.damaged-20260101T000000Z.db"
    shutil.copy(database, kept)
    lived(database, 4)
    with_all = ask(database, "SELECT * FROM session ORDER BY id")
    database.unlink()
    identity.beside(database).unlink()
    lived(database, 7, 8)
    found = put_right(database, kept)
    assert found.taken == {str(kept): 3}
    rows = ask(database, "SELECT * FROM session ORDER BY id")
    assert len({row["id"] for row in rows}) == len({row["uuid"] for row in rows}) == 5
    by_name = {row["uuid"]: row for row in rows}
    for old in with_all[:3]:
        for name in ("on_at_us", "duration_s", "local_date", "end_reason", "end_x"):
            assert by_name[old["uuid"]][name] == old[name]
    told = ask(
        database,
        "SELECT on_mono_s, value, dwell FROM session JOIN session_metric ON session = id "
        "JOIN pointer_grid USING (session) ORDER BY on_mono_s",
    )
    assert [row["value"] * 20 for row in told] == [row["on_mono_s"] for row in told]
    assert len(told) == 5
    runs = ask(
        database, "SELECT run.uuid, count(session.id) AS n FROM run JOIN session ON run = run.id GROUP BY 1"
    )
    assert sorted(row["n"] for row in runs) == [2, 3]
    assert put_right(database, kept).taken == {str(kept): 0}
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert ask(database, "PRAGMA foreign_key_check") == []


def test_ids_that_were_kept_in_mind_are_not_given_again_after_a_recovery(
    database: Path, lived: Any, ask: Any, tmp_path: Path
) -> None:
    lived(database, 1, 2, 3)
    old = tmp_path / "old.db"
    shutil.copy(database, old)
    lived(database, 4)
    shutil.copy(old, database)
    put_right(database)
    lived(database, 9)
    assert [row["id"] for row in ask(database, "SELECT id FROM session ORDER BY id")] == [1, 2, 3, 5]


def test_an_exported_database_is_taken_into_a_home_without_a_log(
    database: Path, lived: Any, ask: Any, tmp_path: Path
) -> None:
    lived(database, 1, 2)
    out = tmp_path / "out.db"
    export_db(database, out, Choice())
    home = tmp_path / "new home"
    home.mkdir()
    assert put_right(home / "visits.db", out).taken == {str(out): 2}
    assert ask(home / "visits.db", "SELECT uuid FROM session ORDER BY id") == ask(
        database, "SELECT uuid FROM session ORDER BY id"
    )


def test_what_is_no_log_gives_nothing_and_is_told(database: Path, lived: Any, tmp_path: Path) -> None:
    lived(database, 1)
    text = tmp_path / "notes.txt"
    text.write_text("no database")
    found = put_right(database, text, tmp_path / "nowhere.db")
    assert not found.is_well
    assert [problem.split(": ")[1] for problem in found.problems] == [
        "no session can be read of it",
        "there is no such file",
    ]
    assert text.read_text() == "no database"
    assert list(database.parent.glob("recover-*")) == []


def test_a_home_without_a_log_says_so_and_stays_empty(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="there is no log"):
        put_right(tmp_path / "visits.db")
    assert not (tmp_path / "visits.db").exists()


def test_the_command_says_what_it_did(database: Path, lived: Any, checkout: Path) -> None:
    lived(database, 1, 2)
    command = [sys.executable, "-m", "controller", "logs", "recover", "--home", str(database.parent)]
    env = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=env, cwd=checkout, capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "The log is sound and has 2 sessions.")
    lock = HomeLock(database)
    lock.take()
    done = subprocess.run([*command, "--json"], env=env, cwd=checkout, capture_output=True, text=True)
    lock.release()
    assert done.returncode == 1
    assert "already running" in done.stderr
    done = subprocess.run(
        [*command, "--json", "missing.db"], env=env, cwd=checkout, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["problems"] == ["missing.db: there is no such file"]


def test_an_exchange_that_was_cut_off_is_completed(database: Path, lived: Any, ask: Any) -> None:
    lived(database, 1, 2)
    shutil.copy(database, database.with_name("visits.db.next"))
    database.write_bytes(b"damaged" * 1000)
    found = put_right(database)
    assert not found.is_well
    assert "about to be replaced" in found.moved[0]
    assert found.sessions == 2
    assert not database.with_name("visits.db.next").exists()


def test_a_file_whose_runs_cannot_be_read_adds_none_when_it_is_taken_again(
    database: Path, lived: Any, ask: Any, tmp_path: Path
) -> None:
    lived(database, 1, 2)
    kept = tmp_path / "kept.db"
    shutil.copy(database, kept)
    connection = choose().module.connect(kept, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM run")
    connection.close()
    home = tmp_path / "other" / "visits.db"
    home.parent.mkdir()
    assert put_right(home, kept).taken == {str(kept): 2}
    counts = [ask(home, f"SELECT count(*) AS n FROM {table}") for table in ("run", "event", "clock_anchor")]
    assert put_right(home, kept).taken == {str(kept): 0}
    assert counts == [
        ask(home, f"SELECT count(*) AS n FROM {table}") for table in ("run", "event", "clock_anchor")
    ]
