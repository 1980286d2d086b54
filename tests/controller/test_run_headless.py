"""The whole show without a screen: picture, visits, camera, bad input, kills, two at once."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from logs.engine import choose, connect_to_read

Show = Callable[..., Any]
Command = Callable[..., subprocess.CompletedProcess[str]]
Logged = Callable[..., list[dict[str, Any]]]


def wait_for(wanted: Callable[[], object]) -> None:
    """Wait until something holds; an endless wait ends as a failed test."""
    deadline_s = time.monotonic() + 120
    while not wanted():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


def runs_of(home: Path) -> list[dict[str, Any]]:
    """The rows of the `run` table, [] while there is none."""
    engine = choose()
    try:
        with closing(connect_to_read(engine, home / "visits.db")) as connection:
            rows = connection.execute("SELECT end_reason FROM run").fetchall()
    except engine.module.Error:
        return []
    return [{"end_reason": row[0]} for row in rows]


def test_the_simulated_visitor_is_seen_drawn_and_logged_apart(
    show: Show, small_home: Path, logged: Logged, command: Command
) -> None:
    """The glow and the bugs stand in the picture; the visits are there, but only when asked for.

    By the wish of the owner no recording of them is made.
    """
    picture = small_home / "out.png"
    with (small_home / "config.toml").open("a") as config:
        config.write("[log]\nrecordings_days = 0\n")
    running = show("--headless", "--source", "demo", "--seconds", "8", "--snapshot", str(picture))
    assert running.end(None) == 0, running.said
    levels = np.asarray(Image.open(picture).convert("L"), np.float64)
    assert levels.shape == (480, 640)
    assert (levels > 150).sum() > 1000
    (visit,) = logged("--include-demo")
    place = (round(visit["end"][1] * 480), round(visit["end"][0] * 640))
    glow = levels[place[0] - 4 : place[0] + 5, place[1] - 4 : place[1] + 5]
    assert np.median(glow) > 60
    assert np.median(levels) < 20
    assert (visit["source"], visit["demo"], visit["reason"]) == ("demo", True, "stopped")
    assert logged() == []
    assert json.loads(command("logs", "summary", "--json").stdout)["n"] == 0
    assert not (small_home / "recordings").exists()


def test_a_camera_clip_gives_sessions_at_the_true_points(show: Show, cases: Path, logged: Logged) -> None:
    """Each clip with required lights and no others: as many sessions, each within 3 px of its truth."""
    truth = json.loads((cases / "tracking" / "truth.json").read_text(encoding="utf-8"))
    clip = next(
        clip
        for clip in truth["clips"]
        if clip["required"] and not clip["tolerated"] and "truth_units" not in clip
    )
    running = show("--headless", "--source", "camera", "--camera", str(cases / "tracking" / clip["file"]))
    running.until(lambda facts: facts["light"].get("reason") == "camera_lost" and facts["light"]["frames"])
    assert running.end() == 0
    visits = logged()
    points = [(visit["start"][0] * 640, visit["start"][1] * 480) for visit in visits]
    assert len(points) == len(clip["required"])
    for point, true in zip(points, clip["required"], strict=True):
        assert np.hypot(point[0] - true[0], point[1] - true[1]) <= truth["strict_px"]


@pytest.mark.parametrize(
    ("name", "content"), [("missing.mp4", None), ("notes.mp4", b"no video at all\n" * 50)]
)
def test_a_camera_that_gives_nothing_is_told_in_one_line_and_the_show_goes_on_dark(
    show: Show, tmp_path: Path, logged: Logged, name: str, content: bytes | None
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    running = show("--headless", "--source", "camera", "--camera", str(path))
    running.until(lambda facts: facts["light"].get("state") == "lost" and facts["fps"] > 0)
    assert running.end() == 0
    assert sum(name in line for line in running.said.splitlines()) == 1
    assert logged() == []


def test_sigterm_and_ctrl_c_close_the_session_and_a_kill_is_recovered_at_the_next_start(
    show: Show, logged: Logged
) -> None:
    """Three starts, three ways to end within a visit: reasons told apart, ids never repeated (F42, F45)."""
    for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)):
        running = show("--headless", "--source", "demo")
        running.until(lambda facts: facts["visitor"] and facts["log"]["queue_length"] == 0)
        assert running.end(number) == code
    running = show("--headless", "--source", "demo")
    running.until_pictures()
    assert running.end() == 0
    visits = logged("--include-demo")
    assert [visit["reason"] for visit in visits][:3] == ["stopped", "stopped", "recovered"]
    assert len({visit["id"] for visit in visits}) == len(visits)
    assert all(visit["duration_s"] >= 0 for visit in visits)


def test_a_second_show_on_the_same_home_says_so_and_touches_nothing(show: Show, small_home: Path) -> None:
    first = show("--headless", "--source", "demo")
    first.until_pictures()
    second = show("--headless", "--source", "demo")
    assert second.end(None) == 1
    assert str(small_home) in second.said
    assert len(second.said.splitlines()) <= 3
    first.until_pictures()
    assert first.end() == 0


def damage(path: Path) -> None:
    path.write_bytes(b"this was a database" + b"\x00" * 5000)


def block(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("harm", "code"), [pytest.param(damage, 0, id="damaged"), pytest.param(block, 1, id="in the way")]
)
def test_a_database_that_cannot_serve_does_not_stop_the_show_and_is_seen_in_status(
    show: Show, small_home: Path, command: Command, harm: Callable[[Path], None], code: int
) -> None:
    """A damaged file is moved aside; where no file can be, the visits wait, and the end says so."""
    harm(small_home / "visits.db")
    running = show("--headless", "--source", "demo")
    facts = running.until(
        lambda facts: facts["fps"] > 0 and (facts["log"]["error"] or facts["log"]["warning"])
    )
    status = command("status")
    check = command("check")
    assert status.returncode == 1
    assert check.returncode == 1
    for said in (status.stdout, check.stdout):
        assert "BAD" in said
        assert "visits.db" in said
    assert facts["ages"]["picture"] < 60
    assert running.end() == code
    assert ("The log did not take all visits" in running.said) == bool(code)
    assert bool(list(small_home.glob("visits.spill-*.jsonl"))) == bool(code)


def test_without_a_display_server_the_show_says_so_in_one_line_and_runs(show: Show) -> None:
    running = show("--source", "demo", "--seconds", "1")
    assert running.end(None) == 0
    assert sum("No screen" in line for line in running.said.splitlines()) == 1
    assert "Traceback" not in running.said


def test_a_mouse_without_a_window_is_wrong_use(show: Show) -> None:
    running = show("--headless", "--source", "mouse", "--seconds", "1")
    assert running.end(None) == 2
    assert "demo" in running.said


def test_an_unknown_setting_ends_the_command_with_the_nearest_name(show: Show, small_home: Path) -> None:
    (small_home / "config.toml").write_text("[baited]\nlight_radius = 3\n", encoding="utf-8")
    running = show("--headless", "--seconds", "1")
    assert running.end(None) == 2
    assert "light_radius_px" in running.said


def test_an_unreadable_config_is_kept_and_the_show_runs_on_defaults(show: Show, small_home: Path) -> None:
    content = b"[baited\nbugs = \xff"
    (small_home / "config.toml").write_bytes(content)
    running = show("--headless", "--source", "demo", "--seconds", "1")
    assert running.end(None) == 0
    assert "config.toml" in running.said
    assert (small_home / "config.toml").read_bytes() == content


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_the_kernels_compile_ends_cleanly_and_at_once(
    show: Show, small_home: Path, tmp_path: Path, number: int
) -> None:
    """An empty cache, so that the signal comes within the compilation; the run is no crash."""
    running = show("--headless", "--source", "demo", BAITED_CACHE=str(tmp_path / "empty"))
    wait_for(lambda: (small_home / "visits.db").exists() and runs_of(small_home))
    assert running.end(number) == 0
    assert "Traceback" not in running.said
    assert [run["end_reason"] for run in runs_of(small_home)] == ["clean"]
    assert not list((tmp_path / "empty").glob("kernels-*"))


def test_a_picture_is_never_saved_over_what_is_no_regular_file(show: Show, tmp_path: Path) -> None:
    """As over a device node: a pipe stands for it, so that a broken guard harms nothing."""
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    running = show("--headless", "--source", "demo", "--seconds", "0", "--snapshot", str(pipe))
    assert running.end(None) == 1
    assert "pipe.png" in running.said
    assert pipe.is_fifo()


def test_a_home_that_cannot_be_written_is_told_at_once_and_seen_in_status(
    show: Show, small_home: Path, command: Command
) -> None:
    """A file where the home should be: told on the terminal, red in status and check."""
    home = small_home / "a file"
    home.write_text("in the way", encoding="utf-8")
    running = show("--headless", "--source", "demo", home=home)
    running.home = home
    found: dict[str, Any] = {}

    def seen() -> bool:
        found.update(json.loads(command("status", "--json", home=home).stdout))
        return bool(found.get("log", {}).get("error"))

    wait_for(seen)
    assert command("check", home=home).returncode == 1
    assert running.end() == 1
    assert sum("Log:" in line for line in running.said.splitlines()) == 1


def test_a_film_without_a_screen_is_smooth_however_slow_the_machine(
    show: Show, small_home: Path, logged: Logged, checkout: Path
) -> None:
    """Two seconds of a simulated visitor's time are 120 pictures, none of them a repeat."""
    film = small_home / "10:30 two seconds.mp4"
    where = os.path.relpath(film, checkout)
    running = show("--headless", "--source", "demo", "--seconds", "2", "--record", where)
    assert running.end(None) == 0
    assert "repeats" not in running.said
    pictures = pictures_of(film)
    assert len(pictures) == 120
    moved = [np.abs(after - before).max() > 20 for before, after in itertools.pairwise(pictures)]
    assert all(moved)
    assert not logged()


@pytest.mark.parametrize("name", ["film.avi", "no folder/film.mp4", ".", "x" * 240 + ".mp4"])
def test_a_film_that_cannot_be_is_refused_before_the_start(
    command: Command, small_home: Path, name: str
) -> None:
    done = command("run", "--headless", "--record", str(small_home / name))
    assert done.returncode == 2
    assert "--record" in done.stderr
    assert not (small_home / "visits.db").exists()


def pictures_of(film: Path) -> list[np.ndarray]:
    capture = cv2.VideoCapture(str(film))
    found = []
    while (read := capture.read())[0]:
        found.append(read[1].astype(int))
    return found


def test_a_show_under_nohup_outlives_its_terminal(show: Show) -> None:
    held = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        running = show("--headless", "--source", "demo")
    finally:
        signal.signal(signal.SIGHUP, held)
    running.until_pictures()
    running.process.send_signal(signal.SIGHUP)
    tick = running.until_pictures()["frames"]["pictures"]
    running.until(lambda facts: facts["frames"]["pictures"] > tick + 5)
    assert running.end() == 0
