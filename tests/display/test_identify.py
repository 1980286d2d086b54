"""`devices --identify`: each screen shows its own number, seen on the screen itself."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import ImageGrab

from display.errors import DisplayError
from display.identify import identify, pixels_of
from display.pattern_stills import number


def test_each_screen_shows_its_number_and_name_while_asked_to(
    x_server: Callable[..., Any], x_client: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, display = x_server("721x240x24")
    x_client(display, "monitor", "LEFT", "0", "0", "321", "200")
    x_client(display, "monitor", "RIGHT", "321", "0", "400", "240")
    monkeypatch.setenv("DISPLAY", display)
    shots = []
    screens = identify(7.0, lambda seconds: shots.append((seconds, grab(display))))
    ((seconds, shot),) = shots
    assert seconds == 7.0
    assert [screen.name for screen in screens] == ["LEFT", "RIGHT"]
    for screen in screens:
        seen = shot[screen.y : screen.y + screen.height, screen.x : screen.x + screen.width]
        wanted = number((screen.width, screen.height), screen.name, screen.index)
        assert wanted.max() == 255
        assert np.array_equal(seen, np.repeat(wanted[..., None], 3, axis=2))
    assert grab(display).max() == 0


def grab(display: str) -> np.ndarray:
    return np.asarray(ImageGrab.grab(xdisplay=display).convert("RGB")).astype(int)


def test_without_a_display_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(DisplayError, match="no X server answers"):
        identify(0.0)


@pytest.mark.parametrize(
    ("bits", "masks", "middle"),
    [(16, (0xF800, 0x07E0, 0x001F), 0x7BEF), (32, (0x3FF00000, 0xFFC00, 0x3FF), 0x20180601)],
)
def test_grey_is_grey_in_16_and_in_30_bit_colours(
    bits: int, masks: tuple[int, int, int], middle: int
) -> None:
    red, green, blue = masks
    visual = SimpleNamespace(red_mask=red, green_mask=green, blue_mask=blue)
    image = SimpleNamespace(bits_per_pixel=bits, bytes_per_line=16, byte_order=None)
    rows = pixels_of(np.array([[0, 128, 255]], np.uint8), visual, image)
    assert rows.nbytes == 16
    assert rows[0, :3].tolist() == [0, middle, red | green | blue]
