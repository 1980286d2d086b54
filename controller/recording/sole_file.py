"""A file with one writer: what stands in it stays until its lock is held; the lock ends with its holder."""

from __future__ import annotations

import errno
from io import FileIO
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no flock; there nothing guards against a second writer.
    fcntl = None  # type: ignore[assignment]


class InUse(OSError):
    """Another program writes this file. Do not retry: what that one wrote would be lost."""

    def __init__(self) -> None:
        super().__init__(errno.EBUSY, "another program writes this file, give each show one of its own")


def open_locked(path: Path) -> FileIO:
    """Open for writing with all that is in it, made where there is none. Raises InUse, or OSError."""
    file = path.open("ab", buffering=0)
    try:
        _lock(file)
    except InUse:
        file.close()
        raise
    return file


def open_emptied(path: Path) -> FileIO:
    """Open and replace what is in it. Raises InUse, or OSError."""
    file = open_locked(path)
    try:
        file.truncate(0)
    except OSError:
        file.close()
        raise
    return file


def _lock(file: FileIO) -> None:
    try:
        if fcntl is not None:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InUse from None
    except OSError:
        return  # Some network folders give no locks; a recording there is better than none.
