"""What the database does not take for a while, kept in a file beside it or in another folder: the spill file.

JSON lines: a head with the run, then entries in their order, perhaps the end of the run. They are put into
the database as soon as it takes them, by this process or the next; an entry that comes twice changes nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows has no flock; there nothing guards against a second process.
    fcntl = None  # type: ignore[assignment]

from logs.durable import sync_folder
from logs.records import Anchor, Entry, Note, Recording, Run, SessionRecord
from logs.visits import Beat, Ended, Started

FORMAT = "baited spill"
EVENTS = {kind.__name__: kind for kind in (Started, Beat, Ended)}
UNREAD = ".unread"
# Of one run in one folder; each is begun only where the one before could not be gone on with.
MOST_PARTS = 1000
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class Spill:
    """The spill files of one database. `places` are folders to try after its own, or `before` it.

    `held` counts the entries that this process has put there and that are not in the database yet,
    `refused` those that no file can hold; `pending` is true while a file may be there. Without a `run`
    it only reads. For one thread. A file that is written is locked, so that no other process takes it.
    """

    def __init__(
        self, database: Path, places: Sequence[Path], run: Run | None = None, before: bool = False
    ) -> None:
        self._database, self._run = database, run
        others = [place for place in places if place != database.parent]
        self._places = [*others, database.parent] if before else [database.parent, *others]
        self._live: tuple[Path, int] | None = None
        self._last: Path | None = None
        self._skipped: set[Path] = set()
        self.held, self.refused, self.pending = 0, 0, True

    def keep(self, entries: Sequence[Entry]) -> bool:
        """Bring the entries to a disk, all or none; False where no place takes them."""
        lines = [line for entry in entries if (line := _line(entry))]
        kept = self._append(lines)
        if kept:
            self.held += len(lines)
            self.refused += len(entries) - len(lines)
        return kept

    def end_run(self, at_us: int, reason: str) -> bool:
        """Note there how the run ended, since the database cannot be told."""
        return self._append([_json({"end": {"at_us": at_us, "reason": reason}})])

    def files(self, unread: bool = False) -> list[Path]:
        """All spill files of this database that can be seen, those of the earliest run first.

        With `unread` those in their place that hold lines which could not be read.
        """
        found: list[Path] = []
        ending = f".jsonl{UNREAD}" if unread else ".jsonl"
        for place in self._places:
            with suppress(OSError):
                found += [file for file in place.glob(f"{self._stem(place)}-*{ending}") if _is_plain(file)]
        return sorted(set(found) - self._skipped, key=lambda file: (_order(file), file))

    def is_written_elsewhere(self, file: Path) -> bool:
        """True while another process puts entries into the file."""
        if self._live is not None and file == self._live[0]:
            return False
        try:
            handle = os.open(file, os.O_RDONLY | NO_FOLLOW)
        except OSError:
            return False
        try:
            return not _lock(handle)
        finally:
            os.close(handle)

    def done(self, file: Path, unread: int = 0) -> None:
        """All that can be read of it is in the database: it goes, or with unread lines gets another name."""
        self._leave(file)
        try:
            file.rename(file.with_name(file.name + UNREAD)) if unread else file.unlink()
        except OSError:
            self._skipped.add(file)
        sync_folder(file.parent)

    def close(self) -> None:
        """Nothing more is put into the file; from now on any process may take it."""
        if self._live is not None:
            self._leave(self._live[0])

    def all_done(self) -> None:
        """Nothing is left to put into the database."""
        self.held, self.pending = 0, False

    @property
    def path(self) -> str:
        """The file that was written last, while entries are held; empty when there is none."""
        return str(self._last) if self.held else ""

    def _stem(self, place: Path) -> str:
        """In a folder that other homes may use as well, the home's own."""
        if place == self._database.parent:
            return f"{self._database.stem}.spill"
        digest = hashlib.sha256(os.fsencode(self._database)).hexdigest()[:12]
        return f"{self._database.stem}.spill-{digest}"

    def _append(self, lines: list[bytes]) -> bool:
        if self._run is None:
            return False
        if self._live is not None:
            file, handle = self._live
            if _is_at(file, handle) and _write(handle, lines):
                self.pending = True
                return True
            self._leave(file)
        return any(self._begin(self._run, place, lines) for place in self._places)

    def _begin(self, run: Run, place: Path, lines: list[bytes]) -> bool:
        """A new file; the one before is gone, or has an end that could not be taken back."""
        for part in range(MOST_PARTS):
            file = place / f"{self._stem(place)}-{run.uuid.hex[:12]}-{part}.jsonl"
            try:
                place.mkdir(mode=0o700, parents=True, exist_ok=True)
                handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | NO_FOLLOW, 0o600)
            except FileExistsError:
                continue
            except OSError:
                return False
            if not (_lock(handle) and _write(handle, [_head(run, part), *lines])):
                os.close(handle)
                with suppress(OSError):
                    file.unlink()
                return False
            sync_folder(place)
            self._live, self._last, self.pending = (file, handle), file, True
            return True
        return False

    def _leave(self, file: Path) -> None:
        if self._live is not None and file == self._live[0]:
            os.close(self._live[1])
            self._live = None


@dataclass(slots=True)
class Spilled:
    """What one file holds; `run` is None where it tells none, `unread` counts lines that are no entries,
    `taken` the entries that the database took.
    """

    run: Run | None = None
    entries: list[Entry] = field(default_factory=list)
    end: tuple[int, str] | None = None
    unread: int = 0
    taken: int = 0


def read(file: Path) -> Spilled:
    """All that the file tells; a last line that was cut in writing was never safe. Raises OSError."""
    found = Spilled()
    for line in file.read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            _take(json.loads(line), found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            found.unread += 1
    return found


def _take(told: dict[str, Any], found: Spilled) -> None:
    if told.get("format") == FORMAT:
        run = told["run"]
        found.run = Run(**{**run, "uuid": uuid.UUID(run["uuid"]), "anchor": _anchor(run)})
    elif "end" in told:
        found.end = (int(told["end"]["at_us"]), str(told["end"]["reason"]))
    elif "note" in told:
        found.entries.append(Note(**{**told["note"], "anchor": _anchor(told["note"])}))
    elif "recording" in told:
        found.entries.append(Recording(**told["recording"]))
    else:
        event = EVENTS[told["kind"]](**told["event"])
        dwell = base64.b64decode(told["dwell"], validate=True)
        found.entries.append(SessionRecord(event, dict(told["row"]), dict(told["measures"]), dwell))


def _anchor(told: dict[str, Any]) -> Anchor | None:
    return Anchor(**told["anchor"]) if told.get("anchor") else None


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
    except (TypeError, ValueError):
        return b""


def _json(told: dict[str, Any]) -> bytes:
    return json.dumps(told, allow_nan=False).encode() + b"\n"


def _write(handle: int, lines: list[bytes]) -> bool:
    """Write and sync; what was written of them is taken back when not all of it could be."""
    before = os.fstat(handle).st_size
    try:
        waiting = b"".join(lines)
        while waiting:
            waiting = waiting[os.write(handle, waiting) :]
        os.fsync(handle)
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, before)
        return False
    return True


def _lock(handle: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # some network folders give no locks; an entry there is better than none
    return True


def _is_plain(file: Path) -> bool:
    """True for a regular file: to open any other may wait for ever."""
    return stat.S_ISREG(file.lstat().st_mode)


def _is_at(file: Path, handle: int) -> bool:
    """True while the file that is written still has its name."""
    try:
        return os.path.samestat(os.stat(file), os.fstat(handle))
    except OSError:
        return False


def _order(file: Path) -> tuple[int, int]:
    """When its run began and which of its files it is; one that cannot tell comes last."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError), file.open("rb") as lines:
        head = json.loads(lines.readline())
        return int(head["run"]["started_at_us"]), int(head["part"])
    return 2**62, 0
