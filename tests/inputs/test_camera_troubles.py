"""The camera source when things go wrong around it: slow starts, other clocks, faults, changing troubles."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from calibration.profile import CameraProfile
from controller.inputs import camera as camera_module

PATIENCE_S = 30.0

# A camera process of few words: it opens and shows four pictures, on a clock that may be another one.
CHILD = """
import sys, time
from controller.inputs.camera_records import *
now_s = time.perf_counter() + {ahead_s}
sys.stdout.buffer.write(hello(now_s) + Record(Kind.OPENED, now_s, 640, 480, text="fake").pack())
for number in range(4):
    sys.stdout.buffer.write(Record(Kind.FRAME, now_s, 1, 1, frame=number, ignored=7, restless=True).pack())
sys.stdout.buffer.flush()
sys.stdin.read()
"""


class Starts:
    """Stands for Popen: starts `CHILD` and lets the show's clock pass `slow_s` meanwhile."""

    def __init__(self, ahead_s: float = 0.0, slow_s: float = 0.0) -> None:
        self.script = CHILD.format(ahead_s=ahead_s)
        self.behind_s = slow_s

    def clock(self) -> float:
        return time.perf_counter() - self.behind_s

    def __call__(self, command: list[str], **kwargs: object) -> subprocess.Popen:
        self.behind_s = 0.0
        return subprocess.Popen([sys.executable, "-c", self.script], **kwargs)


def until(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "it did not happen"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("ahead_s", "slow_s"),
    [(0, 0), (0, 7), (0, 12), (3, 0), (-3, 0), (1000, 0), (-1000, 0), (3, 7), (1000, 7), (-1000, 7)],
)
def test_times_are_ours_however_slow_the_start_and_whatever_clock_the_child_has(
    made: Callable, ahead_s: float, slow_s: float
) -> None:
    starts = Starts(ahead_s, slow_s)
    begun_s = time.perf_counter()
    source, _ = made("/dev/null", clock=starts.clock, popen=starts)
    until(lambda: source.state()["frames"] == 4)
    assert begun_s <= source.poll(1).at_s <= time.perf_counter()


def test_what_the_detector_counts_is_in_the_state(made: Callable) -> None:
    source, _ = made("/dev/null", popen=Starts())
    until(lambda: source.state()["frames"] == 4)
    assert (source.state()["ignored_light_frames"], source.state()["restless"]) == (7, True)


def test_unexpected_fault_is_told_in_one_line_and_tried_again(
    made: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = [RuntimeError("first\nsecond line")] * 3

    def failing(device: str) -> list[Path]:
        if faults:
            raise faults.pop()
        return [Path(device)]

    now_s = [100.0]
    monkeypatch.setattr(camera_module, "nodes_for", failing)
    source, lines = made("/dev/null", clock=lambda: now_s[0], popen=Starts())

    def tried() -> bool:
        now_s[0] += source.state()["starts"] == 0
        return source.state()["frames"] == 4

    until(tried)
    assert lines[0].startswith("camera thread met RuntimeError: first second line, no light")
    assert len([line for line in lines if "RuntimeError" in line]) == 1
    assert source.state()["message"] == lines[-1]
    assert source.poll(1).alive


def test_fault_puts_the_light_out_and_ends_the_process(
    made: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[subprocess.Popen] = []

    def popen(command: list[str], **kwargs: object) -> subprocess.Popen:
        children.append(Starts()(command, **kwargs))
        return children[-1]

    source, lines = made("/dev/null", popen=popen)
    until(lambda: source.poll(1).alive)
    monkeypatch.setattr(camera_module.CameraChild, "read", lambda self, timeout_s: 1 / 0)
    until(lambda: children[0].poll() is not None)
    until(lambda: any("ZeroDivisionError" in line for line in lines))
    monkeypatch.undo()
    until(lambda: source.poll(1).alive)
    assert len(children) >= 2


@pytest.mark.parametrize("device", ["/" + "長" * 300 + ".mp4", "usb-" + "x" * 5000, "/dev/" + "y" * 5000])
def test_device_name_longer_than_any_file_is_one_line(made: Callable, device: str) -> None:
    source, lines = made(device)
    until(lambda: bool(lines))
    turns = source.turns
    until(lambda: source.turns >= turns + 2)
    assert len(lines) == 1
    assert "not there" in lines[0]
    assert len(lines[0]) < 300
    assert not source.poll(1).alive


def test_changed_trouble_is_told_and_an_alternating_one_not_for_ever(
    made: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`no camera` -> `may not be opened`; then a loose plug makes both come in turns."""
    now_s = [100.0]
    nodes: list[Path] = []
    monkeypatch.setattr(camera_module, "nodes_for", lambda device: list(nodes))

    def popen(command: list[str], **kwargs: object) -> subprocess.Popen:
        raise PermissionError("not for this user")

    source, lines = made("auto", clock=lambda: now_s[0], popen=popen)

    def told(word: str) -> None:
        def seen() -> bool:
            now_s[0] += 1
            return word in source.state()["message"]

        until(seen)

    for _ in range(5):
        nodes.clear()
        told("no camera is plugged in")
        nodes.append(Path("/dev/video0"))
        told("not for this user")
    assert len(lines) == 2
    assert "no camera is plugged in" in lines[0]
    assert "not for this user" in lines[1]
    assert source.state()["state"] == "lost"


@pytest.mark.parametrize(("camera", "said"), [("usb-another", 1), ("fake", 0)])
def test_calibration_of_another_camera_is_told_by_the_show(made: Callable, camera: str, said: int) -> None:
    one = ((1.0, 0, 0.0), (0, 1.0, 0), (0, 0, 1.0))
    sizes = {"picture_size": (640, 480), "screen_size": (640, 480)}
    profile = CameraProfile(camera=camera, homography=one, verdict="accepted", **sizes)
    source, lines = made("/dev/null", popen=Starts(), profile=profile)
    until(lambda: source.state()["frames"] == 4)
    assert len([line for line in lines if "usb-another" in line and "fake" in line]) == said
    assert source.state()["calibrated"]
