"""An unsuited Python is refused in one line, by files that it can still read."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.install.bootstrap import NEWEST, OLDEST, command_of, option, python_refusal


@pytest.mark.parametrize("version", [(3, 9, 2), (3, 10, 14)])
def test_an_old_python_is_refused_in_one_line(version: tuple[int, ...]) -> None:
    refusal = python_refusal(version)
    assert refusal.startswith("Python 3.11 or newer is needed; this is 3.")
    assert "\n" not in refusal


def test_a_python_too_new_to_be_tried_is_refused() -> None:
    assert "3.11 to 3.13" in python_refusal((NEWEST[0], NEWEST[1] + 1, 0))


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_the_tried_pythons_are_taken(version: tuple[int, int]) -> None:
    assert python_refusal((*version, 0)) == ""


def test_an_old_python_can_read_as_far_as_the_refusal(checkout: Path) -> None:
    ast.parse((checkout / "controller" / "__main__.py").read_text("ascii"), feature_version=(3, 7))
    source = (checkout / "controller" / "install" / "bootstrap.py").read_text("utf-8")
    tree = ast.parse(source, feature_version=(3, 9))
    assert isinstance(tree.body[1], ast.ImportFrom)
    assert tree.body[1].module == "__future__"


@pytest.mark.parametrize("minor", ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10"])
def test_the_oldest_pythons_are_refused_by_themselves(checkout: Path, minor: str) -> None:
    versions = Path(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))) / "versions"
    found = [*versions.glob(f"{minor}.*/bin/python{minor}"), shutil.which(f"python{minor}")]
    if found == [None]:
        pytest.skip(f"no Python {minor} on this machine: install python{minor} to try it")
    command = [str(found[0]), "-B", "-m", "controller", "status"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"baited: Python 3.11 or newer is needed; this is {minor}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "command", "home"),
    [
        (["run", "--home", "a"], "run", "a"),
        (["--home", "a", "test"], "test", "a"),
        (["--home=a b", "status"], "status", "a b"),
        (["--help"], "", None),
        (["run", "--home"], "run", None),
        (["test", "--", "--home", "a"], "test", None),
    ],
)
def test_command_and_home_are_read_from_the_arguments(
    arguments: list[str], command: str, home: str | None
) -> None:
    assert command_of(arguments) == command
    assert option(arguments, "--home") == home
