"""The window follows its screen while the show goes on: modes, outputs off and on, screens that come and go.

A look a second is the product's pace; here it looks more often, and the looks are counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import ImageGrab

from display.watch import PERIOD_S

OFTEN = {"PROBE_LOOKS_EVERY_S": "0.02"}
# A change is seen at the next look at the latest; then come those that the placing takes.
MOST_LOOKS = int(5.0 / PERIOD_S) - 1

Outputs = Callable[..., str]


@pytest.fixture
def screen(x_server: Callable[..., Any], outputs: Outputs) -> str:
    """A display with one real output, `screen`, 640 x 480 at 60 Hz, on a desktop of its size."""
    _, name = x_server("640x480x24")
    outputs(name, "mode", 640, 480, 60)
    return name


@pytest.fixture
def watched(probe: Callable[..., Any]) -> Callable[..., Any]:
    """A window that has been looked at already."""

    def start(display: str, **settings: Any) -> Any:
        window = probe(display, OFTEN, **settings)
        window.until(lambda seen: seen["looks"] > 0)
        return window

    return start


@contextmanager
def pop_up(display: str, *area: int) -> Iterator[None]:
    """Another program's window over the show, with the keyboard."""
    script = str(Path(__file__).with_name("x_outputs.py"))
    root = str(Path(__file__).resolve().parents[2])
    client = subprocess.Popen(
        [sys.executable, script, "cover", *map(str, area)],
        env={**os.environ, "DISPLAY": display, "PYTHONPATH": root},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert client.stdin is not None
    assert client.stdout is not None
    try:
        assert client.stdout.readline() == b"there\n"
        yield
    finally:
        client.stdin.close()
        client.wait(60)


def after_looks(window: Any, count: int) -> None:
    """Wait until the screens were looked at so many times more, pictures flowing meanwhile."""
    before = window.ask("report")
    report = window.until(lambda seen: seen["looks"] > before["looks"] + count)
    assert report["pictures"] > before["pictures"]


def covered_area(window: Any) -> list[int]:
    """x, y, width, height of the show's window as the server has them."""
    number = window.do("search", "--name", "baited").split()[0]
    lines = window.do("getwindowgeometry", "--shell", number).splitlines()
    found = dict(line.split("=") for line in lines)
    return [int(found[name]) for name in ("X", "Y", "WIDTH", "HEIGHT")]


def test_a_new_mode_is_covered_and_its_rate_known(
    watched: Callable[..., Any], screen: str, outputs: Outputs, x_client: Callable[..., str]
) -> None:
    window = watched(screen)
    assert window.ask("report")["rate"] == pytest.approx(60)
    outputs(screen, "mode", 360, 480, 50)
    report = window.until(lambda seen: seen["size"] == [360, 480] and seen["looks_to_place"])
    assert report["looks_to_place"] <= MOST_LOOKS
    assert report["rate"] == pytest.approx(50)
    assert report["resizes"][-1] == [360, 480]
    assert covered_area(window) == [0, 0, 360, 480]
    # F27: nor does the pointer come back with it.
    assert x_client(screen, "cursor") == "hidden"
    window.do("mousemove", "50", "60")
    assert x_client(screen, "cursor") == "hidden"
    assert window.end() == 0


def test_the_show_goes_on_while_the_output_is_off_and_comes_back(
    watched: Callable[..., Any], screen: str, outputs: Outputs
) -> None:
    window = watched(screen)
    outputs(screen, "off")
    before = window.until(lambda seen: seen["dark"])["pictures"]
    assert window.until(lambda seen: seen["pictures"] > before + 20)["size"] == [640, 480]
    outputs(screen, "mode", 320, 240, 60)
    report = window.until(lambda seen: seen["size"] == [320, 240] and seen["looks_to_place"])
    assert not report["dark"]
    assert report["looks_to_place"] <= MOST_LOOKS
    assert covered_area(window) == [0, 0, 320, 240]
    assert [line for line in window.told if "no screen is on" in line] == [
        "WARNING no screen is on; the show goes on and waits for one"
    ]


def test_a_screen_that_goes_is_left_for_another_and_taken_again_when_it_returns(
    watched: Callable[..., Any], two_screens: str, outputs: Outputs, x_client: Callable[..., str]
) -> None:
    window = watched(two_screens, screen="RIGHT")
    outputs(two_screens, "gone", "RIGHT")
    window.until(lambda seen: seen["name"] == "LEFT" and seen["size"] == [320, 200])
    assert covered_area(window) == [0, 0, 320, 200]
    outputs(two_screens, "monitor", "RIGHT", 320, 20, 360, 220)
    window.until(lambda seen: seen["name"] == "RIGHT" and seen["size"] == [360, 220])
    window.do("mousemove", "330", "30")
    assert x_client(two_screens, "cursor") == "hidden"
    # Moved on the desktop, the size stays.
    outputs(two_screens, "monitor", "RIGHT", 340, 0, 360, 220)
    after_looks(window, 4)
    assert covered_area(window) == [340, 0, 360, 220]


def test_an_output_that_is_off_at_the_start_is_moved_to_when_it_is_on(
    watched: Callable[..., Any], screen: str, outputs: Outputs
) -> None:
    outputs(screen, "off")
    outputs(screen, "monitor", "DESK", 100, 50, 300, 200)
    window = watched(screen, screen="Screen")
    assert (window.opened["name"], window.opened["at"]) == ("DESK", [100, 50])
    outputs(screen, "mode", 640, 480, 60)
    report = window.until(lambda seen: seen["size"] == [640, 480] and seen["looks_to_place"])
    assert report["name"] == "screen"
    assert covered_area(window) == [0, 0, 640, 480]
    assert len([line for line in window.told if line.startswith("WARNING")]) == 1


def test_a_window_pushed_away_is_put_back(watched: Callable[..., Any], screen: str) -> None:
    window = watched(screen)
    number = window.do("search", "--name", "baited").split()[0]
    window.do("windowmove", number, "100", "50", "windowsize", number, "200", "100")
    window.until(lambda seen: seen["looks_to_place"])
    assert covered_area(window) == [0, 0, 640, 480]


def test_a_pop_up_with_the_keyboard_is_survived(
    watched: Callable[..., Any], screen: str, x_client: Callable[..., str]
) -> None:
    window = watched(screen)
    assert not [line for line in window.told if "keyboard" in line]
    for _ in range(2):
        with pop_up(screen, 100, 100, 300, 200):
            window.until(lambda seen: seen["covered"])
            after_looks(window, 4)
            window.do("mousemove", "200", "200")
        window.until(lambda seen: not seen["covered"])
    assert x_client(screen, "cursor") == "hidden"
    window.do("mousemove", "10", "10")
    assert x_client(screen, "cursor") == "hidden"
    after_looks(window, 2)
    # The keyboard had gone to nobody; the technician's keys arrive again.
    window.do("key", "d")
    window.until(lambda seen: seen["keys"] == ["d"])
    assert len([line for line in window.told if "keyboard" in line]) == 1


def test_a_pop_up_that_stays_a_minute_is_put_behind_the_show(
    watched: Callable[..., Any], screen: str
) -> None:
    window = watched(screen)
    with pop_up(screen, 100, 100, 300, 200):
        looks = window.until(lambda seen: seen["covered"])["looks"]
        report = window.until(lambda seen: not seen["covered"])
        assert report["looks"] - looks >= 50
        seen = np.asarray(ImageGrab.grab(xdisplay=screen).convert("L"))
    assert seen[200, 200] < 50
    assert len([line for line in window.told if "covered the show for a minute" in line]) == 1


@pytest.mark.parametrize(
    ("width", "height", "environment"), [(640, 480, {"PYGLET_DPI_SCALING": "stretch"}), (360, 600, {})]
)
def test_light_bug_and_beam_agree_and_the_corners_are_there_on_a_scaled_desktop(
    width: int,
    height: int,
    environment: dict[str, str],
    probe: Callable[..., Any],
    x_server: Callable[..., Any],
    outputs: Outputs,
) -> None:
    """F29: a desktop scaled to 150 % and `scale` 1.5, landscape and portrait; seen on the screen itself."""
    _, display = x_server(f"{width}x{height}x24")
    outputs(display, "resources", "Xft.dpi:\t144\n")
    window = probe(display, environment, scale=1.5)
    assert window.opened["size"] == [width * 1.5, height * 1.5]
    place_px = (width - 70, height - 130)
    window.do("mousemove", *map(str, place_px), "click", "1")
    report = window.until(lambda seen: [e for e in seen["pointer"] if e[0] == "release"])
    light = [event[1:3] for event in report["pointer"] if event[0] == "press"][-1]
    assert light == [place_px[0] * 1.5, place_px[1] * 1.5]
    for what in ("bug", "beam"):
        shot = picture_of(window, what, light)
        assert np.abs(centre_px(shot) - place_px).max() <= 1.0
    shot = picture_of(window, "corners", light)
    assert shot.shape == (height, width)
    marks = [shot[:8, :8], shot[:8, -8:], shot[-8:, :8], shot[-8:, -8:]]
    assert all(mark.max() > 100 for mark in marks)


def picture_of(window: Any, what: str, light: list[float]) -> np.ndarray:
    """The screen with a bug, a beam, or a bug in each corner on it: grey levels."""
    window.ask(what, json.dumps(light))
    before = window.ask("report")["pictures"]
    window.until(lambda seen: seen["pictures"] > before + 2)
    return np.asarray(ImageGrab.grab(xdisplay=window.display).convert("L")).astype(float)


def centre_px(shot: np.ndarray) -> np.ndarray:
    """Centre of the brightness: x, y in px of the screen."""
    rows, columns = np.indices(shot.shape) + 0.5
    return np.array([(columns * shot).sum(), (rows * shot).sum()]) / shot.sum()
