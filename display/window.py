"""The window of the show: borderless, one whole screen, pointer hidden, ended only by Ctrl+Q."""

from __future__ import annotations

import logging
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from display.errors import DisplayError
from display.events import Inbox, PointerEvent, PointerKind
from display.pyglet_options import prepare_pyglet
from display.screens import Screen, choose_screen, screens
from display.server_loss import call_when_server_ends
from display.server_time import event_time_s

LEFT = 1
PLACING_TRIES = 20
MEASURED_FLIPS = 20
MOST_LOGGED_FAULTS = 10

log = logging.getLogger(__name__)


class WindowSurface:
    """The surface of the show on the screen that `wanted` names (see `choose_screen`).

    Raises DisplayError (no display, no OpenGL 3.3) or NoSuchScreenError.
    """

    def __init__(
        self,
        wanted: str = "",
        scale: float = 1.0,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        prepare_pyglet(headless=False)
        screen = choose_screen(wanted, screens())
        if os.environ.get("XDG_SESSION_TYPE") == "wayland":
            log.warning(
                "Wayland session: drawn through XWayland, which may blur; use an X11 session for a show"
            )
        self.name = screen.name
        self.refresh_rate = screen.refresh_rate
        self.lost: str | None = None
        self.inbox = Inbox()
        self._window = _open_window(screen, self.inbox, scale, now)
        self._guard_server()
        self.location = _place(self._window, screen, sleep)
        self.vsync = flips_wait(self.flip, 1.0 / screen.refresh_rate, now)
        self.inbox.take_resizes()
        log.info("window on %s, origin %s, vsync %s", screen, self.location, "on" if self.vsync else "off")

    @property
    def framebuffer_size(self) -> tuple[int, int]:
        """(width, height) of the drawn pixels, which may differ from the window's size in points."""
        width_px, height_px = self._window.get_framebuffer_size()
        return int(width_px), int(height_px)

    def dispatch(self) -> None:
        """Collect events; a fault in one of them is logged and the others still count."""
        if self.lost:
            return
        self._window.dispatch_events()
        if self._window.destroyed:
            self._lose("the window was destroyed from outside")

    def make_current(self) -> None:
        """Direct the GL calls that follow to this window."""
        self._window.switch_to()

    def flip(self) -> None:
        """Show the back buffer."""
        self._window.flip()

    def close(self) -> None:
        """Close the window; nothing is asked of a server or window that is gone."""
        self._window.close()

    def _guard_server(self) -> None:
        if sys.platform.startswith("linux"):
            connection = self._window.display._display
            call_when_server_ends(connection, lambda: self._lose("the X server ended"))

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
    """Move the window to its screen and look whether it got there; window managers answer late."""
    target = (screen.x, screen.y)
    location = (0, 0)
    for _ in range(PLACING_TRIES):
        window.set_location(*target)
        window.dispatch_events()
        location = window.get_location()
        if location == target:
            return location
        sleep(0.02)
    log.warning(
        "window is at %s instead of %s on %s; check the window manager", location, target, screen.name
    )
    return location


def _open_window(screen: Screen, inbox: Inbox, scale: float, now: Callable[[], float]) -> Any:
    try:
        from pyglet import gl
        from pyglet.window import NoSuchConfigException, Window
    except ImportError as fault:
        raise DisplayError(f"no OpenGL library: {fault}; install libgl1 and libgl1-mesa-dri") from fault
    from pyglet.display import get_display

    try:
        template = gl.Config(
            double_buffer=True, red_size=8, green_size=8, blue_size=8, major_version=3, minor_version=3
        )
        config = get_display().get_default_screen().get_best_config(template)
        kind = _window_class()
        window = kind(
            screen.width,
            screen.height,
            caption="baited",
            style=Window.WINDOW_STYLE_BORDERLESS,
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
    window.attend(inbox, scale, now)
    window.set_mouse_visible(False)
    window.set_location(screen.x, screen.y)
    window.set_visible(True)
    window.activate()
    return window


def _window_class() -> Any:
    """The window class, made here because pyglet.window may only be imported after its options are set."""
    from pyglet.window import Window, key, mouse

    class ShowWindow(Window):  # type: ignore[misc, valid-type]
        """Turns pyglet's events into entries of an Inbox; has no default reaction to any of them."""

        destroyed = False
        abandoned = False
        _inbox = Inbox()
        _scale_px = 1.0
        _pressed = False
        _event_ms: int | None = None
        _faults = 0
        _now = staticmethod(time.perf_counter)

        def attend(self, inbox: Inbox, scale: float, now: Callable[[], float]) -> None:
            self._inbox, self._scale_px, self._now = inbox, scale, now

        def _create_projection(self) -> None:
            """Our renderer brings its own shaders."""

        def _on_internal_resize(self, width: int, height: int) -> None:
            framebuffer = self.get_framebuffer_size()
            self._inbox.put_resize(*(round(side * self._scale_px) for side in framebuffer))

        def close(self) -> None:
            # pyglet calls this from __del__ too, and any call on a broken connection crashes.
            if not self.abandoned:
                super().close()

        def on_close(self) -> None:
            log.info("the window manager asked to close the window; ignored, Ctrl+Q ends the show")

        def on_key_press(self, symbol: int, modifiers: int) -> None:
            if symbol in _modifier_keys(key):
                return
            name = _key_name(key, symbol, modifiers)
            self._inbox.put_key(name)
            if name == "ctrl+q":
                self._inbox.wants_to_quit = True

        def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
            if button == mouse.LEFT:
                self._pressed = True
                self._put("press", x, y)

        def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
            if button == mouse.LEFT:
                self._pressed = False
                self._put("release", x, y)

        def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
            if self._pressed:
                # The button went up where we could not see it, for example under a pop-up.
                self.on_mouse_release(x, y, mouse.LEFT, 0)
            self._put("move", x, y)

        def on_mouse_drag(
            self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
        ) -> None:
            self._put("move", x, y)

        def on_mouse_enter(self, x: float, y: float) -> None:
            self.set_mouse_platform_visible(False)
            self._put("move", x, y)

        def on_activate(self) -> None:
            self.set_mouse_platform_visible(False)

        def on_expose(self) -> None:
            self.set_mouse_platform_visible(False)

        def dispatch_platform_event(self, event: Any) -> None:
            self._guarded(super().dispatch_platform_event, event)

        def dispatch_platform_event_view(self, event: Any) -> None:
            self._guarded(super().dispatch_platform_event_view, event)

        def _guarded(self, handle: Callable[[Any], None], event: Any) -> None:
            self._event_ms = _server_ms(event)
            if event.type == _DESTROY_NOTIFY:
                self.destroyed = True
            try:
                handle(event)
            except Exception:
                self._faults += 1
                if self._faults <= MOST_LOGGED_FAULTS:
                    log.exception("window event of type %s skipped", event.type)
            finally:
                self._event_ms = None

        def _put(self, kind: PointerKind, x: float, y: float) -> None:
            now_s = self._now()
            at_s = now_s if self._event_ms is None else event_time_s(self._event_ms, now_s)
            ratio = self.get_pixel_ratio() * self._scale_px
            # pyglet counts whole pixels from the bottom: its y of the top row is height - 1.
            down = self.get_size()[1] - 1 - y
            self._inbox.put_pointer(PointerEvent(kind, at_s, x * ratio, down * ratio, LEFT))

    return ShowWindow


# X protocol numbers (X.h)
_BUTTON_PRESS, _BUTTON_RELEASE, _MOTION, _ENTER, _LEAVE, _DESTROY_NOTIFY = 4, 5, 6, 7, 8, 17


def _server_ms(event: Any) -> int | None:
    """The server's time stamp of a pointer event, None for other events."""
    if event.type in (_BUTTON_PRESS, _BUTTON_RELEASE):
        return int(event.xbutton.time)
    if event.type == _MOTION:
        return int(event.xmotion.time)
    if event.type in (_ENTER, _LEAVE):
        return int(event.xcrossing.time)
    return None


def _modifier_keys(key: Any) -> tuple[int, ...]:
    return (key.LCTRL, key.RCTRL, key.LSHIFT, key.RSHIFT, key.LALT, key.RALT, key.LMETA, key.RMETA)


def _key_name(key: Any, symbol: int, modifiers: int) -> str:
    held = ((key.MOD_CTRL, "ctrl"), (key.MOD_ALT, "alt"), (key.MOD_SHIFT, "shift"))
    names = [name for bit, name in held if modifiers & bit]
    return "+".join([*names, str(key.symbol_string(symbol)).lower().lstrip("_")])
