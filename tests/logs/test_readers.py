"""Other programs at the log: Datasette and four more beside a writing show, and at a read-only copy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.studies.log_cost_datasette import serving
from controller.studies.log_cost_reading import DATASETTE, OURS, SESSIONS_A_DAY, build
from controller.studies.log_cost_writing import MEASURES, lap, readers
from logs.exporting import Choice, export_db
from logs.questions import sessions

EVENTS = 60
# Root passes by the rights of files, but not without this capability (1, CAP_DAC_OVERRIDE).
WITHOUT_ROOTS_RIGHTS = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""
READ_A_COPY = """
import sys
from pathlib import Path
from sqlite_utils import Database
from controller.studies.log_cost_datasette import serving
path = Path(sys.argv[1])
try:
    (path.parent / "more").touch()
except OSError:
    print("closed folder")
with serving(path) as ask:
    print(ask("/copy.json?sql=select+count(*)+from+session_closed")["rows"])
print(len(list(Database(path)["session"].rows)))
"""


def test_datasette_and_four_more_disturb_no_log_and_none_of_them_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "visits.db"
    build(path, SESSIONS_A_DAY)
    with readers(path) as found:
        written = lap(path, EVENTS)
    assert sorted(reader["program"] for reader in found) == [DATASETTE, *[OURS] * 4]
    assert all(reader["asked"] > 0 for reader in found)
    assert [error for reader in found for error in reader["errors"]] == []
    assert written.problems == []
    new = [visit for visit in sessions(path) if visit["id"] > SESSIONS_A_DAY]
    assert {len(visit["measures"]) for visit in new} == {len(MEASURES)}


def test_readers_without_a_log_tell_their_errors(tmp_path: Path) -> None:
    with readers(tmp_path / "none.db", with_datasette=False) as found:
        lap(tmp_path / "visits.db", 30)
    assert [reader["program"] for reader in found] == [OURS] * 5
    assert all("there is no log yet" in reader["errors"][0] for reader in found)


def test_datasette_sees_a_new_visit_at_once_and_can_change_nothing(begin: Any, visit: Any) -> None:
    writing = begin()
    writing.write(visit(1, 10.0, 20.0)[1])
    with serving(writing.path) as ask:
        text = "/visits.json?_shape=array&sql="
        count = text + "select+count(*)+as+n+from+session_valid"
        assert ask(count) == [{"n": 1}]
        writing.write(visit(2, 30.0, 40.0)[1])
        assert ask(count) == [{"n": 2}]
        with pytest.raises(OSError, match="400"):
            ask(text + "delete+from+session")
    assert len(sessions(writing.path)) == 2


def test_f40_datasette_and_sqlite_utils_read_a_copy_in_a_folder_that_they_cannot_write(
    begin: Any, visit: Any, tmp_path: Path, checkout: Path
) -> None:
    writing, place = begin(), tmp_path / "closed"
    for number in (1, 2, 3):
        writing.write(visit(number, number * 100.0, number * 100.0 + 9.0)[1])
    place.mkdir()
    export_db(writing.path, place / "copy.db", Choice())
    place.chmod(0o555)
    command = [sys.executable, "-c", WITHOUT_ROOTS_RIGHTS, READ_A_COPY, str(place / "copy.db")]
    env = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    place.chmod(0o755)
    assert done.stdout.splitlines() == ["closed folder", "[[3]]", "3"], done.stderr
    assert [file.name for file in place.iterdir()] == ["copy.db"]
