"""The project's own files, as git lists them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PACKAGES = ("controller", "calibration", "display", "logs")


@pytest.fixture(scope="session")
def project_files(checkout: Path) -> list[str]:
    """Paths in the checkout that are tracked or about to be, with `/`, sorted."""
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listed = subprocess.run(command, cwd=checkout, capture_output=True, check=True).stdout.decode()
    return sorted(name for name in set(listed.split("\0")) if name and (checkout / name).is_file())
