"""The canvas that the loop draws on: the same methods for a window and for headless pictures."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from display.blackness import BlackDetector, must_show
from display.corners import UNMOVED, Corners, apply, held_in
from display.errors import DisplayError, DisplayLost
from display.events import EventQueue, PointerEvent
from display.glyph import load_glyph
from display.patterns import Pattern
from display.picture import Beam, Dust, Pixels, Rows
from display.power import PowerState
from display.settings import DisplaySettings
from display.snapshot import write_png
from display.text import Line

log = logging.getLogger(__name__)


class Surface(Protocol):
    """Where pictures go: a window (display.window) or an off-screen surface (display.headless)."""

    events: EventQueue
    vsync: bool
    refresh_rate: float
    name: str
    index: int
    lost: str | None

    @property
    def power(self) -> PowerState | None: ...

    @property
    def framebuffer_size(self) -> tuple[int, int]: ...

    def dispatch(self) -> None: ...

    def make_current(self) -> None: ...

    def flip(self) -> None: ...

    def close(self) -> None: ...


class Canvas:
    """One picture on one surface. Sizes and positions are picture px (see `display.picture`)."""

    def __init__(
        self, surface: Surface, settings: DisplaySettings, now: Callable[[], float] = time.perf_counter
    ) -> None:
        from display.composer import Composer
        from display.gpu import colour_bits
        from display.readback import GpuClock, Readback
        from display.renderer import Renderer

        self._surface, self._now = surface, now
        self._scale = settings.scale
        bits = colour_bits()
        if min(bits) < 8:
            raise DisplayError(
                f"{surface.name}: colours of {bits} bits, wanted 8 each; set the screen to 24 bits"
            )
        self.glyph = load_glyph(settings.font_path)
        self._composer = Composer(Renderer(self.glyph, settings.quality, settings.scale))
        self._gpu_clock, self._looked_at = GpuClock(), Readback()
        self._detector = BlackDetector()
        self.brightness, self.corners = settings.brightness, settings.corners.shares
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

    @property
    def power(self) -> PowerState | None:
        """Screen saver and power saving of the screen; None headless, or before the first look."""
        return self._surface.power

    @property
    def merged_contacts(self) -> int:
        """How often two contacts were made one because too many waited."""
        return self._surface.events.merged_contacts

    @property
    def gpu_time_s(self) -> float | None:
        """What the graphics processor took for a picture of a moment ago; None while unknown."""
        return self._gpu_clock.last_s

    @property
    def black(self) -> bool:
        """True when the last look, one a minute, found the picture black though it should not be."""
        return self._detector.black

    @property
    def blackout(self) -> bool:
        """Nothing is shown; the scene goes on. With patterns, the view changes 5 times a second at most."""
        return self._composer.blackout

    @blackout.setter
    def blackout(self, blackout: bool) -> None:
        self._composer.blackout = blackout

    @property
    def brightness(self) -> float:
        """0..1, multiplies the levels of everything that is shown."""
        return self._composer.brightness

    @brightness.setter
    def brightness(self, brightness: float) -> None:
        self._composer.brightness = brightness

    @property
    def corners(self) -> Corners:
        """Where the corners of the picture go (`display.corners`); FoldedPictureError when folded over."""
        return self._composer.corners

    @corners.setter
    def corners(self, corners: Corners) -> None:
        self._composer.corners = corners

    @property
    def pattern(self) -> Pattern | None:
        """The test pattern that is shown instead of the scene."""
        return self._composer.pattern

    @pattern.setter
    def pattern(self, pattern: Pattern | None) -> None:
        self._composer.pattern = pattern

    @property
    def lines(self) -> Sequence[Line] | None:
        """Lines of text over the picture. Give a new sequence when they change."""
        return self._composer.lines

    @lines.setter
    def lines(self, lines: Sequence[Line] | None) -> None:
        self._composer.lines = lines

    def record_next(self, mark: float) -> None:
        """Let the next picture be kept for `take_recorded`, before corner pin and brightness."""
        self._composer.record_next(mark)

    def take_recorded(self, wait: bool = False) -> tuple[Pixels, float] | None:
        """The oldest kept picture and its mark: uint8 (height, width, 3), top row first.

        None when it is not ready yet; with `wait` only when there is none.
        """
        self._check_alive()
        found = self._composer.recorded.fetch(wait=wait)
        return None if found is None else (found[0][::-1], found[1])

    def dispatch(self) -> None:
        """Collect what happened at the window. Whatever people do there, nothing is raised."""
        self._surface.dispatch()

    def draw(self, rows: Rows, beam: Beam, dust: Dust) -> None:
        """Draw a picture; `flip` shows it.

        Raises ValueError for arrays unlike those in `display.picture`, DisplayLost when the screen is gone.
        """
        self._check_alive()
        size_px, now_s = self._surface.framebuffer_size, self._now()
        with self._gpu_clock:
            self._composer.draw(rows, beam, dust, size_px, now_s, (self._surface.name, self._surface.index))
        self._look_for_black(rows, beam, size_px, now_s)

    def flip(self) -> None:
        """Show what was drawn. Waits for the screen only where `vsync` is True. Raises DisplayLost."""
        self._check_alive()
        self._surface.flip()

    def read_pixels(self) -> Pixels:
        """The last drawn picture: uint8 (height, width, 3) in framebuffer px, top row first."""
        self._check_alive()
        return self._composer.read(self._surface.framebuffer_size)

    def save(self, path: str | Path) -> Path:
        """Write the last drawn picture as PNG, in one step. Raises OSError, DisplayLost."""
        return write_png(path, self.read_pixels())

    def take_pointer(self) -> list[PointerEvent]:
        """Pointer events since the last call, oldest first, in px of the picture, where it is moved too.

        On a moved picture a light that is drawn out of it stays at its edge, and a press out there is none.
        """
        events = self._surface.events.take_pointer()
        if self._composer.corners == UNMOVED:
            return events
        return [found for event in events if (found := self._on_picture(event)) is not None]

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
            self._composer.close()
            self._surface.close()

    def _on_picture(self, event: PointerEvent) -> PointerEvent | None:
        size_px = self._surface.framebuffer_size
        before = event.x / self._scale, event.y / self._scale
        within = held_in(self._composer.corners, size_px, *before)
        if event.kind == "press" and within != before:
            return None
        x, y = apply(self._composer.to_picture(size_px), *within)
        # The far edges themselves are beside the screen.
        x, y = min(max(x, 0.0), size_px[0] - 1.0), min(max(y, 0.0), size_px[1] - 1.0)
        return replace(event, x=x * self._scale, y=y * self._scale)

    def _look_for_black(self, rows: Rows, beam: Beam, size_px: tuple[int, int], now_s: float) -> None:
        """Once a minute ask for the pixels that the screen gets, and judge them when they are there."""
        found = self._looked_at.fetch()
        if found is not None:
            before = self._detector.black
            self._detector.judge(found[0])
            if self._detector.black and not before:
                log.warning("the picture is black where bugs should be seen; look at screen and driver")
            elif before and not self._detector.black:
                log.info("the picture is no longer black")
        if self._detector.due(now_s) and not self._composer.dark and must_show(rows, beam, self.size):
            self._looked_at.ask(size_px, now_s)

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
