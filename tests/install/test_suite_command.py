"""`test`: which tests run, and what the exit code says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.install.suite import suite_environment

RUN = "import sys; from controller.install.suite import run_suite; sys.exit(run_suite({full}, sys.argv[1:]))"
TESTS = '''"""Three tests."""
import pytest

def test_short():
    pass

@pytest.mark.full
def test_long():
    pass

def test_wrong():
    assert not "wrong"
'''
# The real suite's choice of tests, without the kernels that it warms.
HOOKS = '''"""The hooks of the real suite."""
import runpy

real = runpy.run_path({!r})
pytest_addoption = real["pytest_addoption"]
pytest_collection_modifyitems = real["pytest_collection_modifyitems"]
'''
Suite = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def suite(checkout: Path, tmp_path: Path) -> Suite:
    """Runs the suite of a small checkout, whose tests are those above."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_three.py").write_text(TESTS, "utf-8")
    (tmp_path / "tests" / "conftest.py").write_text(
        HOOKS.format(str(checkout / "tests" / "conftest.py")), "utf-8"
    )
    (tmp_path / "controller" / "install").mkdir(parents=True)
    for name in ("pyproject.toml", "controller/install/suite.py"):
        shutil.copy(checkout / name, tmp_path / name)

    def run(*arguments: str, full: bool = False) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", RUN.format(full=full), *arguments]
        env = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, check=False)

    return run


def test_the_default_suite_leaves_the_long_tests_out(suite: Suite) -> None:
    done = suite()
    assert "1 failed, 1 passed, 1 deselected" in done.stdout
    assert done.returncode == 1


def test_full_adds_the_long_tests(suite: Suite) -> None:
    assert "1 failed, 2 passed" in suite(full=True).stdout


def test_a_long_test_named_to_pytest_runs(suite: Suite) -> None:
    done = suite("tests/test_three.py::test_long")
    assert "1 passed" in done.stdout
    assert done.returncode == 0


def test_no_tests_at_all_is_a_failure(suite: Suite) -> None:
    assert suite("-k", "no_such_test").returncode == 1


def test_an_installed_program_says_where_its_tests_are(suite: Suite, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "tests")
    done = suite()
    assert done.returncode == 1
    assert "git clone" in done.stderr


def test_a_read_only_checkout_keeps_its_caches_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = suite_environment({}, tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    moved = suite_environment({}, tmp_path)
    caches = set(moved) - set(kept)
    assert {"PYTEST_CACHE", "MYPY_CACHE_DIR", "RUFF_CACHE_DIR", "HYPOTHESIS_STORAGE_DIRECTORY"} <= caches
    assert not [name for name in caches if moved[name].startswith(str(tmp_path))]
