"""Visits that wait in spill files for the log: whether there are any, and of what time. Only looks.

No file is made, no entry moved; it may be asked beside a running show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from logs import residue
from logs.lock import HomeLock
from logs.records import Note, SessionRecord
from logs.spill import Spill, Spilled, read

COMES_IN = "the next start, or `logs recover`, puts them into the log."


@dataclass(frozen=True, slots=True)
class Waiting:
    """Files that no show writes and the next start takes in, and those of `unread` lines that none can."""

    files: list[Path]
    unread: list[Path]

    @property
    def state(self) -> str:
        """In words; empty when nothing waits."""
        if len(self.files) == 1:
            return "1 file with visits waits"
        return f"{len(self.files)} files with visits wait" if self.files else ""


def find(path: Path, places: Sequence[Path]) -> Waiting:
    """What waits beside the log at `path` and in the other `places`; nothing does while a show runs."""
    spill = Spill(path, places)
    found = [file for file in spill.files() if not spill.is_written_elsewhere(file)]
    return Waiting([] if found and HomeLock(path).is_held() else found, spill.files(unread=True))


def would_come_back(spill: Spill, day: date, cut_us: int, gone: set[bytes]) -> list[str]:
    """A sentence for each file whose entries would bring back what a purge takes.

    Sessions from before the local `day`, events from before `cut_us` (UTC), and whatever names one of
    the rows that are `gone`. A file that cannot be read may hold all of that.
    """
    said = []
    for file in spill.files():
        try:
            comes = _is_before(read(file), day, cut_us) or not gone.isdisjoint(residue.names_in(file))
        except OSError as fault:
            said.append(f"{file}: it may hold visits for the log and cannot be read ({fault.strerror})")
            continue
        if comes:
            said.append(f"{file}: visits from before {day} wait there; `logs recover` takes them in")
    return said


def _is_before(found: Spilled, day: date, cut_us: int) -> bool:
    """A session beside a step of the clock is dated anew when it is taken in, perhaps to before the day."""
    rows = [entry.row for entry in found.entries if isinstance(entry, SessionRecord)]
    notes = [entry for entry in found.entries if isinstance(entry, Note)]
    if rows and any(note.step_ms for note in notes):
        return True
    early = [row for row in rows if str(row.get("local_date", "")) < day.isoformat()]
    return bool(early) or any(not isinstance(note.at_us, int) or note.at_us < cut_us for note in notes)


def unread_before(spill: Spill, day: date) -> dict[Path, str]:
    """By file, a sentence where lines that no program can read may hold visits from before that day.

    Of the files that were put aside for such lines, all. Raises OSError.
    """
    may = f"may hold visits from before {day}"
    aside = "`logs recover` puts it aside, then purge again"
    spoilt = [file for file in spill.files() if _is_spoilt(file)]
    return {
        **{file: f"{file}: lines that cannot be read {may}; {aside}" for file in spoilt},
        **{file: f"{file} {may}; delete it, then purge again" for file in spill.files(unread=True)},
    }


def _is_spoilt(file: Path) -> bool:
    content = file.read_bytes()
    return read(file).unread > 0 or not content.endswith(b"\n")
