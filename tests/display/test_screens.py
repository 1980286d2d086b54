"""Listing and choosing screens, with and without a display."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from display.errors import DisplayError, NoSuchScreenError
from display.monitors import Sight
from display.screens import Screen, choose_screen, display_available, list_screens, screens, start_screen
from display.watch import screen_now

WALL = Screen(0, "DP-1", 0, 0, 1920, 1080)
PROJECTOR = Screen(1, "HDMI-1", 1920, 0, 1280, 720, 50.0, primary=True)


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        *[("", PROJECTOR), ("DP-1", WALL), ("hdmi-1", PROJECTOR), ("0", WALL), ("1", PROJECTOR)],
        *[("left", WALL), ("Right", PROJECTOR), ("top", WALL), ("bottom", WALL)],
        *[("1920,0", PROJECTOR), ("0,0", WALL), (" 1919, 1079", WALL), ("3199,719", PROJECTOR)],
    ],
)
def test_a_screen_is_chosen_by_name_number_position_or_as_the_primary(wanted: str, chosen: Screen) -> None:
    assert choose_screen(wanted, [WALL, PROJECTOR]) is chosen


def test_a_name_that_looks_like_a_number_wins_over_the_number() -> None:
    odd = Screen(1, "0", 0, 0, 640, 480)
    assert choose_screen("0", [WALL, odd]) is odd


def test_positions_count_from_the_edges_of_the_desktop() -> None:
    above = Screen(2, "VGA-1", -100, -600, 800, 600)
    three = [WALL, PROJECTOR, above]
    assert choose_screen("top", three) is choose_screen("left", three) is above
    assert choose_screen("right", three) is PROJECTOR
    assert choose_screen("-50,-1", three) is above
    # Of mirrored screens the one that begins at the point.
    mirror = Screen(3, "DP-2", 1000, 0, 1920, 1080)
    assert choose_screen("1000,0", [WALL, mirror]) is mirror


@pytest.mark.parametrize("wanted", ["1920,800", "left of DP-1", "2", "-1", "1,2,3"])
def test_a_wish_that_means_no_screen_is_refused(wanted: str) -> None:
    with pytest.raises(NoSuchScreenError, match=r"1920,0"):
        choose_screen(wanted, [WALL, PROJECTOR])


def test_an_output_that_is_off_is_waited_for_on_the_primary_screen() -> None:
    sight = Sight((WALL, PROJECTOR), ("DP-1", "HDMI-1", "DP-2"))
    assert start_screen("dp-2", sight) == (PROJECTOR, True)
    assert start_screen("DP-1", sight) == (WALL, False)
    with pytest.raises(NoSuchScreenError, match="no screen 'DP-3'"):
        start_screen("DP-3", sight)


def test_the_wish_holds_while_screens_come_and_go() -> None:
    assert screen_now("HDMI-1", Sight((WALL,))) is WALL
    assert screen_now("HDMI-1", Sight((WALL, PROJECTOR))) is PROJECTOR
    assert screen_now("right", Sight((WALL,))) is WALL
    assert screen_now("1", Sight((WALL,))) is WALL


def test_a_wrong_screen_lists_those_that_are_there() -> None:
    with pytest.raises(NoSuchScreenError, match=r"no screen 'HDMI-9'.*DP-1 1920x1080.*HDMI-1 1280x720"):
        choose_screen("HDMI-9", [WALL, PROJECTOR])


def test_screens_of_a_real_server(x_display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", x_display)
    assert display_available() is None
    (screen,), reason = list_screens()
    assert reason is None
    assert (screen.x, screen.y, screen.width, screen.height) == (0, 0, 640, 480)
    assert screen.refresh_rate > 0


def test_two_screens_of_a_real_server(two_screens: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", two_screens)
    found = [(s.name, s.x, s.y, s.width, s.height) for s in screens()]
    assert found == [("LEFT", 0, 0, 320, 200), ("RIGHT", 320, 0, 400, 240)]


@pytest.mark.parametrize(
    ("display", "words"), [(None, "DISPLAY is not set"), (":987", "no X server answers at")]
)
def test_no_display_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, display: str | None, words: str
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    if display:
        monkeypatch.setenv("DISPLAY", display)
    assert words in str(display_available())
    found, reason = list_screens()
    assert found == []
    assert words in str(reason)
    with pytest.raises(DisplayError, match=words):
        screens()


AFTER_THE_END = """
import sys
from display.covering import Covering
from display.monitors import look
from display.power import Power
from display.x_connection import XConnection
with XConnection() as x:
    power, cover = Power(x), Covering(x, x.root)
    power.inhibit()
    print("open", flush=True)
    sys.stdin.readline()
    assert not x.ended
    look(x)
    assert x.ended
    power.inhibit(), power.restore(), look(x), cover.area(), cover.is_covered(), cover.take_orphaned_keys()
print("alive")
"""


def test_a_connection_outlives_the_server_whatever_it_is_asked(
    x_server: Callable[..., Any], checkout: Path
) -> None:
    server, name = x_server("320x200x24")
    client = subprocess.Popen(
        [sys.executable, "-c", AFTER_THE_END],
        env={**os.environ, "DISPLAY": name, "PYTHONPATH": str(checkout)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdout is not None
    assert client.stdout.readline() == "open\n"
    server.kill()
    server.wait(60)
    assert client.communicate("\n", 60)[0] == "alive\n"
    assert client.returncode == 0


def test_a_server_without_opengl_is_not_available(
    x_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, name = x_server("320x200x24", extra=("-extension", "GLX"))
    monkeypatch.setenv("DISPLAY", name)
    assert "GLX" in str(display_available())
