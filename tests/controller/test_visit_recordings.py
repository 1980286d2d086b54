"""A show leaves a recording of each visit, also when it is killed; `replay` takes a visit's number."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.recording.in_log import NoRecording, recorded_files, recording_of
from logs.questions import UnreadableLog
from logs.visits import Ended, Started
from logs.writer import Log

CONFIG = "[demo]\nhold_s = 2.0\nrest_s = 0.3\n[display]\nheadless_width = 640\nheadless_height = 480\n"


def replay(home: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["replay", "--home", str(home), "--check", *words])


def files(home: Path) -> list[str]:
    return sorted(path.relative_to(home).as_posix() for path in home.glob("recordings/*/*"))


def test_a_visit_is_replayed_by_its_number_and_one_of_a_killed_show_too(
    show: Callable[..., Any], small_home: Path
) -> None:
    config = small_home / "config.toml"
    config.write_text(CONFIG.replace("2.0", "60.0"))
    killed = show("--headless", "--source", "demo")
    killed.until(lambda facts: any(path.stat().st_size > 50_000 for path in small_home.rglob("*-*.jsonl")))
    killed.end(signal.SIGKILL)
    (left,) = files(small_home)
    assert left.endswith(".jsonl")
    config.write_text(CONFIG.replace("2.0", "0.5"))
    again = show(
        *("--headless", "--source", "demo", "--seed", "4", "--seconds", "1.0"),
        *("--record", str(small_home / "whole.jsonl")),
    )
    assert again.end(None) == 0, again.said
    state = json.loads((small_home / "status.json").read_text(encoding="utf-8"))["recordings"]
    assert (state["fault"], state["lost"], state["waiting"]) == ("", 0, 0)
    assert f"{left}.gz" in files(small_home)
    assert sorted(recorded_files(small_home / "visits.db") or []) == files(small_home)
    assert state["made"] == len(files(small_home)) >= 2
    done = replay(small_home, "1")
    assert (done.exit_code, "no end" in done.stderr) == (5, True), done.output
    for number in range(2, state["made"] + 1):
        found = json.loads(replay(small_home, "--json", str(number)).stdout)
        assert (found["agrees"], found["notes"]) == (True, [])
        assert 0 < found["ticks"] < 300
    assert replay(small_home, str(small_home / "whole.jsonl")).exit_code == 0


@pytest.mark.full
def test_when_the_owner_opts_out_what_was_recorded_goes_and_no_visit_is_recorded(
    show: Callable[..., Any], small_home: Path
) -> None:
    (small_home / "config.toml").write_text(CONFIG)
    assert show("--headless", "--source", "demo", "--seconds", "3").end(None) == 0
    recorded = len(files(small_home))
    assert recorded >= 1
    (small_home / "config.toml").write_text(f"{CONFIG}[log]\nrecordings_days = 0\n")
    assert show("--headless", "--source", "demo", "--seconds", "3").end(None) == 0
    assert files(small_home) == recorded_files(small_home / "visits.db") == []
    done = replay(small_home, "1")
    assert done.exit_code == 1
    assert "log.recordings_days is 0" in done.stderr
    assert replay(small_home, str(2 * recorded)).exit_code == 1, "its visit is in the log"


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    """A log with three ended sessions and an open one, of which the first two have recordings."""
    log = Log(tmp_path / "visits.db")
    for number in (1, 2, 3):
        event = Ended(number, "mouse", False, number * 10.0, 1.0, 1.0, number * 10 + 5.0, 1.0, 1.0, 0, "off")
        log.put(event)
        if number < 3:
            log.recorded(log.name_of(event), f"recordings/2026-04-04/{number}.jsonl.gz", 300, 1000)
    log.put(Started(4, "mouse", False, 50.0, 1.0, 1.0, 50.0, 1.0, 1.0))
    assert log.stop()
    (tmp_path / "recordings" / "2026-04-04").mkdir(parents=True)
    (tmp_path / "recordings" / "2026-04-04" / "1.jsonl.gz").write_bytes(b"packed")
    return tmp_path


@pytest.fixture
def ask_log(logged: Path) -> Callable[[str], None]:
    """ask_log(text): the log changed by that statement."""

    def ask(text: str) -> None:
        with closing(sqlite3.connect(logged / "visits.db")) as connection, connection:
            connection.execute(text)

    return ask


@pytest.mark.parametrize(
    ("session", "days", "words"),
    [
        (2, 14, "2.jsonl.gz' was moved or removed"),
        (3, 14, "kept for 14 days"),
        (3, 0, "log.recordings_days is 0"),
        (4, 14, "under way"),
        (5, 14, "there is no session 5"),
    ],
)
def test_a_session_without_a_recording_is_told_with_the_reason(
    logged: Path, session: int, days: int, words: str
) -> None:
    with pytest.raises(NoRecording, match=words) as caught:
        recording_of(logged, logged / "visits.db", session, days)
    assert caught.value.known is (session < 5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../outside.jsonl.gz", "'../outside.jsonl.gz', and that is none in"),
        ("/etc/passwd", "'/etc/passwd'"),
        ("config.toml", "'config.toml'"),
        ("recordings/2026-04-04/link.jsonl.gz", "none in"),
        ("recordings/2026-04-04", "none in"),
        ("recordings/2026-04-04/../../config.toml", "none in"),
        ("recordings/\x00.jsonl.gz", r"\\x00.jsonl.gz' was moved or removed"),
        ("recordings/" + "n" * 5000, "was moved or removed"),
        ("recordings/\x1b[2J.jsonl.gz", r"\\x1b\[2J.jsonl.gz' was moved or removed"),
    ],
)
def test_what_a_foreign_log_names_is_a_recording_only_in_the_folder_of_recordings(
    logged: Path, name: str, words: str
) -> None:
    """The rows of a log that was recovered, or brought from elsewhere, are anybody's."""
    (logged / "config.toml").write_text("")
    (logged.parent / "outside.jsonl.gz").write_bytes(b"packed")
    (logged / "recordings" / "2026-04-04" / "link.jsonl.gz").symlink_to(logged / "config.toml")
    with closing(sqlite3.connect(logged / "visits.db")) as connection, connection:
        connection.execute("UPDATE recording SET file = ? WHERE session = 1", [name])
        connection.execute("UPDATE session SET local_date = char(27) || '[2J' WHERE id = 1")
    with pytest.raises(NoRecording, match=words) as caught:
        recording_of(logged, logged / "visits.db", 1, 14)
    assert str(caught.value).isprintable()


def test_a_folder_of_recordings_may_be_a_link_to_another_disk(logged: Path, tmp_path: Path) -> None:
    (logged / "recordings").rename(tmp_path / "disk")
    (logged / "recordings").symlink_to(tmp_path / "disk")
    assert recording_of(logged, logged / "visits.db", 1, 14).read_bytes() == b"packed"


def test_a_session_is_found_with_its_file(logged: Path) -> None:
    path = recording_of(logged, logged / "visits.db", 1, 14)
    assert path == logged / "recordings" / "2026-04-04" / "1.jsonl.gz"


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        *(
            ("5", 2, "no session 5"),
            ("3", 1, "kept for 14 days"),
            ("five", 2, "does not exist"),
            ("-1", 2, "-1"),
        ),
        *((str(number), 2, f"no session {number}") for number in (0, 2**63 - 1, 2**63, 10**20, 10**400)),
        ("9" * 5000, 2, "9999"),
    ],
)
def test_a_number_that_leads_to_nothing_ends_the_command_with_a_reason(
    logged: Path, what: str, code: int, words: str
) -> None:
    done = replay(logged, what)
    assert done.exit_code == code
    assert words in done.stderr


def test_without_a_log_no_session_can_be_replayed(tmp_path: Path) -> None:
    with pytest.raises(UnreadableLog, match="no log yet"):
        recording_of(tmp_path, tmp_path / "visits.db", 1, 14)
    assert recorded_files(tmp_path / "visits.db") is None
    done = replay(tmp_path, "1")
    assert (done.exit_code, "no log yet" in done.stderr) == (1, True)


def test_a_session_of_an_older_program_or_of_an_import_has_another_reason(
    logged: Path, ask_log: Callable[[str], None]
) -> None:
    ask_log("UPDATE run SET end_reason = 'imported'")
    assert "it was imported" in replay(logged, "3").stderr
    ask_log("UPDATE run SET end_reason = 'clean'")
    ask_log("DROP TABLE recording")
    for number in ("1", "3"):
        done = replay(logged, number)
        assert (done.exit_code, "older program" in done.stderr) == (1, True)
        assert "14 days" not in done.stderr
    assert "under way" in replay(logged, "4").stderr


CLOSED = """
import os, sys
from pathlib import Path
from controller.recording.in_log import NoRecording, recording_of
home = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
try:
    recording_of(home, home / "visits.db", 1, 14)
except NoRecording as error:
    print(error)
"""


def test_a_day_folder_that_may_not_be_read_is_told_as_that(logged: Path, checkout: Path) -> None:
    """In a folder that another user can reach; to root everything is open."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(logged, home)
        for place in (home.parent, home):
            place.chmod(0o777)
        (home / "recordings" / "2026-04-04").chmod(0)
        command = [sys.executable, "-c", CLOSED, str(home)]
        env = {**os.environ, "PYTHONPATH": str(checkout)}
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        (home / "recordings" / "2026-04-04").chmod(0o755)
    assert "cannot be reached; mend the rights" in done.stdout, done.stderr


def test_a_file_whose_name_is_a_number_is_a_file(logged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(logged)
    (logged / "5").write_text('{"format": "baited recording", "version": 1}\n{"tick": 3, "end": true}\n')
    done = replay(logged, "5")
    assert (done.exit_code, "3 ticks" in done.stdout) == (5, True), done.output
