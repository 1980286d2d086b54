"""What the program left of older logs beside the log: copies, damaged and half built files, unread lines."""

from __future__ import annotations

import glob
from pathlib import Path

from logs import damage, schema
from logs.engine import Engine, connect_to_read
from logs.spill import UNREAD


def beside(path: Path) -> list[Path]:
    """The copies in the log's folder by name; of some there may be only a journal left."""
    stem, suffix = glob.escape(path.stem), glob.escape(path.suffix)
    patterns = (
        *(f"{stem}.before-migration{suffix}*", f"{stem}.damaged-*", f"{stem}{suffix}.new*"),
        f"{stem}.spill*{UNREAD}",
    )
    found = [file.name for pattern in patterns for file in path.parent.glob(pattern)]
    for ending in damage.COMPANIONS:
        found = [name.removesuffix(ending) for name in found]
    return [path.with_name(name) for name in sorted(set(found))]


def files_of(copy: Path) -> list[Path]:
    """The copy and its journals, as far as they are there."""
    return [*damage.leftovers(copy), *([copy] if copy.exists() else [])]


def may_hold_before(engine: Engine, copy: Path, day: str) -> bool:
    """True unless the copy surely has no session that began before this local date (YYYY-MM-DD)."""
    try:
        if not any(file.stat().st_size for file in files_of(copy)):
            return False
        connection = connect_to_read(engine, copy, immutable=not damage.leftovers(copy))
        try:
            if not schema.is_ours(connection):
                return False
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return True
            found = connection.execute("SELECT 1 FROM session WHERE local_date < ? LIMIT 1", [day])
            return found.fetchone() is not None
        finally:
            connection.close()
    except (engine.module.Error, UnicodeDecodeError, OSError):
        return True


def remove(copy: Path) -> None:
    """Delete the copy, its journals first. Raises OSError."""
    for file in files_of(copy):
        file.unlink()
