"""A picture without a screen: an off-screen EGL surface with 8-bit colours."""

from __future__ import annotations

from functools import cache
from typing import Any

from display.errors import DisplayError
from display.events import EventQueue
from display.pyglet_options import prepare_pyglet


class HeadlessSurface:
    """The surface of `--headless`: no events, no vertical sync, the size that the settings give.

    Raises DisplayError when there is no EGL driver, or when this process already has a window.
    """

    vsync = False
    refresh_rate = 60.0
    name = "headless"
    index = 0
    power = None
    lost: str | None = None

    def __init__(self, width_px: int, height_px: int) -> None:
        prepare_pyglet(headless=True)
        self.framebuffer_size = (width_px, height_px)
        self.events = EventQueue()
        self._window = _open_window(width_px, height_px)

    def dispatch(self) -> None:
        """Nothing happens here that could be waiting."""

    def make_current(self) -> None:
        """Direct the GL calls that follow to this surface."""
        if not self._window.is_current():
            self._window.switch_to()

    def flip(self) -> None:
        """Hand the picture over when it is finished: with no screen to hold them back, unfinished
        pictures would pile up in the driver without end."""
        from pyglet.gl import glFinish

        glFinish()
        self._window.flip()

    def close(self) -> None:
        """Give the surface and its context back."""
        self._window.close()


@cache
def _display() -> Any:
    # Kept for the life of the process: pyglet ends EGL for every surface when this object goes.
    from pyglet.display import get_display

    return get_display()


def _open_window(width_px: int, height_px: int) -> Any:
    try:
        from pyglet import gl
        from pyglet.window import NoSuchConfigException, Window
    except ImportError as fault:
        raise DisplayError(
            f"no OpenGL library: {fault}; install libegl1, libgl1 and libgl1-mesa-dri"
        ) from fault

    class PlainWindow(Window):  # type: ignore[misc, valid-type]
        def is_current(self) -> bool:
            return gl.current_context is self.context

        def _create_projection(self) -> None:
            """Our renderer brings its own shaders."""

        def _on_internal_resize(self, width: int, height: int) -> None:
            """The size never changes."""

    try:
        screen = _display().get_default_screen()
        # Without sizes EGL takes RGB565, in which the beam shows bands.
        config_kind: Any = gl.Config
        wanted = config_kind(red_size=8, green_size=8, blue_size=8, major_version=3, minor_version=3)
        return PlainWindow(width_px, height_px, config=screen.get_best_config(wanted))
    except (NoSuchConfigException, gl.ContextException, gl.lib.GLException) as fault:
        raise DisplayError(
            f"no headless OpenGL 3.3 with 8-bit colours: {fault}; install libegl1 and libgl1-mesa-dri"
        ) from fault
