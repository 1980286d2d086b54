"""What the database does not take for a while, kept in a file beside it or in another folder: the spill file.

JSON lines: a head with the run, then entries in their order, perhaps the end of the run. They are put into
the database as soon as it takes them, by this process or the next; an entry that comes twice changes nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from logs.durable import sync_folder
from logs.records import Entry, Note, Recording, Run, SessionRecord
from logs.visits import Beat, Ended, Started

FORMAT = "baited spill"
EVENTS = {kind.__name__: kind for kind in (Started, Beat, Ended)}
UNREAD = ".unread"


class Spill:
    """The spill files of one database. `places` are the folders to try, the first that can be written.

    `held` counts the entries that this process has put there and that are not in the database yet;
    `pending` is true while a file may be there. Without a `run` it only reads. For one thread.
    """

    def __init__(self, database: Path, places: Sequence[Path], run: Run | None = None) -> None:
        self._database, self._run = database, run
        self._places = [database.parent, *(place for place in places if place != database.parent)]
        self._file: Path | None = None
        self._part = 0
        self.held, self.pending = 0, True

    def keep(self, entries: Sequence[Entry]) -> bool:
        """Bring the entries to a disk, all or none; False where no place takes them."""
        lines = [line for entry in entries if (line := _line(entry))]
        kept = self._append(lines)
        self.held += len(lines) if kept else 0
        return kept

    def end_run(self, at_us: int, reason: str) -> bool:
        """Note there how the run ended, since the database cannot be told."""
        return self._append([_json({"end": {"at_us": at_us, "reason": reason}})])

    def files(self, unread: bool = False) -> list[Path]:
        """All spill files of this database that can be seen, those of the earliest run first.

        With `unread` those in their place that hold lines which could not be read.
        """
        found, ending = [], f".jsonl{UNREAD}" if unread else ".jsonl"
        for place in self._places:
            with suppress(OSError):
                found += [(_order(file), file) for file in place.glob(f"{self._stem(place)}-*{ending}")]
        return [file for _, file in sorted(found)]

    def done(self, file: Path, unread: int) -> None:
        """All that can be read of it is in the database: it goes, or with unread lines gets another name."""
        if file == self._file:
            self._file = None
        with suppress(OSError):
            file.rename(file.with_name(file.name + UNREAD)) if unread else file.unlink()
            sync_folder(file.parent)

    def all_done(self) -> None:
        """Nothing is left to put into the database."""
        self.held, self.pending = 0, False

    @property
    def path(self) -> str:
        """The file that is written now; empty when there is none."""
        return str(self._file or "")

    def _stem(self, place: Path) -> str:
        """In a folder that other homes may use as well, the home's own."""
        if place == self._database.parent:
            return f"{self._database.stem}.spill"
        digest = hashlib.sha256(os.fsencode(self._database)).hexdigest()[:12]
        return f"{self._database.stem}.spill-{digest}"

    def _append(self, lines: list[bytes]) -> bool:
        if self._run is None:
            return False
        if self._file is not None and _append(self._file, lines):
            return True
        for place in self._places:
            file = place / f"{self._stem(place)}-{self._run.uuid.hex[:12]}-{self._part}.jsonl"
            if _append(file, [_head(self._run, self._part), *lines]):
                self._file, self.pending = file, True
                self._part += 1
                return True
        return False


@dataclass(slots=True)
class Spilled:
    """What one file holds; `run` is None where it tells none, `unread` counts lines that are no entries."""

    run: Run | None = None
    entries: list[Entry] = field(default_factory=list)
    end: tuple[int, str] | None = None
    unread: int = 0


def read(file: Path) -> Spilled:
    """All that the file tells; a last line that was cut in writing was never safe. Raises OSError."""
    found = Spilled()
    for line in file.read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            _take(json.loads(line), found)
        except (ValueError, TypeError, KeyError, AttributeError):
            found.unread += 1
    return found


def _take(told: dict[str, Any], found: Spilled) -> None:
    if told.get("format") == FORMAT:
        run = told["run"]
        found.run = Run(**{**run, "uuid": uuid.UUID(run["uuid"])})
    elif "end" in told:
        found.end = (int(told["end"]["at_us"]), str(told["end"]["reason"]))
    elif "note" in told:
        found.entries.append(Note(**told["note"]))
    elif "recording" in told:
        found.entries.append(Recording(**told["recording"]))
    else:
        event = EVENTS[told["kind"]](**told["event"])
        dwell = base64.b64decode(told["dwell"], validate=True)
        found.entries.append(SessionRecord(event, dict(told["row"]), dict(told["measures"]), dwell))


def _head(run: Run, part: int) -> bytes:
    told = {**asdict(run), "uuid": str(run.uuid)}
    return _json({"format": FORMAT, "version": 1, "part": part, "run": told})


def _line(entry: Entry) -> bytes:
    """Empty for what JSON has no word for, as the database would have none."""
    if isinstance(entry, Note):
        told: dict[str, Any] = {"note": asdict(entry)}
    elif isinstance(entry, Recording):
        told = {"recording": asdict(entry)}
    else:
        told = {"kind": type(entry.event).__name__, "event": asdict(entry.event), "row": entry.row}
        told |= {"measures": entry.measures, "dwell": base64.b64encode(entry.dwell).decode()}
    try:
        return _json(told)
    except ValueError:
        return b""


def _json(told: dict[str, Any]) -> bytes:
    return json.dumps(told, allow_nan=False).encode() + b"\n"


def _append(file: Path, lines: list[bytes]) -> bool:
    """Write and sync; what was written of them is taken back when not all of it could be."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(file, flags, 0o600)
    except OSError:
        return False
    before = os.fstat(handle).st_size
    try:
        waiting = b"".join(lines)
        while waiting:
            waiting = waiting[os.write(handle, waiting) :]
        os.fsync(handle)
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, before)
            if not before:
                file.unlink()
        return False
    finally:
        os.close(handle)
    if not before:
        sync_folder(file.parent)
    return True


def _order(file: Path) -> tuple[int, int]:
    """When its run began and which of its files it is; one that cannot tell comes last."""
    with suppress(OSError, ValueError, KeyError, TypeError), file.open("rb") as lines:
        head = json.loads(lines.readline())
        return int(head["run"]["started_at_us"]), int(head["part"])
    return 2**62, 0
