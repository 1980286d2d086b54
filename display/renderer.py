"""The scene's drawing: one instanced draw for the glyphs, one for the dust, one quad for the beam.

Needs a current OpenGL 3.3 core context. Nothing here loops over bugs or allocates for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from pyglet import gl

from display.glyph import EM_TEXELS, Glyph
from display.gpu import check_gl, link, new_name, set_filter, uniform
from display.picture import (
    DUST_FIELDS,
    DUST_RGB,
    GLYPH_RGB,
    NO_BEAM,
    ROW_FIELDS,
    Beam,
    Dust,
    Rows,
    check_instances,
)

SAMPLES = {"normal": 2, "high": 4}
FIRST_CAPACITY = 256


class Instances:
    """A vertex buffer of float32 records, one record an instance; grows by doubling, never shrinks."""

    def __init__(self, columns: int, layout: Iterable[tuple[int, int, int]]) -> None:
        """`layout`: (attribute location, first column, number of columns)."""
        self._stride_bytes = 4 * columns
        self.capacity = 0
        self.count = 0
        self.vertex_array = new_name(gl.glGenVertexArrays)
        self._buffer = new_name(gl.glGenBuffers)
        gl.glBindVertexArray(self.vertex_array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        for location, first, width in layout:
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(location, width, gl.GL_FLOAT, False, self._stride_bytes, 4 * first)
            gl.glVertexAttribDivisor(location, 1)

    def upload(self, array: npt.NDArray[np.float32]) -> None:
        """Replace the records; the old storage is orphaned, so the driver never waits for itself."""
        self.count = len(array)
        if not self.count:
            return
        while self.capacity < self.count:
            self.capacity = max(FIRST_CAPACITY, 2 * self.capacity)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        gl.glBufferData(gl.GL_ARRAY_BUFFER, self.capacity * self._stride_bytes, None, gl.GL_STREAM_DRAW)
        gl.glBufferSubData(gl.GL_ARRAY_BUFFER, 0, self.count * self._stride_bytes, array.ctypes.data)

    def draw(self) -> None:
        """Four corners for each record."""
        gl.glBindVertexArray(self.vertex_array)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, self.count)


class Renderer:
    """Draws (rows, beam, dust) as `display.picture` defines them, `scale` picture px in a framebuffer px."""

    def __init__(self, glyph: Glyph, quality: str = "normal", scale: float = 1.0) -> None:
        self._scale = scale
        self._beam: Beam = NO_BEAM
        self._programs = {name: link(name) for name in ("bugs", "beam", "dust")}
        self._view = {name: uniform(number, "view") for name, number in self._programs.items()}
        self._beam_uniform = uniform(self._programs["beam"], "beam")
        self._bugs = Instances(len(ROW_FIELDS), ((0, 0, 4), (1, 4, 1)))
        self._dust = Instances(len(DUST_FIELDS), ((0, 0, 4),))
        self._quad = new_name(gl.glGenVertexArrays)
        self._texture = _texture(glyph)
        self._set_constants(glyph, SAMPLES[quality])
        check_gl("setting up the renderer")

    def _set_constants(self, glyph: Glyph, samples: int) -> None:
        bugs = self._programs["bugs"]
        gl.glUseProgram(bugs)
        gl.glUniform4f(uniform(bugs, "anchor"), *glyph.anchor_uv, glyph.em_uv, glyph.reach_em)
        gl.glUniform1f(uniform(bugs, "samples"), samples)
        gl.glUniform1f(uniform(bugs, "em_texels"), EM_TEXELS)
        gl.glUniform3f(uniform(bugs, "colour"), *(c / 255 for c in GLYPH_RGB))
        gl.glUseProgram(self._programs["dust"])
        gl.glUniform3f(uniform(self._programs["dust"], "colour"), *(c / 255 for c in DUST_RGB))

    def load(self, rows: Rows, beam: Beam, dust: Dust) -> None:
        """Take over what is to be painted. Raises ValueError for arrays of another shape or type."""
        check_instances(rows, len(ROW_FIELDS), "rows")
        check_instances(dust, len(DUST_FIELDS), "dust")
        self._bugs.upload(rows)
        self._dust.upload(dust)
        self._beam = beam

    def paint(self, size_px: tuple[int, int]) -> None:
        """Draw what was loaded into the bound framebuffer of `size_px` (width, height)."""
        gl.glViewport(0, 0, *size_px)
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        if self._beam[3] > 0:
            self._use("beam", size_px)
            gl.glUniform4f(self._beam_uniform, *self._beam)
            gl.glBindVertexArray(self._quad)
            gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)
        if self._dust.count:
            self._use("dust", size_px)
            self._dust.draw()
        if self._bugs.count:
            self._use("bugs", size_px)
            gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
            self._bugs.draw()

    def _use(self, name: str, size_px: tuple[int, int]) -> None:
        gl.glUseProgram(self._programs[name])
        gl.glUniform3f(self._view[name], *size_px, self._scale)


def _texture(glyph: Glyph) -> int:
    name = new_name(gl.glGenTextures)
    gl.glBindTexture(gl.GL_TEXTURE_2D, name)
    gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
    for level, texels in enumerate(glyph.mips):
        side = len(texels)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D,
            level,
            gl.GL_R8,
            side,
            side,
            0,
            gl.GL_RED,
            gl.GL_UNSIGNED_BYTE,
            texels.ctypes.data,
        )
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAX_LEVEL, len(glyph.mips) - 1)
    set_filter(gl.GL_LINEAR_MIPMAP_LINEAR)
    return name
