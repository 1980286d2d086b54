"""Files that are whole after a power cut: replaced in one step, on the disk before the call returns."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Put `text` (UTF-8) in the place of the file, which nobody ever sees half; its folder must be there.

    A link stays one: what it leads to is replaced. The new file has the rights of the old one, else
    those of any new file. Raises OSError when it cannot be written, or is no regular file; what was
    there stays then, and nothing else is left.
    """
    target = Path(os.path.realpath(path))
    old = _status(target)
    aside = target.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with aside.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if old is not None:
                _give_rights(aside, old)
            os.fsync(file.fileno())
        aside.replace(target)
    finally:
        with suppress(OSError):
            aside.unlink()
    sync_folder(target.parent)


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
