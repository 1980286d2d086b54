"""Grey images over the picture: test patterns and the lines of the panel, one texel a pixel."""

from __future__ import annotations

from collections.abc import Sequence

from pyglet import gl

from display.gpu import link, new_name, set_filter, uniform
from display.patterns import Fill
from display.picture import Pixels
from display.text import Line, columns_px, line_height_px, paint_line

# The rest of many new lines comes with the next pictures, so that none of them waits for text.
MOST_PAINTED_LINES = 4
MARGIN_SHARE = 0.02
# The width in line heights: a step of it, and the most, which leaves the light and its bugs in view.
WIDTH_STEP_LINES, WIDEST_LINES = 8, 32
# Room that is there from the start, so that another number of lines changes nothing else.
ROOM_LINES = 48


class GreyImages:
    """The program that draws grey images; shared by all layers of one context."""

    def __init__(self) -> None:
        self._program = link("grey")
        self._place, self._view = uniform(self._program, "place"), uniform(self._program, "view")
        self._quad = new_name(gl.glGenVertexArrays)

    def draw(self, texture: int, place: tuple[int, int, int, int], size_px: tuple[int, int]) -> None:
        """Draw a texture at (x, y, width, height) px of the framebuffer, opaque."""
        gl.glViewport(0, 0, *size_px)
        gl.glDisable(gl.GL_BLEND)
        gl.glUseProgram(self._program)
        gl.glUniform4f(self._place, *place)
        gl.glUniform2f(self._view, *size_px)
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture)
        gl.glBindVertexArray(self._quad)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)


class GreyTexture:
    """One grey image in the graphics memory."""

    def __init__(self) -> None:
        self.size_px = (0, 0)
        self.name = new_name(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.name)
        set_filter(gl.GL_NEAREST)

    def reserve(self, size_px: tuple[int, int]) -> None:
        """Make room for an image of (width, height); what it shows until then is undefined."""
        self.size_px = size_px
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.name)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_R8, *size_px, 0, gl.GL_RED, gl.GL_UNSIGNED_BYTE, None)

    def put(self, y_px: int, pixels: Pixels) -> None:
        """Replace the rows from `y_px` by uint8 (height, width)."""
        height, width = pixels.shape
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.name)
        gl.glTexSubImage2D(
            gl.GL_TEXTURE_2D, 0, 0, y_px, width, height, gl.GL_RED, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data
        )


class TextBox:
    """Lines of text at the upper left; only lines that changed are painted anew, a few each picture."""

    def __init__(self, images: GreyImages) -> None:
        self._images, self._texture = images, GreyTexture()
        self._painted: list[Line | None] = []
        self._whole = True
        self._lines: Sequence[Line] | None = None
        self._size_px = (0, 0)
        self._line_px = self._width_px = 0
        self.painted_lines = 0

    def set(self, lines: Sequence[Line] | None, size_px: tuple[int, int]) -> None:
        """Show these lines on a picture of `size_px`; None hides the box."""
        if lines is self._lines and size_px == self._size_px and self._whole:
            return
        self._lines, self._size_px = lines, size_px
        if lines is None:
            self._painted, self._whole = [], True
            return
        line_px = line_height_px(size_px[1])
        # In wide steps, so that a figure with one more digit does not have all lines painted anew.
        step_px = WIDTH_STEP_LINES * line_px
        width_px = -(-columns_px(lines, line_px) // step_px) * step_px
        room_px = size_px[0] - 2 * round(size_px[0] * MARGIN_SHARE)
        width_px = min(width_px, room_px, WIDEST_LINES * line_px)
        box_px = (
            max(width_px, self._width_px if self._painted else 0),
            line_px * max(len(lines), ROOM_LINES),
        )
        if not self._painted or self._line_px != line_px or self._texture.size_px != box_px:
            self._painted = []
            self._width_px, self._line_px = box_px[0], line_px
            self._texture.reserve(box_px)
        # Lines that stay where they were stay in view while others come or go.
        self._painted = [*self._painted[: len(lines)], *[None] * (len(lines) - len(self._painted))]
        self._whole = self._paint_changed(lines)

    def _paint_changed(self, lines: Sequence[Line]) -> bool:
        """Paint some of the lines that changed; True when none is left."""
        left = MOST_PAINTED_LINES
        for place, line in enumerate(lines):
            if line == self._painted[place]:
                continue
            if not left:
                return False
            left -= 1
            pixels = paint_line(line, self._width_px, self._line_px)
            self._texture.put(place * self._line_px, pixels)
            self._painted[place] = line
            self.painted_lines += 1
        return True

    def paint(self, size_px: tuple[int, int]) -> None:
        """Draw what is painted so far."""
        ready = self._painted.index(None) if None in self._painted else len(self._painted)
        if ready:
            x, y = round(size_px[0] * MARGIN_SHARE), round(size_px[1] * MARGIN_SHARE)
            height = ready * self._line_px
            self._images.draw(self._texture.name, (x, y, self._width_px, height), size_px)


def fill(fills: Sequence[Fill], size_px: tuple[int, int]) -> None:
    """Draw solid grey rectangles, sharp at whole px."""
    gl.glEnable(gl.GL_SCISSOR_TEST)
    for one in fills:
        grey = one.level / 255
        gl.glScissor(one.x, size_px[1] - one.y - one.height, one.width, one.height)
        gl.glClearColor(grey, grey, grey, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    gl.glDisable(gl.GL_SCISSOR_TEST)
