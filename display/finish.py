"""The last step of a picture: corner pin and brightness, for projectors."""

from __future__ import annotations

import ctypes

import numpy as np
from pyglet import gl

from display.corners import Matrix
from display.gpu import Target, link, new_name, set_filter, uniform


class Finish:
    """Draws an off-screen picture into the bound framebuffer, moved and dimmed."""

    def __init__(self) -> None:
        self._program = link("finish")
        self._names = {name: uniform(self._program, name) for name in ("to_picture", "view", "brightness")}
        self._quad = new_name(gl.glGenVertexArrays)

    def draw(self, picture: Target, to_picture: Matrix, brightness: float) -> None:
        """`to_picture`: see `display.corners`; `brightness` 0..1 multiplies the sRGB levels."""
        size_px = picture.size_px
        columns = np.ascontiguousarray(to_picture.T, np.float32)
        gl.glViewport(0, 0, *size_px)
        gl.glDisable(gl.GL_BLEND)
        gl.glUseProgram(self._program)
        pointer = columns.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        gl.glUniformMatrix3fv(self._names["to_picture"], 1, gl.GL_FALSE, pointer)
        gl.glUniform2f(self._names["view"], *size_px)
        gl.glUniform1f(self._names["brightness"], brightness)
        gl.glBindTexture(gl.GL_TEXTURE_2D, picture.texture)
        set_filter(gl.GL_LINEAR)
        gl.glBindVertexArray(self._quad)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)
