"""What drawing costs: this display against one pyglet Sprite a bug, in turn within one run.

Times are those of the processor until the calls return (the graphics processor's part is not in them);
only ratios within one run say something on a machine that does other work too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from controller.studies.memory import resident_bytes
from display.canvas import Canvas, open_canvas
from display.picture import Beam, Rows
from display.settings import DisplaySettings

SIZE_PX = (1280, 720)
LIGHT: Beam = (640.0, 360.0, 220.0, 1.0)
GRAINS = 40
ROUNDS = 6
WARM_UP = 10
ATLAS_TEXELS = 96
FAR_PX = 50_000.0
Draw = Callable[[Rows], None]


def draw_cost(
    count: int, pictures: int, clock: Callable[[], float], rounds: int = ROUNDS
) -> dict[str, float]:
    """ms a picture of `count` bugs until the calls return, here and with sprites, and the ratio.

    Measured in rounds in turn, with bugs that move. `in_view` has all of the picture; a driver that draws
    in software does its share within the calls, for both alike. `host` has the same calls with everything
    moved out of view: what a machine with a graphics card pays. Medians.
    Raises display.errors.DisplayError where there is no OpenGL.
    """
    canvas = _canvas()
    each = max(1, pictures // rounds)
    times: dict[str, list[float]] = {name: [] for name in ("here", "sprites", "here_host", "sprites_host")}
    with SpriteWindow(canvas, count) as sprites:
        for turn in range(rounds):
            for name, shift_px in (("", 0.0), ("_host", FAR_PX)):
                rows = swarm(count, each + WARM_UP, turn, shift_px)
                draw = _drawn_here(canvas, shift_px)
                times["here" + name] += _timed(draw, canvas.flip, rows, clock)
                times["sprites" + name] += _timed(sprites.draw, sprites.flip, rows, clock)
    canvas.close()
    median = {name: float(np.median(found)) for name, found in times.items()}
    return {
        "bugs": count,
        "pictures": len(times["here"]),
        **{f"{name}_ms": found for name, found in median.items()},
        "here_p99_ms": float(np.percentile(times["here"], 99)),
        "times_cheaper_in_view": median["sprites"] / median["here"],
        "times_cheaper_host": median["sprites_host"] / median["here_host"],
    }


def _drawn_here(canvas: Canvas, shift_px: float) -> Draw:
    """A whole picture with beam and dust."""
    x_px, y_px, radius_px, strength = LIGHT
    beam = (x_px + shift_px, y_px, radius_px, strength)
    dust = np.full((GRAINS, 4), (x_px + shift_px, y_px, 3, 0.03), np.float32)
    return lambda rows: canvas.draw(rows, beam, dust)


def growth_of_memory(pictures: int, bugs: int) -> dict[str, float]:
    """Growth of resident memory over so many pictures with light and dust, after a tenth to warm up."""
    canvas = open_canvas(DisplaySettings(headless_width=320, headless_height=180), headless=True)
    dust = np.full((GRAINS, 4), (160, 90, 3, 0.03), np.float32)
    shown = swarm(bugs, 16, seed=1)
    warm_up = max(500, pictures // 10)
    before = 0
    for number in range(warm_up + pictures):
        if number == warm_up:
            before = resident_bytes()
        canvas.draw(shown[number % 16], (160.0, 90.0, 60.0, float(number % 2)), dust)
        canvas.flip()
    grown = resident_bytes() - before
    canvas.close()
    return {"pictures": pictures, "bugs": bugs, "grown_kib": grown / 1024}


def swarm(count: int, pictures: int, seed: int, shift_px: float = 0.0) -> npt.NDArray[np.float32]:
    """Rows of bugs that walk and turn: float32 (pictures, count, 5)."""
    random = np.random.default_rng(seed)
    rows = np.empty((pictures, count, 5), np.float32)
    start = random.uniform((0, 0, -3, 13, 0.3), (*SIZE_PX, 3, 25, 1), (count, 5))
    start[:, 0] += shift_px
    pace = random.normal(0, (2, 2, 0.1, 0, 0), (count, 5))
    for number in range(pictures):
        rows[number] = start + pace * number
    return rows


def _timed(
    draw: Draw, flip: Callable[[], None], rows: npt.NDArray[np.float32], clock: Callable[[], float]
) -> list[float]:
    """ms of each draw after the first few; the flip, which waits for the picture, is not counted."""
    lasted_ms = []
    for number, one in enumerate(rows):
        before_s = clock()
        draw(one)
        if number >= WARM_UP:
            lasted_ms.append((clock() - before_s) * 1e3)
        flip()
    return lasted_ms


def _canvas() -> Canvas:
    settings = DisplaySettings(headless_width=SIZE_PX[0], headless_height=SIZE_PX[1])
    return open_canvas(settings, headless=True)


class SpriteWindow:
    """The usual way with pyglet: a Batch with one Sprite a bug, each moved from Python in each picture."""

    def __init__(self, canvas: Canvas, count: int) -> None:
        from pyglet import gl
        from pyglet.graphics import Batch
        from pyglet.image import ImageData
        from pyglet.sprite import Sprite
        from pyglet.window import Window

        self._gl: Any = gl
        config_kind: Any = gl.Config
        config = config_kind(red_size=8, green_size=8, blue_size=8, major_version=3, minor_version=3)
        self._window = Window(*SIZE_PX, config=config)
        self._window.switch_to()
        level = next(mip for mip in canvas.glyph.mips if len(mip) == ATLAS_TEXELS)
        white = np.full((*level.shape, 4), 255, np.uint8)
        white[..., 3] = level[::-1]
        image = ImageData(ATLAS_TEXELS, ATLAS_TEXELS, "RGBA", white.tobytes()).get_texture()
        image.anchor_x, image.anchor_y = (round(part * ATLAS_TEXELS) for part in canvas.glyph.anchor_uv)
        self._em_texels = canvas.glyph.em_uv * ATLAS_TEXELS
        self._batch = Batch()
        self._sprites = [Sprite(image, batch=self._batch) for _ in range(count)]

    def draw(self, rows: Rows) -> None:
        """Move each sprite to its row and draw them all."""
        self._window.switch_to()
        self._window.clear()
        em_texels = self._em_texels
        for sprite, (x, y, angle, size, alpha) in zip(self._sprites, rows.tolist(), strict=True):
            sprite.update(x, SIZE_PX[1] - y, rotation=angle * 57.29578, scale=size / em_texels)
            sprite.opacity = int(alpha * 255)
        self._batch.draw()

    def flip(self) -> None:
        """Wait for the picture, as the canvas does without a screen."""
        self._gl.glFinish()
        self._window.flip()

    def __enter__(self) -> SpriteWindow:
        return self

    def __exit__(self, *_: object) -> None:
        self._window.close()


def figures(pictures: int, memory_pictures: int) -> dict[str, Any]:
    """All figures of `bench draw`; those of memory over `memory_pictures`, 0 for none."""
    clock = time.perf_counter
    return {
        "size_px": SIZE_PX,
        "against_sprites": [draw_cost(count, pictures, clock) for count in (250, 2000)],
        "many": _many(20_000, max(30, pictures // 10), clock),
        "memory": growth_of_memory(memory_pictures, 250) if memory_pictures else {},
    }


def _many(count: int, pictures: int, clock: Callable[[], float]) -> dict[str, float]:
    """A picture of very many bugs, here only: sprites would take minutes."""
    canvas = _canvas()
    dust = np.empty((0, 4), np.float32)
    times = _timed(
        lambda rows: canvas.draw(rows, LIGHT, dust), canvas.flip, swarm(count, pictures + WARM_UP, 1), clock
    )
    drawn = int(np.count_nonzero(canvas.read_pixels().any(axis=2)))
    canvas.close()
    middle, late = np.percentile(times, (50, 99))
    return {"bugs": count, "here_ms": float(middle), "here_p99_ms": float(late), "lit_px": drawn}
