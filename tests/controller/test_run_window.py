"""The show in a real window on a virtual screen, with a real pointer and keys from xdotool."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import cv2
import pytest

from logs.engine import choose, connect_to_read

Show = Callable[..., Any]
Hand = Callable[..., tuple[float, float]]
Logged = Callable[..., list[dict[str, Any]]]
SIZE = (640, 480)
TWO_TICKS_S = 2 / 60


def start_server(size: str, *options: str) -> tuple[subprocess.Popen[bytes], str]:
    """A virtual screen, and the name of its display."""
    ours, theirs = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", *options, "-displayfd", str(theirs), "-nolisten", "tcp", "-screen", "0", f"{size}x24"],
        pass_fds=(theirs,),
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    with os.fdopen(ours) as answer:
        return server, f":{answer.readline().strip()}"


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A virtual screen of 640 x 480."""
    server, name = start_server("640x480", "-noreset")
    yield name
    server.terminate()
    server.wait(30)


@pytest.fixture
def hand(display: str) -> Hand:
    """hand("mousedown", "1"): act through xdotool; the times before and after, between which it happened."""

    def act(*words: str) -> tuple[float, float]:
        before_s = time.perf_counter()
        subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": display}, check=True, timeout=30)
        return before_s, time.perf_counter()

    return act


@pytest.fixture
def windowed(show: Show, display: str) -> Callable[..., Any]:
    """A show in its window, pictures flowing."""

    def start(*arguments: str) -> Any:
        running = show(*arguments, display=display)
        running.until_pictures()
        return running

    return start


def test_a_press_of_three_seconds_is_one_session_of_that_length_at_that_place(
    windowed: Callable[..., Any], hand: Hand, logged: Logged
) -> None:
    """Chosen by auto; the duration equals the time between the injected events within two ticks."""
    running = windowed()
    assert running.until_pictures()["light"]["source"] == "mouse"
    hand("mousemove", "200", "120")
    pressed = hand("mousedown", "1")
    time.sleep(3.0)
    released = hand("mouseup", "1")
    running.until(lambda facts: not facts["visitor"])
    assert running.end() == 0
    (visit,) = logged()
    shortest_s, longest_s = released[0] - pressed[1], released[1] - pressed[0]
    assert shortest_s - TWO_TICKS_S <= visit["duration_s"] <= longest_s + TWO_TICKS_S
    assert (visit["source"], visit["reason"], visit["demo"]) == ("mouse", "off", False)
    assert visit["start"] == pytest.approx([200 / SIZE[0], 120 / SIZE[1]], abs=1 / SIZE[1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_a_press_closes_the_session_with_its_reason(
    windowed: Callable[..., Any], hand: Hand, logged: Logged, number: int
) -> None:
    """SIGHUP: the terminal, or the connection over which the show was started, was closed."""
    running = windowed()
    hand("mousemove", "300", "200")
    hand("mousedown", "1")
    running.until(lambda facts: facts["visitor"])
    assert running.end(number) == 0
    hand("mouseup", "1")
    (visit,) = logged()
    assert visit["reason"] == "stopped"


def test_only_the_chord_ends_the_show(windowed: Callable[..., Any], hand: Hand) -> None:
    """Escape, Q, F11, Alt+F4 and clicks do nothing; Ctrl+Q ends it with code 0 (F26)."""
    running = windowed()
    for key in ("Escape", "q", "F11", "alt+F4"):
        hand("key", key)
    for button in ("2", "3"):
        hand("click", button)
    before = running.until_pictures()["written_monotonic_s"]
    running.until(lambda facts: facts["written_monotonic_s"] > before + 1 and facts["fps"] > 0)
    hand("key", "ctrl+q")
    assert running.end(None) == 0


def test_a_screen_that_goes_away_ends_the_show_with_code_3(show: Show, logged: Logged) -> None:
    server, name = start_server("320x200")
    running = show("--source", "demo", display=name)
    running.until(lambda facts: facts["visitor"])
    server.kill()
    server.wait(30)
    assert running.end(None) == 3
    (visit,) = logged("--include-demo")
    assert visit["reason"] == "stopped"


def test_a_screen_that_goes_away_ends_a_recorded_show_with_code_3_its_log_and_a_film(
    show: Show, small_home: Path
) -> None:
    """The encoder is held meanwhile: the log is closed first, then the film is waited for."""
    server, name = start_server("320x200")
    film = small_home / "film.mp4"
    running = show("--source", "demo", "--record", str(film), display=name)
    running.until(lambda facts: facts["visitor"])
    (encoder,) = encoders_of(running.process.pid)
    os.kill(encoder, signal.SIGSTOP)
    server.kill()
    server.wait(30)
    try:
        until(lambda: ends_of_runs(small_home) == ["crash"])
        assert running.process.poll() is None
        assert not film.exists()
    finally:
        with suppress(ProcessLookupError):
            os.kill(encoder, signal.SIGCONT)
    assert running.end(None) == 3
    assert cv2.VideoCapture(str(film)).read()[1].shape == (200, 320, 3)
    assert not list(small_home.glob(".*partial*"))


def encoders_of(process_id: int) -> list[int]:
    """The encoders that a show has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = path.with_name("cmdline").read_bytes().split(b"\0")
            parent = int(path.read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            if parent == process_id and b"controller.film.encoder" in words:
                found.append(int(path.parent.name))
    return found


def ends_of_runs(home: Path) -> list[str | None]:
    with closing(connect_to_read(choose(), home / "visits.db")) as database:
        return [end for (end,) in database.execute("SELECT end_reason FROM run ORDER BY id")]


def until(wanted: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not wanted():
        assert time.monotonic() < deadline_s, "never came"
        time.sleep(0.05)


def test_a_service_that_starts_before_its_screen_waits_for_it(show: Show) -> None:
    """F32: one message, then the show appears on the display that came up meanwhile."""
    first, name = start_server("320x200")
    first.terminate()
    first.wait(30)
    running = show("--screen", "required", "--source", "demo", display=name)
    assert running.process.stdout is not None
    line = running.process.stdout.readline()
    assert "Waiting up to 60 s for a screen" in line
    server, again = start_server("320x200", name)
    try:
        assert again == name
        assert running.until_pictures()["screen"] == "screen"
        assert running.end() == 0
        assert running.said.count("Waiting") == 0
    finally:
        server.terminate()
        server.wait(30)


def test_what_a_technician_sets_at_the_panel_is_in_force_kept_and_in_the_log(
    windowed: Callable[..., Any], hand: Hand, small_home: Path, command: Callable[..., Any]
) -> None:
    config = (small_home / "config.toml").read_bytes()
    running = windowed("--source", "demo", "--record", str(small_home / "film.mp4"))
    hand("key", "d")
    running.until(lambda facts: facts["desk"]["panel"])
    hand("key", "Down", "key", "shift+Right")
    kept = small_home / "panel.toml"
    running.until(lambda facts: kept.exists())
    assert tomllib.loads(kept.read_text(encoding="utf-8")) == {"baited": {"light_radius_px": 270.0}}
    hand("key", "b")
    running.until(lambda facts: facts["desk"]["blackout"])
    hand("key", "Escape", "key", "Escape", "key", "t")
    running.until(lambda facts: facts["desk"]["pattern"] == "border")
    hand("key", "ctrl+q")
    assert running.end(None) == 0
    assert (small_home / "config.toml").read_bytes() == config
    shown = json.loads(command("config", "show", "--json").stdout)
    radius = shown["baited.light_radius_px"]
    assert (radius["value"], radius["origin"]) == (270.0, "panel")
    assert noted(small_home, "setting") == [
        {"name": "baited.light_radius_px", "value": 270.0, "before": 220.0, "by": "panel"}
    ]
    assert noted(small_home, "blackout") == [{"on": True}, {"on": False}]
    film = cv2.VideoCapture(str(small_home / "film.mp4"))
    assert film.read()[1].shape == (SIZE[1], SIZE[0], 3)


def noted(home: Path, kind: str) -> list[dict[str, Any]]:
    with closing(connect_to_read(choose(), home / "visits.db")) as database:
        rows = database.execute("SELECT detail FROM event WHERE kind = ? ORDER BY id", (kind,))
        return [json.loads(detail) for (detail,) in rows]
