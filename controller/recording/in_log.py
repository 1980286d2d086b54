"""What the log knows of recordings: that of a session, and all files that it names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from controller.recording.shelf import FOLDER
from logs.questions import UnreadableLog, has_table, reading

LARGEST_ID = 2**63 - 1
IMPORTED = "imported"
SESSION = """
SELECT session.local_date, session.end_reason, run.end_reason
FROM session LEFT JOIN run ON run.id = session.run WHERE session.id = ?
"""


class NoRecording(LookupError):
    """There is nothing to replay for this session; the message says why. `known`: the session is there."""

    def __init__(self, message: str, known: bool = True) -> None:
        super().__init__(message)
        self.known = known


def recording_of(home: Path, database: Path, session: int, days: int) -> Path:
    """The file of a session, by its number in the log. `days` is how long recordings are kept.

    Raises NoRecording, logs.questions.UnreadableLog.
    """
    with reading(database) as connection:
        row = connection.execute(SESSION, [session]).fetchone() if session <= LARGEST_ID else None
        if row is None:
            raise NoRecording(f"{database}: there is no session {session}; see `logs sessions`", known=False)
        files = _files(connection, "WHERE session = ?", [session])
        are_listed = has_table(connection, "recording")
    if files and _is_recording(home, files[0]):
        return home / files[0]
    why = _why_not(home, files[0]) if files else _why_none(row[1], row[2], are_listed, days)
    raise NoRecording(f"Session {session} of {_printable(row[0])} has no recording: {why}")


def recorded_files(database: Path) -> list[str] | None:
    """Those that the log names, relative to the home; None while it cannot be read."""
    try:
        with reading(database) as connection:
            return _files(connection)
    except UnreadableLog:
        return None


def _files(connection: Any, where: str = "", values: Any = ()) -> list[str]:
    """None in a log from before there were any."""
    if not has_table(connection, "recording"):
        return []
    return [str(file) for (file,) in connection.execute(f"SELECT file FROM recording {where}", values)]


def _is_recording(home: Path, name: str) -> bool:
    """A regular file in the folder of recordings; the rows of a recovered log may name any other."""
    return _is_inside(home, name) and os.path.isfile(home / name)


def _is_inside(home: Path, name: str) -> bool:
    folder, place = os.path.realpath(home / FOLDER), home / name.replace("\0", "?")
    return Path(os.path.realpath(place)).is_relative_to(folder)


def _why_not(home: Path, name: str) -> str:
    if _is_inside(home, name) and not os.path.exists(home / name):
        if _is_closed(home / name.replace("\0", "?")):
            return f"{name!r} cannot be reached; mend the rights of its folder"
        return f"{name!r} was moved or removed"
    return f"the log names {name!r}, and that is none in the folder {FOLDER} of the home"


def _is_closed(file: Path) -> bool:
    try:
        file.stat()
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def _why_none(end_reason: str, end_of_run: str | None, are_listed: bool, days: int) -> str:
    if end_reason == "open":
        return "it is under way; its recording is packed a second after its end"
    if end_of_run == IMPORTED:
        return "it was imported, and no recording with it"
    if not are_listed:
        return "an older program wrote this log, which made none"
    if not days:
        return "log.recordings_days is 0, so none are made and none are kept"
    return (
        f"they are kept for {days} days (log.recordings_days); none is made while the disk is full, "
        "and older programs made none"
    )


def _printable(value: object) -> str:
    text = str(value)
    return text if text.isprintable() else ascii(text)
