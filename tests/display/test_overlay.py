"""The text box over the picture: what is painted when, and that it always says what it was told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from display.canvas import Canvas, open_canvas
from display.picture import NO_BEAM, Pixels, Rows
from display.settings import DisplaySettings
from display.text import Line

WIDTH, HEIGHT = 320, 200
NO_ROWS = np.empty((0, 5), np.float32)
NO_DUST = np.empty((0, 4), np.float32)
BUG = np.array([[160, 100, 0.4, 40, 1]], np.float32)


@pytest.fixture
def canvas() -> Iterator[Canvas]:
    opened = open_canvas(DisplaySettings(headless_width=WIDTH, headless_height=HEIGHT), headless=True)
    yield opened
    opened.close()


def shot(canvas: Canvas, rows: Rows = NO_ROWS) -> Pixels:
    canvas.draw(rows, NO_BEAM, NO_DUST)
    return canvas.read_pixels()


def settled(canvas: Canvas, lines: list[Line]) -> Pixels:
    """The picture some pictures after these lines were given."""
    canvas.lines = lines
    for _ in range(12):
        pixels = shot(canvas)
    return pixels


def test_lines_are_painted_a_few_each_picture_and_only_when_they_change(canvas: Canvas) -> None:
    lines = [Line(f"line {number}", selected=number == 3) for number in range(10)]
    canvas.lines = lines
    painted = []
    for _ in range(4):
        before = canvas._composer._text.painted_lines
        shot(canvas, BUG)
        painted.append(canvas._composer._text.painted_lines - before)
    assert painted == [4, 4, 2, 0]
    first = shot(canvas)
    canvas.lines = [*lines[:9], Line("line X")]
    changed = (shot(canvas) != first).any(axis=2)
    assert canvas._composer._text.painted_lines == 11
    assert changed.any()
    assert np.ptp(np.nonzero(changed)[0]) < 16, "one line of the smallest text is 16 px high"
    canvas.lines = None
    assert shot(canvas).max() == 0


def test_the_selected_line_is_inverted(canvas: Canvas) -> None:
    canvas.lines = [Line("one"), Line("two", selected=True)]
    pixels = shot(canvas)[..., 0]
    assert np.median(pixels[4:20, 7:30]) < 30
    assert np.median(pixels[20:36, 7:30]) > 200


def test_a_line_more_or_less_leaves_the_others_in_view(canvas: Canvas) -> None:
    lines = [Line(f"line {number}") for number in range(8)]
    canvas.lines = lines
    for _ in range(3):
        before = shot(canvas)
    for changed in ([*lines, Line("one more")], lines[:5], lines):
        canvas.lines = changed
        kept = min(len(changed), 5)
        # Lines of 16 px from 4 px below the top.
        rows = slice(4, 4 + 16 * kept)
        assert np.array_equal(shot(canvas)[rows], before[rows])


def test_text_that_cannot_be_painted_costs_no_picture(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Pixels:
        raise OSError("the font is gone")

    plain = shot(canvas, BUG)
    monkeypatch.setattr("display.overlay.paint_line", broken)
    for _ in range(3):
        canvas.lines = [Line("text")]
        assert np.array_equal(shot(canvas, BUG), plain)
    assert len(caplog.records) == 1
    assert "the font is gone" in caplog.text


def test_other_lines_replace_all_that_was_there_however_many(canvas: Canvas) -> None:
    """Four are painted a picture; the rest must come with the next ones, though no line is new by then."""
    one = [Line(f"line {number}") for number in range(10)]
    other = [Line(f"rest {number}") for number in range(10)]
    canvas.lines = None
    wanted = settled(canvas, other)
    for lines in (one, one[:3], [*one, Line("last")]):
        settled(canvas, lines)
        assert np.array_equal(settled(canvas, other), wanted)


def test_the_box_leaves_the_same_margin_at_both_sides_of_a_narrow_picture() -> None:
    opened = open_canvas(DisplaySettings(headless_width=200, headless_height=400), headless=True)
    pixels = settled(opened, [Line("a line that is much too long for a picture as narrow as this one")])
    columns = np.nonzero(pixels[..., 0].any(axis=0))[0]
    assert (columns.min(), columns.max()) == (4, 195)
    opened.close()
