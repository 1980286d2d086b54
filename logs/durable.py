"""Files that are whole after a power cut: replaced in one step, on the disk before the call returns."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no flock; there what a killed writer left stays.
    fcntl = None  # type: ignore[assignment]
HAS_LOCKS = fcntl is not None

ASIDE = ".baited-{}.new"
ASIDE_PATTERN = ASIDE.format("[0-9a-f]" * 16)


def replace_text(path: Path, text: str) -> None:
    """Put `text` (UTF-8) in the place of the file, which nobody ever sees half; its folder must be there.

    A link stays one: what it leads to is replaced. The new file has the rights of the old one, else
    those of any new file. Raises OSError when it cannot be written, or is no regular file; what was
    there stays then, and nothing else is left.
    """
    target = Path(os.path.realpath(path))
    old = _status(target)
    with file_aside(target.parent) as aside:
        with aside.open("r+", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if old is not None:
                _give_rights(aside, old)
            os.fsync(file.fileno())
        aside.replace(target)
    sync_folder(target.parent)


@contextmanager
def file_aside(folder: Path) -> Iterator[Path]:
    """An empty file of a hidden name in `folder`, to be written and renamed; else it goes at the end.

    A killed writer leaves its file; the next one removes it, as nobody holds its lock any more.
    """
    _remove_left(folder)
    aside, handle = _create_locked(folder)
    try:
        yield aside
    finally:
        with suppress(OSError):
            aside.unlink()
        if handle is not None:
            os.close(handle)


def _create_locked(folder: Path) -> tuple[Path, int | None]:
    """A new file and the handle that holds its lock; None where there are no locks."""
    while True:
        aside = folder / ASIDE.format(secrets.token_hex(8))
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        if not HAS_LOCKS:
            os.close(handle)
            return aside, None
        with suppress(OSError):  # no locks on this disk: nobody can take the file for a left one either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if aside.exists():
            return aside, handle
        os.close(handle)  # another writer was quicker with the lock, and removed it


def _remove_left(folder: Path) -> None:
    """Remove the files of killed writers: those whose lock is free."""
    if not HAS_LOCKS:
        return
    for left in folder.glob(ASIDE_PATTERN):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(handle)


def _status(path: Path) -> os.stat_result | None:
    """Of a regular file, None where there is nothing; OSError for anything else."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file; give another name", str(path))
    return found


def _give_rights(path: Path, old: os.stat_result) -> None:
    """Owner and mode as far as this user and the file system allow it."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(path, old.st_uid, old.st_gid)
    with suppress(OSError):
        path.chmod(stat.S_IMODE(old.st_mode))


def sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can open and flush a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
