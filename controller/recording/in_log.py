"""What the log knows of recordings: that of a session, and all files that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from logs.questions import UnreadableLog, reading


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
        found = connection.execute("SELECT local_date, end_reason FROM session WHERE id = ?", [session])
        row = found.fetchone()
        if row is None:
            raise NoRecording(f"{database}: there is no session {session}; see `logs sessions`", known=False)
        files = _files(connection, "WHERE session = ?", [session])
    path = home / files[0] if files else None
    if path is None or not path.is_file():
        raise NoRecording(f"Session {session} of {row[0]} has no recording: {_why(path, row[1], days)}")
    return path


def recorded_files(database: Path) -> list[str]:
    """Those that the log names, relative to the home; none while it cannot be read."""
    try:
        with reading(database) as connection:
            return _files(connection)
    except UnreadableLog:
        return []


def _files(connection: Any, where: str = "", values: Any = ()) -> list[str]:
    """None in a log from before there were any."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'recording'").fetchone():
        return []
    return [file for (file,) in connection.execute(f"SELECT file FROM recording {where}", values)]


def _why(path: Path | None, end_reason: str, days: int) -> str:
    if path is not None:
        return f"{path} was moved or removed"
    if end_reason == "open":
        return "it is under way; its recording is packed a second after its end"
    if not days:
        return "log.recordings_days is 0, so none are made and none are kept"
    return f"they are kept for {days} days (log.recordings_days), and none is made while the disk is full"
