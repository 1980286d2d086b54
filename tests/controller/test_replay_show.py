"""What a whole show told its scene, with panel edits, sizes, faults and stalls, replayed to the byte."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from controller.desk.live_settings import LiveSettings
from controller.light import LightSample
from controller.recording.player import Player
from controller.recording.reading import Recording
from controller.recording.recorded_scene import RecordedScene
from controller.recording.rows import Sample
from controller.recording.writing import RecordingWriter
from controller.replay_stage import LAST_PICTURE_TICKS, Replay, scene_of
from controller.scenes import open_scene
from controller.settings import load
from controller.show import Show
from controller.stage import head_of
from controller.stepper import ManualClock, Stepper
from logs.settings import LogSettings
from logs.visits import Visits

SIZE = (640, 480)


class Paper:
    """A canvas that keeps what was drawn last; `before` is called with each picture's number."""

    refresh_rate, gpu_time_s = 60.0, None

    def __init__(self, before: Callable[[int], None] = lambda number: None) -> None:
        self.size, self.wants_to_quit = SIZE, False
        self._before, self.pictures = before, 0
        self._resizes: list[tuple[int, int]] = []
        self.drawn: Any = None

    def resize(self, size: tuple[int, int]) -> None:
        self.size = size
        self._resizes.append(size)

    def dispatch(self) -> None:
        self._before(self.pictures)

    def draw(self, *picture: Any) -> None:
        self.drawn = picture

    def flip(self) -> None:
        self.pictures += 1

    def take_keys(self) -> list[str]:
        return []

    def take_resizes(self) -> list[tuple[int, int]]:
        taken, self._resizes = self._resizes, []
        return taken


class Wandering:
    """A light that moves in circles, goes off and on, and now and then says an impossible place."""

    size = SIZE

    def poll(self, tick: int) -> LightSample:
        x = self.size[0] / 2 * (1 + 0.6 * math.cos(tick / 23))
        y = self.size[1] / 2 * (1 + 0.6 * math.sin(tick / 17))
        on = tick % 200 > 60
        if tick % 31 == 0:
            x = math.nan
        return LightSample(tick, tick / 60, x, y, on, "mouse", True, "" if on else "off")

    def resize(self, size: tuple[int, int]) -> None:
        self.size = size


class Recorded:
    """A show whose scene is recorded, at work for some seconds of its own clock."""

    def __init__(self, folder: Path, before: Callable[[Recorded, int], None], rate_hz: float = 60.0) -> None:
        self.path = folder / "x.jsonl"
        self.clock = ManualClock()
        self.canvas = Paper(lambda number: before(self, number))
        settings = load(folder)
        settings["baited"].bugs = 80
        writer = RecordingWriter(self.path, head_of(settings, SIZE, seed=5))
        self.inner = open_scene("baited", settings["baited"], SIZE, 5)
        self.scene = RecordedScene(self.inner, writer, lambda: self.show.pulse.light)
        nothing: Any = SimpleNamespace(fault="", put=lambda *_: None, note=lambda *_: None)
        source: Any = Wandering()
        self.live = LiveSettings(settings, nothing, self.scene, None, nothing, nothing.note, self.clock)
        self.show = Show(
            self.canvas,
            source,
            self.scene,
            Visits(LogSettings()),
            nothing,
            Stepper(self.clock),
            self.clock,
            lambda: self.clock.sleep(1 / rate_hz),
        )

    def run(self, seconds: float) -> Recording:
        assert self.show.run(until_s=seconds) == 0
        assert self.scene.end()
        return Recording(self.path)


def played(recording: Recording) -> Player:
    player = Player(recording, scene_of)
    while not player.ended:
        player.step()
    return player


def meddle(show: Recorded, number: int) -> None:
    """What a technician and a window manager do in ten seconds."""
    edits: dict[int, Mapping[str, Any]] = {
        20: {"baited.light_radius_px": 120.0},
        90: {"baited.bugs": 200},
        150: {"baited.gait.run_min_ticks": 11, "baited.size_max_px": 30.0},
        240: {"baited.bugs": 5},
        330: {"baited.bugs": 120, "baited.recovery_rate": 0.02},
    }
    sizes = {70: (800, 600), 71: (333, 777), 200: (1280, 720), 300: (20000, 1000), 420: (640, 480)}
    if number in edits:
        assert show.live.change(edits[number]) == ""
    if number == 160:
        assert show.live.change({"baited.bugs": -1}) != ""
    if number in sizes:
        show.canvas.resize(sizes[number])


@pytest.mark.parametrize("rate_hz", [60.0, 23.0, 144.0])
def test_a_show_with_edits_sizes_and_numbers_replays_to_the_same_bytes(
    tmp_path: Path, rate_hz: float
) -> None:
    show = Recorded(tmp_path, meddle, rate_hz)
    recording = show.run(seconds=10.0)
    assert recording.ticks == show.show.pulse.tick >= 599
    assert show.show.pulse.refused_samples >= 19
    player = played(recording)
    assert player.verdict().agrees is True
    theirs, ours = show.scene.frame(1.0), player.frame(1.0)
    assert theirs[0].tobytes() == ours[0].tobytes()
    assert theirs[2].tobytes() == ours[2].tobytes()
    rows = list(recording.rows())
    assert len([row for row in rows if not isinstance(row, Sample)]) > 10
    assert all(math.isfinite(row.x) for row in rows if isinstance(row, Sample))


def test_stalls_and_faults_of_the_show_leave_the_recording_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ticks that were dropped or that the scene never saw are no ticks of the recording."""

    def stall(show: Recorded, number: int) -> None:
        if number == 100:
            show.clock.sleep(3.0)

    show = Recorded(tmp_path, stall)
    whole = show.show.source.poll
    polls = [0]

    def flaky(tick: int) -> LightSample:
        polls[0] += 1
        if polls[0] % 50 == 0:
            raise RuntimeError("a broken tracker")
        return whole(tick)

    monkeypatch.setattr(show.show.source, "poll", flaky)
    recording = show.run(seconds=10.0)
    assert show.show.pulse.faults > 5
    assert recording.ticks < show.show.pulse.tick < 500
    assert played(recording).verdict().agrees is True


def test_a_fault_in_the_scene_costs_the_comparison_and_no_step_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show = Recorded(tmp_path, lambda show, number: None)
    whole, made = show.inner.step, [0]

    def flaky(on: bool, x: float, y: float) -> None:
        whole(on, x, y)
        if show.inner.tick == 100:  # type: ignore[attr-defined]
            raise RuntimeError("half done")
        made[0] += 1

    monkeypatch.setattr(show.inner, "step", flaky)
    recording = show.run(seconds=5.0)
    assert show.show.pulse.faults == 1
    player = played(recording)
    assert player.ticks == made[0] >= 298
    assert player.verdict().agrees is None


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recorded(tmp_path, lambda show, number: None).run(seconds=3.0)


def shown(recording: Recording, canvas: Paper, rate_hz: float = 60.0) -> tuple[Replay, Player, ManualClock]:
    clock, player = ManualClock(), Player(recording, scene_of)
    screen: Any = canvas
    return Replay(screen, player, clock, lambda: clock.sleep(1 / rate_hz)), player, clock


@pytest.mark.parametrize("rate_hz", [50.0, 60.0, 144.0])
def test_a_replay_lasts_as_long_as_the_show_and_a_second_on_any_screen(
    recording: Recording, rate_hz: float
) -> None:
    replay, player, clock = shown(recording, Paper(), rate_hz)
    replay.run()
    assert player.verdict().agrees is True
    assert clock() == pytest.approx((recording.ticks + LAST_PICTURE_TICKS) / 60, abs=2 / rate_hz)


def test_the_size_of_the_screen_changes_the_picture_and_not_the_bytes(recording: Recording) -> None:
    """Half the size from the first picture on, then twice the size."""
    canvas = Paper(lambda number: canvas.resize((1280, 960)) if number == 60 else None)
    canvas.size = (320, 240)
    replay, player, _ = shown(recording, canvas)
    replay.run()
    assert player.verdict().agrees is True
    rows, beam, _ = player.frame(1.0)
    on_screen = rows[(np.abs(rows[:, 0] - 320) < 320) & (np.abs(rows[:, 1] - 240) < 240)]
    drawn = {tuple(row) for row in canvas.drawn[0].tolist()}
    assert {tuple(row) for row in (on_screen * np.array([2, 2, 1, 2, 1], np.float32)).tolist()} <= drawn
    assert canvas.drawn[1][:3] == tuple(2 * side for side in beam[:3])


@pytest.mark.parametrize(("end", "after_s"), [("time", 1.0), ("key", 0.5), ("signal", 0.5)])
def test_a_replay_can_be_ended_before_its_end(recording: Recording, end: str, after_s: float) -> None:
    canvas = Paper()
    replay, player, clock = shown(recording, canvas)

    def ask(number: int) -> None:
        if number == 30 and end == "signal":
            replay.stop()
        canvas.wants_to_quit = number == 30 and end == "key"

    canvas._before = ask
    replay.run(1.0 if end == "time" else None)
    assert clock() == pytest.approx(after_s, abs=2 / 60)
    assert not player.ended
