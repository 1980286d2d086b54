"""Real shows in processes of their own, on a virtual screen or headless, and questions to their logs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 120.0


class Running:
    """A show that was started; `said` is what it wrote, once it has ended."""

    def __init__(self, process: subprocess.Popen[str], home: Path) -> None:
        self.process, self.home = process, home
        self.said = ""

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the show's status is as wanted."""
        deadline_s = time.monotonic() + PATIENCE_S
        facts: dict[str, Any] = {}
        while time.monotonic() < deadline_s:
            assert self.process.poll() is None, self.process.communicate()[0]
            try:
                facts = json.loads((self.home / "status.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                facts = {}
            if facts.get("pid") == self.process.pid and wanted(facts):
                return facts
            time.sleep(0.05)
        raise AssertionError(f"never came: {facts}")

    def until_pictures(self) -> dict[str, Any]:
        """Wait until pictures are shown."""
        return self.until(lambda facts: facts["fps"] > 0)

    def end(self, number: int | None = signal.SIGTERM) -> int:
        """Send a signal (None: only wait) and give the exit code."""
        if number is not None:
            self.process.send_signal(number)
        self.said = self.process.communicate(timeout=PATIENCE_S)[0]
        return self.process.returncode


def environment(checkout: Path, display: str) -> dict[str, str]:
    env = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONUNBUFFERED": "1"}
    env.pop("DISPLAY", None)
    return {**env, "DISPLAY": display} if display else env


@pytest.fixture
def small_home(tmp_path: Path) -> Path:
    """A home with a small headless picture, in a folder whose name has a space and kanji."""
    home = tmp_path / "画廊 one"
    home.mkdir()
    (home / "config.toml").write_text(
        "[display]\nheadless_width = 640\nheadless_height = 480\n", encoding="utf-8"
    )
    return home


@pytest.fixture
def show(checkout: Path, small_home: Path) -> Iterator[Callable[..., Running]]:
    """show("--source", "demo", ..., display=""): `run` in a process of its own."""
    started: list[Running] = []

    def start(*arguments: str, display: str = "", home: Path = small_home, **env: str) -> Running:
        command = [sys.executable, "-m", "controller.cli", "run", "--home", str(home), *arguments]
        process = subprocess.Popen(
            command,
            cwd=checkout,
            env={**environment(checkout, display), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        started.append(Running(process, home))
        return started[-1]

    yield start
    for running in started:
        if running.process.poll() is None:
            running.process.kill()
            running.process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def command(checkout: Path, small_home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """command("logs", "sessions", ...): any command to its end, without raising."""

    def run(*words: str, home: Path = small_home) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "controller.cli", *words, "--home", str(home)],
            cwd=checkout,
            env=environment(checkout, ""),
            check=False,
            timeout=PATIENCE_S,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    return run


@pytest.fixture
def logged(command: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., list[dict[str, Any]]]:
    """The sessions of a home, by the command that the curator uses."""

    def ask(*options: str, **where: Path) -> list[dict[str, Any]]:
        done = command("logs", "sessions", "--json", *options, **where)
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout))

    return ask
