"""A real file system of a few kilobytes or megabytes, to be filled; for root where mounting is allowed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """The folder as a disk of this size (as mount takes it, 256k); skips the test where nobody may mount."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("needs to mount a tmpfs: run the suite as root, in a container with CAP_SYS_ADMIN")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(path: Path, leave_bytes: int = 0) -> None:
    """Take all room of the disk but so many bytes, which are whole pages."""
    with path.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
        file.truncate(max(0, file.tell() - leave_bytes))
