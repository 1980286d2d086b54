"""The camera source with real child processes: real clips, bad files, children that hang or are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.profile import CameraProfile
from controller.inputs.camera import CameraSource
from controller.inputs.camera_process import Capture
from controller.inputs.camera_records import Decoder, Kind, Loss, Record, hello
from controller.inputs.camera_settings import CameraSettings
from controller.light import LightSample

PATIENCE_S = 30.0

# A camera process that lights up, gives `frames` pictures and then hangs for ever, whatever is said to it.
HANGING_CHILD = """
import sys, time
from controller.inputs.camera_records import *
out = sys.stdout.buffer
out.write(hello(time.perf_counter()))
out.write(Record(Kind.OPENED, time.perf_counter(), 640, 480, text="fake").pack())
for number in range({frames}):
    at_s = time.perf_counter()
    if number == 2:
        out.write(Record(Kind.ON, at_s, {x}, 240, True).pack())
    out.write(Record(Kind.FRAME, at_s, {x}, 240, number > 1, frame=number).pack())
out.flush()
time.sleep(600)
"""


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Children:
    """Stands for Popen: starts real processes and remembers them."""

    def __init__(self, clock: Callable[[], float], script: str = "") -> None:
        self.clock, self.script = clock, script
        self.started: list[subprocess.Popen] = []
        self.started_s: list[float] = []

    def __call__(self, command: list[str], **kwargs: object) -> subprocess.Popen:
        self.started_s.append(self.clock())
        own = [sys.executable, "-c", self.script] if self.script else command
        self.started.append(subprocess.Popen(own, **kwargs))
        return self.started[-1]


def until(condition: Callable[[], bool]) -> None:
    """Wait in real time for other threads and processes to get there."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "it did not happen"
        time.sleep(0.01)


def turned(source: CameraSource) -> None:
    """Wait until the camera's thread has gone all the way round at least once from here."""
    begun = source.turns
    until(lambda: source.turns >= begun + 2)


def collect(source: CameraSource, done: Callable[[LightSample], bool]) -> list[LightSample]:
    samples: list[LightSample] = []

    def polled() -> bool:
        samples.append(source.poll(len(samples)))
        return done(samples[-1])

    until(polled)
    return samples


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1.5 s at 30 frames a second, 320x240; a light at (100, 60) from 0.5 s to 1.1 s; kanji in the path."""
    path = tmp_path_factory.mktemp("動画 1") / "灯 a.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 30, (320, 240))
    random = np.random.default_rng(1)
    for number in range(45):
        picture = random.normal(20, 2, (240, 320, 3)).clip(0, 255).astype(np.uint8)
        if 15 <= number < 33:
            cv2.circle(picture, (100, 60), 5, (255, 255, 255), cv2.FILLED)
        writer.write(picture)
    writer.release()
    return path


def ended(sample: LightSample) -> bool:
    return not sample.alive and sample.tick > 0 and sample.reason == "camera_lost"


def edges(samples: list[LightSample]) -> list[LightSample]:
    """The samples where the light went on or off."""
    pairs = zip([None, *samples], samples, strict=False)
    return [now for before, now in pairs if now.on != (before.on if before else False)]


def test_clip_is_played_once_at_its_own_pace_and_then_lost(clip: Path, made: Callable) -> None:
    clock = Clock()
    source, lines = made(clip, clock=clock)
    collect(source, lambda sample: sample.alive)
    samples = collect(source, ended)
    on, off = edges(samples)
    assert off.at_s - on.at_s == pytest.approx(18 / 30, abs=0.02), "the file's own time, however busy we are"
    assert (on.x, on.y) == pytest.approx((100 * 6 + 2.5, 60 * 4.5 + 1.75), abs=3), "stretched to the screen"
    assert off.reason == "off"
    until(lambda: len(lines) == 2)
    clock.now_s += 60
    turned(source)
    assert [line.split(",")[0] for line in lines] == [
        "camera 灯 a.mp4 gives pictures (320x240",
        "灯 a.mp4 has ended",
    ]
    assert source.state()["starts"] == 1
    assert source.state()["frames"] == 45


def test_clip_waits_between_its_pictures(clip: Path) -> None:
    clock = Clock()
    records = bytearray(hello(0))

    def sleep(s: float) -> None:
        clock.now_s += s

    Capture(str(clip), CameraSettings(), records.extend, clock, sleep).run()
    frames = [record for record in Decoder().feed(bytes(records)) if record.kind == Kind.FRAME]
    assert clock.now_s - 1000 == pytest.approx(44 / 30, abs=0.002)
    assert frames[-1].at_s - frames[0].at_s == pytest.approx(44 / 30, abs=0.002)


def test_calibrated_clip_lands_where_the_profile_says(clip: Path, made: Callable) -> None:
    shift = ((2.0, 0, 300.0), (0, 2.0, 400.0), (0, 0, 1.0))
    profile = CameraProfile(
        camera="c", picture_size=(640, 480), screen_size=(1920, 1080), homography=shift, verdict="accepted"
    )
    source, lines = made(clip, profile=profile)
    on = collect(source, lambda sample: sample.on)[-1]
    assert (on.x, on.y) == pytest.approx((300 + 2 * 200.5, 400 + 2 * 120.5), abs=4)
    assert "320x240, calibrated" in lines[0]


def test_profile_of_another_shape_is_told_and_the_picture_stretched(clip: Path, made: Callable) -> None:
    one = ((1.0, 0, 0.0), (0, 1.0, 0), (0, 0, 1.0))
    profile = CameraProfile(
        camera="c", picture_size=(640, 360), screen_size=(9, 9), homography=one, verdict="accepted"
    )
    source, lines = made(clip, profile=profile)
    on = collect(source, lambda sample: sample.on)[-1]
    assert on.x == pytest.approx(602.5, abs=3)
    assert "stretched" in lines[0]


@pytest.mark.parametrize("content", [None, b"", b"no video, only words\n" * 400, bytes(range(256)) * 40])
def test_bad_files_give_one_clear_line_and_darkness(tmp_path: Path, made: Callable, content: bytes) -> None:
    path = tmp_path / "film.mp4"
    if content is not None:
        path.write_bytes(content)
    source, lines = made(path)
    until(lambda: bool(lines))
    if content is None:
        until(lambda: source.state()["starts"] >= 2)
    turned(source)
    samples = [source.poll(tick) for tick in range(100)]
    assert not any(sample.on or sample.alive for sample in samples)
    assert len(lines) == 1
    assert str(path) in lines[0]
    assert ("is not there" if content is None else "video") in lines[0]


def test_camera_that_is_not_there_starts_no_process(made: Callable) -> None:
    clock = Clock()
    children = Children(clock)
    source, lines = made("usb-No_Such_Camera", clock=clock, popen=children)
    until(lambda: bool(lines))
    for _ in range(20):
        clock.now_s += 6
        turned(source)
    assert children.started == []
    assert lines == ["camera usb-No_Such_Camera is not there, no light from the camera; trying again"]
    assert not source.poll(1).alive


def test_killed_child_is_started_again_with_growing_pauses(clip: Path, made: Callable) -> None:
    clock = Clock()
    children = Children(clock, HANGING_CHILD.format(frames=5, x=320))
    source, lines = made("/dev/null", clock=clock, popen=children)
    for number, pause_s in enumerate([0.5, 1.0, 2.0, 4.0, 5.0]):
        collect(source, lambda sample: sample.on)
        os.kill(children.started[number].pid, signal.SIGKILL)
        off = collect(source, lambda sample: not sample.on)[-1]
        assert (off.alive, off.reason) == (False, "camera_lost")
        clock.now_s += pause_s - 0.1
        turned(source)
        assert len(children.started) == number + 1, "it waits"
        clock.now_s += 0.2
        until(lambda number=number: len(children.started) == number + 2)
    assert len(lines) <= 5, "a camera that comes and goes is not told for ever"


def test_a_clip_whose_process_is_killed_is_not_played_a_second_time(clip: Path, made: Callable) -> None:
    clock = Clock()
    children = Children(clock)
    source, lines = made(str(clip), clock=clock, popen=children)
    until(lambda: source.state()["frames"] > 0)
    os.kill(children.started[0].pid, signal.SIGKILL)
    until(lambda: not source.poll(1).alive)
    for _ in range(5):
        clock.now_s += 6
        turned(source)
    assert len(children.started) == 1
    assert "trying again" not in lines[-1]


def test_hanging_child_is_lost_at_its_last_picture_and_killed(made: Callable) -> None:
    """F01: the reads hang or hand back one picture for ever; no new picture for 1.5 s."""
    clock = Clock()
    children = Children(clock, HANGING_CHILD.format(frames=5, x=320))
    source, lines = made("/dev/null", clock=clock, popen=children)
    lit = collect(source, lambda sample: sample.on)[-1]
    until(lambda: source.state()["frames"] == 5)
    last_s = source.poll(0).at_s
    clock.now_s += 1.4
    turned(source)
    assert source.poll(1).on
    clock.now_s += 0.2
    off = collect(source, lambda sample: not sample.on)[-1]
    assert (off.reason, off.at_s, off.x) == ("camera_lost", last_s, lit.x)
    until(lambda: children.started[0].poll() is not None)
    assert "no new pictures" in lines[-1]


def test_hanging_child_does_not_hold_up_closing(made: Callable) -> None:
    children = Children(time.perf_counter, HANGING_CHILD.format(frames=5, x=320))
    source, _ = made("/dev/null", popen=children)
    collect(source, lambda sample: sample.on)
    source.close()
    until(lambda: children.started[0].poll() is not None)
    assert children.started[0].poll() == -signal.SIGKILL


def test_impossible_positions_are_refused_and_counted(made: Callable) -> None:
    children = Children(time.perf_counter, HANGING_CHILD.format(frames=6, x="float('nan')"))
    source, _ = made("/dev/null", popen=children)
    until(lambda: source.state()["frames"] == 6)
    samples = [source.poll(tick) for tick in range(20)]
    assert not any(sample.on for sample in samples)
    assert all((sample.x, sample.y) == (960, 540) for sample in samples)
    assert source.state()["refused_positions"] == 5


def start_child(order: bytes) -> subprocess.Popen:
    child = subprocess.Popen(
        [sys.executable, "-m", "controller.inputs.camera_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdin
    child.stdin.write(order + b"\n")
    child.stdin.flush()
    return child


def order_for(device: str) -> bytes:
    return json.dumps({"device": device, "settings": CameraSettings().model_dump()}).encode()


def test_child_leaves_when_its_input_closes(cases: Path) -> None:
    child = start_child(order_for(str(cases / "tracking" / "c920_close_red.mp4")))
    assert child.stdout
    decoder = Decoder()
    records: list[Record] = []
    while not any(record.kind == Kind.FRAME for record in records):
        records += decoder.feed(os.read(child.stdout.fileno(), 4096))
    assert child.stdin
    child.stdin.close()
    assert child.wait(PATIENCE_S) == 0
    assert all(record.kind != Kind.LOST for record in records)
    assert child.stderr
    assert child.stderr.read() == b""


@pytest.mark.parametrize(
    ("order", "loss"),
    [
        (order_for("x.mp4"), Loss.NOT_THERE),
        (order_for("/" + "長" * 300 + ".mp4"), Loss.NOT_THERE),
        (order_for("/proc/self/mem"), Loss.NOT_THERE),
        (b'{"device": "x.mp4", "settings": {"colour": 1}}', Loss.FAULT),
        (b"[]", Loss.FAULT),
        (b"{}", Loss.FAULT),
        (b"camera, please", Loss.FAULT),
    ],
)
def test_child_tells_a_bad_order_in_a_record(order: bytes, loss: Loss) -> None:
    child = start_child(order)
    assert child.stdin
    assert child.stdout
    records = Decoder().feed(child.stdout.read())
    assert [(record.kind, record.loss) for record in records] == [(Kind.LOST, loss)]
    child.stdin.close()
    child.wait(PATIENCE_S)


def test_the_show_loads_no_picture_library() -> None:
    code = "import sys, controller.inputs.camera; print('cv2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
