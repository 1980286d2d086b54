"""Real devices of miniaudio: its null output, and machines on which there is none at all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from display.sound.device import DeviceError, Fill, open_device
from display.sound.player import Sound
from display.sound.settings import SoundSettings

miniaudio = pytest.importorskip("miniaudio", reason="no miniaudio wheel for this machine: no device to try")
NULL = miniaudio.Backend.NULL
PATIENCE_S = 60.0

# No sound server and no card, whatever the machine that runs the tests has.
NO_SOUND = {"PULSE_SERVER": "unix:/nonexistent/pulse", "ALSA_CONFIG_PATH": "/nonexistent/alsa.conf"}
WITHOUT_A_CARD = """
import time
from display.sound.player import Sound
from display.sound.settings import SoundSettings
sound = Sound(SoundSettings())
sound.light(True)
end_s = time.monotonic() + 60
while not sound.state()["fault"] and time.monotonic() < end_s:
    time.sleep(0.01)
print(sound.state()["device"], sound.state()["fault"])
sound.close()
"""
NEVER_CLOSED = """
import atexit, time, miniaudio
from display.sound.speaker import Speaker
from display.sound.player import Sound
from display.sound.settings import SoundSettings
atexit.register(lambda: print("left open:", sound.state()["device"]))  # the first is the last to be called
sound = Sound(SoundSettings(), lambda fill: Speaker(fill, [miniaudio.Backend.NULL]))
sound.light(True)
while not (sound.state()["device"] and sound.state()["gain"]):
    time.sleep(0.01)
print("playing")
"""


def null_device(fill: Fill) -> Any:
    from display.sound.speaker import Speaker

    return Speaker(fill, [NULL])


def wait_for(what: Callable[[], Any]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end_s, "it never came"
        time.sleep(0.005)


def python(checkout: Path, code: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=checkout,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_the_sound_comes_and_goes_with_the_light_on_a_real_device() -> None:
    sound = Sound(SoundSettings(fade_in_s=0.1, fade_out_s=0.1, volume=0.8), null_device)
    wait_for(lambda: sound.state()["frames"] > 0)
    assert sound.state()["gain"] == 0
    sound.light(True)
    wait_for(lambda: sound.state()["gain"] == 0.8)
    sound.light(False)
    wait_for(lambda: sound.state()["gain"] == 0)
    state = sound.state()
    assert (state["device"], state["fault"], state["opens"]) == ("Null", "", 1)
    assert state["frames_age_s"] < PATIENCE_S
    sound.light(True)
    wait_for(lambda: sound.state()["gain"] > 0)
    sound.close(PATIENCE_S)
    assert sound.state()["device"] is None
    assert sound.state()["gain"] == 0, "faded out before the device was let go"


def test_the_buffer_is_a_tenth_of_a_second_at_most() -> None:
    asked: list[int] = []
    silence = memoryview(bytes(8 * 48_000))

    def fill(frames: int) -> memoryview:
        asked.append(frames)
        return silence[: frames * 8]

    device = null_device(fill)
    wait_for(lambda: len(asked) > 3)
    config = device._player._devconfig
    device.close()
    assert 0 < max(asked) * config.periods <= 4800
    assert device.frames == sum(asked)
    assert config.playback.channels == 2
    assert config.sampleRate == 48_000


class Counting:
    """The library's functions, with the contexts that it makes and lets go counted."""

    def __init__(self, real: Any) -> None:
        self.real, self.made, self.let_go = real, 0, 0
        self.asked: list[list[int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def ma_context_init(self, backends: Any, count: int, *rest: Any) -> Any:
        self.asked.append([int(backends[place]) for place in range(count)])
        result = self.real.ma_context_init(backends, count, *rest)
        self.made += result == self.real.MA_SUCCESS
        return result

    def ma_context_uninit(self, context: Any) -> Any:
        self.let_go += 1
        return self.real.ma_context_uninit(context)


def test_nothing_is_kept_of_a_device_that_was_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library keeps each context, and with it a connection to the sound server: the 54th open fails."""
    library = Counting(miniaudio.lib)
    monkeypatch.setattr(miniaudio, "lib", library)
    for _ in range(8):
        null_device(lambda frames: memoryview(b"")).close()
    assert (library.made, library.let_go) == (8, 8)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the ways to loudspeakers differ elsewhere")
def test_nothing_is_kept_of_a_device_that_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_SOUND.items():
        monkeypatch.setenv(name, value)
    library = Counting(miniaudio.lib)
    monkeypatch.setattr(miniaudio, "lib", library)
    for _ in range(10):
        with pytest.raises(DeviceError, match="no sound device"):
            open_device(lambda frames: memoryview(b""))
    assert library.let_go == library.made
    # An empty list would mean any, and the last of any is the one that nobody hears.
    assert all(asked and NULL.value not in asked for asked in library.asked)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the ways to loudspeakers differ elsewhere")
def test_f33_without_a_sound_card_there_is_one_warning_and_the_show_goes_on(checkout: Path) -> None:
    done = python(checkout, WITHOUT_A_CARD, **NO_SOUND)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("None No sound: there is no sound device that can be opened")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "ALSA" not in done.stderr


def test_a_process_that_ends_without_closing_lets_go_of_the_device(checkout: Path) -> None:
    done = python(checkout, NEVER_CLOSED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "playing\nleft open: None\n", "")
