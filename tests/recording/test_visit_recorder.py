"""A show's visits, each replayed from its own recording to the byte, whatever else happened to the scene."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.desk.live_settings import LiveSettings
from controller.light import LightSample
from controller.recording.player import Player
from controller.recording.reading import Recording
from controller.recording.recorded_scene import RecordedScene
from controller.recording.rows import Sample, Visit
from controller.recording.shelf import Shelf
from controller.recording.visit_recorder import VisitRecorder
from controller.recording.visit_writing import VisitWriting
from controller.recording.writing import RecordingWriter
from controller.replay_stage import scene_of
from controller.scenes import open_scene
from controller.settings import load
from controller.show import Show
from controller.stage import head_of
from controller.stepper import ManualClock, Stepper
from logs.settings import LogSettings
from logs.visits import Event, Visits

SIZE = (640, 480)
LIT_TICKS = ((60, 200), (260, 420), (480, 600))


class Hand:
    """A light that moves in circles and is on three times."""

    size = SIZE

    def poll(self, tick: int) -> LightSample:
        x = self.size[0] / 2 * (1 + 0.5 * math.cos(tick / 23))
        on = any(first <= tick < last for first, last in LIT_TICKS)
        return LightSample(tick, tick / 60, x, self.size[1] / 2, on, "mouse", True, "" if on else "off")

    def resize(self, size: tuple[int, int]) -> None:
        self.size = size


class Stage:
    """A show on a clock of its own, whose visits are recorded in `folder`; 10 s are three visits."""

    def __init__(self, folder: Path, before: Callable[[Stage, int], None]) -> None:
        self.folder = folder
        self.told: dict[int, tuple[Path, int]] = {}
        clock, self.settings = ManualClock(), load(folder)
        self.settings["baited"].bugs = 80
        self.inner: Any = open_scene("baited", self.settings["baited"], SIZE, 5)
        head = head_of(self.settings, SIZE, 5)
        self.writing = VisitWriting(Shelf(folder, UTC, 14), self, head, every_s=0.01)

        def light() -> LightSample | None:
            return self.show.pulse.light

        recorder = VisitRecorder(self.inner, self.writing, lambda: self.settings["baited"], light)
        self.whole = RecordedScene(recorder.scene, RecordingWriter(folder / "whole.jsonl", head), light)
        nothing: Any = SimpleNamespace(fault="", put=lambda *_: None, note=lambda *_: None)
        self.live = LiveSettings(self.settings, nothing, self.whole, None, nothing, nothing.note, clock)
        self.resizes: list[tuple[int, int]] = []
        self.pictures = 0
        canvas: Any = SimpleNamespace(
            size=SIZE,
            refresh_rate=60.0,
            gpu_time_s=None,
            wants_to_quit=False,
            dispatch=lambda: before(self, self.pictures),
            take_resizes=self.take_resizes,
            draw=lambda *_: None,
            flip=self.flip,
        )
        hand: Any = Hand()
        self.show = Show(
            *(canvas, hand, self.whole, Visits(LogSettings()), nothing, Stepper(clock), clock),
            lambda: clock.sleep(1 / 60),
        )
        self.show.visit_recorder = recorder

    def flip(self) -> None:
        self.pictures += 1

    def take_resizes(self) -> list[tuple[int, int]]:
        taken, self.resizes = self.resizes, []
        return taken

    def name_of(self, event: Event) -> str:
        return f"{event.number:08d}-aaaa-5bbb-8ccc-dddddddddddd"

    def recorded(self, session: str, file: str, ticks: int, size_bytes: int) -> None:
        self.told[int(session[:8])] = self.folder / file, ticks

    def recording_gone(self, file: str) -> None:
        raise AssertionError(f"{file} is not old")

    def run(self) -> dict[int, Recording]:
        """The recordings by the number of the visit."""
        assert self.show.run(until_s=10.0) == 0
        self.writing.stop()
        found = {number: Recording(path) for number, (path, _) in self.told.items()}
        assert {number: one.ticks for number, one in found.items()} == {
            number: ticks for number, (_, ticks) in self.told.items()
        }
        return found


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    stages: list[Stage] = []

    def make(before: Callable[[Stage, int], None] = lambda stage, number: None) -> Stage:
        stages.append(Stage(tmp_path, before))
        return stages[-1]

    yield make
    for one in stages:
        one.writing.stop()
        one.whole.end()


def played(recording: Recording) -> Player:
    player = Player(recording, scene_of)
    while not player.ended:
        player.step()
    return player


def meddle(stage: Stage, number: int) -> None:
    """Before the first visit, in it, between two, in the second, and a size in the third."""
    edits: dict[int, dict[str, Any]] = {
        20: {"baited.bugs": 120, "baited.size_max_px": 30.0},
        100: {"baited.light_radius_px": 120.0},
        230: {"baited.gait.run_min_ticks": 11, "baited.bugs": 40},
        300: {"baited.bugs": 90},
    }
    if number in edits:
        assert stage.live.change(edits[number]) == ""
    if number in (220, 520):
        stage.resizes.append((800, 600) if number == 220 else (333, 777))


def test_each_visit_replays_to_the_same_bytes_from_its_on_and_so_does_the_whole_show(
    stage: Callable[..., Stage],
) -> None:
    """With settings of the panel and sizes of the window before, between and in the visits."""
    show = stage(meddle)
    recordings = show.run()
    assert show.whole.end()
    assert sorted(recordings) == [1, 2, 3]
    for number, recording in recordings.items():
        player = played(recording)
        assert (player.verdict().agrees, recording.notes) == (True, []), number
        first, last = LIT_TICKS[number - 1]
        assert recording.ticks == last - first
        kinds = [type(row) for row in recording.rows()]
        assert kinds.count(Visit) == 1
        assert len(kinds) > 100
    assert recordings[1].head.settings["bugs"] == 120
    assert recordings[3].head.size == (800, 600)
    assert played(Recording(show.folder / "whole.jsonl")).verdict().agrees is True
    assert show.show.pulse.faults == 0


def test_a_visit_under_settings_that_were_not_in_force_is_found_to_differ(
    stage: Callable[..., Stage],
) -> None:
    recording = stage().run()[2]
    assert played(recording).verdict().agrees is True
    recording.head = recording.head.model_copy(update={"settings": {"bugs": 80, "light_radius_px": 80.0}})
    assert played(recording).verdict().agrees is False


def test_the_visit_has_the_light_as_the_scene_was_told_it(stage: Callable[..., Stage]) -> None:
    recording = stage().run()[1]
    samples = [row for row in recording.rows() if isinstance(row, Sample)]
    assert [row.tick for row in samples] == list(range(1, recording.ticks + 1))
    assert [row.x for row in samples] == [320 * (1 + 0.5 * math.cos(tick / 23)) for tick in range(60, 200)]
    assert {(row.on, row.source, row.at_s) for row in samples} == {(True, "mouse", None)}


def test_a_fault_in_the_scene_costs_the_comparison_of_that_visit_only(stage: Callable[..., Stage]) -> None:
    show = stage()
    whole = show.inner.step

    def flaky(on: bool, x: float, y: float) -> None:
        whole(on, x, y)
        if show.inner.tick == 100:
            raise RuntimeError("half done")

    show.inner.step = flaky
    recordings = show.run()
    assert show.show.pulse.faults == 1
    verdicts = [played(recording).verdict().agrees for _, recording in sorted(recordings.items())]
    assert verdicts == [None, True, True]


def test_a_swarm_whose_state_cannot_be_had_at_the_on_costs_that_recording_only(
    stage: Callable[..., Stage],
) -> None:
    show = stage()
    whole = show.inner.snapshot

    def flaky() -> bytes:
        if show.inner.tick < 200:
            raise MemoryError
        return bytes(whole())

    show.inner.snapshot = flaky
    recordings = show.run()
    assert sorted(recordings) == [2, 3]
    assert show.show.pulse.faults == 1
    assert played(recordings[2]).verdict().agrees is True


def test_a_show_that_ends_in_a_visit_has_it_whole(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "LIT_TICKS", ((500, 10_000),))
    recording = stage().run()[1]
    assert recording.ticks >= 98
    assert played(recording).verdict().agrees is True
