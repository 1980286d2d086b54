"""The technician's desk: keys in; the panel, test patterns, blackout and corner pin that they open."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from controller.desk.keys import ALL_KEYS, CORNER_KEYS, GENERAL_KEYS, named
from controller.desk.knobs import knobs_of
from controller.desk.live_settings import Configurable, LiveSettings, Picture, Saver
from controller.settings import Settings
from display.panel import MESSAGE_LINES, PANEL_KEYS, Key, Panel, help_lines, with_message
from display.patterns import PATTERNS, Pattern
from display.settings import MOST_SHARE
from display.text import Line, line_height_px

FACTS_S = 0.25
HEADING_S = 4.0
# The text box keeps this share of the height free, above and below together.
MARGIN_SHARE = 0.04
CORNER_PATTERN = "border"
CORNERS = {
    "top_left": {"en": "top left", "ja": "左上"},
    "top_right": {"en": "top right", "ja": "右上"},
    "bottom_right": {"en": "bottom right", "ja": "右下"},
    "bottom_left": {"en": "bottom left", "ja": "左下"},
}
TITLES = {
    "panel": {"en": "baited – D closes, F1 lists the keys", "ja": "baited・D 閉じる・F1 操作の案内"},
    "help": {"en": "Keys – F1 closes", "ja": "操作の案内・F1 閉じる"},
    "corners": {"en": "Corners – Tab, arrows, R; C closes", "ja": "角・Tab ← → ↑ ↓ R・C 閉じる"},
}
_WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_GENERAL, _PANEL, _CORNER = named(GENERAL_KEYS), named(PANEL_KEYS), named(CORNER_KEYS)

Facts = Callable[[str], Sequence[tuple[str, str]]]

logger = logging.getLogger(__name__)


class Canvas(Picture, Protocol):
    """What the desk changes of the picture."""

    blackout: bool
    pattern: Pattern | None
    lines: Sequence[Line] | None

    @property
    def framebuffer_size(self) -> tuple[int, int]: ...


class Desk:
    """`press` and `picture` once a picture, on the frame thread; neither blocks, and both do next to
    nothing while nothing is open. `facts` gives label and value of the panel's lines in a language.
    """

    def __init__(
        self,
        canvas: Canvas,
        scene: Configurable,
        sound: Configurable | None,
        settings: Settings,
        saver: Saver,
        facts: Facts,
        clock: Callable[[], float],
        note: Callable[[str, Mapping[str, Any]], None] = lambda kind, detail: None,
    ) -> None:
        self._canvas, self._saver, self._facts = canvas, saver, facts
        self._clock, self._note = clock, note
        self.live = LiveSettings(settings, canvas, scene, sound, saver, note, clock)
        silent = frozenset({"sound"} if sound is None else ())
        knobs = knobs_of(settings, settings["show"].scene, silent)
        self.panel = Panel(knobs, settings["display"].language)
        self._text: Literal["", "panel", "help"] = ""
        self._cornering, self._corner = False, 0
        self._told: Sequence[tuple[str, str]] = ()
        self._told_until_s = self._heading_until_s = -math.inf
        self._next_s = math.inf

    @property
    def _language(self) -> str:
        return str(self.live.settings["display"].language)

    def press(self, keys: Sequence[str]) -> None:
        """What people pressed since the last picture, by the canvas's names; unknown keys do nothing."""
        for name in keys:
            self._press(name)

    def _press(self, name: str) -> None:
        general = _GENERAL.get(name)
        if self._canvas.blackout:
            if general is not None and general.action in ("toggle_blackout", "close"):
                self._blackout(False)
                self._next_s = -math.inf
            return
        if self._text == "panel" and name in _PANEL:
            self._turn_knobs(name)
        elif self._cornering and not self._text and name in _CORNER:
            self._do(_CORNER[name], name)
        elif general is not None:
            self._do(general, name)
        else:
            return
        self._next_s = -math.inf

    def _do(self, key: Key, name: str) -> None:
        self.panel.message = ""
        if key.action:
            getattr(self, f"_{key.action}")(key.by, name)

    def picture(self, now_s: float) -> None:
        """Bring the text up to date where it is due; facts at most four times a second."""
        self.live.rest(now_s)
        if now_s < self._next_s or self._canvas.blackout:
            return
        self._next_s = math.inf
        lines = self._lines(now_s)
        if lines != self._canvas.lines:
            self._canvas.lines = lines

    def state(self) -> dict[str, Any]:
        """For the status: what is open, and why settings cannot be kept ("" when they can)."""
        pattern = self._canvas.pattern
        return {
            "panel": self._text == "panel",
            "help": self._text == "help",
            "corners": self._cornering,
            "pattern": pattern.name if pattern is not None else None,
            "blackout": self._canvas.blackout,
            "fault": self._saver.fault,
        }

    def close(self) -> None:
        """The show ends: what was changed a moment ago goes to the log too."""
        self.live.flush()

    def _lines(self, now_s: float) -> tuple[Line, ...] | None:
        if self._text == "panel":
            return self._panel_lines(now_s)
        if self._text == "help":
            return help_lines(self._title("help"), ALL_KEYS, self._language)
        if self._cornering:
            return self._corner_lines()
        if self._canvas.pattern is not None and now_s < self._heading_until_s:
            self._next_s = self._heading_until_s
            return (Line(self._canvas.pattern.heading(self._language)),)
        return None

    def _panel_lines(self, now_s: float) -> tuple[Line, ...]:
        if now_s >= self._told_until_s:
            self._told = self._ask_facts()
            self._told_until_s = now_s + FACTS_S
        self._next_s = self._told_until_s
        height_px = self._canvas.framebuffer_size[1]
        room = int(height_px * (1 - MARGIN_SHARE)) // line_height_px(height_px)
        return self._with_message(self.panel.lines(self._title("panel"), self._told, room - MESSAGE_LINES))

    def _with_message(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """What the last key could not do; else what keeps changes from being kept, as long as it does."""
        return with_message(lines, self.panel.message or self._saver.fault)

    def _ask_facts(self) -> Sequence[tuple[str, str]]:
        try:
            return self._facts(self._language)
        except Exception as error:  # noqa: BLE001  the knobs must work whatever the facts meet
            return [("?", f"{type(error).__name__}: {error}")]

    def _title(self, name: str) -> str:
        return TITLES[name][self._language]

    def _turn_knobs(self, name: str) -> None:
        changes = self.panel.press(name)
        if changes:
            self._change({change.full_name: change.value for change in changes})

    def _change(self, values: Mapping[str, Any]) -> None:
        """Change settings; the knobs show what became of it, and the message what was refused."""
        self.panel.message = self.panel.in_words(self.live.change(values), next(iter(values)))
        for full_name in values:
            self.panel.put(full_name, self.live.value(full_name))
        self.panel.language = self._language

    def _toggle_panel(self, by: int, name: str) -> None:
        self._text = "" if self._text == "panel" else "panel"
        self._told_until_s = -math.inf

    def _toggle_help(self, by: int, name: str) -> None:
        self._text = "" if self._text == "help" else "help"

    def _turn_pattern(self, by: int, name: str) -> None:
        """The next pattern, or the first; from the corners' pattern too. Its heading stands for a moment."""
        shown = None if self._cornering else self._canvas.pattern
        self._cornering = False
        place = PATTERNS.index(shown) + by if shown in PATTERNS else min(by, 0)
        self._show_pattern(PATTERNS[place % len(PATTERNS)])

    def _toggle_corners(self, by: int, name: str) -> None:
        self._cornering, self._text = not self._cornering, ""
        border = next((one for one in PATTERNS if one.name == CORNER_PATTERN), PATTERNS[0])
        self._show_pattern(border if self._cornering else None)

    def _show_pattern(self, pattern: Pattern | None) -> None:
        if pattern is not self._canvas.pattern:
            self._canvas.pattern = pattern
            self._note("pattern", {"name": pattern.name if pattern is not None else None})
        self._heading_until_s = self._clock() + HEADING_S

    def _toggle_blackout(self, by: int, name: str) -> None:
        self._blackout(True)

    def _blackout(self, on: bool) -> None:
        self._canvas.blackout = on
        self._note("blackout", {"on": on})

    def _close(self, by: int, name: str) -> None:
        """Close what is on top: text, then corners or pattern."""
        if self._text:
            self._text = ""
        elif self._cornering or self._canvas.pattern is not None:
            self._cornering = False
            self._show_pattern(None)

    def _corner_lines(self) -> tuple[Line, ...]:
        rows = []
        for number, (corner, words) in enumerate(CORNERS.items()):
            x_px, y_px = self._corner_px(corner)
            selected = number == self._corner
            rows.append(Line(f"{words[self._language]}\t{x_px:+d} {y_px:+d} px", selected))
        return self._with_message((Line(self._title("corners")), *rows))

    def _corner_px(self, corner: str) -> tuple[int, int]:
        width, height = self._canvas.framebuffer_size
        shares = self.live.settings["display.corners"]
        return round(getattr(shares, f"{corner}_x") * width), round(getattr(shares, f"{corner}_y") * height)

    def _turn_corner(self, by: int, name: str) -> None:
        self._corner = (self._corner + by) % len(CORNERS)

    def _move_corner(self, by: int, name: str) -> None:
        corner, way = list(CORNERS)[self._corner], _WAYS[name.rpartition("+")[2]]
        values = {}
        for axis, at_px, step, side_px in zip(
            "xy", self._corner_px(corner), way, self._canvas.framebuffer_size, strict=True
        ):
            share = round((at_px + step * by) / side_px, 6)
            if step:
                values[f"display.corners.{corner}_{axis}"] = min(max(share, -MOST_SHARE), MOST_SHARE)
        self._change(values)

    def _reset_corner(self, by: int, name: str) -> None:
        self._put_back([list(CORNERS)[self._corner]])

    def _reset_corners(self, by: int, name: str) -> None:
        self._put_back(list(CORNERS))

    def _put_back(self, corners: Sequence[str]) -> None:
        names = [f"display.corners.{corner}_{axis}" for corner in corners for axis in "xy"]
        self._change({name: self.live.settings.configured_value(name) for name in names})
