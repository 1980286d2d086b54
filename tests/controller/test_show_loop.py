"""The loop with a canvas and a light made for the test: order, refusals, faults, the end."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from controller.light import LightSample
from controller.scenes import Beam, Rows
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.show import EXIT_FAULTS, EXIT_SCREEN_LOST, FAULTS_IN_A_ROW, Show
from controller.stepper import ManualClock, Stepper
from display.errors import DisplayLost
from logs.settings import LogSettings
from logs.visits import Ended, Event, Started, Visits

SIZE = (640, 480)


class PaperCanvas:
    """Counts pictures instead of showing them."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.size = SIZE
        self.refresh_rate = 60.0
        self.gpu_time_s: float | None = None
        self.keys: list[str] = []
        self.wants_to_quit = False
        self.pictures = 0
        self.faults: Iterator[Exception | None] = iter(())
        self.resizes: list[tuple[int, int]] = []

    def dispatch(self) -> None:
        fault = next(self.faults, None)
        if fault is not None:
            raise fault

    def draw(self, rows: Rows, beam: Beam, dust: Rows) -> None:
        assert np.isfinite(rows).all()

    def flip(self) -> None:
        self.pictures += 1

    def take_resizes(self) -> list[tuple[int, int]]:
        taken, self.resizes = self.resizes, []
        return taken

    def take_keys(self) -> list[str]:
        taken, self.keys = self.keys, []
        return taken


class Script:
    """A light that follows a list of (on, x, y), then stays as the last one."""

    def __init__(self, clock: ManualClock, samples: list[tuple[bool, float, float]]) -> None:
        self.clock, self.samples, self.k = clock, samples, 0

    def poll(self, tick: int) -> LightSample:
        on, x, y = self.samples[min(self.k, len(self.samples) - 1)]
        self.k += 1
        return LightSample(tick, self.clock(), x, y, on, "mouse", True, "" if on else "off")

    def resize(self, size: tuple[int, int]) -> None:
        self.told = size

    def state(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        pass


class Pages:
    """Keeps what would be logged."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.notes: list[tuple[str, dict[str, Any]]] = []

    def put(self, event: Event | None, measures: Mapping[str, float] | None = None, *_: Any) -> None:
        if event is not None:
            self.events.append(event)

    def note(self, kind: str, detail: Mapping[str, Any] | None = None, at_s: float | None = None) -> None:
        if kind != "frames":
            self.notes.append((kind, dict(detail or {})))

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


class Rig:
    """A show on a clock moved by its own pace."""

    def __init__(self, samples: list[tuple[bool, float, float]], rate_hz: float = 60.0) -> None:
        self.clock = ManualClock()
        self.canvas = PaperCanvas(self.clock)
        self.source = Script(self.clock, samples)
        self.scene = BaitedScene(BaitedSettings(bugs=20), SIZE, seed=3)
        self.pages = Pages()
        self.show = Show(
            self.canvas,
            self.source,
            self.scene,
            Visits(LogSettings()),
            self.pages,
            Stepper(self.clock),
            self.clock,
            lambda: self.clock.sleep(1 / rate_hz),
        )


@pytest.fixture
def rig() -> type[Rig]:
    return Rig


def test_a_contact_of_three_seconds_becomes_one_session_of_three_seconds(rig: type[Rig]) -> None:
    held = rig([(False, 10.0, 10.0)] * 30 + [(True, 300.0, 200.0)] * 180 + [(False, 310.0, 200.0)])
    assert held.show.run(until_s=5.0) == 0
    (ended,) = held.pages.of(Ended)
    assert ended.duration_s == pytest.approx(3.0, abs=1e-6)
    assert (ended.start_x, ended.start_y, ended.x) == (300.0, 200.0, 310.0)
    assert ended.reason == "off"


def test_stopping_closes_the_open_session_with_its_reason(rig: type[Rig]) -> None:
    held = rig([(True, 300.0, 200.0)])
    held.canvas.faults = iter([])
    held.show.run(until_s=1.0)
    (ended,) = held.pages.of(Ended)
    assert ended.reason == "stopped"
    assert ended.duration_s == pytest.approx(1.0, abs=2 / 60)


def test_the_chord_ends_the_show_cleanly(rig: type[Rig]) -> None:
    held = rig([(False, 0.0, 0.0)])
    held.canvas.wants_to_quit = True
    assert held.show.run() == 0
    assert held.canvas.pictures == 0


@pytest.mark.parametrize(
    "place",
    [(-1.0, 5.0), (5.0, 481.0), (math.nan, 5.0), (5.0, math.inf), (-math.inf, 0.0), (1e9, 5.0), (5.0, -1e7)],
)
def test_an_impossible_place_is_refused_and_counted_and_the_bugs_are_untouched(
    rig: type[Rig], place: tuple[float, float]
) -> None:
    """The same run with an impossible light as with none."""
    wrong = rig([(True, *place)] * 60)
    dark = rig([(False, 320.0, 240.0)] * 60)
    wrong.show.run(until_s=1.0)
    dark.show.run(until_s=1.0)
    assert wrong.show.pulse.refused_samples == wrong.show.pulse.tick
    assert not wrong.pages.events
    assert wrong.scene.bugs.tobytes() == dark.scene.bugs.tobytes()


def test_an_impossible_place_while_lit_leaves_the_light_where_it_was(rig: type[Rig]) -> None:
    held = rig([(True, 300.0, 200.0)] * 30 + [(True, math.nan, 200.0)] * 30 + [(False, math.nan, 0.0)])
    held.show.run(until_s=2.0)
    (ended,) = held.pages.of(Ended)
    assert (ended.x, ended.y) == (300.0, 200.0)
    assert ended.duration_s == pytest.approx(1.0, abs=2 / 60)
    assert len(held.pages.of(Started)) == 1


def test_one_bad_picture_is_skipped_and_the_show_goes_on(
    rig: type[Rig], caplog: pytest.LogCaptureFixture
) -> None:
    held = rig([(False, 0.0, 0.0)])
    held.canvas.faults = iter([None, RuntimeError("a broken event")])
    assert held.show.run(until_s=1.0) == 0
    assert held.canvas.pictures >= 58
    assert held.show.pulse.faults == 1
    assert "a broken event" in caplog.text


@pytest.mark.parametrize("part", ["tracker", "drawing"])
def test_one_fault_in_the_tracker_or_in_drawing_costs_one_picture(
    rig: type[Rig], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    held = rig([(False, 0.0, 0.0)])
    where, name = (held.source, "poll") if part == "tracker" else (held.canvas, "draw")
    whole = getattr(where, name)
    calls = [0]

    def fails_once(*told: object) -> object:
        calls[0] += 1
        if calls[0] == 10:
            raise RuntimeError("once")
        return whole(*told)

    monkeypatch.setattr(where, name, fails_once)
    assert held.show.run(until_s=1.0) == 0
    assert held.show.pulse.faults == 1
    assert held.canvas.pictures >= 58


def test_faults_without_end_end_the_show_with_their_own_code_in_few_lines(
    rig: type[Rig], caplog: pytest.LogCaptureFixture
) -> None:
    held = rig([(True, 300.0, 200.0)])
    held.canvas.faults = iter([None] * 5 + [RuntimeError("broken for good")] * 1000)
    with caplog.at_level(logging.WARNING):
        assert held.show.run() == EXIT_FAULTS
    assert held.show.pulse.faults == FAULTS_IN_A_ROW
    assert len(caplog.text.splitlines()) < 200
    assert [event.reason for event in held.pages.of(Ended)] == ["stopped"]


def test_a_lost_screen_ends_the_show_with_code_3(rig: type[Rig]) -> None:
    held = rig([(False, 0.0, 0.0)])
    held.canvas.faults = iter([None, DisplayLost("the driver was reset")])
    assert held.show.run() == EXIT_SCREEN_LOST


def test_another_size_reaches_the_scene(rig: type[Rig]) -> None:
    held = rig([(False, 0.0, 0.0)])
    held.canvas.resizes = [(800, 300)]
    held.show.run(until_s=1.0)
    assert held.scene.size == held.source.told == (800, 300)
    assert (held.scene.bugs["y"] <= 300 + 24).all()


@pytest.mark.parametrize("part", ["scene", "source"])
def test_faults_in_every_tick_end_the_show_too(
    rig: type[Rig], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """A retry without a due tick is no recovery, with or without a time to end at."""
    for until_s, least, rate_hz in (
        (None, FAULTS_IN_A_ROW, 60.0),
        (0.1, 1, 60.0),
        (2.01, FAULTS_IN_A_ROW, 240.0),
    ):
        held = rig([(True, 300.0, 200.0)], rate_hz)

        def broken(*_: object) -> None:
            raise RuntimeError("broken for good")

        if part == "scene":
            monkeypatch.setattr(held.scene, "step", broken)
        else:
            monkeypatch.setattr(held.source, "poll", broken)
        assert held.show.run(until_s) == EXIT_FAULTS
        assert held.show.pulse.faults >= least


def test_a_tick_that_fails_loses_no_contact(rig: type[Rig], monkeypatch: pytest.MonkeyPatch) -> None:
    """The scene fails in just the ticks of ON and OFF: the session has its true length."""
    held = rig([(False, 10.0, 10.0)] * 30 + [(True, 300.0, 200.0)] * 120 + [(False, 300.0, 200.0)])
    whole = held.scene.step
    lit = [False]

    def fails_at_contacts(on: bool, x: float, y: float) -> None:
        if on != lit[0]:
            lit[0] = on
            raise RuntimeError("a contact was too much")
        whole(on, x, y)

    monkeypatch.setattr(held.scene, "step", fails_at_contacts)
    assert held.show.run(until_s=4.0) == 0
    (ended,) = held.pages.of(Ended)
    assert ended.duration_s == pytest.approx(2.0, abs=1e-6)
    assert held.show.pulse.faults == 2


def test_a_visit_is_closed_even_when_its_measures_fail(
    rig: type[Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = rig([(True, 300.0, 200.0)])

    def broken() -> dict[str, float]:
        raise ZeroDivisionError("nobody there")

    monkeypatch.setattr(held.scene, "measures", broken)
    assert held.show.run(until_s=1.0) == 0
    assert [event.reason for event in held.pages.of(Ended)] == ["stopped"]


def test_the_same_fault_is_told_once(rig: type[Rig], caplog: pytest.LogCaptureFixture) -> None:
    held = rig([(False, 0.0, 0.0)])
    held.canvas.faults = iter([None, RuntimeError("again")] * 500)
    assert held.show.run(until_s=10.0) in (0, EXIT_FAULTS)
    assert held.show.pulse.faults > 200
    assert len(caplog.text.splitlines()) < 60


def test_an_input_that_goes_and_comes_back_is_noted_once_each(rig: type[Rig]) -> None:
    held = rig([(False, 10.0, 10.0)])
    whole = held.source.poll

    def flaky(tick: int) -> LightSample:
        sample = whole(tick)
        gone = 20 <= tick < 40
        return LightSample(
            tick, sample.at_s, sample.x, sample.y, False, "camera", not gone, "camera_lost" if gone else "off"
        )

    held.source.poll = flaky  # type: ignore[method-assign]
    held.show.run(until_s=1.0)
    assert held.pages.notes == [
        ("input_lost", {"source": "camera", "reason": "camera_lost"}),
        ("input_back", {"source": "camera", "reason": "off"}),
    ]


class Table:
    """A technician's desk and a loudspeaker that keep what they are told, and fail when wanted."""

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken
        self.told: list[object] = []
        self.shown = 0

    def press(self, keys: list[str]) -> None:
        self.told += keys
        self._break()

    def picture(self, now_s: float) -> None:
        self.shown += 1
        self._break()

    def light(self, on: bool) -> None:
        self._break()
        self.told.append(on)

    def close(self) -> None: ...

    def state(self) -> dict[str, Any]:
        return {}

    def _break(self) -> None:
        if self.broken:
            raise OSError("no voice, no hands")


def test_each_key_reaches_the_desk_once_and_each_picture_passes_it(rig: type[Rig]) -> None:
    held, desk = rig([(False, 0.0, 0.0)]), Table()
    held.show.desk = desk
    held.canvas.keys = ["d", "up", "shift+r"]
    held.show.run(until_s=1.0)
    assert desk.told == ["d", "up", "shift+r"]
    assert desk.shown == held.canvas.pictures


def test_the_sound_is_told_of_each_turn_of_the_light_and_of_nothing_else(rig: type[Rig]) -> None:
    held, sound = rig([(False, 9.0, 9.0)] * 20 + [(True, 9.0, 9.0)] * 20 + [(False, 9.0, 9.0)]), Table()
    held.show.sound = sound
    held.show.run(until_s=1.0)
    assert sound.told == [True, False]


def test_a_desk_and_a_sound_that_fail_cost_no_picture_and_no_visit(
    rig: type[Rig], caplog: pytest.LogCaptureFixture
) -> None:
    held = rig([(False, 9.0, 9.0)] * 20 + [(True, 9.0, 9.0)] * 60 + [(False, 9.0, 9.0)])
    held.show.desk, held.show.sound = Table(broken=True), Table(broken=True)
    assert held.show.run(until_s=3.0) == 0
    assert held.canvas.pictures >= 179
    assert [event.reason for event in held.pages.of(Ended)] == ["off"]
    assert len(caplog.text.splitlines()) < 60


def test_a_sound_that_failed_is_told_of_the_light_as_soon_as_it_listens(rig: type[Rig]) -> None:
    held, sound = rig([(True, 9.0, 9.0)]), Table(broken=True)
    held.show.sound = sound
    held.show.run(until_s=0.5)
    sound.broken = False
    held.show.run(until_s=1.0)
    assert sound.told == [True]


def test_a_screen_lost_at_the_desk_ends_the_show_with_code_3(
    rig: type[Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, desk = rig([(False, 0.0, 0.0)]), Table()
    held.show.desk = desk

    def lost(now_s: float) -> None:
        raise DisplayLost("the driver was reset")

    monkeypatch.setattr(desk, "picture", lost)
    assert held.show.run(until_s=1.0) == EXIT_SCREEN_LOST
