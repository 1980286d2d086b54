"""The wheel, built without a network, holds the four packages whole and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

PACKAGES = ("controller", "calibration", "display", "logs")
Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(checkout: Path, project_files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds the wheel of a copy of the project, with lines added to its .gitignore."""

    def built(ignored: str = "") -> Path:
        copy = tmp_path_factory.mktemp("project")
        for name in project_files:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(checkout / name, copy / name)
        with (copy / ".gitignore").open("a", encoding="utf-8") as lines:
            lines.write(f"\n{ignored}\n")
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "built"]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        (wheel,) = (copy / "built").glob("*.whl")
        return wheel

    return built


@pytest.fixture(scope="module")
def wheel(build: Build) -> Path:
    return build()


def contents(wheel: Path) -> set[str]:
    """The files of the four packages in a wheel."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def packaged(project_files: list[str]) -> set[str]:
    return {name for name in project_files if name.split("/")[0] in PACKAGES}


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path, project_files: list[str]) -> None:
    assert contents(wheel) == packaged(project_files)


def test_fonts_licences_shaders_and_locks_are_in_the_wheel(wheel: Path) -> None:
    names = contents(wheel)
    assert {f"controller/install/{scope}.lock" for scope in ("run", "analysis", "test")} <= names
    assert [name for name in names if name.startswith("display/font/") and name.endswith(".ttf")]
    assert [name for name in names if name.startswith("display/font/") and "OFL" in name]
    assert any(name.endswith("LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def test_an_ignored_folder_would_be_missed(build: Build, project_files: list[str]) -> None:
    assert packaged(project_files) - contents(build(ignored="logs/"))


def test_the_wheel_has_the_command_and_the_range_of_python(wheel: Path, checkout: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    texts = {
        name.split("/")[-1]: archive.read(name).decode() for name in archive.namelist() if "dist-info" in name
    }
    assert "baited = controller.cli:main" in texts["entry_points.txt"]
    assert "Requires-Python: <3.14,>=3.11" in texts["METADATA"]
    assert "Requires-Dist: numba" in texts["METADATA"]


def test_the_unpacked_wheel_starts_without_setting_anything_up(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(place)
    env = {**os.environ, "PYTHONPATH": str(place), "BAITED_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "controller", "--help"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "run" in done.stdout
    assert not (place / ".venv").exists()
    assert not (tmp_path / "home" / "venv").exists()
