"""Films: real pictures of the headless canvas through the real encoder's process, read again with OpenCV."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import controller.film.recorder as recorder_module
from controller.film.encoder import fitted
from controller.film.film_clock import FilmClock
from controller.film.recorder import LONGEST_STILL, Pixels, Recorder
from display.canvas import open_canvas
from display.errors import DisplayLost
from display.settings import DisplaySettings

WIDTH, HEIGHT = 160, 96
ENDINGS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class LevelCanvas:
    """A canvas whose pictures have the level that the test sets; each is ready one picture later."""

    framebuffer_size = (WIDTH, HEIGHT)

    def __init__(self) -> None:
        self.level = 0
        self._kept: list[tuple[Pixels, float]] = []

    def record_next(self, mark: float) -> None:
        width, height = self.framebuffer_size
        self._kept.append((np.full((height, width, 3), self.level, np.uint8), mark))

    def take_recorded(self, wait: bool = False) -> tuple[Pixels, float] | None:
        return self._kept.pop(0) if len(self._kept) > (0 if wait else 1) else None


def levels_of(path: Path) -> list[int]:
    """The mean level of each picture of a film."""
    capture = cv2.VideoCapture(str(path))
    assert capture.get(cv2.CAP_PROP_FPS) == 60
    found = []
    while (read := capture.read())[0]:
        found.append(round(float(read[1].mean())))
    return found


def film(path: Path, times_s: list[float], **options: Any) -> tuple[Recorder, LevelCanvas]:
    canvas = LevelCanvas()
    recorder = Recorder(path, canvas, patient=True, **options)
    for number, at_s in enumerate(times_s):
        canvas.level = (20 + 30 * number) % 250
        recorder.picture(at_s)
    return recorder, canvas


def test_each_picture_lasts_in_the_film_as_long_as_it_was_shown(tmp_path: Path) -> None:
    path = tmp_path / "虫 one.mp4"
    # Late by four places, then a picture too many for the film's rate, then one place each.
    start_s = 1e6
    recorder, _ = film(path, [start_s + n / 60 for n in (0, 1, 5, 5.3, 6, 7)])
    told = recorder.state()
    assert (told["path"], told["asked"], told["fault"]) == (str(path), 5, "")
    assert recorder.close()
    assert recorder.state() == {**told, "handed_on": 5}
    found = levels_of(path)
    assert found == pytest.approx([20, 50, 50, 50, 50, 80, 140, 170], abs=8)
    assert [name.name for name in tmp_path.iterdir()] == [path.name]


def test_a_machine_asleep_for_an_hour_leaves_no_hour_in_the_film(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    recorder, _ = film(path, [0.0, 1 / 60, 3600.0, 3600.0 + 1 / 60])
    assert recorder.close()
    assert len(levels_of(path)) == 4
    assert LONGEST_STILL == 3600


def test_another_size_in_mid_show_is_fitted_into_the_film_in_its_own_proportions(tmp_path: Path) -> None:
    """160 x 96, then a portrait of 200 x 320: 60 px wide and 96 px high, black at both sides."""
    path = tmp_path / "film.mp4"
    recorder, canvas = film(path, [n / 60 for n in range(3)])
    canvas.framebuffer_size, canvas.level = (200, 320), 200
    for n in range(3, 6):
        recorder.picture(n / 60)
    assert recorder.close()
    capture = cv2.VideoCapture(str(path))
    pictures = [capture.read()[1] for _ in range(6)]
    assert {picture.shape for picture in pictures} == {(HEIGHT, WIDTH, 3)}
    lit = pictures[5][..., 1] > 100
    assert lit.sum() == pytest.approx(60 * 96, rel=0.04)
    assert lit[:, 54:106].all()
    assert not capture.read()[0]


def test_an_odd_size_loses_its_last_row_and_column_and_nothing_else(tmp_path: Path) -> None:
    picture = np.random.default_rng(1).integers(0, 255, (97, 161, 3), np.uint8)
    assert np.array_equal(fitted(picture, (160, 96)), picture[:96, :160])


def test_an_encoder_too_slow_costs_the_film_pictures_but_no_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "film.mp4"
    canvas = LevelCanvas()
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    def late(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        """The real encoder behind a gate that the test opens."""
        script = f"import os, sys; open({str(gate)!r}).read(); os.execv({command[0]!r}, {command!r})"
        return subprocess.Popen([sys.executable, "-c", script], **options)

    recorder = Recorder(path, canvas, patient=False, popen=late)
    for n in range(60):
        canvas.level = n
        recorder.picture(n / 60)
    gate.write_text("go")
    with caplog.at_level(logging.WARNING):
        assert recorder.close()
    assert recorder.left_out > 30
    assert f"{recorder.left_out} pictures of the film are repeats" in caplog.text
    assert len(levels_of(path)) == 60


def test_pictures_that_the_driver_does_not_give_are_counted_and_cost_no_time(tmp_path: Path) -> None:
    """A read-back refuses a picture while too many wait; here the first, some in the middle and the last."""

    class Refusing(LevelCanvas):
        def record_next(self, mark: float) -> None:
            if self.level not in (0, 50, 60, 110):
                super().record_next(mark)

    canvas = Refusing()
    recorder = Recorder(tmp_path / "film.mp4", canvas, patient=True)
    for n in range(12):
        canvas.level = 10 * n
        recorder.picture(n / 60)
    assert recorder.close()
    assert recorder.left_out == 4
    shown = [10, 10, 20, 30, 40, 40, 40, 70, 80, 90, 100, 100]
    assert levels_of(tmp_path / "film.mp4") == pytest.approx(shown, abs=8)


def test_of_a_screen_of_144_hz_only_the_pictures_of_the_film_are_read_back(tmp_path: Path) -> None:
    asked: list[float] = []

    class Counting(LevelCanvas):
        def record_next(self, mark: float) -> None:
            asked.append(mark)
            super().record_next(mark)

    canvas = Counting()
    recorder = Recorder(tmp_path / "film.mp4", canvas, patient=True)
    for n in range(144):
        recorder.picture(1e3 + n / 144)
    assert recorder.close()
    assert recorder.left_out == 0
    assert len(asked) == len(levels_of(tmp_path / "film.mp4")) == 61


def test_a_screen_that_is_lost_ends_the_film_with_what_was_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Lost(LevelCanvas):
        def take_recorded(self, wait: bool = False) -> tuple[Pixels, float] | None:
            if wait:
                raise DisplayLost("screen: the connection to the X server ended; restart the show")
            return super().take_recorded()

    canvas = Lost()
    recorder = Recorder(tmp_path / "film.mp4", canvas, patient=True)
    for n in range(20):
        recorder.picture(n / 60)
    with caplog.at_level(logging.WARNING):
        assert recorder.close()
    assert "the connection to the X server ended" in caplog.text
    assert len(levels_of(tmp_path / "film.mp4")) == 20


def test_a_show_without_a_picture_leaves_no_film(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(tmp_path / "film.mp4", LevelCanvas())
    assert not recorder.close()
    assert "no picture was read" in caplog.text
    assert list(tmp_path.iterdir()) == []


def until_its_state_has_a_fault(recorder: Recorder) -> None:
    """As the status tells it, while the show goes on."""
    deadline_s = time.monotonic() + 60
    while not recorder.state()["fault"]:
        assert time.monotonic() < deadline_s, "a film that fails says it is well"
        recorder.picture(0.0)
        time.sleep(0.01)


@pytest.mark.parametrize("where", ["no folder/film.mp4", "film.mp4/film.mp4"])
def test_a_film_that_cannot_be_written_is_told_and_leaves_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    (tmp_path / "film.mp4").write_text("a file, no folder")
    with caplog.at_level(logging.WARNING):
        recorder, _ = film(tmp_path / where, [n / 60 for n in range(20)])
        until_its_state_has_a_fault(recorder)
        assert not recorder.close()
    assert "was not written" in caplog.text
    assert "look at the disk" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]


class Watched:
    """Starts real encoders and keeps hold of the last one."""

    child: subprocess.Popen[bytes]

    def __call__(self, *arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        self.child = subprocess.Popen(*arguments, **options)
        return self.child


def until_a_file_is_in(folder: Path) -> None:
    deadline_s = time.monotonic() + 20
    while not list(folder.iterdir()):
        assert time.monotonic() < deadline_s, "the encoder never began"
        time.sleep(0.01)


def test_an_encoder_that_is_killed_does_not_hold_the_show_and_leaves_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    started = Watched()
    recorder, _ = film(tmp_path / "film.mp4", [0.0, 1 / 60, 2 / 60], popen=started)
    until_a_file_is_in(tmp_path)
    started.child.kill()
    with caplog.at_level(logging.WARNING):
        for n in range(3, 200):
            recorder.picture(n / 60)
        assert not recorder.close()
    assert "The show goes on".lower() in caplog.text.lower()
    assert "it may have been killed." in caplog.text
    assert "?." not in caplog.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("patient", [False, True])
def test_an_encoder_that_hangs_is_given_up_and_leaves_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, patient: bool
) -> None:
    """Stopped by SIGSTOP with its queue full: neither the show nor its end waits for it for ever."""
    monkeypatch.setattr(recorder_module, "COMPLETION_S", 0.5)
    started, canvas = Watched(), LevelCanvas()
    canvas.framebuffer_size = (1280, 720)
    recorder = Recorder(tmp_path / "film.mp4", canvas, patient, popen=started)
    until_a_file_is_in(tmp_path)
    started.child.send_signal(signal.SIGSTOP)

    def show() -> None:
        for n in range(30):
            recorder.picture(n / 60)
        assert not recorder.close()

    ended = threading.Thread(target=show, daemon=True)
    with caplog.at_level(logging.WARNING):
        ended.start()
        ended.join(30)
    hangs = ended.is_alive()
    started.child.kill()
    assert not hangs
    assert started.child.wait(30) == -signal.SIGKILL
    assert "does not answer" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_show_that_is_killed_leaves_a_whole_film(tmp_path: Path, checkout: Path) -> None:
    path = tmp_path / "film.mp4"
    script = f"""
import os, time
from pathlib import Path
from tests_canvas import LevelCanvas
from controller.film.recorder import Recorder
canvas = LevelCanvas()
recorder = Recorder(Path({str(path)!r}), canvas, patient=True)
for n in range(30):
    recorder.picture(n / 60)
while not recorder._encoder.idle:
    time.sleep(0.01)
os.kill(os.getpid(), 9)
"""
    (tmp_path / "tests_canvas.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": f"{checkout}:{tmp_path}", "PATH": "/usr/bin:/bin"},
        check=False,
        timeout=60,
    )
    for _ in range(600):
        if path.exists():
            break
        time.sleep(0.1)
    assert len(levels_of(path)) >= 25


IN_ITS_TERMINAL = """
import os, signal, sys
from pathlib import Path
from tests_canvas import ENDINGS, LevelCanvas
from controller.film.recorder import Recorder
for number in ENDINGS:
    signal.signal(number, lambda *_: None)
canvas = LevelCanvas()
recorder = Recorder(Path(sys.argv[1]), canvas, patient=True)
for n in range(30):
    os.killpg(0, ENDINGS[n % 3])
    recorder.picture(n / 60)
sys.exit(not recorder.close())
"""


def test_a_terminal_that_is_closed_ends_the_show_and_leaves_its_film(tmp_path: Path, checkout: Path) -> None:
    """Its signals go to all that it started, also while the encoder's libraries are being loaded."""
    path = tmp_path / "film.mp4"
    (tmp_path / "tests_canvas.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", IN_ITS_TERMINAL, str(path)],
        env={"PYTHONPATH": f"{checkout}:{tmp_path}", "PATH": "/usr/bin:/bin"},
        check=False,
        timeout=60,
        start_new_session=True,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(levels_of(path)) == 30


@pytest.mark.parametrize("number", ENDINGS)
def test_signals_to_the_encoder_itself_cost_no_picture(tmp_path: Path, number: int) -> None:
    """A service that is stopped sends SIGTERM to each of its processes, whatever session they are in."""
    started = Watched()
    recorder, _ = film(tmp_path / "film.mp4", [0.0, 1 / 60, 2 / 60], popen=started)
    until_a_file_is_in(tmp_path)
    started.child.send_signal(number)
    for n in range(3, 20):
        recorder.picture(n / 60)
    assert recorder.close()
    assert len(levels_of(tmp_path / "film.mp4")) == 20


def test_real_pictures_come_out_as_they_went_in(tmp_path: Path) -> None:
    settings = DisplaySettings(headless_width=WIDTH, headless_height=HEIGHT)
    canvas = open_canvas(settings, headless=True)
    no_dust = np.empty((0, 4), np.float32)
    rows = np.array([[40, 48, 0.0, 40, 1]], np.float32)
    recorder = Recorder(tmp_path / "film.mp4", canvas, patient=True)
    shots = []
    for n in range(12):
        rows[0, 0] = 40 + 6 * n
        recorder.picture(n / 60)
        canvas.draw(rows, (80.0, 48.0, 40.0, 1.0), no_dust)
        canvas.flip()
        shots.append(canvas.read_pixels())
    assert recorder.close()
    capture = cv2.VideoCapture(str(tmp_path / "film.mp4"))
    for shot in shots:
        good, read = capture.read()
        assert good
        assert cv2.PSNR(cv2.cvtColor(read, cv2.COLOR_BGR2RGB), shot) > 30
    assert not capture.read()[0]
    canvas.close()


def test_the_clock_of_a_film_gives_each_picture_its_place_and_never_runs_ahead() -> None:
    host = [5e6]

    def sleep(duration_s: float) -> None:
        host[0] += duration_s

    clock = FilmClock(60, lambda: host[0], sleep)
    start_s = clock()
    for n in range(1, 100):
        host[0] += 0.1 if n < 50 else 0.0
        clock.wait()
        assert clock() == pytest.approx(start_s + n / 60, abs=1e-6)
        assert clock() <= host[0] + 1e-6
