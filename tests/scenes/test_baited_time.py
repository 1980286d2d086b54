"""Time as the article tells it, at any rate of pictures and after a month without a pause (F30)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

from controller.behavior.moving import grow_phases
from controller.behavior.smooth_noise import PERIOD, smooth_noise
from controller.light import LightSample
from controller.scenes import Beam, Rows
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.show import Show
from controller.stepper import ManualClock, Stepper
from logs.settings import LogSettings
from logs.visits import Visits

SIZE = (1280, 720)
RATES_HZ = [20.0, 50.0, 59.94, 60.0, 75.0, 144.0, 240.0]
DECAYS = [0.0004, 0.0008, 0.0012]
BORED_S, RECOVERED_S = [35.4, 17.7, 11.8], 2.37
MONTH_TICKS = 160_000_000
# Two samples of n and m differ by chance alone by more than this times sqrt((n + m) / (n m)) once in 1,000.
KS_CRITICAL = 1.949


class Paper:
    """A picture that nobody sees."""

    size = SIZE
    refresh_rate = 60.0
    gpu_time_s: float | None = None
    wants_to_quit = False

    def dispatch(self) -> None: ...

    def draw(self, rows: Rows, beam: Beam, dust: Rows) -> None: ...

    def flip(self) -> None: ...

    def take_resizes(self) -> list[tuple[int, int]]:
        return []

    def take_keys(self) -> list[str]:
        return []


class Blank:
    """A log that keeps nothing."""

    def put(self, *told: object) -> None: ...

    def note(self, *told: object) -> None: ...


class Held(BaitedScene):
    """Three bugs that never leave the circle, and when in seconds the interest of each passes a level.

    A tick's time is the clock's, less what has passed since the tick fell due by the show's stepper.
    """

    def __init__(self) -> None:
        super().__init__(BaitedSettings(bugs=3), SIZE, 1)
        self.bugs["decay_rate"] = DECAYS
        self.watch: Callable[[], Any] = lambda: [False] * 3
        self.passed_s = [math.nan] * 3
        self.lit_s = self.dark_s = math.nan

    def attend(self, stepper: Stepper, clock: ManualClock) -> None:
        self.stepper, self.clock = stepper, clock

    def step(self, on: bool, x: float, y: float) -> None:
        was_on = bool(self.world["on"][0])
        self.bugs["x"], self.bugs["y"] = x + 1.0, y
        super().step(on, x, y)
        at_s = self.clock.now_s - (self.stepper.tick - self.tick + self.stepper.alpha) / 60
        if on and not was_on:
            self.lit_s = at_s
        if was_on and not on:
            self.dark_s = at_s
        for k, passed in enumerate(self.watch()):
            if passed and math.isnan(self.passed_s[k]):
                self.passed_s[k] = at_s


class Lamp:
    """On or off as told."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock, self.on = clock, False

    def poll(self, tick: int) -> LightSample:
        return LightSample(tick, self.clock.now_s, 640.0, 360.0, self.on, "mouse")

    def resize(self, size: tuple[int, int]) -> None: ...

    def state(self) -> dict[str, Any]:
        return {}

    def close(self) -> None: ...


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_boredom_and_recovery_take_the_seconds_of_the_article_at_any_rate_of_pictures(rate_hz: float) -> None:
    """The real loop with pictures up to 40 % early or late, and one of 0.2 s in a hundred; within 1 %."""
    clock, chance, scene = ManualClock(3e6), random.Random(rate_hz), Held()
    stepper, lamp = Stepper(clock), Lamp(clock)
    scene.attend(stepper, clock)

    def wait() -> None:
        late = chance.uniform(0.6, 1.4) / rate_hz
        clock.sleep(0.2 if chance.random() < 0.01 else late)

    show = Show(Paper(), lamp, scene, Visits(LogSettings()), Blank(), stepper, clock, wait)
    show.run(until_s=clock.now_s + 1.0)
    lamp.on = True
    scene.watch = scene.bored
    show.run(until_s=clock.now_s + 40.0)
    assert np.array(scene.passed_s) - scene.lit_s == pytest.approx(BORED_S, rel=0.01)
    scene.bugs["interest"] = scene.settings.boredom_threshold
    lamp.on = False
    scene.passed_s, scene.watch = [math.nan] * 3, lambda: scene.bugs["interest"] >= 1.0
    show.run(until_s=clock.now_s + 3.0)
    first_dark_tick_s = 1 / 60
    recovered_s = np.array(scene.passed_s) - scene.dark_s + first_dark_tick_s
    assert recovered_s == pytest.approx([RECOVERED_S] * 3, rel=0.01)
    assert (stepper.dropped_ticks, show.pulse.faults) == (0, 0)


@numba.njit
def live(bugs, worlds, ticks):
    """The real growth of all phases, tick after tick."""
    for _ in range(ticks):
        for i in range(bugs.size):
            grow_phases(bugs[i], worlds[0])


@numba.njit
def added_up(by, ticks):
    """A phase in single precision that is never wrapped."""
    phase = np.float32(0.0)
    for _ in range(ticks):
        phase += np.float32(by)
    return phase


def noise_step(bug: npt.NDArray[np.void]) -> float:
    """How far the noise of a bug goes on in a tick."""
    return float(0.3 * bug["tremor_frequency"] + 0.03)


def distance(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """The Kolmogorov-Smirnov distance of two samples, as a multiple of that seen once in 1,000 trials."""
    both = np.concatenate((one, other))
    shares = [np.searchsorted(np.sort(part), both, side="right") / part.size for part in (one, other)]
    chance = KS_CRITICAL * math.sqrt((one.size + other.size) / (one.size * other.size))
    return float(np.abs(shares[0] - shares[1]).max() / chance)


def factors(scene: BaitedScene) -> npt.NDArray[np.float64]:
    """Way over speed of one bug in the dark, every 61 ticks of one round through its noise.

    That often its noise is new; a tick without a way, or with one round the edge, is left out.
    """
    found = []
    for tick in range(round(PERIOD / noise_step(scene.bugs[0]))):
        x, y = float(scene.bugs["x"][0]), float(scene.bugs["y"][0])
        scene.advance(False, 0.0, 0.0)
        if tick % 61 == 0 and scene.bugs["speed"][0] > 0.0:
            way = math.hypot(scene.bugs["x"][0] - x, scene.bugs["y"][0] - y)
            found.append(way / scene.bugs["speed"][0])
    return np.array([factor for factor in found if factor < 2.0])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_thirty_days_a_bug_varies_its_speed_as_on_the_first(seed: int) -> None:
    scene = BaitedScene(BaitedSettings(bugs=1), SIZE, seed)
    first = factors(scene)
    assert len(first) > 500
    assert first.min() >= 0.91
    assert first.max() <= 0.98
    live(scene.bugs, scene.world, MONTH_TICKS)
    scene.tick = MONTH_TICKS
    assert distance(first, factors(scene)) < 1.0


def test_a_phase_added_up_in_single_precision_would_be_found_out_after_thirty_days() -> None:
    """The test of the test above: such a phase stands still, and so does the speed."""
    scene = BaitedScene(BaitedSettings(bugs=1), SIZE, 1)
    by = noise_step(scene.bugs[0])
    phase = added_up(by, MONTH_TICKS)
    assert phase + np.float32(by) == phase
    still = 0.91 + 0.07 * smooth_noise(float(phase) % PERIOD, scene.levels)
    assert distance(factors(scene), np.full(1000, still)) > 1.0


def test_after_thirty_days_phases_stand_where_exact_arithmetic_puts_them_and_go_on_as_finely() -> None:
    scene = BaitedScene(BaitedSettings(bugs=2), SIZE, 4)
    before = scene.bugs.copy()
    live(scene.bugs, scene.world, MONTH_TICKS)
    grown = scene.bugs.copy()
    live(scene.bugs, scene.world, 1)
    for name, period, steps in (
        ("noise_phase", PERIOD, [noise_step(bug) for bug in before]),
        ("tremor_phase", math.tau, before["tremor_frequency"]),
        ("leg_phase", math.tau, before["speed"] * 0.15),
    ):
        for k, step in enumerate(steps):
            exact = (Fraction(before[name][k]) + MONTH_TICKS * Fraction(step)) % Fraction(period)
            assert abs(grown[name][k] - float(exact)) < 1e-4, name
            went = (scene.bugs[name][k] - grown[name][k]) % period
            assert went == pytest.approx(step, abs=1e-9)


def test_after_thirty_days_the_drawn_size_pulses_as_on_the_first() -> None:
    """A sine of 0.03 rad a tick, 1 px high, round each bug's own size."""
    scene = BaitedScene(BaitedSettings(), SIZE, 5)
    scene.tick = MONTH_TICKS
    scene.world["pulse_phase"] = float(Fraction(0.03) * MONTH_TICKS % Fraction(math.tau))
    for _ in range(250):
        scene.step(False, 0.0, 0.0)
        pulse = float(Fraction(0.03) * scene.tick % Fraction(math.tau))
        expected = scene.bugs["base_size"] + np.sin(pulse + scene.bugs["tremor_phase"])
        assert scene.frame(1.0)[0][:, 3] == pytest.approx(expected, abs=1e-5)
