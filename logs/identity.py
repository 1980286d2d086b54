"""Which file the log is and how far its ids have come, kept beside it so that a swapped file is noticed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from logs.durable import replace_text

LARGEST_ID = 2**40


@dataclass(frozen=True, slots=True)
class Identity:
    """The name of a database file, the last ids given in it, and the file in whose place it was begun."""

    database: str
    session: int
    run: int
    follows: str = ""


def beside(database: Path) -> Path:
    return database.with_name(database.name + ".identity")


def read(database: Path) -> Identity | None:
    """What was kept beside the database; None when there is nothing that can be used."""
    try:
        found = Identity(**json.loads(beside(database).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    ids = (found.session, found.run)
    whole = all(type(number) is int and 0 <= number < LARGEST_ID for number in ids)
    return found if whole and isinstance(found.database, str) else None


def keep(database: Path, now: Identity) -> None:
    """Write it beside the database, durably. Raises OSError."""
    replace_text(beside(database), json.dumps(asdict(now)) + "\n")


def of(connection: Any) -> Identity:
    """What an open, current database says of itself. Raises the driver's `Error`."""
    name, follows = connection.execute("SELECT uuid, follows FROM log_file").fetchone()
    last = dict(connection.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    return Identity(name, last.get("session", 0), last.get("run", 0), follows)


def difference(found: Identity, known: Identity | None) -> str:
    """In words, why the file cannot be the one that was kept in mind; empty when it can."""
    if known is None:
        return ""
    if known.database not in (found.database, found.follows):
        return "it is another log than that of the last run"
    if found.session < known.session or found.run < known.run:
        return (
            f"it is an older copy, which ends with session {found.session} of run {found.run} "
            f"instead of {known.session} of {known.run}"
        )
    return ""


def continue_after(connection: Any, known: Identity | None) -> None:
    """Let the next ids be larger than all that were given before, in whichever file."""
    if known is None:
        return
    for table, last in (("session", known.session), ("run", known.run)):
        connection.execute(
            "INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 "
            "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
            [table, table],
        )
        connection.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [last, table])


def follow(connection: Any, known: Identity | None) -> None:
    """Mark a new database as begun in the place of the known one, whose ids it continues."""
    if known is not None:
        connection.execute("UPDATE log_file SET follows = ?", [known.database])
        continue_after(connection, known)
