"""One picture from its parts: the scene or a pattern, lines of text, corner pin and brightness, blackout."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias

from pyglet import gl

from display.corners import UNMOVED, Corners, Matrix, to_picture
from display.finish import Finish
from display.gpu import Target, check_gl, read_pixels
from display.overlay import GreyImages, GreyTexture, TextBox, fill
from display.patterns import Pattern
from display.picture import Beam, Dust, Pixels, Rows
from display.readback import Readback
from display.renderer import Renderer
from display.text import Line

log = logging.getLogger(__name__)

# Three flashes a second, six changes, are the most that is safe for everybody (WCAG 2.3.1).
STEADY_S = 0.2

# A pattern, the picture's size in px, the screen's name and number.
Wanted: TypeAlias = tuple[Pattern, tuple[int, int], tuple[str, int]]


class Composer:
    """Holds what is shown besides the scene and draws all of it into the bound framebuffer."""

    def __init__(self, renderer: Renderer) -> None:
        self.blackout = False
        self.pattern: Pattern | None = None
        self.brightness = 1.0
        self.lines: Sequence[Line] | None = None
        self.patterns = PatternLayer(images := GreyImages())
        self.recorded = Readback()
        self._renderer, self._finish, self._text = renderer, Finish(), TextBox(images)
        self._corners: Corners = UNMOVED
        self._matrix: tuple[tuple[int, int], Matrix] | None = None
        self._stage: Target | None = None
        self._copy: Target | None = None
        self._record_mark: float | None = None
        self._time_s = 0.0
        self._told_text = False
        self._view: tuple[bool, Pattern | None] = (False, None)
        self._changed_s = -math.inf

    @property
    def corners(self) -> Corners:
        """Where the picture's corners go; FoldedPictureError for corners that make no picture."""
        return self._corners

    @corners.setter
    def corners(self, corners: Corners) -> None:
        to_picture(corners, (1, 1))
        self._corners, self._matrix = corners, None

    def to_picture(self, size_px: tuple[int, int]) -> Matrix:
        """The homography from px of the framebuffer to px of the unmoved picture."""
        if self._matrix is None or self._matrix[0] != size_px:
            self._matrix = size_px, to_picture(self._corners, size_px)
        return self._matrix[1]

    def record_next(self, mark: float) -> None:
        """Let the next picture be read back into `recorded`, as it is before corner pin and brightness."""
        self._record_mark = mark

    def draw(
        self,
        rows: Rows,
        beam: Beam,
        dust: Dust,
        size_px: tuple[int, int],
        time_s: float,
        screen: tuple[str, int] = ("", 0),
    ) -> None:
        """Draw one picture; patterns may tell the `screen`, its name and number.

        Raises ValueError for wrong arrays, DisplayLost when the driver reports an error.
        """
        self._renderer.load(rows, beam, dust)
        self._time_s = time_s
        self._change_view()
        if not self.patterns.prepare(self._view[1], size_px, screen):
            self.pattern, self._view = None, (self._view[0], None)
        self._set_text(size_px)
        self._draw(size_px)
        check_gl("drawing a picture")

    @property
    def dark(self) -> bool:
        """Whether the blackout is in view."""
        return self._view[0]

    def _change_view(self) -> None:
        """Bring blackout and pattern into view; quick changes wait, so that mashed keys cannot flash."""
        wanted = self.blackout, self.pattern
        if wanted != self._view and not 0 <= self._time_s - self._changed_s < STEADY_S:
            self._view, self._changed_s = wanted, self._time_s

    def read(self, size_px: tuple[int, int]) -> Pixels:
        """The last picture, drawn again into a buffer of our own: uint8 (height, width, 3), top row first.

        The window's own buffer is undefined after a flip and where another window covers it.
        """
        self._copy = Target(size_px) if self._copy is None else self._copy.fitting(size_px)
        with self._copy:
            self._draw(size_px)
            pixels = read_pixels(size_px)
        check_gl("reading the picture")
        return pixels

    def _set_text(self, size_px: tuple[int, int]) -> None:
        try:
            self._text.set(self.lines, size_px)
        except Exception:
            # Visitors get their picture whatever text meets.
            if not self._told_text:
                log.exception("text cannot be painted and is left out (told once)")
            self._told_text = True
            self.lines = None
            self._text.set(None, size_px)

    def close(self) -> None:
        """End the painting of patterns."""
        self.patterns.close()

    def _draw(self, size_px: tuple[int, int]) -> None:
        moved = self._corners != UNMOVED or self.brightness < 1.0
        if not moved and self._record_mark is None:
            self._paint(size_px)
            return
        self._stage = Target(size_px) if self._stage is None else self._stage.fitting(size_px)
        with self._stage:
            self._paint(size_px)
            if self._record_mark is not None:
                self.recorded.ask(size_px, self._record_mark)
                self._record_mark = None
        self._finish.draw(self._stage, self.to_picture(size_px), self.brightness)

    def _paint(self, size_px: tuple[int, int]) -> None:
        if self.dark:
            gl.glClearColor(0.0, 0.0, 0.0, 1.0)
            gl.glClear(gl.GL_COLOR_BUFFER_BIT)
            return
        if not self.patterns.paint(size_px, self._time_s):
            self._renderer.paint(size_px)
        self._text.paint(size_px)


class PatternLayer:
    """A test pattern in place of the scene; its image is painted in a thread, so that no picture waits."""

    def __init__(self, images: GreyImages) -> None:
        self._images, self._texture = images, GreyTexture()
        self._shown: Wanted | None = None
        self._asked: Wanted | None = None
        self._image: Future[Pixels] | None = None
        self._painters = ThreadPoolExecutor(1, "pattern")

    def prepare(self, pattern: Pattern | None, size_px: tuple[int, int], screen: tuple[str, int]) -> bool:
        """Ask for the image of the pattern, and take it over once it is painted; False when it cannot be."""
        if pattern is None:
            self._shown = self._asked = None
            return True
        wanted = (pattern, size_px, screen)
        if wanted not in (self._asked, self._shown):
            self._asked = wanted
            self._image = self._painters.submit(pattern.image, size_px, screen[0], screen[1])
        if self._asked == wanted and self._image is not None and self._image.done():
            return self._take(self._image, wanted)
        return True

    def _take(self, image: Future[Pixels], wanted: Wanted) -> bool:
        self._image = self._asked = None
        fault = image.exception()
        if fault is not None:
            log.error("the pattern %s cannot be painted: %s", wanted[0].name, fault)
            return False
        self._shown = wanted
        self._texture.reserve(wanted[1])
        self._texture.put(0, image.result())
        return True

    def paint(self, size_px: tuple[int, int], time_s: float) -> bool:
        """Draw the pattern; False when there is none to draw yet."""
        if self._shown is None or self._shown[1] != size_px:
            return False
        self._images.draw(self._texture.name, (0, 0, *size_px), size_px)
        fill(self._shown[0].fills(time_s, size_px), size_px)
        return True

    def close(self) -> None:
        """End the thread that paints."""
        self._painters.shutdown(wait=False, cancel_futures=True)
