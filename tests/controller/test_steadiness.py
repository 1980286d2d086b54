"""Long runs of the real loop on a clock and a screen of our own: ticks, rates, hiccups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from controller.light import LightSample
from controller.pacing import Rhythm
from controller.scenes import Beam, Rows, Scene
from controller.scenes.baited.drawing import interpolate
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.show import Show
from controller.stepper import ManualClock, Stepper
from logs.settings import LogSettings
from logs.visits import Visits

SIZE = (640, 480)
HOUR_S = 3600.0
RATES_HZ = [50.0, 59.94, 60.0, 75.0, 144.0]
NOTHING = np.empty((0, 5), np.float32), (0.0, 0.0, 0.0, 0.0), np.empty((0, 4), np.float32)


class FakeScreen:
    """A screen that shows a picture at each of its own refreshes, where `waits`; else at once."""

    size = SIZE
    wants_to_quit = False
    vsync = True
    gpu_time_s: float | None = None

    def __init__(self, clock: ManualClock, rate_hz: float, vsync: bool = True, work_s: float = 0.002) -> None:
        self.clock, self.rate_hz = clock, rate_hz
        self.told_rate_hz: float | None = None
        self.vsync = self.waits = vsync
        self.work_s, self.origin_s = work_s, clock.now_s
        self.began_s = clock.now_s
        self.hiccups: dict[int, float] = {}
        self.shown = 0
        self.resizes: list[tuple[int, int]] = []

    @property
    def refresh_rate(self) -> float:
        return self.told_rate_hz or self.rate_hz

    def dispatch(self) -> None:
        self.clock.now_s += self.hiccups.pop(self.shown, 0.0)
        self.began_s = self.clock.now_s

    def draw(self, rows: Rows, beam: Beam, dust: Rows) -> None:
        self.clock.now_s += self.work_s

    def flip(self) -> None:
        self.shown += 1
        if self.waits:
            refresh = math.floor((self.clock.now_s - self.origin_s) * self.rate_hz + 1e-6) + 1
            self.clock.now_s = self.origin_s + refresh / self.rate_hz

    def take_resizes(self) -> list[tuple[int, int]]:
        taken, self.resizes = self.resizes, []
        return taken

    def take_keys(self) -> list[str]:
        return []


class Dark:
    """No light at all, or one that is held from a tick on."""

    def __init__(self, clock: ManualClock, lit_from: float = math.inf) -> None:
        self.clock, self.lit_from = clock, lit_from

    def poll(self, tick: int) -> LightSample:
        return LightSample(tick, self.clock.now_s, 320.0, 240.0, tick >= self.lit_from, "mouse")

    def resize(self, size: tuple[int, int]) -> None: ...

    def state(self) -> dict[str, Any]:
        return {}

    def close(self) -> None: ...


class Empty:
    """A scene that counts its ticks; where long runs are about the loop alone."""

    def __init__(self) -> None:
        self.ticks = 0

    def step(self, on: bool, x: float, y: float) -> None:
        self.ticks += 1

    def frame(self, alpha: float) -> tuple[Rows, Beam, Rows]:
        assert 0.0 <= alpha <= 1.0
        return NOTHING

    def configure(self, name: str, value: float) -> None: ...

    def resize(self, size: tuple[int, int]) -> None: ...

    def begin_visit(self) -> None: ...

    def measures(self) -> dict[str, float]:
        return {}

    def snapshot(self) -> bytes:
        return b""

    def restore(self, saved: bytes) -> None: ...


class Minutes:
    """Keeps the minute summaries that would be logged."""

    def __init__(self) -> None:
        self.frames: list[Mapping[str, Any]] = []

    def put(self, event: object, measures: Mapping[str, float] | None = None, *_: Any) -> None: ...

    def note(self, kind: str, detail: Mapping[str, Any] | None = None, at_s: float | None = None) -> None:
        if kind == "frames":
            self.frames.append(detail or {})


class Rig:
    """The real loop, ticks and rhythm on a screen of our own."""

    def __init__(
        self,
        rate_hz: float,
        vsync: bool = True,
        origin_s: float = 0.0,
        scene: Scene | None = None,
        lit_from: float = math.inf,
    ) -> None:
        self.clock = ManualClock(origin_s)
        self.origin_s = origin_s
        self.screen = FakeScreen(self.clock, rate_hz, vsync)
        self.rhythm = Rhythm(self.screen, self.clock, self.clock.sleep)
        self.minutes = Minutes()
        self.empty = Empty()
        self.show = Show(
            self.screen,
            Dark(self.clock, lit_from),
            scene or self.empty,
            Visits(LogSettings()),
            self.minutes,
            Stepper(self.clock),
            self.clock,
            self.rhythm.wait,
        )

    def run(self, seconds: float) -> float:
        """Show pictures for so long; what really passed, s."""
        before_s = self.clock.now_s
        assert self.show.run(until_s=before_s + seconds) == 0
        return self.clock.now_s - before_s

    @property
    def due(self) -> float:
        """How many ticks the time until the last picture began has."""
        return 60 * (self.screen.began_s - self.origin_s)


def assert_true_to_time(rig: Rig, seconds: float, rate_hz: float) -> None:
    """Ticks are 60 a second within 1, pictures the screen's rate within 1 in 1,000 and the first looks."""
    passed_s = rig.run(seconds)
    assert abs(rig.empty.ticks - rig.due) <= 1
    assert rig.show.stepper.dropped_ticks == 0
    assert rig.screen.shown == pytest.approx(passed_s * rate_hz, rel=1e-3, abs=2)
    assert rig.show.frames.dropped == 0


@pytest.mark.parametrize("vsync", [True, False], ids=["flips wait", "sleeps"])
@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_minutes_at_any_rate_have_their_number_of_ticks_and_pictures(rate_hz: float, vsync: bool) -> None:
    """Also where the clock began a year ago and has few digits left for the small."""
    assert_true_to_time(Rig(rate_hz, vsync, origin_s=3e7), 600.0, rate_hz)


@pytest.mark.full
@pytest.mark.parametrize(("vsync", "origin_s"), [(True, 3e7), (False, 1e6)])
@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_eight_hours_at_any_rate_have_their_number_of_ticks(
    rate_hz: float, vsync: bool, origin_s: float
) -> None:
    assert_true_to_time(Rig(rate_hz, vsync, origin_s), 8 * HOUR_S, rate_hz)


def test_pictures_slept_for_stay_on_their_deadlines_for_two_hours() -> None:
    """No rounding adds up: at 6 pictures a second each comes within 1 us of its own time."""
    rig = Rig(6.0, vsync=False, origin_s=3e7)
    rig.run(2 * HOUR_S)
    assert abs(rig.empty.ticks - rig.due) <= 1
    assert rig.clock.now_s == pytest.approx(3e7 + rig.screen.shown / 6.0, abs=1e-6)


@pytest.mark.parametrize("rate_hz", [20.0, 50.0, 59.94, 60.0, 144.0, 240.0])
def test_a_minute_is_3600_ticks_at_any_rate(rate_hz: float) -> None:
    """F30 as reported."""
    rig = Rig(rate_hz)
    rig.run(60.0)
    rig.show.picture()
    assert abs(rig.empty.ticks - 3600) <= 2


@pytest.mark.parametrize("vsync", [True, False])
def test_hiccups_are_caught_up_under_a_quarter_second_and_dropped_and_counted_over_it(vsync: bool) -> None:
    rig = Rig(60.0, vsync)
    rig.screen.hiccups = {100: 0.2, 200: 0.05, 300: 0.21}
    passed_s = rig.run(10.0)
    assert abs(rig.empty.ticks - rig.due) <= 1
    assert rig.show.stepper.dropped_ticks == 0
    assert rig.show.frames.dropped == 3
    rig.screen.hiccups = {rig.screen.shown + 100: 2.0}
    passed_s += rig.run(10.0)
    lost = rig.show.stepper.dropped_ticks
    assert 100 <= lost <= 110
    assert abs(rig.empty.ticks + lost - rig.due) <= 1
    assert rig.show.frames.dropped == 4


@pytest.mark.parametrize("vsync", [True, False])
def test_after_hours_of_suspension_the_show_goes_on_without_a_burst(vsync: bool) -> None:
    rig = Rig(60.0, vsync)
    rig.screen.hiccups = {300: 5 * HOUR_S}
    rig.run(1.0)
    before_s = rig.clock.now_s
    rig.run(5 * HOUR_S + 9.0)
    awake_s = rig.clock.now_s - before_s - 5 * HOUR_S
    assert rig.empty.ticks == pytest.approx(60 * (awake_s + 1.0), abs=20)
    assert rig.screen.shown == pytest.approx(60 * (awake_s + 1.0), abs=3)
    assert rig.show.frames.dropped == 1


def test_a_clock_set_back_by_an_hour_stops_neither_ticks_nor_pictures() -> None:
    for vsync in (True, False):
        rig = Rig(60.0, vsync, origin_s=1e6)
        rig.run(5.0)
        rig.clock.now_s -= HOUR_S
        rig.run(5.0)
        assert rig.empty.ticks == pytest.approx(600, abs=2)
        assert rig.screen.shown == pytest.approx(600, abs=3)
        assert rig.show.frames.dropped == 0


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_a_screen_that_ceases_to_hold_the_pictures_back_neither_doubles_their_rate_nor_burns_the_processor(
    rate_hz: float,
) -> None:
    """The monitor goes off for a minute: ticks stay 60 a second, pictures near the rate, then as before."""
    rig = Rig(rate_hz)
    rig.run(10.0)
    assert rig.rhythm.held_by_screen
    rig.screen.waits, rig.screen.work_s = False, 0.0002
    before = rig.screen.shown
    rig.run(1.0)
    assert rig.screen.shown - before <= rate_hz + 20
    passed_s = 1.0 + rig.run(59.0)
    assert rate_hz * passed_s <= rig.screen.shown - before <= 1.1 * rate_hz * passed_s
    assert not rig.rhythm.held_by_screen
    rig.screen.waits = True
    rig.run(700 / rate_hz)
    before = rig.screen.shown
    passed_s = rig.run(30.0)
    assert rig.screen.shown - before == pytest.approx(rate_hz * passed_s, abs=2)
    assert rig.rhythm.held_by_screen
    assert abs(rig.empty.ticks - rig.due) <= 1


def test_another_refresh_rate_is_kept_to_and_dropped_pictures_are_counted_by_it() -> None:
    """A change may cost one picture itself; what follows is measured by the new rate."""
    for vsync in (True, False):
        rig = Rig(60.0, vsync)
        rig.run(10.0)
        rig.screen.rate_hz = 144.0
        before = rig.screen.shown
        passed_s = rig.run(10.0)
        assert rig.screen.shown - before == pytest.approx(144 * passed_s, abs=3)
        rig.screen.rate_hz = 24.0
        rig.run(10.0)
        assert rig.show.frames.dropped <= 2
        assert abs(rig.empty.ticks - rig.due) <= 1


def test_a_screen_faster_than_it_says_is_followed_without_waiting_for_a_deadline() -> None:
    """A driver that does not tell its 75 Hz, where 60 are assumed."""
    rig = Rig(75.0)
    rig.screen.told_rate_hz = 60.0
    passed_s = rig.run(30.0)
    assert rig.screen.shown == pytest.approx(75 * passed_s, abs=2)


def test_work_longer_than_a_period_gives_as_many_pictures_as_it_lets() -> None:
    rig = Rig(60.0, vsync=False)
    rig.screen.work_s = 1.25 / 60
    passed_s = rig.run(60.0)
    assert rig.screen.shown == pytest.approx(passed_s * 48, abs=2)
    assert abs(rig.empty.ticks - rig.due) <= 1


def test_each_minute_is_summed_up_with_the_times_that_passed() -> None:
    rig = Rig(50.0)
    rig.screen.hiccups = {1000: 0.1}
    for _ in range(3):
        rig.run(61.0)
        rig.show.frames.collect()
    assert sum(minute["n"] for minute in rig.minutes.frames) == rig.screen.shown - 1
    first, second = rig.minutes.frames[0], rig.minutes.frames[2]
    assert first["n"] == pytest.approx(3000, abs=10)
    assert (first["p50"], first["dropped"]) == (20.0, 1)
    assert first["max"] == pytest.approx(120.0, abs=20.1)
    assert (second["dropped"], second["submit_p50"], second["step_p50"]) == (0, 2.0, 0.0)
    assert second["flip_p50"] == pytest.approx(18.0, abs=1e-3)


def placed(x: float, y: float, angle: float) -> list[float]:
    return [x, y, angle, 16.0, 0.5, 0.0]


def drawn(before: list[float], after: list[float], alpha: float, size: tuple[int, int] = SIZE) -> Rows:
    rows = np.empty((1, 5), np.float32)
    scene = BaitedScene(BaitedSettings(bugs=0), size, 1)
    interpolate(np.array([before]), np.array([after]), alpha, *scene.far_px, rows)
    return rows[0]


def test_headings_turn_the_shorter_way_whatever_seam_lies_between() -> None:
    """Never farther than the turn itself from either tick, and never a jump between two pictures."""
    rng = np.random.default_rng(4)
    starts = np.concatenate((rng.uniform(-9.0, 9.0, 300), np.repeat([-math.pi, math.pi], 50)))
    turns = rng.uniform(-0.6, 0.6, starts.size)
    for start, turn in zip(starts, turns, strict=True):
        before, after = placed(5.0, 5.0, start), placed(5.0, 5.0, math.remainder(start + turn, math.tau))
        for alpha in (0.0, 0.3, 0.7, 1.0):
            angle = float(drawn(before, after, alpha)[2])
            assert -math.pi - 1e-6 <= angle <= math.pi + 1e-6
            assert abs(math.remainder(angle - (start + alpha * turn), math.tau)) < 1e-5


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.5, 0.99])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((664.0, 50.0), (-24.0, 50.0)),
        ((-24.0, 50.0), (664.0, 50.0)),
        ((50.0, 504.0), (50.0, -24.0)),
        ((50.0, -24.0), (50.0, 504.0)),
        ((664.0, 504.0), (-24.0, -24.0)),
        ((-24.0, 504.0), (664.0, -24.0)),
    ],
)
def test_no_bug_is_drawn_on_a_way_across_whatever_edge_it_came_round(
    before: tuple[float, float], after: tuple[float, float], alpha: float
) -> None:
    """Also when the screen became another since that tick: 640 x 480 and 4K, 8K high, a strip."""
    for size in (SIZE, (3840, 2160), (1080, 7680), (400, 100)):
        row = drawn(placed(*before, 0.0), placed(*after, 0.0), alpha, size)
        assert (row[0], row[1]) == after


def test_every_step_of_a_real_swarm_is_drawn_as_a_way_and_every_wrap_as_a_leap() -> None:
    """240 Hz, a light held, the size changed twice: a picture is a quarter step or the whole way round."""
    scene = BaitedScene(BaitedSettings(bugs=120), SIZE, seed=8)
    moves = []
    last = scene.frame(1.0)[0].copy()
    for tick in range(1500):
        if tick in (500, 1000):
            scene.resize((1280, 960) if tick == 500 else SIZE)
            last[:, :2] *= 2.0 if tick == 500 else 0.5
        scene.step(300 < tick < 700, 320.0, 240.0)
        for alpha in (0.0, 0.25, 0.5, 0.75):
            rows = scene.frame(alpha)[0]
            moves.append(np.abs(rows - last)[:, :2].max(axis=1))
            last = rows.copy()
    ways = np.concatenate(moves)
    wraps = ways > 4.0
    assert np.count_nonzero(wraps) > 50
    assert ways[wraps].min() >= SIZE[1]
    assert ways[~wraps].max() <= 2.5
