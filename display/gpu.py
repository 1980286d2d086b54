"""OpenGL basics that the drawing modules share: names, shaders, textures, off-screen targets, errors.

Needs a current OpenGL 3.3 core context. Only this module, `renderer`, `overlay`, `composer`, `finish` and
`readback` make raw GL calls, so that a move to another pyglet stays small.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
from pyglet import gl

from display.errors import DisplayError, DisplayLost
from display.picture import Pixels

SHADERS = Path(__file__).with_name("shaders")
GL_ERRORS = {0x0500: "invalid enum", 0x0501: "invalid value", 0x0502: "invalid operation"}
GL_ERRORS |= {0x0505: "out of memory", 0x0506: "invalid framebuffer", 0x0507: "context lost"}


class Target:
    """An RGBA8 framebuffer object with a texture: drawn into within `with`, then read or drawn from."""

    def __init__(self, size_px: tuple[int, int]) -> None:
        self.size_px = size_px
        self.texture = new_name(gl.glGenTextures)
        self._framebuffer = new_name(gl.glGenFramebuffers)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, *size_px, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        set_filter(gl.GL_LINEAR)
        with self:
            gl.glFramebufferTexture2D(
                gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture, 0
            )
        check_gl(f"making an off-screen picture of {size_px[0]} x {size_px[1]} px")

    def __enter__(self) -> Target:
        before = gl.GLint()
        gl.glGetIntegerv(gl.GL_DRAW_FRAMEBUFFER_BINDING, before)
        self._before = int(before.value)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        return self

    def __exit__(self, *_: object) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._before)

    def delete(self) -> None:
        """Give the memory back; the target cannot be used after it."""
        gl.glDeleteFramebuffers(1, gl.GLuint(self._framebuffer))
        gl.glDeleteTextures(1, gl.GLuint(self.texture))

    def fitting(self, size_px: tuple[int, int]) -> Target:
        """This target, or one of the wanted size in its place."""
        if self.size_px == size_px:
            return self
        self.delete()
        return Target(size_px)


def read_pixels(size_px: tuple[int, int]) -> Pixels:
    """The pixels of the bound framebuffer, waiting for them: uint8 (height, width, 3), top row first."""
    width, height = size_px
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


def new_name(generate: Any) -> int:
    """A new object of the kind that `generate` (glGenBuffers and the like) makes."""
    name = gl.GLuint()
    generate(1, name)
    return int(name.value)


def set_filter(smaller: int) -> None:
    """How the bound texture is sampled: `smaller` when it shrinks, linear when it grows, no repeat."""
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, smaller)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE)


def uniform(program: int, name: str) -> int:
    """The place of a program's uniform."""
    location: int = gl.glGetUniformLocation(program, ctypes.create_string_buffer(name.encode()))
    return location


def link(name: str) -> int:
    """The program of `shaders/NAME.vert` and `.frag`; DisplayError with the driver's words when refused."""
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
    built = gl.GLint()
    ask(number, status, built)
    if not built.value:
        text = ctypes.create_string_buffer(4096)
        read_log(number, len(text), gl.GLsizei(), text)
        raise DisplayError(f"shader {fault}: {text.value.decode(errors='replace').strip()}")
