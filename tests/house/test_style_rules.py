"""The house style that a machine can check: ruff, file and function sizes, first lines."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

LONGEST_FILE, LONGEST_FUNCTION, LONGEST_KERNEL = 400, 60, 120
SOURCES = (".py", ".glsl", ".c", ".cpp", ".h", ".ino", ".js", ".html", ".css")


def ruff(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ruff", *arguments, "--no-cache"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def test_ruff_finds_nothing(checkout: Path) -> None:
    done = ruff(checkout, "check", ".", "--output-format", "concise")
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_would_format_nothing_anew(checkout: Path) -> None:
    done = ruff(checkout, "format", "--check", ".")
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_is_too_long(checkout: Path, project_files: list[str]) -> None:
    lengths = {
        name: len((checkout / name).read_text("utf-8").splitlines())
        for name in project_files
        if name.endswith(SOURCES)
    }
    assert len(lengths) > 20
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_too_long(checkout: Path, project_files: list[str]) -> None:
    found = [
        f"{name}: {fault}"
        for name in project_files
        if name.endswith(".py")
        for fault in long_functions((checkout / name).read_text("utf-8"))
    ]
    assert found == []


def test_every_file_says_what_it_is(checkout: Path, project_files: list[str]) -> None:
    silent = [
        name
        for name in project_files
        if name.endswith(".py")
        and (text := (checkout / name).read_text("utf-8"))
        and not text.startswith('"""')
    ]
    assert silent == []


def long_functions(source: str) -> list[str]:
    """`name (lines)` of each function over its limit; compiled kernels have a wider one."""
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = []
    for node in functions:
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        kernel = any("njit" in ast.unparse(decorator) for decorator in node.decorator_list)
        if length > (LONGEST_KERNEL if kernel else LONGEST_FUNCTION):
            found.append(f"{node.name} ({length})")
    return found


@pytest.mark.parametrize(
    ("decorator", "lines", "faults"),
    [("", 60, 0), ("", 61, 1), ("@njit(cache=True)\n", 61, 0), ("@njit\n", 121, 1)],
)
def test_a_long_function_would_be_seen(decorator: str, lines: int, faults: int) -> None:
    body = "    x = 1\n" * (lines - 1)
    assert len(long_functions(f"{decorator}def walk():\n{body}")) == faults
