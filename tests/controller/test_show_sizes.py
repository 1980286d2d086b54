"""The loop when the screen changes its size, and when its own time is not the host's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from controller.film.film_clock import FilmClock
from controller.light import LightSample
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.show import Show
from controller.stepper import ManualClock, Stepper
from logs.settings import LogSettings
from logs.visits import Visits


class HeldMouse:
    """A pressed mouse that nobody moves, with the px of the screen as it was."""

    def __init__(self, clock: Any, x: float, y: float) -> None:
        self._clock, self._place = clock, (x, y)

    def poll(self, tick: int) -> LightSample:
        return LightSample(tick, self._clock(), *self._place, True, "mouse")

    def resize(self, size: tuple[int, int]) -> None:
        pass


class Paper:
    """A canvas whose pictures take `draw_s` of the host's time."""

    size, refresh_rate, gpu_time_s, wants_to_quit = (1920, 1080), 60.0, None, False

    def __init__(self, host: ManualClock, draw_s: float = 0.0) -> None:
        self._host, self._draw_s = host, draw_s
        self.resizes: list[tuple[int, int]] = []

    def dispatch(self) -> None:
        pass

    def draw(self, *picture: Any) -> None:
        self._host.sleep(self._draw_s)

    def flip(self) -> None:
        pass

    def take_keys(self) -> list[str]:
        return []

    def take_resizes(self) -> list[tuple[int, int]]:
        taken, self.resizes = self.resizes, []
        return taken


def show_of(canvas: Paper, clock: Any, **options: Any) -> tuple[Show, list[dict[str, Any]]]:
    minutes: list[dict[str, Any]] = []
    log = SimpleNamespace(put=lambda *_: None, note=lambda kind, detail, at_s=None: minutes.append(detail))
    scene = BaitedScene(BaitedSettings(bugs=5), canvas.size, 1)
    source: Any = HeldMouse(clock, 1800.0, 600.0)
    journal: Any = log
    return Show(
        canvas, source, scene, Visits(LogSettings()), journal, Stepper(clock), clock, **options
    ), minutes


def test_the_light_of_a_held_mouse_keeps_its_place_on_the_wall_when_the_screen_gets_smaller() -> None:
    clock = ManualClock()
    canvas = Paper(clock)
    show, _ = show_of(canvas, clock, pace=lambda: clock.sleep(1 / 60))
    show.run(until_s=0.5)
    canvas.resizes = [(1280, 720)]
    show.run(until_s=1.0)
    assert show.pulse.light is not None
    assert show.pulse.light.on
    assert (show.pulse.light.x, show.pulse.light.y) == pytest.approx((1200.0, 400.0))
    beam = show.scene.frame(1.0)[1]
    assert beam[:2] == pytest.approx((1200.0, 400.0))


def test_a_picture_that_has_no_side_for_a_moment_moves_no_bug_and_no_light() -> None:
    clock = ManualClock()
    canvas = Paper(clock)
    show, _ = show_of(canvas, clock, pace=lambda: clock.sleep(1 / 60))
    show.run(until_s=0.5)
    before = show.scene.frame(1.0)[0][:, :2].copy()
    for until_s, size in ((0.55, (0, 0)), (0.6, (1920, 0)), (0.65, (1920, 1080))):
        canvas.resizes = [size]
        show.run(until_s=until_s)
    assert np.hypot(*(show.scene.frame(1.0)[0][:, :2] - before).T).max() < 100
    assert show.pulse.light is not None
    assert (show.pulse.light.x, show.pulse.light.y) == (1800.0, 600.0)


def test_a_film_in_its_own_time_tells_how_long_its_pictures_really_took() -> None:
    """Pictures of 0.2 s of the host's time: 5 a second in the summary, 60 a second in the film."""
    host = ManualClock(1000.0)
    clock = FilmClock(60, host, host.sleep)
    show, minutes = show_of(Paper(host, draw_s=0.2), clock, pace=clock.wait, timer=host)
    show.run(until_s=clock() + 6.0)
    assert show.pulse.tick == pytest.approx(360, abs=2)
    assert host.now_s - 1000.0 == pytest.approx(72.0, rel=0.01)
    assert show.pulse.picture_at_s == pytest.approx(host.now_s, abs=0.01)
    assert np.allclose([minute["mean"] for minute in minutes], 200.0, atol=1.0)
    assert sum(minute["dropped"] for minute in minutes) > 300
