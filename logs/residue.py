"""What a purge left behind: the bytes of a log's files searched for the names (UUIDs) of purged rows.

Where these stand, the rest of the row stands beside them: SQLite stores a row in one piece.
"""

from __future__ import annotations

import glob
import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from logs import damage
from logs.questions import reading
from logs.spill import Spill

NAME = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# All but the beginning, which is sought six times as fast: few bytes are a hyphen.
ENDING = re.compile(rb"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
NUMBERS = ("INTEGER", "REAL", "BLOB")


def names_in(file: Path) -> Iterator[bytes]:
    """All that looks like a UUID in a file, of any kind and size. Raises OSError."""
    if file.stat().st_size == 0:
        return
    with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for found in ENDING.finditer(content):
            name = content[max(0, found.start() - 8) : found.end()]
            if NAME.fullmatch(name):
                yield name


def names_of(file: Path) -> list[bytes]:
    """All that looks like a UUID in the name of a file."""
    return NAME.findall(file.name.encode("utf-8", "surrogateescape"))


def in_the_log(path: Path, gone: set[bytes]) -> dict[str, int]:
    """By file, the names in the log and its journals that are `gone` or that no row of it has.

    So it also sees what an interrupted purge has left. Raises OSError, UnreadableLog; nobody may be
    writing, and no connection of this process may be open: closing a file takes its locks away.
    """
    found = {file: set(names_in(file)) for file in [path, *damage.leftovers(path)]}
    strange = set().union(*found.values())
    with reading(path) as connection:
        for text in _texts(connection):
            strange.difference_update(NAME.findall(text))
    strange |= gone
    return {file.name: count for file, names in found.items() if (count := len(names & strange))}


def beside_the_log(path: Path, gone: set[bytes], spill: Spill) -> dict[str, int]:
    """By file, how many of the names that are `gone` stand in what else belongs to the log.

    Copies, drafts, spilled entries and recordings, in their bytes or their names. Raises OSError.
    """
    elsewhere = {*spill.files(), *spill.files(unread=True)}
    return {
        str(file.relative_to(path.parent) if file.is_relative_to(path.parent) else file): count
        for file in sorted(elsewhere | _others(path))
        if (count := len(gone.intersection(names_in(file)) | gone.intersection(names_of(file))))
    }


def _others(path: Path) -> set[Path]:
    home, own = path.parent, {path, *damage.leftovers(path)}
    found = {
        *home.glob(f"{glob.escape(path.stem)}.*"),
        *home.glob(".*.new"),
        *home.glob("*.spill*"),
        *home.glob("recordings/**/*"),
    }
    return {file for file in found - own if file.is_file()}


def _texts(connection: Any) -> Iterator[bytes]:
    """The text of every row of every table."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", [table]).fetchall()
        texts = [f"coalesce({_quoted(name)}, '')" for name, kind in columns if kind not in NUMBERS]
        if texts:
            joined = " || ' ' || ".join(texts)
            for (text,) in connection.execute(f"SELECT {joined} FROM {_quoted(table)}"):
                yield str(text).encode("utf-8", "surrogatepass")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
