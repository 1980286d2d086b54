"""The window of the show: borderless, one whole screen, pointer hidden, ended only by Ctrl+Q."""

from __future__ import annotations

import logging
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from display.covering import Covering, area_of
from display.errors import DisplayError
from display.events import EventQueue
from display.power import PowerState
from display.pyglet_options import prepare_pyglet
from display.screens import Screen, see, start_screen
from display.server_loss import call_when_server_ends
from display.watch import PERIOD_S, Watch
from display.x_connection import XConnection

PLACING_TRIES = 20
PLACING_PAUSE_S = 0.02
MEASURED_FLIPS = 20
_ON_X = sys.platform.startswith("linux")

log = logging.getLogger(__name__)


class WindowSurface:
    """The surface of the show on the screen that `wanted` names (see `choose_screen`).

    `screen`, `name`, `index` and `refresh_rate` (Hz) are those of the moment; `vsync` is measured at the
    start and supposed after a change.
    From the first `dispatch` to `close` a thread looks after it every `look_every_s`: the window follows
    its screen, and the screen is kept lit. An output that is off at the start is waited for elsewhere.
    Raises DisplayError (no display, no OpenGL 3.3) or NoSuchScreenError.
    """

    def __init__(
        self,
        wanted: str = "",
        scale: float = 1.0,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
        look_every_s: float = PERIOD_S,
    ) -> None:
        prepare_pyglet(headless=False)
        screen, late = start_screen(wanted, see())
        if late:
            log.warning("screen %s is off; the show starts on %s and moves when it is on", wanted, screen)
        if os.environ.get("XDG_SESSION_TYPE") == "wayland":
            log.warning(
                "Wayland session: drawn through XWayland, which may blur; use an X11 session for a show"
            )
        self._follow(screen)
        self.lost: str | None = None
        self.events = EventQueue()
        self._window = _open_window(screen, self.events, scale, now)
        self._guard_server()
        self.location = _place(self._window, screen, sleep)
        self.vsync = flips_wait(self._flip_black, 1.0 / screen.refresh_rate, now)
        self.events.take_resizes()
        self.watch = Watch(self._window.x_number if _ON_X else 0, wanted, screen, look_every_s)
        log.info("window on %s, origin %s, vsync %s", screen, self.location, "on" if self.vsync else "off")

    @property
    def power(self) -> PowerState | None:
        """Screen saver and power saving at the last look, once a minute; None before the first."""
        return self.watch.power

    @property
    def framebuffer_size(self) -> tuple[int, int]:
        """(width, height) of the drawn pixels, which may differ from the window's size in points."""
        width_px, height_px = self._window.get_framebuffer_size()
        return int(width_px), int(height_px)

    def dispatch(self) -> None:
        """Collect events; a fault in one of them is logged and the others still count."""
        if self.lost:
            return
        if _ON_X:
            self.watch.start()
        if self.watch.screen is not self.screen:
            # Another screen may hold pictures back though the first did not; the pacing finds out.
            self.vsync = self.vsync or self.watch.screen != self.screen
            self._follow(self.watch.screen)
        self._window.dispatch_events()
        if self._window.destroyed:
            self._lose("the window was destroyed from outside")

    def make_current(self) -> None:
        """Direct the GL calls that follow to this window."""
        if not self._window.is_current():
            self._window.switch_to()

    def flip(self) -> None:
        """Show the back buffer."""
        self._window.flip()

    def close(self) -> None:
        """Close the window; nothing is asked of a server or window that is gone."""
        self.watch.stop()
        self._window.close()

    def _follow(self, screen: Screen) -> None:
        self.screen, self.name = screen, screen.name
        self.index, self.refresh_rate = screen.index, screen.refresh_rate

    def _flip_black(self) -> None:
        self._window.clear()
        self._window.flip()

    def _guard_server(self) -> None:
        if _ON_X:
            connection = self._window.display._display
            call_when_server_ends(connection, lambda: self._lose("the connection to the X server ended"))

    def _lose(self, reason: str) -> None:
        self.lost = self.lost or reason
        self._window.abandoned = True


def flips_wait(flip: Callable[[], None], period_s: float, now: Callable[[], float]) -> bool:
    """True when flips wait for the screen: the median of a few lasts at least half a period."""
    lasted_s = []
    for _ in range(MEASURED_FLIPS):
        before_s = now()
        flip()
        lasted_s.append(now() - before_s)
    return statistics.median(lasted_s) >= period_s / 2


def _place(window: Any, screen: Screen, sleep: Callable[[float], None]) -> tuple[int, int]:
    """Move the window to its screen and look whether it covers it; window managers answer late."""
    window.set_location(screen.x, screen.y)
    if _ON_X:
        with XConnection() as x:
            _cover(Covering(x, window.x_number), window, screen, sleep)
    window.dispatch_events()
    x_px, y_px = window.get_location()
    return int(x_px), int(y_px)


def _cover(covering: Covering, window: Any, screen: Screen, sleep: Callable[[float], None]) -> None:
    for _ in range(PLACING_TRIES):
        covering.put(screen)
        window.dispatch_events()
        if covering.covers(screen) and window.get_framebuffer_size() == (screen.width, screen.height):
            return
        sleep(PLACING_PAUSE_S)
    area = covering.area()
    log.warning("window is at %s instead of %s; check the window manager", area, area_of(screen))


def _desktop(display: Any) -> Any:
    """A pyglet screen to find the configuration by; its own search fails while every output is off."""
    if not _ON_X:
        return display.get_default_screen()
    from pyglet.display.xlib import XlibScreen

    return XlibScreen(display, 0, 0, 1, 1)


def _open_window(screen: Screen, events: EventQueue, scale: float, now: Callable[[], float]) -> Any:
    try:
        from pyglet import gl
        from pyglet.display import get_display
        from pyglet.window import NoSuchConfigException

        from display.show_window import ShowWindow
    except ImportError as fault:
        raise DisplayError(f"no OpenGL library: {fault}; install libgl1 and libgl1-mesa-dri") from fault
    try:
        config_kind: Any = gl.Config
        template = config_kind(
            double_buffer=True, red_size=8, green_size=8, blue_size=8, major_version=3, minor_version=3
        )
        desktop = _desktop(get_display())
        config = desktop.get_best_config(template)
        window = ShowWindow(
            screen.width,
            screen.height,
            caption="baited",
            style=ShowWindow.WINDOW_STYLE_BORDERLESS,
            screen=desktop,
            config=config,
            vsync=True,
            visible=False,
        )
    except (
        NoSuchConfigException,
        gl.ContextException,
        gl.lib.GLException,
        gl.lib.MissingFunctionException,
    ) as fault:
        raise DisplayError(
            f"no OpenGL 3.3 with 8-bit colours on {screen.name}: {fault}; "
            "set the screen to 24 bits or check the driver"
        ) from fault
    window.attend(events, scale, now)
    window.set_mouse_visible(False)
    window.set_location(screen.x, screen.y)
    window.set_visible(True)
    window.activate()
    return window
