"""Screen saver and power saving: off while the show runs, as before afterwards, whatever ended it (F28)."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from display.monitors import whole_desktop
from display.power import Power, PowerState
from display.watch import POWER_EVERY_LOOKS, Watch
from display.x_connection import XConnection

OFTEN = {"PROBE_LOOKS_EVERY_S": "0.02"}

Outputs = Callable[..., str]


@pytest.fixture
def wall(x_server: Callable[..., Any], outputs: Outputs) -> Iterator[str]:
    """A display with a screen saver after 420 s and power saving on."""
    _, name = x_server("320x200x24")
    outputs(name, "saver", 420)
    script = str(Path(__file__).with_name("dpms_relay.py"))
    with subprocess.Popen(
        [sys.executable, script, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as relay:
        assert relay.stdout is not None
        yield relay.stdout.readline().strip()


def start(probe: Callable[..., Any], display: str) -> Any:
    window = probe(display, OFTEN)
    window.until(lambda seen: seen["power"] is not None)
    return window


@pytest.fixture
def here(wall: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """That display as this process's own."""
    monkeypatch.setenv("DISPLAY", wall)
    return wall


def test_both_are_off_during_the_show_and_as_before_after_it(
    probe: Callable[..., Any], wall: str, outputs: Outputs
) -> None:
    assert outputs(wall, "power") == "420 True"
    window = start(probe, wall)
    assert window.ask("report")["power"] == {"saver_s": 0, "dpms": False}
    assert outputs(wall, "power") == "0 False"
    window.process.send_signal(signal.SIGTERM)
    assert window.last_words()[0] == 0
    assert outputs(wall, "power") == "420 True"


def test_after_a_killed_show_the_next_one_gives_back_what_was_before_both(
    probe: Callable[..., Any], wall: str, outputs: Outputs
) -> None:
    """And so it does when it loses its window."""
    killed = start(probe, wall)
    killed.process.kill()
    killed.process.wait(60)
    assert outputs(wall, "power") == "0 False"
    window = start(probe, wall)
    window.do("search", "--sync", "--name", "baited", "windowclose")
    assert window.last_words()[0] == 3
    assert outputs(wall, "power") == "420 True"


def test_what_is_turned_on_during_the_show_is_turned_off_again(
    here: str, outputs: Outputs, caplog: pytest.LogCaptureFixture
) -> None:
    with XConnection() as x:
        watch = Watch(x.root, "", whole_desktop(x), period_s=0.002)
        watch.start()
        wait_for(lambda: watch.power is not None)
        outputs(here, "saver", 30)
        outputs(here, "saving")
        looks = watch.looks
        wait_for(lambda: watch.looks > looks + POWER_EVERY_LOOKS)
        assert watch.power == PowerState(0, False)
        assert outputs(here, "power") == "0 False"
        watch.stop()
    assert outputs(here, "power") == "420 True"
    assert len([line for line in caplog.messages if "turned on during the show" in line]) == 1


def wait_for(happened: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


def test_what_somebody_sets_after_a_killed_show_is_kept(here: str, outputs: Outputs) -> None:
    with XConnection() as x:
        Power(x).inhibit()
    outputs(here, "saver", 90)
    with XConnection() as x:
        power = Power(x)
        assert power.inhibit() == PowerState(90, False)
        assert power.state() == PowerState(0, False)
        power.restore()
        assert power.state() == PowerState(90, True)


def test_two_shows_on_one_server_leave_what_was_before_both(here: str) -> None:
    with XConnection() as x, XConnection() as other_x:
        first, second = Power(x), Power(other_x)
        first.inhibit()
        second.inhibit()
        first.restore()
        assert second.inhibit() == PowerState(420, True)
        assert second.state() == PowerState(0, False)
        # The second is killed now; a third finds what it kept.
        third = Power(x)
        third.inhibit()
        third.restore()
        assert third.state() == PowerState(420, True)


def test_a_server_without_power_saving_is_noted_once(
    x_display: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DISPLAY", x_display)
    with XConnection() as x, caplog.at_level("INFO"):
        power = Power(x)
        assert power.inhibit() == PowerState(600, None)
        assert power.inhibit() == PowerState(0, None)
        power.restore()
        assert power.state() == PowerState(600, None)
    assert len(caplog.messages) == 1
    assert "DPMS" in caplog.messages[0]
