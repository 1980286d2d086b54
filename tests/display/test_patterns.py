"""Test patterns: exact to the pixel at any size, gentle to the eyes, and drawn as they are by the canvas."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from display.canvas import Canvas
from display.pattern_motion import bar_speed_px_per_s, patch_is_lit, patches
from display.pattern_parts import Fill, Pattern, Size, black
from display.patterns import PATTERNS
from display.picture import NO_BEAM, Pixels
from display.text import drawable

BY_NAME = {pattern.name: pattern for pattern in PATTERNS}
SIZES = [(1280, 720), (1080, 1920), (1023, 767), (640, 480), (33, 17), (16, 16), (1, 1)]
PICTURES_PER_S = 60
# WCAG 2.3.1: a flash is a pair of opposing changes of 10 % relative luminance, the darker below 0.8.
FLASH_CHANGE, FLASH_DARK, FLASHES_PER_S = 0.1, 0.8, 3


def seen(pattern: Pattern, time_s: float, size_px: Size, screen: str = "headless", number: int = 0) -> Pixels:
    """The picture at a time, image and fills."""
    image = pattern.image(size_px, screen, number).copy()
    for fill in pattern.fills(time_s, size_px):
        image[fill.y : fill.y + fill.height, fill.x : fill.x + fill.width] = fill.level
    return image


def test_all_that_is_needed_is_there_once() -> None:
    assert {"border", "grid", "cross", "steps", "number", "bar", "patch", "charuco"} == BY_NAME.keys()
    assert len(BY_NAME) == len(PATTERNS)


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_any_size_is_filled_with_whole_pixels(pattern: Pattern, size_px: Size) -> None:
    image = pattern.image(size_px, "虫 HDMI-1", 3)
    assert image.shape == size_px[::-1]
    assert image.dtype == np.uint8
    for time_s in (0.0, 0.3, 0.999, 7.77, 86_400.4):
        for fill in pattern.fills(time_s, size_px):
            assert all(isinstance(value, int) for value in fill)
            assert fill.x >= 0
            assert fill.y >= 0
            assert fill.width > 0
            assert fill.height > 0
            assert fill.x + fill.width <= size_px[0]
            assert fill.y + fill.height <= size_px[1]
            assert 0 <= fill.level <= 255
    if max(size_px) > 1:
        assert seen(pattern, 0.0, size_px).any() or (pattern.name == "charuco" and min(size_px) < 28)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_patterns_have_titles_in_both_languages(pattern: Pattern) -> None:
    for language in ("en", "ja"):
        heading = pattern.heading(language)
        assert heading.startswith(pattern.title[language])
        assert "?" not in drawable(heading)
    assert ("ja" in pattern.warning) == ("en" in pattern.warning)


@pytest.mark.parametrize("size_px", SIZES[:5])
def test_the_border_is_the_outermost_pixel_of_every_edge(size_px: Size) -> None:
    image = BY_NAME["border"].image(size_px)
    for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
        assert edge.min() == 255
    # Between the corner marks the border is one px thin.
    width, height = size_px
    assert image[1, width // 2] == image[-2, width // 2] == 0
    assert image[height // 2, 1] == image[height // 2, -2] == 0


def test_corner_marks_are_alike_and_numbered() -> None:
    image = BY_NAME["border"].image((1280, 720))
    mark = image[:90, :4]
    assert mark.min() == 255
    for turned in (image[::-1], image[:, ::-1], image[::-1, ::-1]):
        assert np.array_equal(turned[:5, :90], image[:5, :90])
    corners = [image[60:120, x : x + 40] for x in (70, 1170)] + [
        image[600:660, x : x + 40] for x in (1170, 70)
    ]
    assert all(corner.max() >= 120 for corner in corners)
    assert len({corner.tobytes() for corner in corners}) == 4


def test_grid_lines_lie_at_every_hundredth_pixel_and_are_named() -> None:
    image = BY_NAME["grid"].image((1280, 720))
    assert list(np.nonzero(image.min(axis=0))[0]) == list(range(0, 1280, 100))
    assert list(np.nonzero(image.min(axis=1))[0]) == list(range(0, 720, 100))
    assert image[50, 500] > image[50, 400]
    names = [image[y + 1 : y + 21, x + 1 : x + 79] for y in range(0, 700, 100) for x in range(0, 1280, 100)]
    assert all(name.any() for name in names)
    assert len({name.tobytes() for name in names}) == len(names)


@pytest.mark.parametrize("size_px", [(1280, 720), (1080, 1920), (1023, 767), (640, 481)])
def test_the_cross_is_in_the_middle_and_circles_touch_the_edges(size_px: Size) -> None:
    image = BY_NAME["cross"].image(size_px)
    assert np.array_equal(image, image[::-1])
    assert np.array_equal(image, image[:, ::-1])
    width, height = size_px
    assert list(np.nonzero(image.min(axis=0) == 255)[0]) == sorted({(width - 1) // 2, width // 2})
    assert list(np.nonzero(image.min(axis=1) == 255)[0]) == sorted({(height - 1) // 2, height // 2})
    ys, xs = np.nonzero(image == 128)
    radii = np.hypot(xs - (width - 1) / 2, ys - (height - 1) / 2)
    wanted = np.array([0.125, 0.25, 0.375, 0.5]) * min(size_px) - 0.5
    off = np.abs(radii[:, None] - wanted).min(axis=1)
    assert off.max() <= 0.75
    # The outer circle reaches the nearer edges: its px touch the first and last row or column.
    assert min(xs.min(), ys.min()) == 0


@pytest.mark.parametrize("size_px", [(1280, 720), (1080, 1920), (640, 480)])
def test_steps_have_exact_levels_side_by_side(size_px: Size) -> None:
    image = BY_NAME["steps"].image(size_px)
    turned = image.T if size_px[1] > size_px[0] else image
    for line, levels in ((turned[3], range(0, 256, 51)), (turned[-3], range(17))):
        starts = np.concatenate([[0], np.nonzero(np.diff(line.astype(int)))[0] + 1, [len(line)]])
        found = [int(line[start]) for start in starts[:-1]]
        assert set(levels) <= set(found)
        assert found == sorted(found)
        assert len(found) in (11, 17)
        assert np.ptp(np.diff(starts)) <= 1


def test_the_number_of_the_screen_fills_the_picture() -> None:
    images = [BY_NAME["number"].image((1280, 720), "HDMI-1", index) for index in (0, 1, 10)]
    assert len({image.tobytes() for image in images}) == 3
    assert not np.array_equal(images[0], BY_NAME["number"].image((1280, 720), "DP-2", 0))
    for image in images:
        rows = np.nonzero((image == 255).any(axis=1))[0]
        assert np.ptp(rows) > 720 / 2
        assert not image[:, [0, -1]].any()


@pytest.mark.parametrize("length_px", [16, 100, 119, 120, 179, 640, 1280, 1920, 3840])
def test_the_bar_crosses_in_about_two_seconds_by_equal_steps(length_px: int) -> None:
    speed = bar_speed_px_per_s(length_px)
    assert 1.4 < length_px / speed < 3.1
    step = speed / PICTURES_PER_S
    assert step == pytest.approx(round(step)) or 1 / step == pytest.approx(round(1 / step))


def test_the_bars_move_the_same_way_each_picture() -> None:
    size_px = (1280, 720)
    lefts, tops = [], []
    for picture in range(240):
        image = seen(BY_NAME["bar"], picture / PICTURES_PER_S, size_px)
        upright, level = (image == 255).all(axis=0), (image >= 128).all(axis=1)
        assert upright.sum() == 53
        assert level.sum() == 30
        lefts.append(int(np.nonzero(upright & ~np.roll(upright, 1))[0][0]))
        tops.append(int(np.nonzero(level & ~np.roll(level, 1))[0][0]))
    assert set(np.diff(lefts) % 1280) == {11}
    assert set(np.diff(tops) % 720) == {6}


def test_patches_turn_white_at_whole_seconds_for_half_a_second() -> None:
    assert [patch_is_lit(time_s) for time_s in (0, 0.49, 0.5, 0.99, 1.0, 1.51, 7200.25)] == [
        True, True, False, False, True, False, True,
    ]  # fmt: skip
    size_px = (1280, 720)
    lit, dark = (seen(BY_NAME["patch"], time_s, size_px) for time_s in (3.0, 3.5))
    places = patches(size_px)
    assert [(place.x, place.y) for place in places] == [(0, 0), (568, 288), (1136, 576)]
    changed = black(size_px)
    for x, y, width, height, _ in places:
        assert width == height == 144
        assert lit[y : y + height, x : x + width].min() == 255
        assert dark[y : y + height, x : x + width].max() == 0
        changed[y : y + height, x : x + width] = 1
    assert np.array_equal(lit != dark, changed == 1)


def luminances(pattern: Pattern, size_px: Size, seconds: float) -> Iterator[np.ndarray]:
    image = pattern.image(size_px, "HDMI-1", 1)
    for picture in range(int(seconds * PICTURES_PER_S)):
        shown = image.copy()
        for x, y, width, height, level in pattern.fills(picture / PICTURES_PER_S, size_px):
            shown[y : y + height, x : x + width] = level
        share = shown / 255
        yield np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def worst_flashes_per_s(pattern: Pattern, size_px: Size, seconds: float = 4.0) -> float:
    """The most flashes that any px has in any second: pairs of opposing changes, by WCAG's measure."""
    extreme = None
    turns = []
    for now in luminances(pattern, size_px, seconds):
        if extreme is None:
            extreme, direction = now.copy(), np.zeros(now.shape, np.int8)
        change = now - extreme
        large = (np.abs(change) >= FLASH_CHANGE) & (np.minimum(now, extreme) < FLASH_DARK)
        turned = large & (np.sign(change) != direction)
        onwards = np.sign(change) == direction
        extreme = np.where(turned | onwards, now, extreme)
        direction = np.where(turned, np.sign(change), direction).astype(np.int8)
        turns.append(turned)
    counts = np.array(turns, np.int16).cumsum(axis=0)
    in_a_second = counts[PICTURES_PER_S:] - counts[:-PICTURES_PER_S]
    return float(in_a_second.max()) / 2


@pytest.mark.parametrize("size_px", [(160, 90), (16, 16)])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_nothing_flashes_more_than_three_times_a_second(pattern: Pattern, size_px: Size) -> None:
    flashes = worst_flashes_per_s(pattern, size_px)
    assert flashes <= FLASHES_PER_S
    assert (flashes > 0) == bool(pattern.warning)


def test_faster_flashing_would_be_counted() -> None:
    def blink(time_s: float, size_px: Size) -> list[Fill]:
        return [Fill(0, 0, 8, 8, 255)] if time_s % 0.25 < 0.124 else []

    blinking = Pattern("blink", {"en": "Blink"}, lambda size_px, name, index: black(size_px), blink)
    assert worst_flashes_per_s(blinking, (16, 16)) == pytest.approx(4, abs=0.5)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_the_canvas_shows_each_pattern_to_the_pixel(
    headless: Callable[..., Canvas], pattern: Pattern
) -> None:
    size_px = (321, 203)
    canvas = headless(*size_px)
    pixels = shown(canvas, pattern)
    assert np.array_equal(pixels, np.repeat(pixels[..., :1], 3, axis=2))
    grey = pixels[..., 0]
    if pattern.name == "bar":
        assert (grey == 255).all(axis=0).sum() == round(size_px[0] / 24)
        return
    states = [seen(pattern, time_s, size_px, canvas.name) for time_s in (0.0, 0.5)]
    assert any(np.array_equal(grey, state) for state in states)


def shown(canvas: Canvas, pattern: Pattern) -> Pixels:
    """What the canvas shows once the pattern is painted, which it does beside the pictures."""
    for wanted in (None, pattern):
        canvas.pattern = wanted
        for _ in range(500):
            canvas.draw(np.empty((0, 5), np.float32), NO_BEAM, np.empty((0, 4), np.float32))
            pixels = canvas.read_pixels()
            if pixels.any() == (wanted is not None):
                break
            time.sleep(0.01)
    canvas.pattern = None
    return pixels
