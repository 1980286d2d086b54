"""`status.json` and what the status command makes of it: ages, never mere flags."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from controller.beacon import FILE, STALE_S, StatusWriter, read_status
from controller.facts import Facts
from controller.inputs.demo import DemoSource
from controller.scenes import open_scene
from controller.settings import load
from controller.show import Show
from controller.stepper import ManualClock, Stepper
from display.canvas import open_canvas
from display.settings import DisplaySettings
from logs.visits import Visits
from logs.writer import Log

FACTS = {
    "state": "running",
    "written_monotonic_s": 1000.0,
    "pid": os.getpid(),
    "ages": {"picture": 0.25, "tick": 0.2, "log_write": None},
    "light": {"alive": True},
    "log": {"error": "", "warning": ""},
}


def put(home: Path, **changes: Any) -> None:
    (home / FILE).write_text(json.dumps({**FACTS, **changes}), encoding="utf-8")


def test_ages_are_brought_up_to_the_moment_of_asking(tmp_path: Path) -> None:
    put(tmp_path)
    facts, faults = read_status(tmp_path, 1001.5)
    assert facts["ages"] == {"picture": 1.75, "tick": 1.7, "log_write": None}
    assert faults == []


@pytest.mark.parametrize(
    ("changes", "now_s", "words"),
    [
        ({}, 1000.0 + STALE_S + 1, "last sign"),
        ({}, 200.0, "hangs"),
        ({"pid": 2**22 + 7}, 1001.0, "killed"),
        ({"ages": {"picture": 8.0, "tick": 0.1}}, 1000.5, "picture"),
        ({"state": "ended"}, 1000.5, "ended"),
        ({"log": {"error": "disk is full", "warning": ""}}, 1000.5, "disk is full"),
        ({"log": {"error": "", "warning": "kept as visits.damaged.db"}}, 1000.5, "kept as"),
        ({"light": {"alive": False, "reason": "camera_lost"}}, 1000.5, "camera_lost"),
        ({"black": True}, 1000.5, "picture is black"),
        ({"desk": {"fault": "panel.toml cannot be written"}}, 1000.5, "panel.toml cannot be written"),
    ],
)
def test_what_is_stale_or_unwell_is_named(
    tmp_path: Path, changes: dict[str, Any], now_s: float, words: str
) -> None:
    put(tmp_path, **changes)
    _, faults = read_status(tmp_path, now_s)
    assert any(words in fault for fault in faults)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"state": "run',
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"written_monotonic_s": "x"}',
        b'{"state": "running", "written_monotonic_s": 1.0, "pid": 1, "ages": 3}',
        b'{"state": "running", "written_monotonic_s": NaN, "pid": 1}',
    ],
)
def test_a_broken_status_is_a_finding_and_no_crash(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    facts, faults = read_status(tmp_path, 5.0)
    assert facts == {}
    assert "cannot be read" in faults[0]


def test_no_status_means_no_show(tmp_path: Path) -> None:
    facts, faults = read_status(tmp_path, 5.0)
    assert facts == {}
    assert "controller run" in faults[0]


def test_the_writer_leaves_a_last_word_(tmp_path: Path) -> None:
    writer = StatusWriter(tmp_path, lambda: {"ages": {}})
    writer.stop()
    assert json.loads((tmp_path / FILE).read_text(encoding="utf-8"))["state"] == "ended"


def test_facts_that_fail_are_named_and_the_writing_goes_on(tmp_path: Path) -> None:
    writer = StatusWriter(tmp_path, lambda: {"ages": {}, "thing": object()})
    writer.write("running")
    facts, faults = read_status(tmp_path, time.monotonic())
    writer.stop()
    assert facts["state"] == "running"
    assert any("TypeError" in fault for fault in faults)


def test_where_the_home_cannot_be_written_the_status_is_still_found(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = tmp_path / "home"
    home.write_text("a file in the way", encoding="utf-8")
    writer = StatusWriter(home, lambda: {"ages": {}, "fps": 60.0})
    for _ in range(3):
        writer.write("running")
    facts, faults = read_status(home, time.monotonic())
    writer.stop()
    assert (facts["fps"], faults) == (60.0, [])
    assert caplog.text.count("cannot be written") == 1


class Part:
    """A desk or a sound with something to say."""

    def __init__(self, **said: object) -> None:
        self.said = said

    def press(self, keys: list[str]) -> None: ...

    def picture(self, now_s: float) -> None: ...

    def light(self, on: bool) -> None: ...

    def close(self) -> None: ...

    def state(self) -> dict[str, Any]:
        return self.said


def test_the_status_tells_how_steadily_pictures_come_and_what_was_dropped(tmp_path: Path) -> None:
    """A real show on a hand-moved clock: 70 s at 5 pictures a second with one halt of 3 s."""
    (tmp_path / "config.toml").write_text("[baited]\nbugs = 10\n", encoding="utf-8")
    clock, settings = ManualClock(1e6), load(tmp_path)
    canvas = open_canvas(DisplaySettings(headless_width=64, headless_height=48), headless=True)
    log = Log(tmp_path / "visits.db", perf=clock)
    show = Show(
        canvas,
        DemoSource(settings["demo"], canvas.size, 1, clock),
        open_scene("baited", settings["baited"], canvas.size, 1),
        Visits(settings["log"]),
        log,
        Stepper(clock),
        clock,
        lambda: clock.sleep(3.0 if show.pulse.pictures == 200 else 0.2),
    )
    facts = Facts(show, canvas, log, settings, clock)
    assert facts()["frames"] == {"minute": {}, "pictures": 0, "dropped": 0}
    while clock.now_s < 1e6 + 70.0:
        show.picture()
    show.desk, show.sound = Part(panel=True), Part(gain=0.5)
    told = facts()
    canvas.close()
    assert log.stop()
    minute = told["frames"]["minute"]
    assert (minute["p50"], minute["period"], minute["gpu_p50"] is None) == (200.0, 16.667, False)
    assert told["frames"]["dropped"] == told["frames"]["pictures"]
    assert told["dropped_ticks"] == pytest.approx(3.0 * 60 - 15, abs=2)
    assert (told["desk"], told["sound"]) == ({"panel": True}, {"gain": 0.5})
    assert (told["merged_contacts"], told["black"], told["vsync"], told["refresh_hz"]) == (
        0,
        False,
        False,
        60.0,
    )
    assert told["up_s"] == pytest.approx(70.0, abs=3.0)
    json.dumps(told)
