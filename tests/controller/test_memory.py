"""Memory over a day's worth of pictures: the real loop, picture, panel and log, on a hand-moved clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.desk.desk import Desk
from controller.desk.facts import DeskFacts
from controller.facts import Facts
from controller.inputs.demo import DemoSource
from controller.panel_file import PanelSaver
from controller.scenes import open_scene
from controller.settings import load
from controller.show import Show
from controller.stepper import ManualClock, Stepper
from controller.studies.memory import resident_bytes
from display.canvas import open_canvas
from display.settings import DisplaySettings
from logs.visits import Visits
from logs.writer import Log

MIB = 1024 * 1024
# Ten pictures a second, so that 20,000 of them are half an hour of visits and 5,000 texts or more.
PERIOD_S = 0.1


class Evening:
    """A show with a simulated visitor whose panel stays open: text is made anew four times a second."""

    def __init__(self, home: Path, period_s: float = PERIOD_S) -> None:
        (home / "config.toml").write_text("[baited]\nbugs = 40\n", encoding="utf-8")
        self.clock, settings = ManualClock(1e6), load(home)
        small = DisplaySettings(headless_width=320, headless_height=240)
        self.canvas = open_canvas(small, headless=True)
        self.log = Log(home / "visits.db", perf=self.clock)
        self.saver = PanelSaver(home)
        self.show = Show(
            self.canvas,
            DemoSource(settings["demo"], self.canvas.size, 1, self.clock),
            open_scene("baited", settings["baited"], self.canvas.size, 1),
            Visits(settings["log"]),
            self.log,
            Stepper(self.clock),
            self.clock,
            lambda: self.clock.sleep(period_s),
        )
        told = DeskFacts(self.show, self.log.state, lambda: None, self.clock)
        desk = Desk(self.canvas, self.show.scene, None, settings, self.saver, told, self.clock, self.log.note)
        self.show.desk = self.desk = desk
        desk.press(["d"])
        self.facts = Facts(self.show, self.canvas, self.log, settings, self.clock)
        self.texts = 0

    def pass_by(self, pictures: int) -> None:
        """So many pictures, with the status twice a second as its thread would ask for it."""
        lines = self.canvas.lines
        for k in range(pictures):
            if k % 2 == 0:
                self.desk.press(["down"])
            self.show.picture()
            if self.canvas.lines is not lines:
                lines = self.canvas.lines
                self.texts += 1
            if k % 5 == 0:
                self.facts()

    def close(self) -> None:
        self.saver.close()
        self.log.stop()
        self.canvas.close()


@pytest.mark.full
def test_twenty_thousand_pictures_with_the_panel_open_keep_the_memory_flat(tmp_path: Path) -> None:
    """20,000 pictures add no more than 1 MiB, once the first half hour has filled Python's own pools."""
    evening = Evening(tmp_path)
    evening.pass_by(20_000)
    before, texts = resident_bytes(), evening.texts
    evening.pass_by(20_000)
    grown = resident_bytes() - before
    faults = evening.show.pulse.faults
    evening.close()
    assert faults == 0
    assert evening.texts - texts > 5000
    assert grown <= MIB


@pytest.mark.full
def test_eight_hours_with_the_panel_open_keep_the_memory(tmp_path: Path) -> None:
    """F31: in a day of visits after its tenth minute, four pictures and texts a second, under 5 MB."""
    evening = Evening(tmp_path, period_s=0.25)
    evening.pass_by(10 * 60 * 4)
    before = resident_bytes()
    evening.pass_by(8 * 3600 * 4)
    grown = resident_bytes() - before
    faults, hours = evening.show.pulse.faults, (evening.clock() - 1e6) / 3600
    evening.close()
    assert hours > 8
    assert faults == 0
    assert grown < 5_000_000
