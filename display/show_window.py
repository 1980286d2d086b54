"""The pyglet window behind the show. Import it only after `prepare_pyglet`: pyglet reads its options then."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from typing import Any

from pyglet import gl
from pyglet.window import Window, key, mouse

from display.events import EventQueue, PointerEvent, PointerKind
from display.server_time import event_time_s

MOST_LOGGED_FAULTS = 10
MODIFIER_KEYS = (key.LCTRL, key.RCTRL, key.LSHIFT, key.RSHIFT, key.LALT, key.RALT, key.LMETA, key.RMETA)
ARROWS = {key.LEFT: "left", key.RIGHT: "right", key.UP: "up", key.DOWN: "down"}
QUIT_CHORD = "ctrl+q"
_ON_X = sys.platform.startswith("linux")
# X protocol numbers (X.h)
_BUTTON_PRESS, _BUTTON_RELEASE, _MOTION, _ENTER, _LEAVE, _DESTROY_NOTIFY = 4, 5, 6, 7, 8, 17
# pyglet has no name for ISO_Left_Tab and gives the place of the key instead (X keycode 23).
_SHIFTED_TAB = key.user_key(23)
_FOCUS_OUT, _NOTIFY_INFERIOR, _NOTIFY_POINTER = 10, 2, 5


log = logging.getLogger(__name__)


class ShowWindow(Window):  # type: ignore[misc]
    """Turns pyglet's events into entries of an EventQueue; has no default reaction to any of them."""

    destroyed = False
    abandoned = False
    _told_focus = False
    _queue = EventQueue()
    _scale_px = 1.0
    _pressed = False
    _event_ms: int | None = None
    _faults = 0
    _now = staticmethod(time.perf_counter)

    def attend(self, events: EventQueue, scale: float, now: Callable[[], float]) -> None:
        self._queue, self._scale_px, self._now = events, scale, now

    @property
    def x_number(self) -> int:
        """The window's number on the X server; there is none elsewhere."""
        return int(self._window)

    def is_current(self) -> bool:
        """True when GL calls go to this window already."""
        return gl.current_context is self.context

    def _create_projection(self) -> None:
        """Our renderer brings its own shaders."""

    def _on_internal_resize(self, width: int, height: int) -> None:
        framebuffer = self.get_framebuffer_size()
        self._queue.put_resize(*(round(side * self._scale_px) for side in framebuffer))

    def close(self) -> None:
        # pyglet calls this from __del__ too, and any call on a broken connection crashes.
        if not self.abandoned:
            super().close()

    def on_close(self) -> None:
        log.info("the window manager asked to close the window; ignored, Ctrl+Q ends the show")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        plain_arrow = symbol in ARROWS and not modifiers & (key.MOD_CTRL | key.MOD_ALT)
        if symbol in MODIFIER_KEYS or plain_arrow:
            return
        name = _key_name(symbol, modifiers)
        self._queue.put_key(name)
        if name == QUIT_CHORD:
            self._queue.wants_to_quit = True

    def on_text_motion(self, motion: int) -> None:
        # Comes at the press and, unlike on_key_press, again while the key is held.
        if motion in ARROWS:
            self._queue.put_key(ARROWS[motion])

    def on_text_motion_select(self, motion: int) -> None:
        if motion in ARROWS:
            self._queue.put_key(f"shift+{ARROWS[motion]}")

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        if button == mouse.LEFT:
            self._pressed = True
            self._put("press", x, y)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        if button == mouse.LEFT:
            self._pressed = False
            self._put("release", x, y)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        self.on_mouse_drag(x, y, dx, dy, 0, 0)

    def on_mouse_drag(self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int) -> None:
        if self._pressed and not buttons & mouse.LEFT:
            # The button went up where we could not see it, for example under a pop-up.
            self.on_mouse_release(x, y, mouse.LEFT, 0)
        self._put("move", x, y)

    def on_mouse_enter(self, x: float, y: float) -> None:
        self.set_mouse_platform_visible(False)
        self._put("move", x, y)

    def on_activate(self) -> None:
        self.set_mouse_platform_visible(False)

    def on_deactivate(self) -> None:
        if not self._told_focus:
            self._told_focus = True
            log.info("another window has the keyboard; the show goes on (told once)")

    def on_expose(self) -> None:
        self.set_mouse_platform_visible(False)

    def dispatch_platform_event(self, event: Any) -> None:
        self._guarded(super().dispatch_platform_event, event)

    def dispatch_platform_event_view(self, event: Any) -> None:
        self._guarded(super().dispatch_platform_event_view, event)

    def _guarded(self, handle: Callable[[Any], None], event: Any) -> None:
        if event.type == _FOCUS_OUT and _stays_ours(event.xfocus.detail):
            return
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
        # X speaks of pixels whatever scaling a desktop asks its programs for (Xft.dpi); `_scale` is what
        # pyglet divides by. Its pixel ratio is that wish.
        ratio = (self._scale if _ON_X else self.get_pixel_ratio()) * self._scale_px
        # pyglet counts whole pixels from the bottom: its y of the top row is height - 1.
        down = self.get_size()[1] - 1 - y
        self._queue.put_pointer(PointerEvent(kind, at_s, x * ratio, down * ratio))


def _stays_ours(detail: int) -> bool:
    """True for notices of a lost focus that go with the pointer or stay within the window."""
    return detail == _NOTIFY_INFERIOR or detail >= _NOTIFY_POINTER


def _server_ms(event: Any) -> int | None:
    """The server's time stamp of a pointer event, None for other events."""
    if event.type in (_BUTTON_PRESS, _BUTTON_RELEASE):
        return int(event.xbutton.time)
    if event.type == _MOTION:
        return int(event.xmotion.time)
    if event.type in (_ENTER, _LEAVE):
        return int(event.xcrossing.time)
    return None


def _key_name(symbol: int, modifiers: int) -> str:
    held = ((key.MOD_CTRL, "ctrl"), (key.MOD_ALT, "alt"), (key.MOD_SHIFT, "shift"))
    names = [name for bit, name in held if modifiers & bit]
    if symbol == _SHIFTED_TAB:
        return "+".join([*names, "tab"])
    return "+".join([*names, str(key.symbol_string(symbol)).lower().lstrip("_")])
