"""Corner pin, brightness, blackout, text, patterns and read-back: real pixels of the headless canvas."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from display.canvas import Canvas, open_canvas
from display.corners import UNMOVED, Corners, FoldedPictureError, apply, to_picture
from display.events import PointerEvent
from display.patterns import Fill
from display.picture import NO_BEAM, Pixels, Rows
from display.settings import DisplaySettings
from display.text import Line

WIDTH, HEIGHT = 320, 200
NO_ROWS = np.empty((0, 5), np.float32)
NO_DUST = np.empty((0, 4), np.float32)
BUG = np.array([[160, 100, 0.4, 40, 1]], np.float32)
LIGHT = (160.0, 100.0, 60.0, 1.0)
# Each corner moved inwards by another amount, in shares of 320 x 200.
PINNED: Corners = (0.1, 0.05, -0.05, 0.1, -0.15, -0.2, 0.05, -0.1)


@dataclass(frozen=True)
class Plain:
    """A pattern of one level, with rectangles over it."""

    level: int
    over: tuple[Fill, ...] = ()
    name: str = "plain"
    title: dict[str, str] = field(default_factory=lambda: {"en": "plain", "ja": "無地"}, compare=False)
    warning: dict[str, str] | None = field(default=None, compare=False)

    def image(self, size_px: tuple[int, int], screen_name: str, screen_index: int) -> Pixels:
        return np.full(size_px[::-1], self.level, np.uint8)

    def fills(self, time_s: float, size_px: tuple[int, int]) -> list[Fill]:
        return list(self.over)


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def canvas(clock: Clock) -> Iterator[Canvas]:
    from display.headless import HeadlessSurface

    surface = HeadlessSurface(WIDTH, HEIGHT)
    opened = Canvas(surface, DisplaySettings(), clock)
    yield opened
    opened.close()


def shot(canvas: Canvas, rows: Rows = NO_ROWS, beam: Any = NO_BEAM, after_s: float = 0.25) -> Pixels:
    """The picture a quarter of a second later, when what was switched is in view."""
    canvas._now.now_s += after_s  # type: ignore[attr-defined]
    canvas.draw(rows, beam, NO_DUST)
    return canvas.read_pixels()


def with_pattern(canvas: Canvas, pattern: Any) -> Pixels:
    """The picture once the pattern has been painted in its thread."""
    canvas.pattern = pattern
    for _ in range(10_000):
        pixels = shot(canvas, BUG)
        if canvas.pattern is None or canvas._composer.patterns._shown is not None:
            return pixels
    raise AssertionError("the pattern never came")


def centroid(pixels: Pixels) -> tuple[float, float]:
    light = pixels[..., 0].astype(float)
    ys, xs = np.mgrid[: light.shape[0], : light.shape[1]] + 0.5
    return float((light * xs).sum() / light.sum()), float((light * ys).sum() / light.sum())


def test_the_four_corners_of_the_picture_go_where_they_are_pinned(canvas: Canvas) -> None:
    canvas.corners = PINNED
    pixels = with_pattern(canvas, Plain(200))
    lit = pixels[..., 0] > 100
    # 0.1 x 320 = 32 px and 0.05 x 200 = 10 px in from the top left, and so on.
    inside = np.array([(32, 10), (304, 20), (272, 160), (16, 180)], float)
    centre = inside.mean(axis=0)
    for corner in inside:
        towards = (centre - corner) / np.linalg.norm(centre - corner)
        x, y = corner + 3 * towards
        assert lit[int(y), int(x)]
        x, y = corner - 3 * towards
        assert not lit[int(y), int(x)]
    # The shoelace formula: twice the area of the pinned quadrangle.
    xs, ys = inside.T
    area = abs(np.dot(xs, np.roll(ys, -1)) - np.dot(ys, np.roll(xs, -1))) / 2
    assert lit.sum() == pytest.approx(area, rel=0.01)


def test_a_pinned_bug_stands_where_the_pointer_that_is_mapped_back_finds_it(canvas: Canvas) -> None:
    canvas.corners = PINNED
    x, y = centroid(shot(canvas, BUG))
    canvas._surface.events.put_pointer(PointerEvent("press", 0.0, x, y))
    (event,) = canvas.take_pointer()
    ideal = centroid_of_unmoved(canvas)
    assert (event.x, event.y) == pytest.approx(ideal, abs=0.7)
    assert abs(x - ideal[0]) > 5, "the pin must move the bug for this to say something"


def centroid_of_unmoved(canvas: Canvas) -> tuple[float, float]:
    before = canvas.corners
    canvas.corners = UNMOVED
    found = centroid(shot(canvas, BUG))
    canvas.corners = before
    return found


@pytest.mark.parametrize(("corners", "brightness"), [(UNMOVED, 1.0), (PINNED, 0.5)])
def test_a_recording_is_the_picture_byte_for_byte_neither_moved_nor_dimmed(
    canvas: Canvas, corners: Corners, brightness: float
) -> None:
    plain = shot(canvas, BUG, LIGHT)
    canvas.corners, canvas.brightness = corners, brightness
    canvas.record_next(1.0)
    for _ in range(5):
        canvas.draw(BUG, LIGHT, NO_DUST)
    recorded = canvas.take_recorded()
    assert recorded is not None
    assert np.array_equal(recorded[0], plain)
    assert recorded[1] == 1.0
    assert canvas.take_recorded() is None


@pytest.mark.parametrize("brightness", [0.05, 0.5, 0.99])
def test_brightness_multiplies_all_levels(canvas: Canvas, brightness: float) -> None:
    full = shot(canvas, BUG, LIGHT).astype(float)
    canvas.brightness = brightness
    dimmed = shot(canvas, BUG, LIGHT)
    assert np.abs(dimmed - full * brightness).max() <= 0.6


def test_blackout_is_black_with_text_and_pattern_and_all_comes_back(canvas: Canvas) -> None:
    before = shot(canvas, BUG, LIGHT)
    canvas.blackout = True
    canvas.lines = [Line("text")]
    assert shot(canvas, BUG, LIGHT).max() == 0
    canvas.blackout, canvas.lines = False, None
    assert np.array_equal(shot(canvas, BUG, LIGHT), before)


@pytest.mark.parametrize(
    "corners",
    [
        (0.6, 0, -0.6, 0, 0, 0, 0, 0),
        (1, 0, -1, 0, 0, 0, 0, 0),
        (0.9, 0.9, 0, 0, 0, 0, 0, 0),
        (0, 0, 0, 1, 0, 0, 0, 0),
        (float("nan"), 0, 0, 0, 0, 0, 0, 0),
    ],
)
def test_corners_that_fold_the_picture_are_refused_and_the_old_ones_stay(
    canvas: Canvas, corners: Corners
) -> None:
    canvas.corners = PINNED
    with pytest.raises(FoldedPictureError, match="fold"):
        canvas.corners = corners
    assert canvas.corners == PINNED


def test_the_homography_takes_each_moved_corner_home() -> None:
    matrix = to_picture(PINNED, (1920, 1080))
    for (x, y), (u, v) in zip(
        [(192, 54), (1824, 108), (1632, 864), (96, 972)],
        [(0, 0), (1920, 0), (1920, 1080), (0, 1080)],
        strict=True,
    ):
        assert apply(matrix, x, y) == pytest.approx((u, v), abs=1e-6)


def test_wherever_the_corners_may_go_the_middle_of_the_picture_is_seen(canvas: Canvas) -> None:
    """Random corners of the settings' whole range; those that are refused do not count."""
    random = np.random.default_rng(1)
    shown = 0
    with_pattern(canvas, Plain(200))
    for _ in range(400):
        corners = tuple(random.uniform(-0.4, 0.4, 8))
        try:
            canvas.corners = corners
        except FoldedPictureError:
            continue
        at = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) + np.reshape(corners, (4, 2))
        # The crossing of the diagonals is the picture's middle in every perspective.
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = at
        share = ((bx - ax) * (dy - by) - (by - ay) * (dx - bx)) / (
            (cx - ax) * (dy - by) - (cy - ay) * (dx - bx)
        )
        x, y = (at[0] + share * (at[2] - at[0])) * (WIDTH, HEIGHT)
        if 2 < x < WIDTH - 2 and 2 < y < HEIGHT - 2:
            shown += 1
            assert shot(canvas)[int(y), int(x), 0] == 200, corners
    assert shown > 200


def test_a_pattern_takes_the_place_of_the_scene_and_its_rectangles_are_sharp(canvas: Canvas) -> None:
    pixels = with_pattern(canvas, Plain(40, (Fill(10, 20, 30, 40, 255),)))
    assert set(np.unique(pixels)) == {40, 255}
    ys, xs = np.nonzero(pixels[..., 0] == 255)
    assert (xs.min(), xs.max(), ys.min(), ys.max()) == (10, 39, 20, 59)
    canvas.pattern = None
    assert shot(canvas, BUG).max() == 245


def test_a_pattern_that_cannot_be_painted_gives_the_scene_back(
    canvas: Canvas, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Plain):
        def image(self, *_: Any) -> Pixels:
            raise ValueError("no room")

    with caplog.at_level(logging.ERROR):
        pixels = with_pattern(canvas, Broken(7))
    assert pixels.max() == 245
    assert "no room" in caplog.text


def minutes(canvas: Canvas, clock: Clock, count: int, rows: Rows = BUG) -> None:
    for _ in range(count * 6):
        canvas.draw(rows, NO_BEAM, NO_DUST)
        canvas.flip()
        clock.now_s += 10.0


def test_a_picture_that_is_black_by_fault_is_found_within_a_minute(
    canvas: Canvas, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes(canvas, clock, 2)
    assert not canvas.black
    assert canvas._detector.looks == 2
    with monkeypatch.context() as patch:
        patch.setattr(canvas._composer._renderer, "paint", lambda size_px: None)
        from pyglet import gl

        gl.glClearColor(0, 0, 0, 1)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        minutes(canvas, clock, 2)
        assert canvas.black
    minutes(canvas, clock, 2)
    assert not canvas.black


def test_a_picture_that_may_be_black_is_not_suspected(canvas: Canvas, clock: Clock) -> None:
    minutes(canvas, clock, 2, NO_ROWS)
    canvas.blackout = True
    minutes(canvas, clock, 2)
    assert canvas._detector.looks == 0
    assert not canvas.black


def test_settings_move_and_dim_from_the_start() -> None:
    settings = DisplaySettings(headless_width=WIDTH, headless_height=HEIGHT, brightness=0.5)
    settings.corners.top_left_x = 0.1
    opened = open_canvas(settings, headless=True)
    assert opened.brightness == 0.5
    assert opened.corners == (0.1, 0, 0, 0, 0, 0, 0, 0)
    opened.close()


def test_the_number_of_the_screen_follows_the_window_to_another_one(canvas: Canvas) -> None:
    from display.patterns import PATTERNS

    canvas.pattern = next(one for one in PATTERNS if one.name == "number")
    shots = []
    for name, index in (("LEFT", 0), ("RIGHT", 3)):
        canvas._surface.name, canvas._surface.index = name, index
        wanted = (canvas.pattern, (WIDTH, HEIGHT), (name, index))
        for _ in range(10_000):
            pixels = shot(canvas)
            if canvas._composer.patterns._shown == wanted:
                break
        shots.append(pixels)
    assert not np.array_equal(*shots)


def test_a_black_picture_is_told_when_it_comes_and_when_it_goes(
    canvas: Canvas, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with monkeypatch.context() as patch:
        patch.setattr(canvas._composer._renderer, "paint", lambda size_px: None)
        canvas._composer.blackout = True
        canvas.draw(BUG, NO_BEAM, NO_DUST)
        canvas._composer.blackout = False
        minutes(canvas, clock, 3)
    minutes(canvas, clock, 3)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


def test_a_visitor_who_presses_quickly_makes_no_flash(canvas: Canvas) -> None:
    """WCAG 2.3.1: a general flash changes 10 % of relative luminance on 21,824 px of a usual screen."""
    surface = open_canvas(DisplaySettings(headless_width=1280, headless_height=720), headless=True)
    surface.draw(NO_ROWS, (640.0, 360.0, 220.0, 1.0), NO_DUST)
    levels = surface.read_pixels() / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    assert (luminance >= 0.1).sum() < 21_824 / 10
    surface.close()


@pytest.mark.parametrize("switched", ["blackout", "pattern"])
def test_keys_that_are_mashed_change_the_picture_five_times_a_second_at_most(
    canvas: Canvas, switched: str
) -> None:
    """60 switches a second for 3 s, then rest: what was wished last is in view."""
    white = Plain(255)
    with_pattern(canvas, white)
    canvas.pattern = None
    assert shot(canvas, BUG).mean() < 100
    lit = []
    for tick in range(180):
        canvas.pattern = white if switched == "blackout" or tick % 2 else None
        canvas.blackout = switched == "blackout" and tick % 2 == 1
        lit.append(shot(canvas, BUG, after_s=1 / 60).mean() > 100)
    changes = np.flatnonzero(np.diff(lit))
    assert 3 < len(changes) <= 15
    assert np.diff(changes).min() >= 11, "11 ticks are 0.18 s"
    canvas.blackout, canvas.pattern = False, None
    assert shot(canvas, BUG).max() == 245
    assert shot(canvas, BUG).mean() < 100
