"""The pointer on a picture that is moved by its corners, through the real mouse light."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from controller.inputs.mouse import MouseSource
from display.canvas import Canvas, open_canvas
from display.corners import Corners, FoldedPictureError, apply, held_in, to_picture
from display.events import PointerEvent, PointerKind
from display.settings import DisplaySettings

WIDTH, HEIGHT = 320, 200
UNIT = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
# The top left corner 96 px in and 40 px down.
CORNERS: Corners = (0.3, 0.2, 0, 0, 0, 0, 0, 0)


@pytest.fixture
def canvas() -> Iterator[Canvas]:
    opened = open_canvas(DisplaySettings(headless_width=WIDTH, headless_height=HEIGHT), headless=True)
    opened.corners = CORNERS
    yield opened
    opened.close()


def put(canvas: Canvas, kind: PointerKind, x: float, y: float) -> None:
    canvas._surface.events.put_pointer(PointerEvent(kind, 0.0, x, y))


def test_a_light_drawn_out_of_the_picture_stays_at_its_edge_until_it_is_let_go(canvas: Canvas) -> None:
    mouse = MouseSource(canvas.take_pointer, lambda: 0.0)
    put(canvas, "press", 200, 150)
    inside = mouse.poll(1)
    assert (inside.on, 0 < inside.x < WIDTH) == (True, True)
    put(canvas, "move", 5, 150)
    edge = mouse.poll(2)
    assert (edge.on, edge.x) == (True, pytest.approx(0.0, abs=1e-6))
    assert edge.y == pytest.approx(150, abs=15)
    put(canvas, "release", 5, 5)
    assert not mouse.poll(3).on


def test_a_press_beside_the_picture_is_none_also_when_the_pointer_comes_in(canvas: Canvas) -> None:
    mouse = MouseSource(canvas.take_pointer, lambda: 0.0)
    for kind, x, y in (("press", 5, 5), ("move", 60, 60), ("move", 200, 150), ("release", 200, 150)):
        put(canvas, kind, x, y)  # type: ignore[arg-type]
        assert not mouse.poll(1).on
    put(canvas, "press", 200, 150)
    assert mouse.poll(2).on


def test_every_pointer_is_held_in_at_the_nearest_point_of_the_picture_on_the_wall() -> None:
    """Random corners of the settings' whole range; compared with points along all four sides."""
    random = np.random.default_rng(2)
    tried = 0
    while tried < 200:
        corners = tuple(random.uniform(-0.4, 0.4, 8))
        try:
            matrix = to_picture(corners, (WIDTH, HEIGHT))
        except FoldedPictureError:
            continue
        tried += 1
        x, y = random.uniform((-50, -50), (WIDTH + 50, HEIGHT + 50))
        held = held_in(corners, (WIDTH, HEIGHT), x, y)
        assert apply(matrix, *held)[0] == pytest.approx(np.clip(apply(matrix, *held)[0], 0, WIDTH), abs=0.01)
        assert apply(matrix, *held)[1] == pytest.approx(np.clip(apply(matrix, *held)[1], 0, HEIGHT), abs=0.01)
        at = (UNIT + np.reshape(corners, (4, 2))) * (WIDTH, HEIGHT)
        sides = np.linspace(at, np.roll(at, -1, axis=0), 400).reshape(-1, 2)
        if held != (x, y):
            nearest = np.hypot(*(sides - (x, y)).T).min()
            assert np.hypot(held[0] - x, held[1] - y) == pytest.approx(nearest, abs=1.0)
