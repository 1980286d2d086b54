"""All OpenGL of the picture: one instanced draw for the glyphs, one for the dust, one quad for the beam.

The only module with raw GL calls, so that a move to another pyglet stays small. Needs a current
OpenGL 3.3 core context. Nothing here loops over bugs or allocates for each of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pyglet import gl

from display.errors import DisplayError, DisplayLost
from display.glyph import EM_TEXELS, Glyph
from display.picture import (
    DUST_FIELDS,
    DUST_RGB,
    GLYPH_RGB,
    NO_BEAM,
    ROW_FIELDS,
    Beam,
    Dust,
    Pixels,
    Rows,
    check_instances,
)

SHADERS = Path(__file__).with_name("shaders")
SAMPLES = {"normal": 2, "high": 4}
FIRST_CAPACITY = 256
GL_ERRORS = {0x0500: "invalid enum", 0x0501: "invalid value", 0x0502: "invalid operation"}
GL_ERRORS |= {0x0505: "out of memory", 0x0506: "invalid framebuffer", 0x0507: "context lost"}


class Instances:
    """A vertex buffer of float32 records, one record an instance; grows by doubling, never shrinks."""

    def __init__(self, columns: int, layout: Iterable[tuple[int, int, int]]) -> None:
        """`layout`: (attribute location, first column, number of columns)."""
        self._stride_bytes = 4 * columns
        self.capacity = 0
        self.count = 0
        self.vertex_array = _new_name(gl.glGenVertexArrays)
        self._buffer = _new_name(gl.glGenBuffers)
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
        self._capture: _Capture | None = None
        self._programs = {name: _link(name) for name in ("bugs", "beam", "dust")}
        self._view = {name: _uniform(number, "view") for name, number in self._programs.items()}
        self._beam_uniform = _uniform(self._programs["beam"], "beam")
        self._bugs = Instances(len(ROW_FIELDS), ((0, 0, 4), (1, 4, 1)))
        self._dust = Instances(len(DUST_FIELDS), ((0, 0, 4),))
        self._quad = _new_name(gl.glGenVertexArrays)
        self._texture = _texture(glyph)
        self._set_constants(glyph, SAMPLES[quality])
        check_gl("setting up the renderer")

    def _set_constants(self, glyph: Glyph, samples: int) -> None:
        bugs = self._programs["bugs"]
        gl.glUseProgram(bugs)
        gl.glUniform4f(_uniform(bugs, "anchor"), *glyph.anchor_uv, glyph.em_uv, glyph.reach_em)
        gl.glUniform1f(_uniform(bugs, "samples"), samples)
        gl.glUniform1f(_uniform(bugs, "em_texels"), EM_TEXELS)
        gl.glUniform3f(_uniform(bugs, "colour"), *(c / 255 for c in GLYPH_RGB))
        gl.glUseProgram(self._programs["dust"])
        gl.glUniform3f(_uniform(self._programs["dust"], "colour"), *(c / 255 for c in DUST_RGB))

    def draw(self, rows: Rows, beam: Beam, dust: Dust, size_px: tuple[int, int]) -> None:
        """Draw into the current framebuffer of `size_px` (width, height).

        Raises ValueError for arrays of another shape or type, DisplayLost when the driver reports an error.
        """
        check_instances(rows, len(ROW_FIELDS), "rows")
        check_instances(dust, len(DUST_FIELDS), "dust")
        self._bugs.upload(rows)
        self._dust.upload(dust)
        self._beam = beam
        self._paint(size_px)
        check_gl("drawing a picture")

    def _paint(self, size_px: tuple[int, int]) -> None:
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

    def read_pixels(self, size_px: tuple[int, int]) -> Pixels:
        """The last picture, drawn again into a buffer of our own: uint8 (height, width, 3), top row first.

        The window's own buffer is undefined after a flip and where another window covers it.
        """
        if self._capture is None or self._capture.size_px != size_px:
            self._capture = _Capture(size_px, replaced=self._capture)
        with self._capture as capture:
            self._paint(size_px)
            pixels = capture.read()
        check_gl("reading the picture")
        return pixels


class _Capture:
    """An RGBA8 framebuffer object for pictures that are read back."""

    def __init__(self, size_px: tuple[int, int], replaced: _Capture | None) -> None:
        self.size_px = size_px
        self._framebuffer: int
        self._colours: int
        if replaced is not None:
            gl.glDeleteFramebuffers(1, gl.GLuint(replaced._framebuffer))
            gl.glDeleteRenderbuffers(1, gl.GLuint(replaced._colours))
        self._framebuffer = _new_name(gl.glGenFramebuffers)
        self._colours = _new_name(gl.glGenRenderbuffers)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._colours)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_RGBA8, *size_px)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        gl.glFramebufferRenderbuffer(
            gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, self._colours
        )
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def __enter__(self) -> _Capture:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        return self

    def __exit__(self, *_: object) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def read(self) -> Pixels:
        width, height = self.size_px
        pixels = np.empty((height, width, 3), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data)
        return pixels[::-1].copy()


def colour_bits() -> tuple[int, int, int]:
    """Bits of red, green and blue in the window's (or the headless surface's) framebuffer."""
    sizes = []
    for name in (
        gl.GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE,
        gl.GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE,
        gl.GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE,
    ):
        value = gl.GLint()
        gl.glGetFramebufferAttachmentParameteriv(gl.GL_FRAMEBUFFER, gl.GL_BACK_LEFT, name, value)
        sizes.append(value.value)
    check_gl("asking for the colour sizes")
    return sizes[0], sizes[1], sizes[2]


def check_gl(doing: str) -> None:
    """Raise DisplayLost when the driver has reported an error since the last check."""
    error = gl.glGetError()
    if error:
        words = GL_ERRORS.get(error, "unknown")
        raise DisplayLost(f"OpenGL error {error:#06x} ({words}) while {doing}; restart the show")


def _new_name(generate: object) -> int:
    name = gl.GLuint()
    generate(1, name)  # type: ignore[operator]
    return int(name.value)


def _uniform(program: int, name: str) -> int:
    location: int = gl.glGetUniformLocation(program, ctypes.create_string_buffer(name.encode()))
    return location


def _texture(glyph: Glyph) -> int:
    name = _new_name(gl.glGenTextures)
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
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR_MIPMAP_LINEAR)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE)
    return name


def _link(name: str) -> int:
    program: int = gl.glCreateProgram()
    for suffix, kind in (("vert", gl.GL_VERTEX_SHADER), ("frag", gl.GL_FRAGMENT_SHADER)):
        gl.glAttachShader(program, _compile(SHADERS / f"{name}.{suffix}", kind))
    gl.glLinkProgram(program)
    _check_built(
        program, gl.glGetProgramiv, gl.GL_LINK_STATUS, gl.glGetProgramInfoLog, f"{name} does not link"
    )
    return program


def _compile(path: Path, kind: int) -> int:
    source = path.read_bytes()
    shader: int = gl.glCreateShader(kind)
    text = ctypes.cast(ctypes.create_string_buffer(source), ctypes.POINTER(gl.GLchar))
    gl.glShaderSource(shader, 1, ctypes.byref(text), gl.GLint(len(source)))
    gl.glCompileShader(shader)
    fault = f"{path.name} does not compile"
    _check_built(shader, gl.glGetShaderiv, gl.GL_COMPILE_STATUS, gl.glGetShaderInfoLog, fault)
    return shader


def _check_built(number: int, ask: Any, status: int, read_log: Any, fault: str) -> None:
    """Raise DisplayError with `fault` and the driver's own words unless the status is good."""
    built = gl.GLint()
    ask(number, status, built)
    if not built.value:
        text = ctypes.create_string_buffer(4096)
        read_log(number, len(text), gl.GLsizei(), text)
        raise DisplayError(f"shader {fault}: {text.value.decode(errors='replace').strip()}")
