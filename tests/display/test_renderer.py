"""Geometry, order and cost of the drawn picture, in px and counts."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from display.canvas import Canvas, open_canvas
from display.errors import DisplayError, DisplayLost
from display.picture import NO_BEAM, Beam, Dust, Pixels, Rows
from display.settings import DisplaySettings

NO_ROWS = np.empty((0, 5), np.float32)
NO_DUST = np.empty((0, 4), np.float32)
SIDE = 201
Headless = Callable[..., Canvas]


def rows_of(*rows: tuple[float, float, float, float, float]) -> Rows:
    return np.array(rows, np.float32).reshape(-1, 5)


def many_rows(count: int) -> Rows:
    rng = np.random.default_rng(1)
    rows = rng.uniform((0, 0, -9, 13, 0.3), (SIDE, SIDE, 9, 25, 1), (count, 5))
    return np.ascontiguousarray(rows, np.float32)


def picture(canvas: Canvas, rows: Rows, beam: Beam = NO_BEAM, dust: Dust | None = None) -> Pixels:
    canvas.draw(rows, beam, NO_DUST if dust is None else dust)
    return canvas.read_pixels()


def centroid(pixels: Pixels) -> tuple[float, float]:
    light = pixels[..., 0].astype(float)
    ys, xs = np.mgrid[: light.shape[0], : light.shape[1]] + 0.5
    return float((light * xs).sum() / light.sum()), float((light * ys).sum() / light.sum())


@pytest.mark.parametrize(("dx", "dy"), [(0.25, 0.0), (0.0, 0.25), (-0.4, 7.3)])
def test_glyph_follows_its_row_below_a_pixel(headless: Headless, dx: float, dy: float) -> None:
    canvas = headless(SIDE, SIDE)
    before = centroid(picture(canvas, rows_of((100, 100, 0.3, 24, 1))))
    after = centroid(picture(canvas, rows_of((100 + dx, 100 + dy, 0.3, 24, 1))))
    assert after[0] - before[0] == pytest.approx(dx, abs=0.03)
    assert after[1] - before[1] == pytest.approx(dy, abs=0.03)


def test_a_quarter_turn_is_clockwise_about_the_anchor(headless: Headless) -> None:
    canvas = headless(SIDE, SIDE)
    upright = picture(canvas, rows_of((SIDE / 2, SIDE / 2, 0, 60, 1))).astype(int)
    turned = picture(canvas, rows_of((SIDE / 2, SIDE / 2, math.pi / 2, 60, 1)))
    assert np.abs(np.rot90(upright, -1) - turned).max() <= 2
    assert np.abs(np.rot90(upright, 1) - turned).max() > 100


def test_em_size_is_in_px(headless: Headless) -> None:
    pixels = picture(headless(SIDE, SIDE), rows_of((100, 100, 0, 100, 1)))
    ys, xs = np.nonzero(pixels[..., 0] > 100)
    # The shipped outline spans 90..914 and -76..839 of 1000 units.
    assert np.ptp(xs) + 1 == pytest.approx(82.4, abs=2)
    assert np.ptp(ys) + 1 == pytest.approx(91.5, abs=2)


def test_scale_turns_picture_px_into_framebuffer_px(headless: Headless) -> None:
    halved = headless(SIDE - 1, SIDE - 1, scale=0.5)
    assert halved.size == (100, 100)
    assert halved.framebuffer_size == (200, 200)
    small = picture(
        halved, rows_of((50, 40, 1, 12, 0.9)), (30, 60, 40, 1), np.array([[20, 30, 4, 0.5]], np.float32)
    )
    plain = headless(SIDE - 1, SIDE - 1)
    same = picture(
        plain, rows_of((100, 80, 1, 24, 0.9)), (60, 120, 80, 1), np.array([[40, 60, 8, 0.5]], np.float32)
    )
    assert np.array_equal(small, same)


def test_alpha_and_source_over(headless: Headless) -> None:
    canvas = headless(SIDE, SIDE)
    half = (100.0, 100.0, 0.0, 150.0, 0.5)
    assert picture(canvas, rows_of(half)).max() == pytest.approx(245 / 2, abs=1)
    assert picture(canvas, rows_of(half, half)).max() == pytest.approx(245 * 0.75, abs=1)


def test_beam_strength_multiplies_the_light(headless: Headless) -> None:
    canvas = headless(SIDE, SIDE)
    full = picture(canvas, NO_ROWS, (100, 100, 50, 1.0))[100, 150].astype(float)
    half = picture(canvas, NO_ROWS, (100, 100, 50, 0.5))[100, 150]
    assert half == pytest.approx(full / 2, abs=1)
    assert picture(canvas, NO_ROWS, (100, 100, 50, 0.0)).max() == 0


def test_beam_ends_at_its_outer_radius(headless: Headless) -> None:
    pixels = picture(headless(SIDE, SIDE), NO_ROWS, (100.5, 100.5, 50, 1))
    ys, xs = np.nonzero(pixels.max(axis=2))
    assert np.hypot(xs - 100, ys - 100).max() <= 90


def test_dust_disc_has_its_area_and_colour(headless: Headless) -> None:
    disc = np.array([[100.3, 100.6, 20, 1]], np.float32)
    pixels = picture(headless(SIDE, SIDE), NO_ROWS, NO_BEAM, disc)
    assert tuple(pixels[100, 100]) == (255, 255, 245)
    assert pixels[..., 0].sum() / 255 == pytest.approx(math.pi * 10**2, rel=0.01)
    assert centroid(pixels) == pytest.approx((100.3, 100.6), abs=0.05)


def test_glyphs_cover_dust_and_dust_covers_the_beam(headless: Headless) -> None:
    canvas = headless(SIDE, SIDE)
    disc = np.array([[100, 100, 150, 1]], np.float32)
    pixels = picture(canvas, rows_of((100, 100, 0, 100, 1)), (100, 100, 50, 1), disc)
    assert {tuple(colour) for colour in pixels[60:140, 60:140].reshape(-1, 3)} >= {
        (245, 245, 245),
        (255, 255, 245),
    }


def test_fewer_rows_after_many_leave_nothing_behind(headless: Headless) -> None:
    canvas = headless(SIDE, SIDE)
    alone = picture(canvas, rows_of((60, 70, 0.4, 20, 1)))
    picture(canvas, many_rows(3000))
    assert np.array_equal(picture(canvas, rows_of((60, 70, 0.4, 20, 1))), alone)
    assert picture(canvas, NO_ROWS).max() == 0


def test_python_work_does_not_grow_with_the_bugs(headless: Headless) -> None:
    canvas = headless(SIDE, SIDE)

    def calls(count: int) -> int:
        rows = many_rows(count)
        canvas.draw(rows, NO_BEAM, NO_DUST)
        seen = 0

        def note(*_: object) -> None:
            nonlocal seen
            seen += 1

        sys.setprofile(note)
        try:
            canvas.draw(rows, NO_BEAM, NO_DUST)
        finally:
            sys.setprofile(None)
        return seen

    # Answers of the driver that happen to be ready cost some calls more.
    assert abs(calls(2000) - calls(10)) < 40


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((4, 4), np.float32),
        np.zeros((4, 5), np.float64),
        np.zeros((5, 4), np.float32).T,
        np.zeros(5, np.float32),
    ],
)
def test_other_arrays_are_refused(headless: Headless, rows: Rows) -> None:
    with pytest.raises(ValueError, match="rows: "):
        headless(SIDE, SIDE).draw(rows, NO_BEAM, NO_DUST)


def test_an_opengl_error_is_a_lost_display(headless: Headless) -> None:
    from pyglet import gl

    canvas = headless(SIDE, SIDE)
    gl.glEnable(0xFFFF)
    with pytest.raises(DisplayLost, match="invalid enum"):
        canvas.draw(NO_ROWS, NO_BEAM, NO_DUST)
    canvas.draw(NO_ROWS, NO_BEAM, NO_DUST)


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("void main() { light = 1; }", r"shader bad\.frag does not compile: .*light"),
        ("in float b; out vec4 c; void main() { c = vec4(b); }", r"shader bad does not link: .*\bb\b"),
    ],
)
def test_a_shader_that_the_driver_refuses_is_named_with_its_reason(
    headless: Headless, fragment: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from display import gpu

    headless(SIDE, SIDE).draw(NO_ROWS, NO_BEAM, NO_DUST)
    vertex = "out vec2 b; void main() { b = vec2(0); gl_Position = vec4(0); }"
    (tmp_path / "bad.vert").write_text(f"#version 330 core\n{vertex}")
    (tmp_path / "bad.frag").write_text(f"#version 330 core\n{fragment}")
    monkeypatch.setattr(gpu, "SHADERS", tmp_path)
    with pytest.raises(DisplayError, match=f"(?s){words}"):
        gpu.link("bad")


def test_colours_of_less_than_8_bits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("display.gpu.colour_bits", lambda: (5, 6, 5))
    with pytest.raises(DisplayError, match="24 bits"):
        open_canvas(DisplaySettings(headless_width=64, headless_height=64), headless=True)


def test_a_closed_canvas_says_so() -> None:
    canvas = open_canvas(DisplaySettings(headless_width=64, headless_height=48), headless=True)
    assert canvas.size == (64, 48)
    assert not canvas.vsync
    canvas.dispatch()
    canvas.draw(NO_ROWS, NO_BEAM, NO_DUST)
    canvas.flip()
    canvas.close()
    canvas.close()
    with pytest.raises(DisplayLost, match="closed"):
        canvas.draw(NO_ROWS, NO_BEAM, NO_DUST)


def test_a_process_draws_one_kind_only(headless: Headless) -> None:
    headless(SIDE, SIDE)
    with pytest.raises(DisplayError, match="already draws headless"):
        open_canvas(DisplaySettings())
