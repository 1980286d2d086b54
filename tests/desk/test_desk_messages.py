"""Messages below the panel and the corners: as long as they are true, in the language, moving no line."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.desk.desk import Desk
from controller.scenes.baited.scene import BaitedScene
from controller.settings import load
from controller.stepper import ManualClock

SIZE = (800, 600)


class Refusing:
    """A sound that takes nothing."""

    def configure(self, name: str, value: Any) -> None:
        raise ValueError("the device is gone")


class Table:
    """A desk with a real scene and real settings; its clock is moved a second by each key."""

    def __init__(self, home: Path) -> None:
        settings = load(home)
        self.canvas: Any = SimpleNamespace(
            brightness=1.0,
            corners=(0.0,) * 8,
            blackout=False,
            pattern=None,
            lines=None,
            framebuffer_size=SIZE,
        )
        self.saver: Any = SimpleNamespace(fault="", put=lambda values: None)
        self.clock = ManualClock()
        scene = BaitedScene(settings["baited"], SIZE, 1)
        self.desk = Desk(
            self.canvas, scene, Refusing(), settings, self.saver, lambda language: [], self.clock
        )

    def press(self, *keys: str) -> None:
        self.desk.press(keys)
        self.pass_s(1.0)

    def pass_s(self, duration_s: float) -> None:
        self.clock.now_s += duration_s
        self.desk.picture(self.clock.now_s)

    def select(self, full_name: str) -> None:
        names = [knob.full_name for knob in self.desk.panel.knobs]
        self.press(*["down"] * names.index(full_name))

    def texts(self) -> list[str]:
        return [line.text for line in self.canvas.lines or ()]

    def messages(self) -> list[str]:
        return [text for text in self.texts() if text.startswith("!")]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_disk_that_takes_nothing_is_told_in_the_panel_as_long_as_it_does(table: Table) -> None:
    table.press("d")
    lines = len(table.texts())
    table.saver.fault = "panel.toml cannot be written"
    table.pass_s(1.0)
    assert table.messages() == ["! panel.toml cannot be written"]
    assert table.desk.state()["fault"]
    assert len(table.texts()) == lines
    table.saver.fault = ""
    table.pass_s(1.0)
    assert table.messages() == []
    assert len(table.texts()) == lines


@pytest.mark.parametrize("key", ["d", "f1", "t", "c", "b", "escape"])
def test_a_refusal_stays_behind_in_whatever_is_opened_next(key: str, table: Table) -> None:
    table.press("d")
    table.select("sound.fade_out_s")
    table.press("right")
    assert table.messages()
    table.press(key, *(["b"] if key == "b" else []))
    assert table.messages() == []
    if key not in ("b", "c"):
        table.press("c")
    assert table.messages() == []


def fold(table: Table) -> None:
    """Move corners, from unmoved ones and with the upper left selected, until that is refused."""
    table.press(*["shift+right"] * 40, *["shift+down"] * 40, "tab", *["shift+left"] * 40)


@pytest.mark.parametrize("key", ["tab", "shift+tab", "d", "f1", "t", "c", "escape", "shift+r"])
def test_a_refusal_of_a_corner_stays_behind_and_moves_no_line(key: str, table: Table) -> None:
    table.press("c")
    lines = len(table.texts())
    fold(table)
    assert table.messages()
    assert len(table.texts()) == lines
    table.press(key)
    assert table.messages() == []


def test_in_japanese_refusals_are_japanese(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[display]\nlanguage = "ja"\n')
    table = Table(tmp_path)
    table.press("d")
    table.select("baited.size_min_px")
    table.press("shift+right", "right")
    assert "".join(table.texts()[-2:]).startswith("! 「虫の大きさ")
    table.press("c")
    fold(table)
    assert table.messages()
    assert not re.search("[a-z]", "".join(table.texts()[-2:]))
