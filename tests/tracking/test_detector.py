"""The detector on made pictures: where the light is, and what is no light."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from controller.tracking.detector import Detector, Spot
from controller.tracking.settings import TrackingSettings

FRAME_S = 1 / 30


def watch(pictures: Iterable[np.ndarray], frame_s: float = FRAME_S, **over: Any) -> list[Spot | None]:
    detector = Detector(TrackingSettings(**over))
    return [detector.step(picture, number * frame_s) for number, picture in enumerate(pictures)]


def appearances(spots: list[Spot | None]) -> list[Spot]:
    return [spot for spot in spots if spot is not None and spot.fresh]


@pytest.mark.parametrize("sigma", [1.5, 3.0, 6.0])
def test_static_spot_is_found_to_a_tenth_of_a_pixel_in_heavy_noise(scene: Callable, sigma: float) -> None:
    made = scene(160, 120, noise=8.0)
    places = made.random.uniform((30, 30), (130, 90), (40, 2))
    errors = []
    for x, y in places:
        detector = Detector(TrackingSettings())
        for number in range(12):
            detector.step(made.picture(), number * FRAME_S)
        spot = detector.step(made.picture(made.spot(x, y, sigma)), 12 * FRAME_S)
        assert spot is not None
        errors.append((spot.x_px - x, spot.y_px - y))
    assert float(np.sqrt(np.mean(np.square(errors)))) <= 0.10


def test_reduced_picture_gives_positions_in_its_own_pixels(scene: Callable) -> None:
    made = scene(1280, 720)
    light = made.disc(901.3, 402.7, 9)
    spots = watch([made.picture() for _ in range(8)] + [made.picture(light)])
    assert spots[-1] is not None
    assert (spots[-1].x_px, spots[-1].y_px) == pytest.approx((901.3, 402.7), abs=0.15)


def test_colour_is_no_light_and_white_is(scene: Callable) -> None:
    made = scene(160, 120)
    disc = made.disc(80, 60, 5)
    empty = [np.dstack([made.picture()] * 3) for _ in range(10)]
    red = [np.dstack([made.picture(), made.picture(), made.picture(disc)]) for _ in range(10)]
    white = [np.dstack([made.picture(disc)] * 3) for _ in range(10)]
    assert appearances(watch(empty + red)) == []
    assert len(appearances(watch(empty + white))) == 1
    assert len(appearances(watch(empty + red, light="coloured"))) == 1


def test_nothing_is_tracked_before_the_picture_has_settled(scene: Callable) -> None:
    """F05: black, green and burnt-out pictures after opening, then a dim scene, then one light."""
    made = scene(320, 240)
    black = np.zeros((240, 320, 3), np.uint8)
    green = black.copy()
    green[:, :, 1] = 255
    dim = [np.dstack([made.picture()] * 3) for _ in range(30)]
    opening = [black] * 10 + [green] * 10 + [np.full_like(black, 255)] * 10 + dim
    light = [np.dstack([made.picture(made.disc(100, 100, 4))] * 3) for _ in range(20)]
    spots = watch(opening + light)
    assert spots[: len(opening)] == [None] * len(opening)
    assert len(appearances(spots)) == 1


def test_ready_only_when_the_exposure_has_settled(scene: Callable) -> None:
    detector = Detector(TrackingSettings())
    ready = []
    for number in range(30):
        made = scene(160, 120, level=20.0 + 20.0 * min(number, 10), seed=number)
        detector.step(made.picture(), number * FRAME_S)
        ready.append(detector.ready)
    assert not any(ready[:15])
    assert all(ready[18:])


def test_many_bright_moving_shapes_are_no_light(scene: Callable) -> None:
    """A show that the camera sees as bright as a light: nothing new is believed while it moves."""
    made = scene(320, 240)
    places = made.random.uniform((10, 10), (300, 220), (40, 2))
    speeds = made.random.normal(0, 4, (40, 2))

    def show(number: int) -> np.ndarray:
        plane = np.zeros_like(made.base)
        for x, y in ((places + number * speeds) % (310, 230)).astype(int):
            plane[y : y + 8, x : x + 8] = 200.0
        return plane

    spots = watch([made.picture() for _ in range(10)] + [made.picture(show(number)) for number in range(60)])
    assert appearances(spots) == []
    detector = Detector(TrackingSettings())
    for number in range(12):
        detector.step(made.picture(*[show(number)] * (number >= 10)), number * FRAME_S)
        assert detector.restless == (number >= 10)


def test_a_window_in_the_sun_is_no_light_and_hides_none(scene: Callable) -> None:
    """F06, with the sun there from the start and coming out later."""
    made = scene(640, 480)
    window = np.where(made.columns < 192, 255.0, 0.0)
    disc = made.disc(500, 240, 12)
    there = watch([made.picture(window) for _ in range(20)] + [made.picture(window, disc) for _ in range(5)])
    assert there[:20] == [None] * 20
    assert there[-1] is not None
    assert np.hypot(there[-1].x_px - 500, there[-1].y_px - 240) < 2
    pane = np.where((abs(made.columns - 300) < 60) & (abs(made.rows - 200) < 60), 235.0, 0.0)
    for shine in (window, pane):
        later = watch([made.picture() for _ in range(20)] + [made.picture(shine) for _ in range(30)])
        assert later == [None] * 50


def test_shining_things_that_were_there_are_ignored(scene: Callable) -> None:
    """F07: three fixed discs, 20 s; then a fourth that moves past them."""
    made = scene(320, 240)
    fixed = [made.disc(x, y, 5) for x, y in ((60, 60), (160, 120), (250, 200))]
    path = [(40 + 3 * step, 90) for step in range(60)]
    empty = [made.picture(*fixed) for _ in range(600)]
    moving = [made.picture(*fixed, made.disc(x, y, 5)) for x, y in path]
    spots = watch(empty + moving)
    assert spots[:600] == [None] * 600
    assert len(appearances(spots)) == 1
    found = np.array([(spot.x_px, spot.y_px) for spot in spots[600:] if spot])
    assert len(found) == 60
    assert np.abs(found - path).max() < 1


@pytest.mark.parametrize("apart_px", [120, 36])
def test_one_of_two_lights_is_held(scene: Callable, apart_px: int) -> None:
    """F09: brightness 250 and 255 change places in every frame."""
    made = scene(320, 240)
    other = 100 + apart_px
    pictures = [made.picture() for _ in range(10)]
    for number in range(150):
        levels = (230, 235) if number % 2 else (235, 230)
        pictures.append(made.picture(made.disc(100, 120, 6, levels[0]), made.disc(other, 120, 6, levels[1])))
    spots = watch(pictures)
    xs = np.array([spot.x_px for spot in spots if spot])
    assert len(xs) == 150
    assert len(appearances(spots)) == 1
    assert xs.std() < 3
    assert np.all(np.abs(xs - 100) < 3) or np.all(np.abs(xs - other) < 3)


def test_the_second_light_waits_until_the_first_is_gone(scene: Callable) -> None:
    made = scene(320, 240)
    one, two = made.disc(100, 120, 6), made.disc(220, 120, 6)
    both, second = [made.picture(one, two) for _ in range(10)], [made.picture(two) for _ in range(10)]
    spots = watch([made.picture() for _ in range(10)] + [made.picture(one) for _ in range(5)] + both + second)
    xs = [round(spot.x_px) if spot else None for spot in spots[10:]]
    assert xs[:15] == [100] * 15
    assert xs[15:17] == [None, None], "a gap of a frame is not the end of the first light"
    assert xs[-1] == 220


def test_light_that_comes_back_elsewhere_is_taken_at_once_and_never_at_the_corner(scene: Callable) -> None:
    """F10: it leaves at the right edge and comes in at the left after 0.2 s, 1 s and 5 s."""
    made = scene(320, 240)
    for gap_frames in (6, 30, 150):
        leaving = [made.picture(made.disc(x, 120, 6)) for x in range(250, 340, 6)]
        entering = [made.picture(made.disc(x, 120, 6)) for x in range(-12, 60, 6)]
        dark = [made.picture() for _ in range(gap_frames)]
        spots = watch([made.picture() for _ in range(10)] + leaving + dark + entering)
        assert all(spot.x_px + spot.y_px > 50 for spot in spots if spot)
        back = spots[10 + len(leaving) + gap_frames :]
        first = next(number for number, spot in enumerate(back) if spot)
        assert first <= 4, "taken as soon as the border no longer cuts it"
        assert back[first].x_px == pytest.approx(-12 + 6 * first, abs=0.5), "and not before"
        assert len(appearances(spots)) == 2


def test_empty_pictures_are_borne() -> None:
    assert watch([np.zeros((0, 0, 3), np.uint8), np.zeros((48, 64), np.uint8)] * 5) == [None] * 10


def test_steady_torch_stays_on_for_ten_minutes_while_the_daylight_changes(scene: Callable) -> None:
    made = scene(80, 60)
    disc = made.disc(41.3, 30.6, 4, 200.0)
    detector = Detector(TrackingSettings())
    for number in range(20):
        detector.step(made.picture(), number * FRAME_S)
    frames, frame_s, lost, worst = 6000, 0.1, 0, 0.0
    for number in range(frames):
        gain = 1.0 + 1.5 * number / frames
        spot = detector.step(made.picture(disc, gain=gain), 2 + number * frame_s)
        lost += spot is None
        if spot:
            worst = max(worst, abs(spot.x_px - 41.3), abs(spot.y_px - 30.6))
    assert lost == 0
    assert worst < 0.5
    after = [detector.step(made.picture(gain=2.5), 2 + (frames + n) * frame_s) for n in range(60)]
    assert after == [None] * 60, "where it was, nothing remains"


def test_light_is_kept_when_the_room_lamp_goes_on(scene: Callable) -> None:
    made = scene(160, 120)
    disc = made.disc(80, 60, 5)
    before = [made.picture() for _ in range(20)] + [made.picture(disc) for _ in range(10)]
    spots = watch(before + [made.picture(disc, gain=4.0) for _ in range(60)] + [made.picture(gain=4.0)] * 30)
    assert [spot is not None for spot in spots] == [False] * 20 + [True] * 70 + [False] * 30


@pytest.mark.parametrize("level", [20.0, 110.0])
def test_lamp_flicker_gives_no_light_and_costs_none(scene: Callable, level: float) -> None:
    """F12: 100 Hz lamps at 2 ms exposure and 30 frames a second."""
    made = scene(160, 120, level=level)

    def gain(number: int) -> float:
        times = number / 30 + np.linspace(0, 0.002, 50)
        return float(np.mean(np.sin(2 * np.pi * 50 * times) ** 2))

    empty = [made.picture(gain=gain(number)) for number in range(600)]
    assert watch(empty) == [None] * 600
    disc = made.disc(80, 60, 5)
    lit = [made.picture(disc, gain=gain(number)) for number in range(600, 900)]
    spots = watch(empty + lit)
    assert len(appearances(spots)) == 1
    assert sum(spot is not None for spot in spots[600:]) == 300


def test_a_show_of_dim_glyphs_is_no_light_and_a_torch_among_them_is_found(scene: Callable) -> None:
    """F08: 250 moving glyphs at 40 % of full brightness."""
    made = scene(640, 480, level=10)
    places = made.random.uniform((0, 0), (630, 470), (250, 2))
    speeds = made.random.normal(0, 2, (250, 2))
    glyph = made.random.uniform(0, 1, (9, 9)) > 0.5

    def show(number: int) -> np.ndarray:
        plane = np.zeros_like(made.base)
        for x, y in ((places + number * speeds) % (630, 470)).astype(int):
            plane[y : y + 9, x : x + 9] = 102.0 * glyph
        return plane

    shown = [made.picture(show(number)) for number in range(60)]
    assert appearances(watch(shown)) == []
    disc = made.disc(333.3, 222.2, 6, 245.0)
    lit = [made.picture(np.maximum(show(number), disc)) for number in range(60, 75)]
    spots = watch(shown + lit)[60:]
    assert len(appearances(spots)) == 1
    assert sum(spot is not None for spot in spots) == 15
    errors = [np.hypot(spot.x_px - 333.3, spot.y_px - 222.2) for spot in spots if spot]
    assert np.median(errors) < 2


def test_second_lights_are_counted_by_frame(scene: Callable) -> None:
    made = scene(320, 240)
    detector = Detector(TrackingSettings())
    one, two = made.disc(100, 120, 6), made.disc(220, 120, 6)
    for number in range(30):
        lights = [one, two][: (number >= 10) + (number >= 15)]
        detector.step(made.picture(*lights), number * FRAME_S)
    assert detector.ignored == 15
    assert not detector.restless
