"""Files that are whole after a power cut: replaced in one step, on the disk before the call returns."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Put `text` (UTF-8) in the place of the file, which nobody ever sees half; its folder must be there.

    Raises OSError when it cannot be written; the old file stays then, and nothing else is left.
    """
    aside = path.with_name(path.name + ".new")
    try:
        with aside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can open and flush a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
