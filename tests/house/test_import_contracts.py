"""Imports run one way: the contracts hold, and each breaks when an import is planted."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("controller", "calibration", "display", "logs")
LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"

# What else than the standard library a folder may import.
OUTSIDE = {
    "display": {"display", "numpy", "pyglet", "PIL", "pydantic", "miniaudio"},
    "logs": {"logs", "sqlite_utils", "pysqlite3", "pydantic", "numpy", "duckdb"},
}
FONT_SCRIPT = "display/font/make_subset.py"
SET_UP = (
    "__main__",
    "install/bootstrap",
    "install/environment",
    "install/home",
    "install/progress",
    "install/system",
)


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", LINT, "--no-cache"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(checkout: Path, tmp_path: Path) -> Path:
    """A copy of the packages and the contracts, to plant imports in."""
    for package in PACKAGES:
        shutil.copytree(checkout / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(checkout / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold(checkout: Path) -> None:
    done = lint(checkout)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        ("logs/planted.py", "import controller.light", "Packages import one way"),
        ("display/planted.py", "import logs.visits", "Packages import one way"),
        ("calibration/planted.py", "import controller.light", "Packages import one way"),
        ("controller/light.py", "import controller.inputs", "The application imports one way"),
        ("controller/behavior/planted.py", "import controller.scenes", "The application imports one way"),
        ("controller/scenes/planted.py", "import controller.inputs", "The application imports one way"),
        ("controller/planted.py", "import json", "The application imports one way"),
        ("controller/inputs/planted.py", "import controller.simulated", "Only the commands"),
        ("controller/scenes/planted.py", "import pyglet", "Scenes know no window"),
        ("controller/scenes/planted.py", "import display.renderer", "Scenes know no window"),
        ("controller/scenes/planted.py", "import time", "Scenes know no wall time"),
    ],
)
def test_a_planted_import_is_seen(copy: Path, module: str, planted: str, contract: str) -> None:
    path = copy / module
    path.write_text((path.read_text("utf-8") if path.exists() else "") + f"\n{planted}\n", "utf-8")
    done = lint(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = [line for line in done.stdout.splitlines() if line.endswith("BROKEN")]
    assert any(line.startswith(contract) for line in broken), done.stdout


@pytest.mark.parametrize("folder", sorted(OUTSIDE))
def test_a_folder_imports_only_what_it_may(checkout: Path, folder: str) -> None:
    allowed = OUTSIDE[folder] | sys.stdlib_module_names
    found = strangers(checkout, sorted((checkout / folder).rglob("*.py")), allowed)
    assert [line for line in found if not line.startswith(FONT_SCRIPT)] == []


def test_behavior_imports_numpy_and_numba_only(checkout: Path) -> None:
    rules = sorted((checkout / "controller/behavior").glob("*.py"))
    assert strangers(checkout, rules, {"__future__", "math", "numpy", "numba", "controller.behavior"}) == []


def test_the_set_up_needs_the_standard_library_only(checkout: Path) -> None:
    paths = [checkout / "controller" / f"{name}.py" for name in SET_UP]
    found = strangers(checkout, paths, {"controller.install", "controller.cli"} | sys.stdlib_module_names)
    assert found == []


def test_a_stranger_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "rule.py"
    path.write_text(
        "import numpy.random\n\ndef turn():\n    from scipy import stats\n    import numbastic\n", "utf-8"
    )
    assert strangers(tmp_path, [path], {"numpy", "numba"}) == ["rule.py: scipy", "rule.py: numbastic"]


def strangers(root: Path, paths: list[Path], allowed: set[str] | frozenset[str]) -> list[str]:
    """`file: module` of each absolute import that neither is nor lies within an allowed module."""
    found = []
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            for name in names:
                parts = name.split(".")
                if not any(".".join(parts[:count]) in allowed for count in range(1, len(parts) + 1)):
                    found.append(f"{path.relative_to(root).as_posix()}: {name}")
    return found
