"""`run --record FILE.jsonl` and `replay` as processes: the same bytes in another one, ends of all kinds."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

Show = Callable[..., Any]
Command = Callable[..., subprocess.CompletedProcess[str]]
Logged = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def recording(small_home: Path) -> Path:
    """Where the recording goes."""
    return small_home / "一 visit.jsonl"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lit(path: Path) -> bool:
    return path.exists() and b'"on":true' in path.read_bytes()


def wait_for(wanted: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 120
    while not wanted():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.full)])
def test_a_show_ended_in_a_visit_replays_to_the_byte_in_other_processes(
    show: Show, recording: Path, command: Command, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """With one thread and with two; and not when one sample of it was changed."""
    running = show("--headless", "--source", "demo", "--seed", "8", "--record", str(recording))
    running.until(lambda facts: facts["visitor"])
    wait_for(lambda: lit(recording))
    assert running.end(number) == 0, running.said
    head, *_, end = rows = rows_of(recording)
    assert (head["seed"], head["size"], head["settings"]["bugs"]) == (8, [640, 480], 250)
    for threads in ("1", "2"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        done = command("replay", "--check", "--json", str(recording))
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert (found["agrees"], found["digest"]) == (True, end["sha256"])
        assert found["ticks"] == end["tick"] > 60
    last = next(row for row in reversed(rows) if row.get("on"))
    assert last["source"] == "demo"
    last["x"] += 1e-9
    recording.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = command("replay", "--check", str(recording))
    assert done.returncode == 1
    assert "differs" in done.stdout
    assert "program is the same" in done.stdout
    assert done.stderr == ""


def test_a_show_killed_in_a_visit_replays_what_is_there(
    show: Show, recording: Path, command: Command
) -> None:
    running = show("--headless", "--source", "demo", "--record", str(recording))
    wait_for(lambda: lit(recording))
    assert running.end(signal.SIGKILL) == -signal.SIGKILL
    done = command("replay", "--check", "--json", str(recording))
    assert done.returncode == 5, done.stderr
    found = json.loads(done.stdout)
    assert found["agrees"] is None
    assert found["ticks"] >= 60
    assert "no end" in done.stderr


@pytest.mark.full
def test_a_replay_beside_a_show_draws_the_same_picture_and_logs_nothing(
    show: Show, recording: Path, small_home: Path, command: Command, logged: Logged
) -> None:
    """Of a show that was made a film of at the same time."""
    first, again = small_home / "first.png", small_home / "again.png"
    made = show(
        *("--headless", "--source", "demo", "--seconds", "2.5", "--record", str(recording)),
        *("--record", str(small_home / "show.mp4"), "--snapshot", str(first)),
    )
    assert made.end(None) == 0, made.said
    assert (small_home / "show.mp4").stat().st_size > 1000
    visits = logged("--include-demo")
    beside = show("--headless", "--source", "camera", "--camera", "none.mp4")
    beside.until_pictures()
    done = command("replay", "--headless", str(recording), "--snapshot", str(again))
    assert done.returncode == 0, done.stderr
    assert "the same, to the byte" in done.stdout
    assert beside.end() == 0
    assert np.array_equal(np.asarray(Image.open(first)), np.asarray(Image.open(again)))
    assert logged("--include-demo") == visits


@pytest.mark.full
def test_a_film_of_a_recording_lasts_as_long_as_it_and_a_second(
    small_home: Path, recording: Path, command: Command
) -> None:
    """Written by hand: a light in the middle, seen in the middle of a screen of other proportions."""
    recording.write_text(
        '{"format": "baited recording", "version": 1, "size": [400, 400], "settings": {"bugs": 0}}\n'
        '{"tick": 31, "on": true, "x": 200, "y": 200}\n'
        '{"tick": 60, "end": true}\n'
    )
    target = small_home / "again.mp4"
    done = command("replay", "--headless", str(recording), "--record", str(target))
    assert done.returncode == 0, done.stderr
    assert "nothing is compared" in done.stdout
    capture = cv2.VideoCapture(str(target))
    levels = []
    while (read := capture.read())[0]:
        picture = read[1].mean(axis=2)
        levels.append((picture[230:250, 310:330].mean(), picture[:, :10].mean()))
    assert len(levels) == pytest.approx(120, abs=2)
    middle = np.array([level for level, _ in levels])
    assert (middle[:28] < 10).all()
    assert (middle[34:] > 40).all()
    assert max(edge for _, edge in levels) < 10


SMALL = '{"format": "baited recording", "version": 1, "settings": {"bugs": 0}%s}\n'
DIFFERENT = '{"tick": 60, "end": true, "sha256": "%s"}\n' % ("0" * 64)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ("", "The program may be another (recorded by an unknown one"),
        (', "sources": "%s"' % ("0" * 64), "The scene's program is another"),
    ],
)
def test_a_difference_tells_whether_the_program_is_another(
    recording: Path, command: Command, sources: str, words: str
) -> None:
    recording.write_text(SMALL % sources + DIFFERENT)
    done = command("replay", "--check", str(recording))
    assert (done.returncode, done.stderr) == (1, "")
    assert words in done.stdout


def test_a_recording_that_does_not_tell_what_it_came_to_has_a_code_of_its_own(
    recording: Path, command: Command
) -> None:
    """A script must not take it for one that agrees; nothing but the verdict is printed."""
    recording.write_text(SMALL % "" + '{"tick": 60, "end": true}\n')
    done = command("replay", "--check", str(recording))
    assert (done.returncode, done.stderr) == (5, "")
    assert "nothing is compared" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_ctrl_c_while_comparing_is_no_difference(recording: Path, checkout: Path, small_home: Path) -> None:
    """Of a year, on a terminal, whose bar shows that the steps are under way."""
    recording.write_text(SMALL % "" + f'{{"tick": {365 * 24 * 3600 * 60}, "end": true}}\n')
    terminal, end = os.openpty()
    words = ["replay", "--check", str(recording), "--home", str(small_home)]
    process = subprocess.Popen(
        [sys.executable, "-m", "controller.cli", *words],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=end,
    )
    try:
        said = b""
        while b"ticks" not in said:
            assert process.poll() is None
            said += os.read(terminal, 4096) if select.select([terminal], [], [], 1.0)[0] else b""
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=60)[0]
        while select.select([terminal], [], [], 0.0)[0]:
            said += os.read(terminal, 4096)
    finally:
        process.kill()
        os.close(terminal)
        os.close(end)
    assert process.returncode == 130
    assert printed == b""
    assert said.count(b"Interrupted: nothing is compared.") == 1
    assert b"Traceback" not in said
    assert b"Aborted" not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pipe.jsonl", "--check"], ["pipe.jsonl", "no regular file"]),
        (["endless.jsonl", "--check"], ["line 2", "366 days"]),
        (["snapshot.jsonl", "--check"], ["refuses", "snapshot"]),
        (["a film.jsonl", "--check"], ["line 1", "no recording"]),
        (["settings.jsonl", "--check"], ["line 1", "baited.bugs = -1", "greater"]),
        (["refused.jsonl", "--check"], ["tick 5", "gait.moths"]),
        (["refused.jsonl", "--headless"], ["tick 5", "gait.moths"]),
        (["none.jsonl"], ["none.jsonl", "not exist"]),
        (["refused.jsonl", "--check", "--snapshot", "x.png"], ["--check draws nothing"]),
        (["refused.jsonl", "--record", "x.jsonl"], ["--record", ".mp4"]),
    ],
)
def test_wrong_use_and_wrong_files_end_with_2_and_a_reason(
    small_home: Path, command: Command, arguments: list[str], words: list[str]
) -> None:
    head = '{"format": "baited recording", "version": 1%s}\n'
    (small_home / "a film.jsonl").write_bytes(b"\x00\x00\x00\x18ftypisom")
    (small_home / "settings.jsonl").write_text(head % ', "settings": {"bugs": -1}')
    (small_home / "refused.jsonl").write_text(
        head % "" + '{"tick": 5, "setting": "gait.moths", "value": 1}\n'
    )
    (small_home / "endless.jsonl").write_text(head % "" + '{"tick": 1000000000000000, "end": true}')
    (small_home / "snapshot.jsonl").write_text(head % ', "snapshot": "QlQwMg=="')
    os.mkfifo(small_home / "pipe.jsonl")
    done = command("replay", str(small_home / arguments[0]), *arguments[1:])
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_a_recording_that_cannot_be_written_is_told_and_costs_the_show_nothing_but_its_exit_code(
    show: Show, recording: Path, small_home: Path, command: Command, logged: Logged
) -> None:
    """A link into a folder that is not there stands for a stick that was pulled out."""
    recording.symlink_to(small_home / "no stick" / "x.jsonl")
    running = show("--headless", "--source", "demo", "--record", str(recording))
    running.until(lambda facts: facts["recording"]["fault"])
    asked = command("status")
    assert asked.returncode == 1
    for done in (asked, command("check")):
        assert f"The recording {recording} fails: its rows wait (No such file" in done.stdout + done.stderr
    assert running.end() == 1
    assert running.said.count("the show goes on") == 1
    assert "ends early" in running.said
    assert "Traceback" not in running.said
    assert len(logged("--include-demo")) >= 1


def test_a_recording_that_another_show_writes_is_refused_and_stays_whole(
    show: Show, recording: Path, command: Command, tmp_path: Path
) -> None:
    running = show("--headless", "--source", "demo", "--record", str(recording))
    running.until(lambda facts: facts["recording"]["rows"] > 10)
    words = ("run", "--headless", "--seconds", "1", "--record", str(recording))
    second = command(*words, home=tmp_path / "another home")
    assert second.returncode == 2
    assert "another program writes this file" in second.stderr
    assert running.end() == 0, running.said
    assert command("replay", "--check", str(recording)).returncode == 0


@pytest.mark.parametrize("names", [["x.jsonl", "y.jsonl"], ["x.json"], ["no folder/x.jsonl"], ["."]])
def test_a_recording_that_cannot_be_is_refused_before_the_start(
    command: Command, small_home: Path, names: list[str]
) -> None:
    options = [word for name in names for word in ("--record", str(small_home / name))]
    done = command("run", "--headless", *options)
    assert done.returncode == 2
    assert "--record" in done.stderr
    assert not (small_home / "visits.db").exists()


@pytest.mark.parametrize("suffix", [".jsonl", ".mp4"])
def test_a_file_or_folder_that_lets_nobody_write_is_refused_before_the_start(
    command: Command, small_home: Path, suffix: str
) -> None:
    """A folder and a file of the system stand for them; what they refuse, they refuse to every user."""
    link = small_home / f"x{suffix}"
    link.symlink_to("/proc/sys/kernel/osrelease")
    for path, words in (
        (Path(f"/proc/x{suffix}"), "/proc is no folder that can"),
        (link, f"{link} cannot be"),
    ):
        done = command("run", "--headless", "--seconds", "1", "--record", str(path))
        assert done.returncode == 2
        assert words in done.stderr
    assert not (small_home / "visits.db").exists()


def test_a_look_at_where_a_recording_may_go_changes_nothing_there(command: Command, small_home: Path) -> None:
    kept = small_home / "kept.jsonl"
    kept.write_text("an earlier one")
    files = sorted(small_home.iterdir())
    done = command("run", "--headless", "--record", str(kept), "--record", str(small_home / "x.txt"))
    assert done.returncode == 2
    assert (kept.read_text(), sorted(small_home.iterdir())) == ("an earlier one", files)
