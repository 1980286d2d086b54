"""A recorded scene is told everything first, whatever the recording makes of it; faults are told of."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.recording.player import Player
from controller.recording.reading import Recording
from controller.recording.recorded_scene import RecordedScene
from controller.recording.rows import Head, Sample
from controller.recording.sources import sources_digest
from controller.recording.writing import RecordingWriter
from controller.replay_stage import scene_of
from controller.settings import limits_of, load
from controller.stage import head_of
from display.settings import DisplaySettings

SIZE = (640, 480)
SETTINGS = {"bugs": 30}


class Faulty:
    """A real scene whose chosen method fails at one call, half done: it has already changed the scene."""

    def __init__(self, method: str, at_call: int) -> None:
        self.scene: Any = scene_of("baited", SETTINGS, SIZE, 9)
        self._method, self._left = method, at_call

    def __getattr__(self, name: str) -> Any:
        whole = getattr(self.scene, name)
        return (lambda *told: self._fail_at_last(whole, *told)) if name == self._method else whole

    def _fail_at_last(self, whole: Callable[..., Any], *told: Any) -> None:
        whole(*told)
        self._left -= 1
        if self._left == 0:
            raise RuntimeError("no memory for half of it")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.jsonl"


@pytest.fixture
def recorded(path: Path) -> Callable[..., RecordedScene]:
    def recorded(scene: Any = None) -> RecordedScene:
        head = Head(format="baited recording", version=1, size=SIZE, settings=SETTINGS, seed=9)
        scene = scene or scene_of("baited", SETTINGS, SIZE, 9)
        return RecordedScene(scene, RecordingWriter(path, head), lambda: None)

    return recorded


def steps(scene: RecordedScene, count: int) -> None:
    for tick in range(count):
        scene.step(tick % 40 > 20, 320 + 9.0 * (tick % 7), 240.0)


def played(path: Path) -> Player:
    player = Player(Recording(path), scene_of)
    while not player.ended:
        player.step()
    return player


def test_the_largest_pictures_that_the_settings_allow_are_recorded(
    tmp_path: Path, path: Path, recorded: Callable[..., RecordedScene]
) -> None:
    scale = limits_of(DisplaySettings, "scale")[1]
    sides = [limits_of(DisplaySettings, f"headless_{side}")[1] for side in ("width", "height")]
    largest = (round(sides[0] * scale), round(sides[1] * scale))
    assert head_of(load(tmp_path), largest, 1).size == largest == (65536, 65536)
    scene = recorded()
    for size in ((20000, 1000), largest, (1, 1), (800, 600)):
        steps(scene, 3)
        scene.resize(size)
        steps(scene, 3)
    assert scene.end()
    assert played(path).verdict().agrees is True


@pytest.mark.parametrize("size", [(10**9, 10), (800, math.nan)])
def test_a_size_that_cannot_be_recorded_reaches_the_scene_and_ends_only_the_recording(
    path: Path, recorded: Callable[..., RecordedScene], caplog: pytest.LogCaptureFixture, size: Any
) -> None:
    """The recording goes to the row before it, and is no broken one."""
    told: list[Any] = []
    inner: Any = scene_of("baited", SETTINGS, SIZE, 9)
    inner.resize = told.append
    scene = recorded(inner)
    steps(scene, 10)
    scene.resize(size)
    steps(scene, 10)
    assert told == [size]
    assert not scene.end()
    assert "ends here, the show goes on: a row cannot be written: size" in caplog.text
    recording = Recording(path)
    assert 0 < recording.ticks <= 10
    assert "no end" in recording.notes[0]


@pytest.mark.parametrize("at_call", [1, 6, 20])
def test_a_step_that_a_fault_broke_is_none_of_the_recording_which_is_not_compared_then(
    path: Path, recorded: Callable[..., RecordedScene], caplog: pytest.LogCaptureFixture, at_call: int
) -> None:
    scene = recorded(Faulty("step", at_call))
    made = 0
    for _ in range(20):
        try:
            steps(scene, 1)
            made += 1
        except RuntimeError:
            continue
    assert made == 19
    assert scene.end()
    player = played(path)
    assert player.ticks == 19
    assert player.verdict().agrees is None
    assert player.recording.notes == []
    assert caplog.text.count("cannot be compared") == 1


@pytest.mark.parametrize(
    ("method", "told"),
    [("begin_visit", ()), ("resize", ((800, 600),)), ("configure", ("bugs", 40)), ("restore", (None,))],
)
def test_what_a_fault_left_half_done_has_no_row_and_is_not_compared(
    path: Path, recorded: Callable[..., RecordedScene], method: str, told: tuple[Any, ...]
) -> None:
    scene = recorded(Faulty(method, 1))
    steps(scene, 5)
    with pytest.raises(RuntimeError):
        getattr(scene, method)(*(scene.snapshot() if item is None else item for item in told))
    steps(scene, 5)
    assert scene.end()
    player = played(path)
    assert {type(row).__name__ for row in player.recording.rows()} == {"Sample"}
    assert (player.ticks, player.verdict().agrees) == (10, None)


def test_what_the_scene_refuses_changes_nothing_and_is_compared(
    path: Path, recorded: Callable[..., RecordedScene]
) -> None:
    scene = recorded()
    steps(scene, 5)
    with pytest.raises(ValueError, match="greater"):
        scene.configure("bugs", -1)
    with pytest.raises(ValueError, match="snapshot"):
        scene.restore(b"none")
    steps(scene, 5)
    assert scene.end()
    assert played(path).verdict().agrees is True


KILLED = """
import os, signal, sys, time
from pathlib import Path
from controller.recording.recorded_scene import RecordedScene
from controller.recording.rows import Head
from controller.recording.writing import RecordingWriter
from controller.replay_stage import scene_of

settings = {"bugs": 30}
head = Head(format="baited recording", version=1, size=(640, 480), settings=settings, seed=9)
for light in ("dark", "lit"):
    writer = RecordingWriter(Path(sys.argv[1]) / light, head, every_s=0.02)
    scene = RecordedScene(scene_of("baited", settings, (640, 480), 9), writer, lambda: None)
    for _ in range(1525):
        scene.step(light == "lit", 320.0, 240.0)
    while writer.state()["waiting"] or writer.state()["rows"] < 2:
        time.sleep(0.005)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_costs_at_most_a_second_of_a_light_that_has_not_changed_for_25(
    tmp_path: Path, checkout: Path
) -> None:
    """Dark or lit, when the writer has just been there."""
    env = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        env=env,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    for light in ("dark", "lit"):
        recording = Recording(tmp_path / light)
        assert "no end" in recording.notes[0]
        assert 1525 - 60 <= recording.ticks <= 1525
        assert {row.on for row in recording.rows() if isinstance(row, Sample)} == {light == "lit"}


def test_a_head_tells_which_sources_recorded(tmp_path: Path) -> None:
    found = head_of(load(tmp_path), SIZE, 1).sources
    assert found == sources_digest()
    assert len(found) == 64


def test_a_scene_that_cannot_tell_its_state_at_the_end_costs_the_comparison_and_no_row(
    path: Path, recorded: Callable[..., RecordedScene], caplog: pytest.LogCaptureFixture
) -> None:
    scene = recorded(Faulty("snapshot", 1))
    steps(scene, 90)
    assert scene.end() is True
    assert "cannot be compared" in caplog.text
    recording = Recording(path)
    assert (recording.ticks, recording.digest, recording.notes) == (90, "", [])
