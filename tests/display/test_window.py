"""The real window under a virtual X server: what ends it, what people do at it, where it stands."""

from __future__ import annotations

import io
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageGrab

from display.canvas import Canvas
from display.server_time import LONGEST_AGE_S

PATIENCE_S = 60.0
# The server stamps in whole milliseconds.
STAMP_S = 0.002

Span = tuple[float, float]


def pointer(report: dict[str, Any], kind: str) -> list[list[Any]]:
    return [event for event in report["pointer"] if event[0] == kind]


def test_only_the_chord_ends_the_show(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    assert window.opened["size"] == [640, 480]
    for keys in ("Escape", "q", "alt+F4", "F11", "ctrl+w", "shift+q"):
        window.do("key", keys)
    for button in ("1", "2", "3"):
        window.do("click", button)
    window.do("key", "F5")
    report = window.until(lambda seen: "f5" in seen["keys"])
    assert report["keys"] == ["escape", "q", "alt+f4", "f11", "ctrl+w", "shift+q", "f5"]
    assert not report["wants_to_quit"]
    before = report["pictures"]
    assert window.until(lambda seen: seen["pictures"] > before + 5)
    window.do("key", "ctrl+q")
    assert window.until(lambda seen: seen["wants_to_quit"])
    assert window.end() == 0


def test_a_held_arrow_repeats_and_other_keys_do_not(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    window.do("keydown", "d", "keydown", "shift", "keydown", "Right")
    window.until(lambda seen: seen["keys"].count("shift+right") >= 5)
    window.do("keyup", "Right", "keyup", "shift", "keyup", "d", "key", "shift+Tab", "key", "ctrl+Left")
    keys = window.until(lambda seen: "ctrl+left" in seen["keys"])["keys"]
    assert keys.count("d") == 1
    assert set(keys) == {"d", "shift+right", "shift+tab", "ctrl+left"}
    assert window.end() == 0


def test_a_window_manager_cannot_close_it(
    probe: Callable[..., Any], x_client: Callable[..., str], x_display: str
) -> None:
    window = probe(x_display)
    found = window.do("search", "--sync", "--name", "baited")
    x_client(x_display, "close", found.split()[0])
    before = window.ask("report")["pictures"]
    report = window.until(lambda seen: seen["pictures"] > before + 10)
    assert not report["wants_to_quit"]
    assert window.end() == 0


def timed(window: Any, *words: str) -> tuple[float, float]:
    """Let xdotool act; returns the host times between which the act lies, as far as anybody can know."""
    before_s = time.perf_counter()
    window.do(*words)
    return before_s - STAMP_S, time.perf_counter() + STAMP_S


def check_time(event: list[Any], span: Span) -> None:
    """The event is dated within the span; one that was taken too late for its stamp, when it was taken."""
    *_, at_s, taken_s = event
    assert span[0] <= at_s <= (span[1] if taken_s - span[0] < LONGEST_AGE_S else taken_s)


def test_pointer_events_are_exact_in_place_order_and_time(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    window.do("mousemove", "33", "44")
    pressed = timed(window, "mousedown", "1")
    window.do("mousemove", "600", "410")
    time.sleep(0.25)
    released = timed(window, "mouseup", "1")
    report = window.until(lambda seen: pointer(seen, "release"))
    press, release = pointer(report, "press")[-1], pointer(report, "release")[-1]
    assert press[1:3] == [33.0, 44.0]
    assert release[1:3] == [600.0, 410.0]
    order = [event[0] for event in report["pointer"]]
    assert order[order.index("press") :] == ["press", "move", "release"]
    check_time(press, pressed)
    check_time(release, released)
    # at_s is when it happened, not when it was taken, and never later than that.
    assert all(at_s <= taken_s for *_, at_s, taken_s in report["pointer"])


def test_a_busy_show_still_knows_when_the_light_came(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    window.ask("stall", "0.6")
    pressed = timed(window, "mousedown", "1")
    time.sleep(0.15)
    released = timed(window, "mouseup", "1")
    report = window.until(lambda seen: pointer(seen, "release"))
    check_time(pointer(report, "press")[-1], pressed)
    check_time(pointer(report, "release")[-1], released)


def test_only_the_left_button_is_a_light(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    for button in ("2", "3", "4", "1"):
        window.do("click", button)
    report = window.until(lambda seen: pointer(seen, "release"))
    assert len(pointer(report, "press")) == 1


@pytest.mark.parametrize("other_button", ["", "3"])
def test_a_release_that_another_program_took_is_noticed_at_the_next_move(
    other_button: str, probe: Callable[..., Any], x_client: Callable[..., str], x_display: str
) -> None:
    window = probe(x_display)
    window.do("mousemove", "100", "100", "mousedown", "1")
    window.until(lambda seen: pointer(seen, "press"))
    window.ask("ungrab")
    x_client(x_display, "release")
    assert not pointer(window.ask("report"), "release")
    before = len(window.ask("report")["pointer"])
    window.do(*(["mousedown", other_button] if other_button else []), "mousemove", "200", "150")
    report = window.until(lambda seen: [200.0, 150.0] in [event[1:3] for event in seen["pointer"][before:]])
    if other_button:
        window.do("mouseup", other_button)
    assert [event[0] for event in report["pointer"][before:]] == ["release", "move"]
    assert [event[0] for event in report["pointer"] if event[0] != "move"] == ["press", "release"]


def test_a_drag_with_both_buttons_keeps_the_light(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    window.do("mousemove", "100", "100", "mousedown", "1", "mousedown", "3", "mousemove", "200", "150")
    window.do("mouseup", "3", "mousemove", "220", "150")
    report = window.until(lambda seen: [220.0, 150.0] in [event[1:3] for event in seen["pointer"]])
    assert not pointer(report, "release")
    window.do("mouseup", "1")
    assert pointer(window.until(lambda seen: pointer(seen, "release")), "release")[0][1:3] == [220.0, 150.0]


def test_scale_holds_for_size_and_pointer(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display, scale=0.5)
    assert window.opened["size"] == [320, 240]
    window.do("mousemove", "300", "100", "click", "1")
    report = window.until(lambda seen: pointer(seen, "release"))
    assert pointer(report, "press")[0][1:3] == [150.0, 50.0]


def test_the_window_shows_the_headless_picture(
    probe: Callable[..., Any],
    reference: Callable[[str], Any],
    cases: Path,
    headless: Callable[..., Canvas],
    x_display: str,
    tmp_path: Path,
) -> None:
    window = probe(x_display)
    window.do("mousemove", "320", "240")
    window.ask("draw", str(cases / "reference-look" / "on-300.json"))
    before = window.ask("report")["pictures"]
    window.until(lambda seen: seen["pictures"] > before + 3)
    window.ask("save", str(tmp_path / "window.png"))
    state = reference("on-300")
    canvas = headless(640, 480)
    canvas.draw(state.rows, state.beam, state.dust)
    expected = canvas.read_pixels()
    assert expected.max() > 200
    assert np.array_equal(np.asarray(Image.open(tmp_path / "window.png")), expected)
    # And so does the screen itself.
    screen = np.asarray(ImageGrab.grab(xdisplay=x_display).convert("RGB")).astype(int)
    # The driver rounds its own buffers differently here and there, by one level.
    assert np.abs(screen - expected).max() <= 1
    assert np.count_nonzero(screen != expected) <= 0.001 * expected.size


def test_pictures_are_saved_under_any_folder_name(
    probe: Callable[..., Any], x_display: str, tmp_path: Path
) -> None:
    target = tmp_path / "虫 の 写真" / "last picture.png"
    saved = probe(x_display).ask("save", str(target))["saved"]
    assert Path(saved) == target
    assert Image.open(io.BytesIO(target.read_bytes())).size == (640, 480)
    assert [path.name for path in target.parent.iterdir()] == ["last picture.png"]


def test_the_pointer_is_hidden(
    probe: Callable[..., Any], x_client: Callable[..., str], x_display: str
) -> None:
    assert x_client(x_display, "cursor") == "visible"
    window = probe(x_display)
    assert x_client(x_display, "cursor") == "hidden"
    window.do("mousemove", "100", "100")
    window.until(lambda seen: pointer(seen, "move"))
    assert x_client(x_display, "cursor") == "hidden"
    assert window.end() == 0
    assert x_client(x_display, "cursor") == "visible"


def test_a_window_destroyed_from_outside_is_a_lost_display(probe: Callable[..., Any], x_display: str) -> None:
    window = probe(x_display)
    window.do("search", "--sync", "--name", "baited", "windowclose")
    code, lost = window.last_words()
    assert code == 3
    assert "destroyed" in lost


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_x_server_is_a_lost_display(
    probe: Callable[..., Any], x_server: Callable[..., Any], how: signal.Signals
) -> None:
    server, name = x_server("320x200x24")
    window = probe(name)
    window.ask("report")
    server.send_signal(how)
    server.wait(PATIENCE_S)
    code, lost = window.last_words()
    assert code == 3
    assert "X server ended" in lost


def test_the_right_screen_of_two_with_the_pointer_on_the_left(
    probe: Callable[..., Any], two_screens: str
) -> None:
    window = probe(two_screens, screen="right")
    assert window.opened["at"] == [320, 0]
    assert window.opened["size"] == [400, 240]
    assert window.opened["name"] == "RIGHT"
    window.do("mousemove", "100", "100", "mousemove", "330", "20", "click", "1")
    report = window.until(lambda seen: pointer(seen, "release"))
    assert pointer(report, "press")[0][1:3] == [10.0, 20.0]


def test_a_wrong_screen_names_those_that_are_there(probe: Callable[..., Any], x_display: str) -> None:
    with pytest.raises(EOFError, match="ended with 1"):
        probe(x_display, screen="HDMI-9")
