"""The real thing: a fresh clone, the real locks, the network; then a start without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ADDED_LIMIT_S = 0.5
DROPPED = ("PYTHONPATH", "BAITED_VENV", "BAITED_HOME", "VIRTUAL_ENV")
# An address where nobody listens, for users who may not take the network away.
NO_NETWORK = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "https_proxy": "http://127.0.0.1:9/"}


def cut_off() -> list[str]:
    """What to put before a command so that it has no network; nothing where that is not allowed."""
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [unshare, "-n"]
    return []


def quickest_s(command: list[str], place: Path, env: Mapping[str, str]) -> float:
    """The shortest of seven runs: the rest is what other programs took."""

    def once() -> float:
        begun_s = time.perf_counter()
        subprocess.run(command, cwd=place, env=dict(env), capture_output=True, check=True)
        return time.perf_counter() - begun_s

    return min(once() for _ in range(7))


@pytest.mark.full
def test_a_fresh_clone_sets_itself_up_and_then_needs_no_network(checkout: Path, tmp_path: Path) -> None:
    place = tmp_path / "光 の虫"
    subprocess.run(["git", "clone", "-q", str(checkout), str(place)], check=True)
    env = {name: value for name, value in os.environ.items() if name not in DROPPED}
    python = getattr(sys, "_base_executable", None) or sys.executable
    run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run
    command = [python, "-m", "controller", "--help"]

    first = run(command, cwd=place, env=env, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    assert "run" in first.stdout
    assert "installing the packages" in first.stderr

    lonely = {**env, **NO_NETWORK}
    second = run([*cut_off(), *command], cwd=place, env=lonely, capture_output=True, text=True, check=False)
    assert (second.returncode, second.stderr) == (0, "")
    assert second.stdout == first.stdout

    venv = place / ".venv"
    bare = {**env, "PYTHONPATH": str(place), "BAITED_VENV": str(venv)}
    inside = quickest_s([str(venv / "bin" / "python"), *command[1:]], place, bare)
    assert quickest_s(command, place, lonely) - inside <= ADDED_LIMIT_S
