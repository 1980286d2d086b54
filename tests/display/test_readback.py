"""Read-back of pixels: the format that drivers give without converting, and pictures that are refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from display.blackness import BlackDetector
from display.canvas import open_canvas
from display.settings import DisplaySettings

SIZE = (31, 17)


@pytest.fixture
def readback() -> Iterator[ModuleType]:
    """The module, with a current context; imported late, after pyglet was told that there is no window."""
    canvas = open_canvas(DisplaySettings(headless_width=64, headless_height=48), headless=True)
    from display import readback

    yield readback
    canvas.close()


def cleared(*colour: float) -> Any:
    """A framebuffer of one colour; bound within `with`."""
    from pyglet import gl

    from display.gpu import Target

    with (target := Target(SIZE)):
        gl.glClearColor(*colour)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    return target


def test_pixels_are_read_four_bytes_each_and_come_without_alpha(
    readback: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three bytes a pixel are converted by many drivers on the spot, and the picture waits for it."""
    formats: list[Any] = []
    gl = readback.gl
    read = gl.glReadPixels

    def noting(*arguments: Any) -> None:
        formats.append(arguments[4])
        read(*arguments)

    monkeypatch.setattr(gl, "glReadPixels", noting)
    answers = readback.Readback()
    with cleared(1.0, 0.6, 0.2, 1.0):
        assert answers.ask(SIZE, 5.0)
    found = answers.fetch(wait=True)
    assert found is not None
    assert formats == [gl.GL_RGBA]
    assert found[1] == 5.0
    assert np.array_equal(found[0], np.broadcast_to(np.array([255, 153, 51], np.uint8), (17, 31, 3)))


def test_an_opaque_black_picture_is_black_to_the_detector(readback: ModuleType) -> None:
    answers, detector = readback.Readback(), BlackDetector()
    for level, black in ((0.0, True), (0.1, False)):
        with cleared(level, 0.0, 0.0, 1.0):
            answers.ask(SIZE, 0.0)
        found = answers.fetch(wait=True)
        assert found is not None
        detector.judge(found[0])
        assert detector.black is black


def test_too_many_questions_are_refused_and_asked_again_later(readback: ModuleType) -> None:
    answers = readback.Readback()
    with cleared(0.0, 0.0, 0.0, 1.0):
        given = [answers.ask(SIZE, n) for n in range(readback.MOST_WAITING + 1)]
        assert given == [True] * readback.MOST_WAITING + [False]
        assert answers.fetch(wait=True) is not None
        assert answers.ask(SIZE, 99.0)


def test_the_time_of_the_graphics_processor_is_told_some_pictures_later() -> None:
    canvas = open_canvas(DisplaySettings(headless_width=64, headless_height=48), headless=True)
    rows, dust = np.array([[30, 20, 0, 20, 1]], np.float32), np.empty((0, 4), np.float32)
    assert canvas.gpu_time_s is None
    before_s = time.perf_counter()
    told = []
    for _ in range(40):
        canvas.draw(rows, (30.0, 20.0, 20.0, 1.0), dust)
        canvas.flip()
        told.append(canvas.gpu_time_s)
    lasted_s = time.perf_counter() - before_s
    found = [one for one in told if one is not None]
    assert len(found) > 20
    assert all(0 < one < lasted_s for one in found)
    canvas.close()


def test_an_answer_longer_than_the_time_since_it_was_asked_is_none(readback: ModuleType) -> None:
    """The first answer of Mesa's software driver is the time since the machine was started."""
    from pyglet import gl

    now_s = [100.0]
    clock = readback.GpuClock(lambda: now_s[0])
    for _ in range(12):
        with clock:
            gl.glClear(gl.GL_COLOR_BUFFER_BIT)
            gl.glFinish()
    assert clock.last_s is None, "no time has passed, so nothing can have lasted"
    for _ in range(12):
        now_s[0] += 50.0
        with clock:
            gl.glClear(gl.GL_COLOR_BUFFER_BIT)
            gl.glFinish()
    assert clock.last_s is not None
    assert clock.last_s < 50.0
