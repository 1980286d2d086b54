"""Answers of the graphics processor that are read when they are ready, never waited for: pixels and times."""

from __future__ import annotations

import ctypes
import time
from collections import deque
from collections.abc import Callable

import numpy as np
from pyglet import gl

from display.gpu import new_name
from display.picture import Pixels

# Pictures between a question and its answer; the driver works at most about this far behind.
LATE_PICTURES = 3
# Questions without an answer for so long are given up: a driver that never answers must not cost memory.
MOST_WAITING = 8
LONGEST_WAIT_NS = 5_000_000_000


class GpuClock:
    """The time that the graphics processor spends on each picture (GL_TIME_ELAPSED), read pictures later."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self.last_s: float | None = None
        self._now = now
        self._free = [new_name(gl.glGenQueries) for _ in range(MOST_WAITING)]
        self._asked: deque[tuple[int, float]] = deque()
        self._running: tuple[int, float] | None = None

    def __enter__(self) -> GpuClock:
        self._collect()
        if self._free:
            self._running = self._free.pop(), self._now()
            gl.glBeginQuery(gl.GL_TIME_ELAPSED, self._running[0])
        return self

    def __exit__(self, *_: object) -> None:
        if self._running is not None:
            gl.glEndQuery(gl.GL_TIME_ELAPSED)
            self._asked.append(self._running)
            self._running = None

    def _collect(self) -> None:
        while len(self._asked) >= LATE_PICTURES:
            ready = gl.GLint()
            query, began_s = self._asked[0]
            gl.glGetQueryObjectiv(query, gl.GL_QUERY_RESULT_AVAILABLE, ready)
            if not ready.value:
                return
            lasted_ns = gl.GLuint64()
            self._asked.popleft()
            gl.glGetQueryObjectui64v(query, gl.GL_QUERY_RESULT, lasted_ns)
            # Mesa's software driver answers the first question with the time since the machine started.
            if lasted_ns.value / 1e9 <= self._now() - began_s:
                self.last_s = lasted_ns.value / 1e9
            self._free.append(query)


class Readback:
    """Pixels of the bound framebuffer through pixel buffers: asked for now, fetched pictures later.

    Four bytes a pixel are asked for, as they lie in the framebuffer: for three many drivers convert at once
    and wait for it.
    """

    def __init__(self) -> None:
        self._free: list[int] = []
        self._asked: deque[tuple[int, int, tuple[int, int], float]] = deque()

    def ask(self, size_px: tuple[int, int], mark: float) -> bool:
        """Ask for the bound framebuffer's pixels; `mark` comes back with them. False when too many wait."""
        if len(self._asked) >= MOST_WAITING:
            return False
        buffer = self._free.pop() if self._free else new_name(gl.glGenBuffers)
        width, height = size_px
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glBindBuffer(gl.GL_PIXEL_PACK_BUFFER, buffer)
        gl.glBufferData(gl.GL_PIXEL_PACK_BUFFER, 4 * width * height, None, gl.GL_STREAM_READ)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, ctypes.c_void_p(0))
        gl.glBindBuffer(gl.GL_PIXEL_PACK_BUFFER, 0)
        fence = gl.glFenceSync(gl.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
        self._asked.append((buffer, fence, size_px, mark))
        return True

    def fetch(self, wait: bool = False) -> tuple[Pixels, float] | None:
        """The oldest picture if it is ready: (uint8 (height, width, 3), bottom row first; its mark).

        The pixels are a view, alpha lies between them: whoever copies them does so in a thread of its own.
        """
        if not self._asked:
            return None
        buffer, fence, (width, height), mark = self._asked[0]
        patience_ns = LONGEST_WAIT_NS if wait else 0
        if gl.glClientWaitSync(fence, gl.GL_SYNC_FLUSH_COMMANDS_BIT, patience_ns) == gl.GL_TIMEOUT_EXPIRED:
            return None
        self._asked.popleft()
        gl.glDeleteSync(fence)
        pixels = np.empty((height, width, 4), np.uint8)
        gl.glBindBuffer(gl.GL_PIXEL_PACK_BUFFER, buffer)
        gl.glGetBufferSubData(gl.GL_PIXEL_PACK_BUFFER, 0, pixels.nbytes, pixels.ctypes.data)
        gl.glBindBuffer(gl.GL_PIXEL_PACK_BUFFER, 0)
        self._free.append(buffer)
        return pixels[..., :3], mark
