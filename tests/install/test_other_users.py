"""A read-only checkout started by a user without a home (F52): the environment goes elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534
TRIAL = "import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))"


@pytest.fixture(scope="module")
def user() -> dict[str, Any]:
    """How to start a process that may not write the checkout: as nobody when this is root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


@pytest.fixture(scope="module")
def python(user: dict[str, Any], visitor: Any) -> str:
    """A Python that this user can start; root's own may lie where nobody else can look."""
    for candidate in (visitor.python, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            done = subprocess.run([candidate, "-c", TRIAL], cwd="/", capture_output=True, check=False, **user)
        except OSError:
            continue
        if done.returncode == 0:
            return candidate
    pytest.skip("no Python 3.11 with ensurepip that other users can start: apt-get install python3-venv")


@pytest.fixture(scope="module")
def read_only(small_checkout: Callable[[Path], Path], open_folder: Path) -> Iterator[Path]:
    place = small_checkout(open_folder / "読むだけ の")
    folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield place
    for folder in folders:
        folder.chmod(0o755)


@pytest.fixture(scope="module")
def scratch(open_folder: Path) -> Path:
    """A temporary folder that everybody may write, as the system's own."""
    folder = open_folder / "temp の"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def homeless(scratch: Path) -> dict[str, str]:
    return {"HOME": "/nonexistent", "TMPDIR": str(scratch)}


def test_without_home_and_write_bit_the_temp_folder_serves(
    read_only: Path, scratch: Path, homeless: dict[str, str], user: dict[str, Any], python: str, visitor: Any
) -> None:
    before = sorted(path for path in read_only.rglob("*"))
    first = visitor.start(read_only, "status", env=homeless, python=python, **user)
    assert first.code == 0, first.said
    home = scratch / f"baited-{user.get('user', os.getuid())}"
    assert first.seen["prefix"] == str(home / "venv")
    assert f"settings and data go to {home}" in first.said
    assert home.stat().st_mode & 0o077 == 0
    second = visitor.start(read_only, "status", env=homeless, python=python, **user)
    assert second.code == 0
    assert second.said.count("\n") == 1
    assert sorted(path for path in read_only.rglob("*")) == before


@pytest.mark.full
def test_a_home_that_is_given_is_taken_without_a_word(
    read_only: Path, scratch: Path, homeless: dict[str, str], user: dict[str, Any], python: str, visitor: Any
) -> None:
    home = scratch / "given 家"
    env = {**homeless, "BAITED_HOME": str(home)}
    refused = visitor.start(
        read_only, "status", env={**env, "PIP_FIND_LINKS": "/nowhere"}, python=python, **user
    )
    assert refused.code == 1
    assert f"making the Python environment in {home / 'venv'}" in refused.said
    assert "no home folder" not in refused.said


def test_an_environment_made_by_somebody_else_is_used(
    small_checkout: Callable[[Path], Path],
    open_folder: Path,
    homeless: dict[str, str],
    user: dict[str, Any],
    python: str,
    visitor: Any,
) -> None:
    place = small_checkout(open_folder / "shared")
    assert visitor.start(place, "status", python=python).code == 0
    if not user:
        place.chmod(0o555)
    started = visitor.start(place, "status", env=homeless, python=python, **user)
    place.chmod(0o755)
    assert started.code == 0, started.said
    assert started.seen["prefix"] == str(place / ".venv")
    shutil.rmtree(place)


def test_a_place_that_cannot_be_written_is_named(
    read_only: Path, homeless: dict[str, str], user: dict[str, Any], python: str, visitor: Any
) -> None:
    arguments = ("status", "--home", "/proc/none")
    started = visitor.start(read_only, *arguments, env=homeless, python=python, **user)
    assert started.code == 1
    assert "/proc/none" in started.said
    assert "Traceback" not in started.said


def test_without_any_usable_place_cause_and_remedy_are_said_in_one_line(
    small_checkout: Callable[[Path], Path],
    open_folder: Path,
    homeless: dict[str, str],
    user: dict[str, Any],
    python: str,
    visitor: Any,
) -> None:
    place, home = small_checkout(open_folder / "closed"), open_folder / "their home"
    (place / ".venv").mkdir(mode=0o700)
    home.mkdir(mode=0o755)
    if not user:
        place.chmod(0o555)
        (place / ".venv").chmod(0)
        home.chmod(0o555)
    started = visitor.start(place, "status", "--home", str(home), env=homeless, python=python, **user)
    for folder in (place, home, place / ".venv"):
        folder.chmod(0o755)
    assert started.code == 1
    assert started.said.count("\n") == 1
    for words in (str(place / ".venv"), str(home / "venv"), "Permission denied", "--home DIR", "readable"):
        assert words in started.said


def test_a_home_variable_of_somebody_else_is_no_home(
    read_only: Path, scratch: Path, homeless: dict[str, str], user: dict[str, Any], python: str, visitor: Any
) -> None:
    theirs = scratch / "theirs"
    theirs.mkdir(mode=0o700 if user else 0)
    env = {**homeless, "HOME": str(theirs), "PIP_FIND_LINKS": "/nowhere"}
    started = visitor.start(read_only, "status", env=env, python=python, **user)
    theirs.chmod(0o700)
    assert "this user has no home folder" in started.said
