"""The type checker finds nothing, and would find a planted error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def mypy(checkout: Path, *arguments: str, cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ) | ({"MYPY_CACHE_DIR": str(cache)} if cache else {})
    command = [sys.executable, "-m", "mypy", *arguments]
    return subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True, check=False)


def test_mypy_finds_nothing(checkout: Path) -> None:
    done = mypy(checkout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_type_would_be_seen(checkout: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        '"""Wrong."""\n\nfrom controller.light import on_screen\n\non_screen("1", 0, 1, 1)\n', "utf-8"
    )
    config = f"--config-file={checkout / 'pyproject.toml'}"
    done = mypy(checkout, config, str(wrong), cache=tmp_path / "cache")
    assert done.returncode == 1
    assert "arg-type" in done.stdout
