"""Not a test: opens a window as the show does, and answers questions about it on standard output."""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from conftest import read_reference

from display.canvas import Canvas, open_canvas
from display.errors import DisplayLost
from display.settings import DisplaySettings
from display.window import WindowSurface

NO_ROWS = np.empty((0, 5), np.float32)
NO_DUST = np.empty((0, 4), np.float32)


def answer(**values: object) -> None:
    print(json.dumps(values), flush=True)


class Seen:
    """Everything that came from the window so far."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.pointer: list[tuple[str, float, float, float, float]] = []
        self.keys: list[str] = []
        self.resizes: list[tuple[int, int]] = []
        self.pictures = 0

    def collect(self) -> None:
        self.canvas.dispatch()
        taken_s = time.perf_counter()
        self.pointer += [(e.kind, e.x, e.y, e.at_s, taken_s) for e in self.canvas.take_pointer()]
        self.keys += self.canvas.take_keys()
        self.resizes += self.canvas.take_resizes()
        self.pictures += 1

    def report(self) -> None:
        answer(
            pointer=self.pointer,
            keys=self.keys,
            resizes=self.resizes,
            pictures=self.pictures,
            wants_to_quit=self.canvas.wants_to_quit,
            size=self.canvas.size,
            name=self.canvas.name,
            rate=self.canvas.refresh_rate,
            **of_the_watch(self.canvas),
        )


def of_the_watch(canvas: Canvas) -> dict[str, object]:
    watch = canvas._surface.watch  # type: ignore[attr-defined]
    power = watch.power and asdict(watch.power)
    names = ("placed", "dark", "covered", "looks", "looks_to_place")
    return {"power": power, **{name: getattr(watch, name) for name in names}}


def show(canvas: Canvas) -> int:
    seen = Seen(canvas)
    picture: tuple[Any, ...] = (NO_ROWS, (0.0, 0.0, 1.0, 0.0), NO_DUST)
    while True:
        seen.collect()
        canvas.draw(*picture)
        canvas.flip()
        if not select.select([sys.stdin], [], [], 0.005)[0]:
            continue
        line = sys.stdin.readline()
        if not line:
            return 0
        command, argument = json.loads(line)
        if command == "report":
            seen.report()
        elif command == "draw":
            picture = read_reference(Path(argument))[:3]
            answer(drawing=argument)
        elif command in ("bug", "beam", "corners"):
            picture = figure(command, *json.loads(argument), canvas.size)
            answer(drawing=command)
        elif command == "stall":
            answer(stalling=argument)
            time.sleep(float(argument))
        elif command == "ungrab":
            ungrab(canvas)
            answer(ungrabbed=True)
        elif command == "save":
            answer(saved=str(canvas.save(argument)))


def figure(what: str, x: float, y: float, size: tuple[int, int]) -> tuple[np.ndarray, tuple, np.ndarray]:
    """A beam at the place, a bug in each corner, or a bug there and itself turned over, whose common
    centre is the place exactly."""
    dark, width, height = (0.0, 0.0, 1.0, 0.0), *size
    if what == "beam":
        return NO_ROWS, (x, y, 50.0, 1.0), NO_DUST
    corners = [(left, top, 0.0, 40.0, 1.0) for left in (0, width) for top in (0, height)]
    turned = [(x, y, angle, 40.0, 1.0) for angle in (0.0, np.pi)]
    return np.array(corners if what == "corners" else turned, np.float32), dark, NO_DUST


def ungrab(canvas: Canvas) -> None:
    """Give up the grab that X makes at a press, so that another client can take the release."""
    from pyglet.libs.x11 import xlib

    display = canvas._surface._window.display._display  # type: ignore[attr-defined]
    xlib.XUngrabPointer(display, 0)
    xlib.XSync(display, False)


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    settings = DisplaySettings(**json.loads(sys.argv[1]))
    if look_every_s := os.environ.get("PROBE_LOOKS_EVERY_S"):
        surface = WindowSurface(settings.screen, settings.scale, look_every_s=float(look_every_s))
        canvas = Canvas(surface, settings)
    else:
        canvas = open_canvas(settings)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    location = getattr(canvas._surface, "location", None)
    answer(size=canvas.size, vsync=canvas.vsync, rate=canvas.refresh_rate, name=canvas.name, at=location)
    try:
        return show(canvas)
    except DisplayLost as fault:
        answer(lost=str(fault))
        return 3
    finally:
        canvas.close()


if __name__ == "__main__":
    sys.exit(main())
