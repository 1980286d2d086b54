"""The canvas that the loop draws on: the same methods for a window and for headless pictures."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

from display.errors import DisplayError, DisplayLost
from display.events import EventQueue, PointerEvent
from display.glyph import load_glyph
from display.picture import Beam, Dust, Pixels, Rows
from display.settings import DisplaySettings
from display.snapshot import write_png

log = logging.getLogger(__name__)


class Surface(Protocol):
    """Where pictures go: a window (display.window) or an off-screen surface (display.headless)."""

    events: EventQueue
    vsync: bool
    refresh_rate: float
    name: str
    lost: str | None

    @property
    def framebuffer_size(self) -> tuple[int, int]: ...

    def dispatch(self) -> None: ...

    def make_current(self) -> None: ...

    def flip(self) -> None: ...

    def close(self) -> None: ...


class Canvas:
    """One picture on one surface. Sizes and positions are picture px (see `display.picture`)."""

    def __init__(self, surface: Surface, settings: DisplaySettings) -> None:
        from display.renderer import Renderer, colour_bits

        self._surface = surface
        self._scale = settings.scale
        bits = colour_bits()
        if min(bits) < 8:
            raise DisplayError(
                f"{surface.name}: colours of {bits} bits, wanted 8 each; set the screen to 24 bits"
            )
        self.glyph = load_glyph(settings.font_path)
        self._renderer = Renderer(self.glyph, settings.quality, settings.scale)
        self._closed = False

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the picture: framebuffer px times `scale`."""
        width_px, height_px = self._surface.framebuffer_size
        return round(width_px * self._scale), round(height_px * self._scale)

    @property
    def framebuffer_size(self) -> tuple[int, int]:
        """(width, height) of the pixels that are really there."""
        return self._surface.framebuffer_size

    @property
    def name(self) -> str:
        """The screen's name, or `headless`."""
        return self._surface.name

    @property
    def vsync(self) -> bool:
        """True when `flip` was measured to wait for the screen; never headless."""
        return self._surface.vsync

    @property
    def refresh_rate(self) -> float:
        """Pictures a second of the screen's mode in Hz, 60 when unknown."""
        return self._surface.refresh_rate

    @property
    def wants_to_quit(self) -> bool:
        """True once Ctrl+Q was pressed; nothing else at the window asks for the end."""
        return self._surface.events.wants_to_quit

    def dispatch(self) -> None:
        """Collect what happened at the window. Whatever people do there, nothing is raised."""
        self._surface.dispatch()

    def draw(self, rows: Rows, beam: Beam, dust: Dust) -> None:
        """Draw a picture; `flip` shows it.

        Raises ValueError for arrays unlike those in `display.picture`, DisplayLost when the screen is gone.
        """
        self._check_alive()
        self._renderer.draw(rows, beam, dust, self._surface.framebuffer_size)

    def flip(self) -> None:
        """Show what was drawn. Waits for the screen only where `vsync` is True. Raises DisplayLost."""
        self._check_alive()
        self._surface.flip()

    def read_pixels(self) -> Pixels:
        """The last drawn picture: uint8 (height, width, 3) in framebuffer px, top row first."""
        self._check_alive()
        return self._renderer.read_pixels(self._surface.framebuffer_size)

    def save(self, path: str | Path) -> Path:
        """Write the last drawn picture as PNG, in one step. Raises OSError, DisplayLost."""
        return write_png(path, self.read_pixels())

    def take_pointer(self) -> list[PointerEvent]:
        """Pointer events since the last call, oldest first, in picture px."""
        return self._surface.events.take_pointer()

    def take_keys(self) -> list[str]:
        """Keys since the last call by name (`d`, `up`, `ctrl+q`), oldest first."""
        return self._surface.events.take_keys()

    def take_resizes(self) -> list[tuple[int, int]]:
        """New picture sizes since the last call, oldest first."""
        return self._surface.events.take_resizes()

    def close(self) -> None:
        """Close the window or surface; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._surface.close()

    def _check_alive(self) -> None:
        if self._closed:
            raise DisplayLost(f"{self.name}: the canvas was closed; open a new one")
        if self._surface.lost:
            raise DisplayLost(f"{self.name}: {self._surface.lost}; restart the show")
        self._surface.make_current()


def open_canvas(settings: DisplaySettings, headless: bool = False) -> Canvas:
    """Open the picture: borderless on the chosen screen, or headless through EGL.

    A process can have one kind only. Raises NoSuchScreenError for a wrong `screen`, DisplayError when
    there is no display, no OpenGL 3.3 or no 8-bit colour; each message names the remedy.
    """
    surface: Surface
    if headless:
        from display.headless import HeadlessSurface

        surface = HeadlessSurface(settings.headless_width, settings.headless_height)
    else:
        from display.window import WindowSurface

        surface = WindowSurface(settings.screen, settings.scale)
    try:
        return Canvas(surface, settings)
    except Exception:
        surface.close()
        raise
