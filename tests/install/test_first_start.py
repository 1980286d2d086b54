"""First and later starts of a small checkout, in a folder named with kanji and a space (F54)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Copy = Callable[[Path], Path]
# What users set for their own pip and Python, and a locale that cannot spell the folder's name.
TRAPS = {
    "PIP_TARGET": "/dev/null/target",
    "PIP_USER": "1",
    "PIP_REQUIRE_VIRTUALENV": "1",
    "PYTHONPATH": "/nowhere/either",
    "LANG": "C",
    "LC_ALL": "C",
}


@pytest.fixture(scope="module")
def place(small_checkout: Copy, open_folder: Path) -> Path:
    """The checkout of this file's tests, each of which leaves it set up."""
    return small_checkout(open_folder / "光 の虫")


@pytest.fixture(scope="module")
def killed(place: Path, visitor: Any) -> str:
    """The first start ever, killed while it makes the environment; the state that it left."""
    running = visitor.begin(place, "status", env=TRAPS)
    while not (place / ".venv" / "pyvenv.cfg").exists():
        assert running.poll() is None
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    # What it started holds the pipes a while longer, so they are not read to their end.
    running.wait(timeout=60)
    return str(json.loads((place / ".venv" / "baited.json").read_text("utf-8"))["state"])


@pytest.fixture(scope="module")
def both(killed: str, place: Path, visitor: Any) -> list[Any]:
    """Two starts at once after the killed one."""
    assert killed == "making"
    running = [visitor.begin(place, "status", "--seed", "7", env=TRAPS) for _ in range(2)]
    return [visitor.end(process) for process in running]


def without_pip(place: Path) -> Path:
    """Takes pip out of the environment, so that a start that calls it fails; returns where it was put."""
    (packages,) = (place / ".venv" / "lib").glob("python*/site-packages")
    aside = place / "pip aside"
    (packages / "pip").rename(aside)
    return packages / "pip"


def test_after_a_killed_start_two_at_once_make_one_environment(both: list[Any], place: Path) -> None:
    assert [started.code for started in both] == [0, 0], both
    assert {started.seen["prefix"] for started in both} == {str(place / ".venv")}
    said = "".join(started.said for started in both)
    assert said.count("making the Python environment") == 1
    assert said.count("making it anew") == 1
    assert said.count("waiting for it") == 2
    assert said.count("] ready") == 1


def test_the_command_gets_arguments_folder_and_packages(both: list[Any], place: Path) -> None:
    for started in both:
        assert started.seen["arguments"] == ["status", "--seed", "7"]
        assert started.seen["cwd"] == str(place)
        assert (started.seen["pebble"], started.seen["pond"]) == ("1.0", "")


@pytest.mark.usefixtures("both")
def test_a_second_start_is_silent_and_calls_no_pip(place: Path, visitor: Any) -> None:
    pip = without_pip(place)
    started = visitor.start(place, "status", env={"PIP_FIND_LINKS": "/nowhere"})
    (place / "pip aside").rename(pip)
    assert (started.code, started.said) == (0, "")
    assert started.seen["pebble"] == "1.0"


@pytest.mark.usefixtures("both")
def test_the_environments_own_python_starts_it_too(place: Path, visitor: Any) -> None:
    started = visitor.start(place, "status", python=str(place / ".venv" / "bin" / "python"))
    assert (started.code, started.said) == (0, "")
    assert started.seen["prefix"] == str(place / ".venv")


@pytest.mark.usefixtures("both")
def test_another_folder_and_no_locale_will_do(place: Path, visitor: Any, tmp_path: Path) -> None:
    started = visitor.start(tmp_path, "status", env={"PYTHONPATH": str(place), "LC_ALL": "POSIX"})
    assert (started.code, started.said) == (0, "")
    assert started.seen["cwd"] == str(tmp_path)


@pytest.mark.usefixtures("both")
def test_the_tests_add_their_packages_to_the_same_environment(place: Path, visitor: Any) -> None:
    mark = place / ".venv" / "baited.json"
    # The system's own parts are tried on the real machine elsewhere.
    parts = ["egl", "git", "gl", "strace", "venv", "x11", "xdotool", "xvfb"]
    seen = json.loads(mark.read_text("utf-8"))
    for _ in range(2):
        mark.write_text(json.dumps({**seen, "system": parts}), "utf-8")
        started = visitor.start(place, "test")
        seen = json.loads(mark.read_text("utf-8"))
    assert started.code == 0, started.said
    assert started.said == ""
    assert (started.seen["pebble"], started.seen["pond"]) == ("1.0", "1.0")
    assert visitor.start(place, "status").said == ""


@pytest.mark.usefixtures("both")
def test_a_wrong_hash_is_refused_and_the_next_start_goes_on(place: Path, visitor: Any) -> None:
    lock = place / "controller" / "install" / "run.lock"
    text = lock.read_text("utf-8")
    digest = text.rstrip()[-64:]
    # pip takes no notice of a package that is there already.
    (pebble,) = (place / ".venv" / "lib").glob("python*/site-packages/pebble-1.0.dist-info")
    shutil.rmtree(pebble)
    lock.write_text(text.replace(digest, digest[::-1]), "utf-8")
    refused = visitor.start(place, "status")
    lock.write_text(text, "utf-8")
    mended = visitor.start(place, "status")
    assert (refused.code, refused.seen) == (1, {})
    assert "HASH" in refused.said.upper()
    assert "start again" in refused.said
    assert "Traceback" not in refused.said
    assert mended.code == 0, mended.said
    assert "making it anew" not in mended.said
    assert mended.seen["pebble"] == "1.0"


@pytest.mark.usefixtures("both")
def test_a_moved_checkout_is_set_up_anew(place: Path, visitor: Any) -> None:
    moved = place.with_name("別 の所")
    place.rename(moved)
    started = visitor.start(moved, "status")
    moved.rename(place)
    assert started.code == 0, started.said
    assert "making it anew" in started.said
    assert started.seen["prefix"] == str(moved / ".venv")


def test_a_folder_that_is_no_environment_is_not_removed(
    small_checkout: Copy, visitor: Any, open_folder: Path
) -> None:
    place = small_checkout(open_folder / "taken")
    (place / ".venv").mkdir()
    (place / ".venv" / "letters.txt").write_text("mine", "utf-8")
    started = visitor.start(place, "status")
    assert started.code == 1
    assert "move it elsewhere" in started.said
    assert (place / ".venv" / "letters.txt").read_text("utf-8") == "mine"
