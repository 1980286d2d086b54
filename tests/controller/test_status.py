"""`status.json` and what the status command makes of it: ages, never mere flags."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.beacon import FILE, STALE_S, StatusWriter, read_status
from controller.desk.desk import Desk
from controller.desk.facts import DeskFacts
from controller.facts import Facts
from controller.inputs.demo import DemoSource
from controller.kernelcache import freeze, imported_kernels
from controller.panel_file import PanelSaver
from controller.scenes import open_scene
from controller.settings import live_settings, load
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
        (
            {"recording": {"path": "x.jsonl", "fault": "its rows wait (No space left on device)"}},
            1000.5,
            "recording x.jsonl fails: its rows wait",
        ),
        (
            {"recordings": {"path": "/home/recordings", "fault": "less than 200 MB are free on its disk"}},
            1000.5,
            "visits' recording in /home/recordings fails: less than 200 MB",
        ),
        (
            {"film": {"path": "x.mp4", "fault": "the encoder ended"}},
            1000.5,
            "film x.mp4 fails: the encoder ended",
        ),
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


class Shown:
    """A real show with a headless picture and a simulated visitor, on a hand-moved clock."""

    def __init__(self, home: Path, pause_s: Callable[[int], float]) -> None:
        """`pause_s` gives how long each picture stands, by its number."""
        (home / "config.toml").write_text("[baited]\nbugs = 10\n", encoding="utf-8")
        self.clock, self.settings = ManualClock(1e6), load(home)
        small = DisplaySettings(headless_width=64, headless_height=48)
        self.canvas = open_canvas(small, headless=True)
        self.log = Log(home / "visits.db", perf=self.clock)
        self.scene = open_scene("baited", self.settings["baited"], self.canvas.size, 1)
        self.show = Show(
            self.canvas,
            DemoSource(self.settings["demo"], self.canvas.size, 1, self.clock),
            self.scene,
            Visits(self.settings["log"]),
            self.log,
            Stepper(self.clock),
            self.clock,
            lambda: self.clock.sleep(pause_s(self.show.pulse.pictures)),
        )
        self.facts = Facts(self.show, self.canvas, self.log, self.settings, self.clock)

    def close(self) -> None:
        self.canvas.close()
        assert self.log.stop()


def test_the_status_tells_how_steadily_pictures_come_and_what_was_dropped(tmp_path: Path) -> None:
    """70 s at 5 pictures a second with one halt of 3 s."""
    shown = Shown(tmp_path, lambda picture: 3.0 if picture == 200 else 0.2)
    assert shown.facts()["frames"] == {"minute": {}, "pictures": 0, "dropped": 0}
    while shown.clock.now_s < 1e6 + 70.0:
        shown.show.picture()
    shown.show.desk, shown.show.sound = Part(panel=True), Part(gain=0.5)
    told = shown.facts()
    shown.close()
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


def test_the_status_has_what_a_recording_and_a_film_say_of_themselves(tmp_path: Path) -> None:
    shown = Shown(tmp_path, lambda picture: 0.2)
    files = {"recording": Part(path="x.jsonl", fault="its rows wait"), "film": None}
    facts = Facts(shown.show, shown.canvas, shown.log, shown.settings, shown.clock, files=files)
    StatusWriter(tmp_path, facts).write("running")
    told, faults = read_status(tmp_path, time.monotonic())
    shown.close()
    assert told["recording"] == {"path": "x.jsonl", "fault": "its rows wait"}
    assert not told["film"]
    assert faults == ["The recording x.jsonl fails: its rows wait."]


@pytest.fixture
def frozen() -> Iterator[None]:
    """Ready, as a show is before its first picture; other tests may compile again."""
    freeze()
    yield
    for kernel in imported_kernels():
        kernel.disable_compile(False)


def test_no_change_of_light_settings_size_or_state_compiles_anything_in_a_running_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frozen: None
) -> None:
    """Each knob of the panel turned one way, lit and dark, then other sizes, and a snapshot gone back to."""
    shown = Shown(tmp_path, lambda picture: 0.05)
    show, saver = shown.show, PanelSaver(tmp_path)
    facts = DeskFacts(show, shown.log.state, lambda: None, shown.clock)
    show.desk = desk = Desk(
        shown.canvas, shown.scene, None, shown.settings, saver, facts, shown.clock, shown.log.note
    )
    desk.press(["d"])
    lit = set()
    for _ in range(len(live_settings())):
        desk.press(["right", "down"])
        for _ in range(8):
            show.picture()
            lit.add(show.pulse.light is not None and show.pulse.light.on)
    changed = len(shown.settings.panel_values())
    for size in ((1920, 1080), (48, 64)):
        monkeypatch.setattr(shown.canvas, "take_resizes", lambda size=size: [size])
        show.picture()
    saved = shown.scene.snapshot()
    show.picture()
    shown.scene.restore(saved)
    show.picture()
    told = shown.facts()
    saver.close()
    shown.close()
    assert lit == {False, True}
    assert changed > 0.9 * len(live_settings())
    assert (told["compiled_since_ready"], told["faults"]) == (0, 0)
