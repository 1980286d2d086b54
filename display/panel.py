"""The panel: keys in, changes and lines of text out. Knows no window, file or clock."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from display.text import Line, columns_px

Value: TypeAlias = bool | int | float | str
Words: TypeAlias = Mapping[str, str]
BIG_STEPS = 10
# However small the picture: the selected knob and its neighbours.
FEWEST_KNOBS = 3
# Always there, if only empty: with another number of lines the whole box would be painted anew.
MESSAGE_LINES = 2
# Widths are compared in lines of this height; in other heights they differ alike.
COMPARED_PX = 32
CLOSING = "」』）】、。・：；！？ー"
SWITCHES = {"en": ("off", "on"), "ja": ("切", "入")}
# What settings refuse by themselves, and the words for it.
REFUSALS_JA = (
    (r"(\w+) must not be larger than (\w+)", r"「\1」は「\2」より大きくできない"),
    (r"(\w+) must be smaller than (\w+)", r"「\1」は「\2」より小さくする"),
    (r"these corners fold the picture over; move them apart again", "この角の位置では映せない・離して調整"),
)


class Key(NamedTuple):
    """Keys by the canvas's names, how they are shown to people, what they do, by how much, in words."""

    names: tuple[str, ...]
    shown: str
    action: str
    by: int
    words: Words


PANEL_KEYS = (
    Key(("up",), "↑", "select", -1, {"en": "the setting above", "ja": "上の設定"}),
    Key(("down",), "↓", "select", 1, {"en": "the setting below", "ja": "下の設定"}),
    Key(
        ("shift+up", "pageup"),
        "Shift ↑ / Page Up",
        "turn_group",
        -1,
        {"en": "the group of settings above", "ja": "上の設定の群"},
    ),
    Key(
        ("shift+down", "pagedown"),
        "Shift ↓ / Page Down",
        "turn_group",
        1,
        {"en": "the group of settings below", "ja": "下の設定の群"},
    ),
    Key(("left",), "←", "change", -1, {"en": "a step less", "ja": "一段小さく"}),
    Key(("right",), "→", "change", 1, {"en": "a step more", "ja": "一段大きく"}),
    Key(("shift+left",), "Shift ←", "change", -BIG_STEPS, {"en": "ten steps less", "ja": "十段小さく"}),
    Key(("shift+right",), "Shift →", "change", BIG_STEPS, {"en": "ten steps more", "ja": "十段大きく"}),
    Key(("r",), "R", "reset", 0, {"en": "this setting as configured", "ja": "この設定を元に戻す"}),
    Key(
        ("shift+r",),
        "Shift R",
        "reset_all",
        0,
        {"en": "all settings as configured", "ja": "全設定を元に戻す"},
    ),
)
_BY_NAME = {name: key for key in PANEL_KEYS for name in key.names}


class Change(NamedTuple):
    """A setting that is to have another value."""

    section: str
    name: str
    value: Value

    @property
    def full_name(self) -> str:
        """`section.name`."""
        return f"{self.section}.{self.name}"


@dataclass(frozen=True)
class Knob:
    """One live setting. `label` by language; `default` is the value as configured. Knobs of one section stand
    together; `group` names it by language, {} where the labels say enough.

    Numbers have `low`, `high` and `step`, and land on whole multiples of the step; with `choices` the
    value is one of these, stepped through in a circle.
    """

    section: str
    name: str
    label: Words
    unit: str
    value: Value
    default: Value
    low: float = 0.0
    high: float = 0.0
    step: float = 1.0
    choices: tuple[Value, ...] = ()
    group: Words = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """`section.name`."""
        return f"{self.section}.{self.name}"

    def stepped(self, steps: int) -> Value:
        """The value that many steps on, within the range."""
        if self.choices:
            return self.choices[(self.choices.index(self.value) + steps) % len(self.choices)]
        step = Decimal(repr(self.step))
        at = Decimal(repr(self.value)) / step
        whole = at.to_integral_value(ROUND_FLOOR if steps > 0 else ROUND_CEILING)
        goal = min(max((whole + steps) * step, Decimal(repr(self.low))), Decimal(repr(self.high)))
        return int(goal) if isinstance(self.default, int) else float(goal) + 0.0

    def shown(self, value: Value, language: str = "en") -> str:
        """A value in words, without its unit."""
        if isinstance(value, bool):
            return SWITCHES.get(language, SWITCHES["en"])[value]
        if isinstance(value, int | float):
            text = f"{Decimal(repr(value)):f}"
            return text.rstrip("0").rstrip(".") if "." in text else text
        return value


class Panel:
    """The knobs, which of them is selected, and what the last key could not do.

    `made` counts the lines ever made.
    """

    def __init__(self, knobs: Sequence[Knob], language: str = "en") -> None:
        self.knobs = list(knobs)
        self.language = language
        self.selected = 0
        self.message = ""
        self.made = 0
        self._top = 0

    def press(self, key: str) -> list[Change]:
        """What one key asks to change; the knobs have the new values until `put` says otherwise."""
        known = _BY_NAME.get(key)
        if known is None or not self.knobs:
            return []
        self.message = ""
        if known.action == "select":
            self.selected = (self.selected + known.by) % len(self.knobs)
            return []
        if known.action == "turn_group":
            # At the top of the window, so that as much of the group as fits is in view.
            self._top = self.selected = self._start_of_group(known.by)
            return []
        if known.action == "change":
            return self._turned({self.selected: self.knobs[self.selected].stepped(known.by)})
        places = [self.selected] if known.action == "reset" else range(len(self.knobs))
        return self._turned({place: self.knobs[place].default for place in places})

    def _start_of_group(self, way: int) -> int:
        """The first knob of a section that comes next above or below the selected one, in a circle."""
        sections = [knob.section for knob in self.knobs]
        starts = [place for place, section in enumerate(sections) if section not in sections[:place]]
        above = [place for place in starts if place < self.selected]
        below = [place for place in starts if place > self.selected]
        return (above or starts)[-1] if way < 0 else (below or starts)[0]

    def _turned(self, values: Mapping[int, Value]) -> list[Change]:
        changes = []
        for place, value in values.items():
            knob = self.knobs[place]
            if value != knob.value:
                self.knobs[place] = replace(knob, value=value)
                changes.append(Change(knob.section, knob.name, value))
        return changes

    def put(self, full_name: str, value: Value) -> None:
        """Show the value that a setting really has."""
        for place, knob in enumerate(self.knobs):
            if knob.full_name == full_name:
                self.knobs[place] = replace(knob, value=value)

    def in_words(self, refusal: str, full_name: str) -> str:
        """Why a setting was refused, in the panel's language and with labels in the place of names."""
        text = self._japanese(refusal, full_name) if refusal and self.language == "ja" else refusal
        for knob in self.knobs:
            text = re.sub(rf"\b{knob.name}\b", self._label(knob), text) if "_" in knob.name else text
        return text

    def _japanese(self, refusal: str, full_name: str) -> str:
        text = refusal
        for pattern, words in REFUSALS_JA:
            text = re.sub(pattern, words, text)
        if text != refusal:
            return text
        label = next((self._label(knob) for knob in self.knobs if knob.full_name == full_name), full_name)
        return f"「{label}」は変更できない： {refusal}"

    def _label(self, knob: Knob) -> str:
        return knob.label.get(self.language, knob.label["en"])

    def lines(self, title: str, facts: Sequence[tuple[str, str]], room: int) -> tuple[Line, ...]:
        """The panel in at most `room` lines: title, facts, and as many knobs as fit.

        Where not all fit, the knobs scroll with the selection, and facts give way before knobs do.
        """
        head = [Line(title)]
        fewest = min(FEWEST_KNOBS, len(self.knobs)) + 1
        facts = facts[: max(0, room - len(head) - fewest)]
        head += [Line(f"{name}\t{value}") for name, value in facts]
        fitting = max(1, room - len(head) - 1)
        rows = self._window(fitting)
        head.append(Line(self._heading()))
        head += [self._row(number) for number in rows]
        self.made += len(head)
        return tuple(head)

    def _heading(self) -> str:
        """Which group and which of all settings is selected."""
        japanese = self.language == "ja"
        heading = "設定" if japanese else "Settings"
        if not self.knobs:
            return f"{heading}\t0"
        group = self.knobs[self.selected].group.get(self.language, "")
        named = f"{heading}{'：' if japanese else ': '}{group}" if group else heading
        return f"{named}\t{self.selected + 1} / {len(self.knobs)}"

    def _window(self, fitting: int) -> range:
        """Which knobs are shown: the window moves only as far as the selection pushes it."""
        last_top = max(0, len(self.knobs) - fitting)
        self._top = min(max(self._top, self.selected - fitting + 1), self.selected, last_top)
        return range(self._top, min(self._top + fitting, len(self.knobs)))

    def _row(self, number: int) -> Line:
        knob = self.knobs[number]
        value = f"{knob.shown(knob.value, self.language)} {knob.unit}".rstrip()
        moved = knob.value != knob.default
        configured = f"  ({knob.shown(knob.default, self.language)})" if moved else ""
        return Line(f"{self._label(knob)}\t{value}{configured}", selected=number == self.selected)


def with_message(lines: Sequence[Line], message: str) -> tuple[Line, ...]:
    """The lines, and below them MESSAGE_LINES for the message, empty where there is none.

    It is broken where both parts are narrowest, and only when it is wider than all other lines.
    """
    text = f"! {' '.join(message.split())}".removesuffix("! ")
    rows = _broken(text, columns_px(lines, COMPARED_PX)) if text else ()
    return (*lines, *rows, *[Line("")] * (MESSAGE_LINES - len(rows)))


@lru_cache(maxsize=16)
def _broken(text: str, room_px: int) -> tuple[Line, ...]:
    ways = [(Line(text[:place].rstrip()), Line(text[place:].lstrip())) for place in _breaks(text)]
    if not ways or columns_px([Line(text)], COMPARED_PX) <= room_px:
        return (Line(text),)
    return min(ways, key=lambda way: columns_px(way, COMPARED_PX))


def _breaks(text: str) -> list[int]:
    """Where a line may end: at blanks, and between Japanese characters but before a closing sign."""
    return [
        place
        for place in range(3, len(text))
        if text[place] == " "
        or (text[place - 1] > "\u2fff" and text[place] > "\u2fff" and text[place] not in CLOSING)
    ]


def help_lines(title: str, keys: Sequence[Key], language: str) -> tuple[Line, ...]:
    """All keys and what they do, a line each."""
    rows = (Line(f"{key.shown}\t{key.words.get(language, key.words['en'])}") for key in keys)
    return (Line(title), *rows)
