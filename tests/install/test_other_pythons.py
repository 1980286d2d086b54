"""Another Python, another locale, a second start: none takes the environment from a running command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Copy = Callable[[Path], Path]
# Paths are ASCII with escapes here: nothing written by way of text compares equal.
NO_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TRIAL = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
# A command that goes on until its input ends, as a show does.
LASTING = '''"""The commands: say that they run, then stay."""
import sys


def main():
    print("running", flush=True)
    if "stay" in sys.argv:
        sys.stdin.read()
        import pebble
'''


def other_python() -> str:
    """A tried Python of another minor version with venv, skipping the test where there is none."""
    shims = Path(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))) / "versions"
    for minor in ("3.13", "3.12", "3.11"):
        for program in (shutil.which(f"python{minor}"), *shims.glob(f"{minor}*/bin/python{minor}")):
            if program is None or minor == HERE:
                continue
            done = subprocess.run([program, "-c", TRIAL], capture_output=True, text=True, check=False)
            if done.stdout.strip() == minor:
                return str(program)
    pytest.skip("only one tried Python is on this machine: install another of 3.11 to 3.13 beside it")


def print_of(venv: Path) -> tuple[int, bytes]:
    """What changes when an environment is remade or marked anew."""
    return venv.stat().st_ino, (venv / "baited.json").read_bytes()


@pytest.fixture(scope="module")
def place(small_checkout: Copy, open_folder: Path, visitor: Any) -> Path:
    """A checkout with its environment, in a folder that few locales can spell."""
    place = small_checkout(open_folder / "蛾 の")
    assert visitor.start(place, "status").code == 0
    return place


@pytest.fixture
def show(place: Path, visitor: Any) -> Iterator[subprocess.Popen[str]]:
    """A command that runs in the environment until its input ends."""
    commands = place / "controller" / "cli.py"
    before = commands.read_text("utf-8")
    commands.write_text(LASTING, "utf-8")
    running = visitor.begin(place, "stay", stdin=subprocess.PIPE)
    assert running.stdout.readline() == "running\n"
    commands.write_text(before, "utf-8")
    yield running
    running.kill()
    running.wait(timeout=60)


def test_another_python_gets_an_environment_of_its_own(place: Path, visitor: Any) -> None:
    python = other_python()
    minor = Path(python).name.removeprefix("python")
    before = print_of(place / ".venv")
    first = visitor.start(place, "status", python=python)
    assert first.code == 0, first.said
    assert first.seen["prefix"] == str(place / f".venv-{minor}")
    assert first.seen["pebble"] == "1.0"
    for program in (python, visitor.python, python, str(place / f".venv-{minor}" / "bin" / "python")):
        again = visitor.start(place, "status", python=program)
        assert (again.code, again.said) == (0, "")
    assert print_of(place / ".venv") == before


@pytest.mark.full
def test_an_unfinished_environment_of_another_python_is_left_alone(
    place: Path, visitor: Any, small_checkout: Copy, open_folder: Path
) -> None:
    stranger = small_checkout(open_folder / "stranger")
    (stranger / ".venv").mkdir()
    (stranger / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion_info = 3.99.1.final.0\n")
    started = visitor.start(stranger, "status")
    assert started.code == 0, started.said
    assert started.seen["prefix"] == str(stranger / f".venv-{HERE}")
    assert [path.name for path in (stranger / ".venv").iterdir()] == ["pyvenv.cfg"]


@pytest.mark.parametrize("locale", [NO_LOCALE, {"LC_ALL": "en_US.iso88591"}, {"LANG": "C"}])
def test_another_locale_finds_the_same_environment(place: Path, visitor: Any, locale: dict[str, str]) -> None:
    before = print_of(place / ".venv")
    started = visitor.start(place, "status", env=locale)
    assert (started.code, started.said) == (0, "")
    assert print_of(place / ".venv") == before


@pytest.mark.full
def test_an_environment_can_be_made_without_a_locale(
    small_checkout: Copy, open_folder: Path, visitor: Any
) -> None:
    place = small_checkout(open_folder / "別 の locale")
    first = visitor.start(place, "status", env=NO_LOCALE)
    assert first.code == 0, first.said
    before = print_of(place / ".venv")
    assert visitor.start(place, "status").said == ""
    assert print_of(place / ".venv") == before


def test_a_folder_that_no_environment_can_stand_in_is_named(
    small_checkout: Copy, open_folder: Path, visitor: Any
) -> None:
    plain = small_checkout(open_folder / "plain")
    place = Path(os.fsdecode(os.fsencode(open_folder) + b"/caf\xe9"))
    plain.rename(place)
    started = visitor.start(place, "status")
    assert started.code == 1
    assert started.said.count("\n") == 1
    assert "UTF-8" in started.said
    assert "--home" not in started.said
    assert not (place / ".venv").exists()


def test_a_running_command_keeps_its_environment(
    place: Path, visitor: Any, show: subprocess.Popen[str]
) -> None:
    mark = place / ".venv" / "baited.json"
    inode = mark.parent.stat().st_ino
    # What an update that was killed leaves: only a new environment will do.
    mark.write_text(json.dumps({"state": "making"}), "utf-8")
    second = visitor.begin(place, "status")
    said = ""
    while "waiting" not in said:
        said = second.stderr.readline()
        assert said, "it ended without waiting"
    time.sleep(0.3)
    assert second.poll() is None
    assert mark.parent.stat().st_ino == inode
    assert show.stdin is not None
    show.stdin.close()
    assert show.wait(timeout=30) == 0
    ended = visitor.end(second)
    assert ended.code == 0, ended.said
    assert "making it anew" in ended.said
    assert json.loads(mark.read_text("utf-8"))["state"] == "ready"


def test_an_outdated_lock_is_mended_beside_a_running_command(
    place: Path, visitor: Any, show: subprocess.Popen[str]
) -> None:
    lock = place / "controller" / "install" / "run.lock"
    inode = (place / ".venv").stat().st_ino
    lock.write_text(lock.read_text("utf-8") + "# newer\n", "utf-8")
    started = visitor.start(place, "status")
    assert started.code == 0, started.said
    assert "] ready" in started.said
    assert (place / ".venv").stat().st_ino == inode
    assert show.poll() is None
