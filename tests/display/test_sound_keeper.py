"""Devices that are missing, come, stand still or go, over simulated hours; and the sound's own thread."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from display.sound.ambience import RATE_HZ, ambience
from display.sound.device import DeviceError, Fill
from display.sound.keeper import RETRY_S, STALL_S, Keeper
from display.sound.mixer import Mixer
from display.sound.player import LIVE, TURN_S, Sound
from display.sound.settings import SoundSettings

HOUR_S = 3600
PATIENCE_S = 60.0


class Bench:
    """Stands for the sound devices of a machine; `alive` and `takes` say what they do now."""

    def __init__(self, alive: bool = True, takes: bool = True) -> None:
        self.alive, self.takes = alive, takes
        self.now_s = 0.0
        self.tries_s: list[float] = []
        self.open = self.closed = 0
        self.fill: Fill | None = None
        self.error: Exception = DeviceError("there is none")
        self.name, self.frames = "bench", 0

    def opener(self, fill: Fill) -> Bench:
        self.tries_s.append(self.now_s)
        if not self.alive:
            raise self.error
        assert not self.open, "two devices at once"
        self.open, self.fill, self.frames = 1, fill, 0
        return self

    def close(self) -> None:
        self.open, self.closed = 0, self.closed + 1

    def run(self, keeper: Keeper, seconds: float, turn_s: float = TURN_S) -> None:
        """Let time pass, the device taking sound in real time while it does."""
        for _ in range(round(seconds / turn_s)):
            keeper.turn(self.now_s)
            if self.open and self.takes:
                self.frames += round(turn_s * RATE_HZ)
            self.now_s += turn_s


@pytest.fixture
def mixer() -> Mixer:
    return Mixer(SoundSettings())


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_healthy_device_is_opened_once_for_a_day(mixer: Mixer) -> None:
    bench = Bench()
    keeper = Keeper(mixer, bench.opener)
    bench.run(keeper, 24 * HOUR_S, turn_s=1.0)
    assert len(bench.tries_s) == keeper.opens == 1
    assert keeper.fault == ""


@pytest.mark.parametrize("kind", [DeviceError, RuntimeError, MemoryError, OSError])
def test_without_a_device_it_is_tried_once_a_minute_and_told_once(
    kind: type[Exception], mixer: Mixer, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(alive=False)
    bench.error = kind("there is none")
    keeper = Keeper(mixer, bench.opener)
    mixer.lit = True
    bench.run(keeper, 8 * HOUR_S)
    assert len(bench.tries_s) == 8 * 60
    assert np.diff(bench.tries_s).min() == RETRY_S
    assert len(warnings(caplog)) == 1
    assert "there is none" in keeper.fault
    assert mixer.position == pytest.approx((8 * HOUR_S - TURN_S) * RATE_HZ % len(mixer.loop), abs=1)


def test_a_device_that_comes_later_is_found_and_fades_in(
    mixer: Mixer, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(alive=False)
    keeper = Keeper(mixer, bench.opener)
    mixer.lit = True
    bench.run(keeper, 200)
    assert mixer.gain == mixer.volume, "time goes on without a device"
    bench.alive = True
    bench.run(keeper, RETRY_S)
    assert keeper.opens == 1
    assert keeper.fault == ""
    assert mixer.gain == 0, "from silence, or it would start with a click"
    assert len(warnings(caplog)) == 1


def test_a_device_that_stands_still_is_opened_again(mixer: Mixer, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    keeper = Keeper(mixer, bench.opener)
    bench.run(keeper, 300)
    bench.takes = False
    bench.run(keeper, STALL_S)
    assert bench.closed == 0
    bench.run(keeper, 2)
    assert (bench.closed, keeper.opens) == (1, 2)
    assert len(warnings(caplog)) == 1
    bench.takes = True
    bench.run(keeper, 2)
    assert keeper.fault == ""


def test_a_device_that_never_takes_sound_is_opened_once_a_minute_at_most(
    mixer: Mixer, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(takes=False)
    keeper = Keeper(mixer, bench.opener)
    bench.run(keeper, 2 * HOUR_S)
    assert np.diff(bench.tries_s).min() >= RETRY_S
    assert len(bench.tries_s) > 100
    assert bench.closed == pytest.approx(len(bench.tries_s), abs=1)
    assert len(warnings(caplog)) == 1


def test_a_device_pulled_out_leaves_silence_until_it_is_back(
    mixer: Mixer, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    keeper = Keeper(mixer, bench.opener)
    bench.run(keeper, 100)
    bench.alive = bench.takes = False
    bench.run(keeper, 10)
    assert keeper.device is None
    assert keeper.fault
    bench.alive = bench.takes = True
    bench.run(keeper, 61)
    assert keeper.opens == 2
    assert len(warnings(caplog)) == 1


def test_a_new_fault_after_a_good_time_is_told_anew(mixer: Mixer, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    keeper = Keeper(mixer, bench.opener)
    for good_s, told in ((60, 1), (60, 1), (1200, 2)):
        bench.takes = True
        bench.run(keeper, good_s)
        bench.takes = False
        bench.run(keeper, STALL_S + 1)
        assert len(warnings(caplog)) == told


def test_a_pause_of_the_whole_process_is_no_stall(mixer: Mixer) -> None:
    bench = Bench()
    keeper = Keeper(mixer, bench.opener)
    bench.run(keeper, 10)
    keeper.turn(bench.now_s)
    bench.now_s += 100
    keeper.turn(bench.now_s)
    assert bench.closed == 0


def wait_for(what: Callable[[], Any]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end_s, "it never came"
        time.sleep(0.005)


def test_what_waits_for_ever_holds_up_nobody() -> None:
    """A device's library may hang in opening: the loop's calls return, the state says it."""
    hang, hanging, gave_up = threading.Event(), threading.Event(), threading.Event()
    now_s = [0.0]

    def opener(fill: Fill) -> Bench:
        hanging.set()
        if not hang.wait(10):
            gave_up.set()
        raise DeviceError("gave up")

    sound = Sound(SoundSettings(), opener, clock=lambda: now_s[0])
    assert hanging.wait(PATIENCE_S)
    sound.light(True)
    sound.configure("volume", 0.3)
    assert sound.state()["fault"] == ""
    now_s[0] = 30.0
    assert "held up for 30 s" in sound.state()["fault"]
    sound.close(wait_s=0.01)
    assert not gave_up.is_set(), "the close waited for the device"
    hang.set()


def test_a_device_whose_library_fails_in_any_way_is_tried_again() -> None:
    bench, now_s = Bench(alive=False), [0.0]
    bench.error = RuntimeError("broken library")
    sound = Sound(SoundSettings(), bench.opener, lambda: now_s[0])
    wait_for(lambda: sound.state()["fault"])
    assert "broken library" in sound.state()["fault"]
    bench.alive, now_s[0] = True, RETRY_S
    wait_for(lambda: sound.state()["device"])
    sound.close()


class Failing(Bench):
    """A device whose closing fails too."""

    failing = False

    @property
    def frames(self) -> int:
        if self.failing:
            raise OSError("no such card")
        return 0

    @frames.setter
    def frames(self, frames: int) -> None:
        pass

    def close(self) -> None:
        super().close()
        raise RuntimeError("closing failed")


def test_a_fault_that_nobody_foresaw_is_told_with_its_place_and_leaves_silence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Failing()
    sound = Sound(SoundSettings(), bench.opener)
    wait_for(lambda: sound._keeper.device)
    bench.failing = True
    wait_for(lambda: not sound._thread.is_alive())
    assert bench.closed == 1
    assert "no such card" in sound.state()["fault"]
    assert "held up" not in sound.state()["fault"]
    sound.light(True)
    sound.configure("volume", 0.1)
    sound.close()
    assert "no such card" in sound.state()["fault"]
    told = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [bool(record.exc_info) for record in told] == [True]


def test_a_file_that_cannot_be_held_is_named_and_our_loop_played(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(file: str) -> None:
        raise MemoryError

    monkeypatch.setattr("display.sound.player.read_loop", full)
    bench = Bench()
    sound = Sound(SoundSettings(file="loop.wav"), bench.opener)
    wait_for(lambda: sound.state()["device"])
    assert "loop.wav: MemoryError" in sound.state()["file_fault"]
    assert sound.state()["fault"] == ""
    assert len(warnings(caplog)) == 1
    np.testing.assert_array_equal(sound._mixer.loop, ambience())
    sound.close()


def test_switched_off_no_device_is_touched_until_it_is_switched_on() -> None:
    bench = Bench()
    looks: list[float] = []

    def clock() -> float:
        looks.append(0.0)
        return 0.0

    sound = Sound(SoundSettings(on=False), bench.opener, clock)
    wait_for(lambda: len(looks) > 2)
    assert bench.tries_s == []
    sound.configure("on", True)
    wait_for(lambda: sound.state()["device"])
    sound.close()
    assert bench.closed == 1


def test_a_bad_file_is_named_and_our_loop_played(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip(
        "miniaudio", reason="no miniaudio wheel for this machine: files cannot be played here"
    )
    path = tmp_path / "loop.wav"
    path.write_bytes(b"no sound")
    bench = Bench()
    sound = Sound(SoundSettings(file=str(path), fade_in_s=0.05, volume=1), bench.opener)
    wait_for(lambda: bench.fill)
    assert str(path) in sound.state()["file_fault"]
    assert [str(path) in text for text in warnings(caplog)] == [True]
    sound.light(True)
    assert bench.fill
    heard = np.frombuffer(bench.fill(9600), np.float32).reshape(-1, 2)[2400:]
    np.testing.assert_array_equal(heard, ambience()[2400:9600])
    sound.close()


@pytest.mark.parametrize("file", ["", "some.ogg"])
def test_without_the_library_there_is_silence_and_one_message(
    file: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "miniaudio", None)
    if file:
        monkeypatch.setattr("display.sound.sound_file._checked", Path)
    sound = Sound(SoundSettings(file=file))
    wait_for(lambda: sound.state()["fault"])
    sound.light(True)
    sound.configure("volume", 0.1)
    sound.close()
    assert len(warnings(caplog)) == 1
    assert "miniaudio" in sound.state()["fault"]
    assert sound.state()["device"] is None


def test_only_live_settings_within_their_ranges_are_taken() -> None:
    marked = {
        name: field.json_schema_extra
        for name, field in SoundSettings.model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("live")
    }
    assert tuple(marked) == LIVE
    sound = Sound(SoundSettings(on=False), Bench().opener)
    for name, value in (("volume", 1.5), ("volume", float("nan")), ("fade_in_s", 0), ("file", "x"), ("x", 1)):
        with pytest.raises(ValueError, match=name):
            sound.configure(name, value)
    for name, value in (("volume", 0.2), ("fade_in_s", 3.0), ("fade_out_s", 4.0), ("on", True)):
        sound.configure(name, value)
        assert getattr(sound._mixer, name) == value
    sound.close()
