"""Headless canvases, reference pictures, and a virtual X server for the tests of the display."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image

from display.canvas import Canvas, open_canvas
from display.picture import Beam, Dust, Pixels, Rows
from display.settings import DisplaySettings

PATIENCE_S = 60.0


class Reference(NamedTuple):
    """One stored state and the picture that the original drew from it."""

    rows: Rows
    beam: Beam
    dust: Dust
    pixels: Pixels


def read_reference(path: Path) -> Reference:
    state = json.loads(path.read_text(encoding="utf-8"))
    bugs = [
        (bug["x"], bug["y"], bug["drawn"]["rot"], bug["drawn"]["size"], bug["drawn"]["alpha255"] / 255)
        for bug in state["bugs"]
    ]
    dust = [(disc["x"], disc["y"], disc["d"], disc["alpha"] / 255) for disc in state["dust"]]
    light = state["light"]
    return Reference(
        np.array(bugs, np.float32).reshape(-1, 5),
        (light["x"], light["y"], light["radius"], float(light["on"])),
        np.array(dust, np.float32).reshape(-1, 4),
        np.asarray(Image.open(path.with_suffix(".png")).convert("RGB")),
    )


@pytest.fixture(scope="session")
def read_pair() -> Callable[[Path], Reference]:
    """read_pair(path of the json): its rows, beam, dust and the pixels of the png beside it."""
    return read_reference


@pytest.fixture(scope="session")
def reference(cases: Path) -> Callable[[str], Reference]:
    return lambda name: read_reference(cases / "reference-look" / f"{name}.json")


@pytest.fixture(scope="session")
def headless() -> Iterator[Callable[..., Canvas]]:
    """headless(width, height, **settings): an open canvas, shared by all tests that ask for the same."""
    opened: dict[str, Canvas] = {}

    def of(width: int, height: int, **settings: Any) -> Canvas:
        wanted = DisplaySettings(headless_width=width, headless_height=height, **settings)
        key = wanted.model_dump_json()
        if key not in opened:
            opened[key] = open_canvas(wanted, headless=True)
        return opened[key]

    yield of
    for canvas in opened.values():
        canvas.close()


def start_x_server(*screens: str, extra: tuple[str, ...] = ()) -> tuple[subprocess.Popen[bytes], str]:
    """Start Xvfb on a free display; returns the process and the display's name."""
    if not shutil.which("Xvfb"):
        pytest.skip("Xvfb is not installed: apt-get install xvfb")
    ours, theirs = os.pipe()
    command = ["Xvfb", "-displayfd", str(theirs), "-nolisten", "tcp", "-noreset", *extra]
    for number, screen in enumerate(screens):
        command += ["-screen", str(number), screen]
    server = subprocess.Popen(command, pass_fds=(theirs,), stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours) as answer:
        number_text = answer.readline().strip()
    if not number_text:
        server.wait(PATIENCE_S)
        pytest.fail(f"Xvfb ended with {server.returncode}")
    return server, f":{number_text}"


@pytest.fixture(scope="session")
def x_display() -> Iterator[str]:
    server, name = start_x_server("640x480x24")
    yield name
    server.terminate()
    server.wait(PATIENCE_S)


@pytest.fixture
def x_server() -> Iterator[Callable[..., tuple[subprocess.Popen[bytes], str]]]:
    """x_server("320x200x24", ..., extra=(...)): a server of the test's own, ended after it."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*screens: str, extra: tuple[str, ...] = ()) -> tuple[subprocess.Popen[bytes], str]:
        server, name = start_x_server(*screens, extra=extra)
        started.append(server)
        return server, name

    yield start
    for server in started:
        server.terminate()
        server.wait(PATIENCE_S)


def run_x_client(display: str, *arguments: str, script: str = "x_client.py") -> str:
    """Run a client script on that display; returns what it prints."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(script)), *arguments],
        env={**os.environ, "DISPLAY": display, "PYTHONPATH": str(root)},
        check=True,
        timeout=PATIENCE_S,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture(scope="session")
def x_client() -> Callable[..., str]:
    """x_client(display, "close", window), or "cursor", "release", ("monitor", name, x, y, width, height)."""
    return run_x_client


@pytest.fixture(scope="session")
def outputs() -> Callable[..., str]:
    """outputs(display, "mode", width, height, Hz), or "off", ("monitor", name, x, y, width, height),
    ("gone", name), ("saver", seconds), "saving", "power", ("resources", text): see x_outputs.py."""
    return lambda display, *words: run_x_client(display, *map(str, words), script="x_outputs.py")


@pytest.fixture
def two_screens(x_server: Callable[..., tuple[Any, str]]) -> str:
    """A display with LEFT (320x200 at 0,0) and RIGHT (400x240 at 320,0)."""
    _, name = x_server("720x240x24")
    run_x_client(name, "monitor", "LEFT", "0", "0", "320", "200")
    run_x_client(name, "monitor", "RIGHT", "320", "0", "400", "240")
    return name


class Probe:
    """A show window in its own process (window_probe.py), driven over its standard input."""

    def __init__(self, display: str, settings: dict[str, Any], environment: dict[str, str]) -> None:
        script = Path(__file__).with_name("window_probe.py")
        root = Path(__file__).resolve().parents[2]
        self.display = display
        self.process = subprocess.Popen(
            [sys.executable, str(script), json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "DISPLAY": display, "PYTHONPATH": str(root), **environment},
        )
        # What it logged, a line an entry.
        self.told: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.opened = self._answer()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.told.append(line.rstrip())

    def _answer(self) -> dict[str, Any]:
        line = self._answers.get(timeout=PATIENCE_S)
        if not line:
            raise EOFError(f"the window process ended with {self.process.wait(PATIENCE_S)}")
        return dict(json.loads(line))

    def ask(self, command: str, argument: str = "") -> dict[str, Any]:
        """One command to the probe and its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([command, argument]) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def last_words(self) -> tuple[int, str]:
        """The exit code of a probe that ends by itself, and the loss that it told of."""
        code = self.process.wait(PATIENCE_S)
        lines = list(iter(lambda: self._answers.get(timeout=PATIENCE_S), ""))
        return code, str(json.loads(lines[-1])["lost"]) if lines else ""

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Ask for reports until one is as wanted; an endless wait ends as a failed test."""
        for _ in range(2000):
            report = self.ask("report")
            if wanted(report):
                return report
            time.sleep(0.01)
        raise AssertionError(f"never came: {report}")

    def do(self, *arguments: str) -> str:
        """Let xdotool act on the display; returns what it prints."""
        if not shutil.which("xdotool"):
            pytest.skip("xdotool is not installed: apt-get install xdotool")
        environment = {**os.environ, "DISPLAY": self.display}
        done = subprocess.run(
            ["xdotool", *arguments],
            env=environment,
            check=True,
            timeout=PATIENCE_S,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def end(self) -> int:
        """Close its input, which ends it; returns the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def probe() -> Iterator[Callable[..., Probe]]:
    """probe(display, **settings): a window in a process of its own."""
    started: list[Probe] = []

    def start(display: str, environment: dict[str, str] | None = None, **settings: Any) -> Probe:
        started.append(Probe(display, settings, environment or {}))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(PATIENCE_S)
