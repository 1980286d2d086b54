"""The constants at the desk: found by groups, changed in the swarm, kept, noted, refused in words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.desk.desk import Desk
from controller.panel_file import PanelSaver
from controller.scenes.baited.scene import BaitedScene
from controller.settings import load
from controller.stepper import ManualClock

SIZE = (800, 600)


class Table:
    """A desk with a real scene, real settings and a real saver; each press takes two seconds."""

    def __init__(self, home: Path) -> None:
        self.home, self.clock, self.saver = home, ManualClock(), PanelSaver(home, pause_s=0)
        self.settings = load(home)
        self.scene = BaitedScene(self.settings["baited"], SIZE, 1)
        self.noted: list[tuple[str, Any]] = []
        self.canvas: Any = SimpleNamespace(
            brightness=1.0, corners=(0.0,) * 8, blackout=False, pattern=None, lines=(), framebuffer_size=SIZE
        )
        self.desk = Desk(
            self.canvas,
            self.scene,
            None,
            self.settings,
            self.saver,
            lambda language: [],
            self.clock,
            lambda kind, detail: self.noted.append((kind, dict(detail))),
        )

    def press(self, *keys: str) -> None:
        self.desk.press(keys)
        self.clock.now_s += 2.0
        self.desk.picture(self.clock.now_s)

    def select(self, full_name: str) -> None:
        names = [knob.full_name for knob in self.desk.panel.knobs]
        self.press(*["down"] * names.index(full_name))

    def selected(self) -> list[str]:
        return [line.text for line in self.canvas.lines if line.selected]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    table = Table(tmp_path)
    table.press("d")
    return table


def test_a_turn_of_a_constant_changes_the_running_swarm_and_is_kept_and_noted(table: Table) -> None:
    table.select("baited.gait.run_min_ticks")
    table.press("shift+right")
    assert table.scene.settings.gait.run_min_ticks == table.scene.world["run_min_ticks"][0] == 40
    wanted = {"name": "baited.gait.run_min_ticks", "value": 40, "before": 30, "by": "panel"}
    assert table.noted == [("setting", wanted)]
    assert table.selected() == ["Shortest run\t40 ticks  (30)"]
    assert table.saver.close(60)
    assert load(table.home).panel_values() == {"baited.gait.run_min_ticks": 40}


@pytest.mark.parametrize("names", [("run_min_ticks", "run_max_ticks"), ("run_max_ticks", "run_min_ticks")])
def test_both_of_a_pair_change_together_in_either_order(table: Table, names: tuple[str, str]) -> None:
    for values in ({"run_min_ticks": 400, "run_max_ticks": 500}, {"run_min_ticks": 3, "run_max_ticks": 9}):
        asked = {f"baited.gait.{name}": values[name] for name in names}
        assert table.desk.live.change(asked) == ""
        gait = table.scene.settings.gait
        assert {name: getattr(gait, name) for name in names} == values
        assert table.settings["baited.gait"] == gait


def test_a_constant_that_another_forbids_is_refused_with_their_labels(table: Table) -> None:
    table.select("baited.approach.compass_near_px")
    table.press(*["shift+right"] * 8)
    assert table.desk.panel.message == "Compass near distance must be smaller than Compass far distance"
    approach = table.scene.settings.approach
    assert approach.compass_near_px == table.settings["baited.approach"].compass_near_px == 710
    table.desk.live.change({"display.language": "ja"})
    table.press("r", *["shift+right"] * 8)
    assert table.desk.panel.message == "「コンパスの短距離」は「コンパスの長距離」より小さくする"


def test_a_group_of_constants_is_gone_to_at_once_and_named(table: Table) -> None:
    table.select("baited.character.usual_max")
    table.press("pagedown")
    assert table.selected() == ["Shortest run\t30 ticks"]
    assert any(line.text.startswith("Settings: Gait\t") for line in table.canvas.lines)
