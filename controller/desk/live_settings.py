"""Settings changed while the show runs: checked, put in force, kept, and noted in the log once they rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from controller.settings import Settings
from display.corners import Corners

# A held key makes 30 changes a second; the log wants the one that stayed.
REST_S = 1.0


class Picture(Protocol):
    """What settings change of the canvas."""

    brightness: float
    corners: Corners


class Configurable(Protocol):
    """A scene or the sound: a setting changes at once, or ValueError says why it cannot."""

    def configure(self, name: str, value: Any) -> None: ...


class Saver(Protocol):
    """Where the changed settings are kept; never waits."""

    @property
    def fault(self) -> str: ...

    def put(self, values: Mapping[str, Any]) -> None: ...


class LiveSettings:
    """`note` is the log's. The sound may be None, where there is none."""

    def __init__(
        self,
        settings: Settings,
        canvas: Picture,
        scene: Configurable,
        sound: Configurable | None,
        saver: Saver,
        note: Callable[[str, Mapping[str, Any]], None],
        clock: Callable[[], float],
    ) -> None:
        self.settings = settings
        self._canvas, self._saver, self._note, self._clock = canvas, saver, note, clock
        self._parts = {settings["show"].scene: scene, "sound": sound}
        self._before: dict[str, Any] = {}
        self._moved_at_s = -math.inf

    def change(self, values: Mapping[str, Any]) -> str:
        """Put values by `section.key` in force, each section wholly or not at all; says why not."""
        groups: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            groups.setdefault(name.split(".")[0], {})[name] = value
        refused = [self._change_section(top, group) for top, group in groups.items()]
        self._saver.put(self.settings.panel_values())
        return "; ".join(filter(None, refused))

    def _change_section(self, top: str, values: Mapping[str, Any]) -> str:
        before = {name: self.value(name) for name in values}
        try:
            changed = self.settings.changed(values)
            self._send(top, changed[top], values)
        except Exception as error:  # noqa: BLE001  a change that cannot be must not cost a picture
            self._take_back(top, before)
            return _words(error)
        self.settings.accept(changed)
        for name, value in before.items():
            self._before.setdefault(name, value)
        self._moved_at_s = self._clock()
        return ""

    def value(self, full_name: str) -> Any:
        """The value in force of `section.key`."""
        section, _, key = full_name.rpartition(".")
        return getattr(self.settings[section], key)

    def _send(self, top: str, section: Any, values: Mapping[str, Any]) -> None:
        if top == "display":
            self._canvas.corners = section.corners.shares
            self._canvas.brightness = section.brightness
            return
        part = self._parts.get(top)
        if part is not None:
            configure(part, {name.partition(".")[2]: value for name, value in values.items()})

    def _take_back(self, top: str, values: Mapping[str, Any]) -> None:
        """What a part took before it refused the rest."""
        with suppress(Exception):  # a part that refuses its own old values has been told of already
            self._send(top, self.settings.sections[top], values)

    def rest(self, now_s: float) -> None:
        """Note in the log what has changed, once nothing has for a second. Cheap when there is nothing."""
        if self._before and now_s - self._moved_at_s >= REST_S:
            self.flush()

    def flush(self) -> None:
        """Note what has changed and was not noted yet."""
        before, self._before = self._before, {}
        for name, value in before.items():
            if (now := self.value(name)) != value:
                self._note("setting", {"name": name, "value": now, "before": value, "by": "panel"})


def configure(part: Configurable, values: Mapping[str, Any]) -> None:
    """Hand all values over, in an order in which the part takes them; its ValueError when there is none."""
    waiting = dict(values)
    while waiting:
        refused: dict[str, ValueError] = {}
        for name, value in waiting.items():
            try:
                part.configure(name, value)
            except ValueError as error:
                refused[name] = error
        if len(refused) == len(waiting):
            raise next(iter(refused.values()))
        waiting = {name: waiting[name] for name in refused}


def _words(error: Exception) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text.partition("] ")[2].replace("Value error, ", "") if text.startswith("[") else text
