"""Where the visits' recordings are kept: a folder a day, each packed, none longer than it may be."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from controller.recording.rows import SUFFIX, Unreadable, read_row
from logs.durable import ASIDE_PATTERN, file_aside, sync_folder

FOLDER = "recordings"
LEAST_FREE_BYTES = 200_000_000
COPIED_AT_ONCE_BYTES = 2**16
LEVEL = 6
# A clock that nobody sets may be years ahead; so long a gallery is closed now and then.
LONGEST_PAUSE = timedelta(31)
DRAFT = "[0-9a-f-]" * 36 + SUFFIX
PACKED = DRAFT + ".gz"


class Packed(NamedTuple):
    """A recording as the log is told of it; `file` is relative to the home."""

    session: str
    file: str
    ticks: int
    size_bytes: int


def bytes_free(folder: Path) -> int:
    """On the disk of the folder. Raises OSError."""
    return shutil.disk_usage(folder).free


class Shelf:
    """The folder `recordings` of a home. Days are the gallery's; `days` of them are kept, 0: none.

    A draft is a recording as it is written, plain; drafts and packed ones have the session's uuid as name.
    Methods raise OSError.
    """

    def __init__(
        self, home: Path, zone: tzinfo, days: int, free_bytes: Callable[[Path], int] = bytes_free
    ) -> None:
        self.folder = home / FOLDER
        self._home, self._zone, self._days, self._free_bytes = home, zone, days, free_bytes

    def day_at(self, at_s: float) -> date:
        """The gallery's date at this UTC, in seconds since 1970."""
        return datetime.fromtimestamp(at_s, self._zone).date()

    def draft(self, session: str, at_s: float) -> Path:
        """The place for the draft of a session that begins then; its folder is there."""
        folder = self.folder / self.day_at(at_s).isoformat()
        folder.mkdir(parents=True, exist_ok=True)
        if folder.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, "a link is no folder of recordings", str(folder))
        self.check_space()
        return folder / f"{session}{SUFFIX}"

    def check_space(self) -> None:
        """Raises OSError before the disk is so full that the log could miss the space."""
        if self._free_bytes(self.folder) < LEAST_FREE_BYTES:
            raise OSError(errno.ENOSPC, f"less than {LEAST_FREE_BYTES // 10**6} MB are free on its disk")

    def pack(self, draft: Path) -> Packed | None:
        """Put a packed one in the place of the draft; None, and no file, where that has no row yet."""
        if not _last_tick(draft):
            draft.unlink()
            return None
        target = draft.with_name(f"{draft.name}.gz")
        with file_aside(draft.parent) as aside:
            _compress(draft, aside)
            aside.replace(target)
        sync_folder(draft.parent)
        draft.unlink()
        return self.described(target)

    def described(self, packed: Path) -> Packed | None:
        """What the log is told of a file; None where it has no row that can be read."""
        try:
            ticks, size_bytes = _last_tick(packed), packed.stat().st_size
        except (OSError, EOFError, zlib.error):
            return None
        session = packed.name.removesuffix(".gz").removesuffix(SUFFIX)
        return Packed(session, self.name_of(packed), ticks, size_bytes) if ticks else None

    def name_of(self, file: Path) -> str:
        """As it stands in the log: relative to the home."""
        return file.relative_to(self._home).as_posix()

    def has(self, name: str) -> bool:
        """Whether the file that the log names is there."""
        return os.path.exists(self._home / name)

    def drafts(self) -> list[Path]:
        """All that are there: one that is being written, and those of shows that were killed."""
        return self._found(DRAFT)

    def packed(self) -> list[Path]:
        """All recordings that are complete."""
        return self._found(PACKED)

    def _found(self, pattern: str) -> list[Path]:
        found = [file for folder, _ in self._day_folders() for file in folder.glob(pattern)]
        return [file for file in found if file.is_file()]

    def outdated(self, today: date, certain: bool) -> list[Path]:
        """All files of ours in folders of days that are kept no longer.

        A date that is not `certain`, far behind the last recording, may be a clock's that was set wrong. Then
        nothing is outdated, until recordings of as many days as are kept stand after the pause: by then
        what is older has been kept for its time, counted in days of the show.
        """
        files = [
            (day, [file for pattern in (DRAFT, PACKED, ASIDE_PATTERN) for file in folder.glob(pattern)])
            for folder, day in self._day_folders()
        ]
        recorded = sorted({day for day, held in files if held and day < today})
        if self._days and not certain and self._paused([*recorded, today]):
            return []
        first = today - timedelta(self._days)
        return [file for day, held in files if day < first or not self._days for file in held]

    def _paused(self, days: list[date]) -> bool:
        """Whether a long pause lies among the last of these, as many as are kept and one."""
        recent = days[-self._days - 1 :]
        return any(after - before > LONGEST_PAUSE for before, after in pairwise(recent))

    def remove(self, file: Path) -> None:
        """And its folder with the last one."""
        file.unlink(missing_ok=True)
        with suppress(OSError):
            file.parent.rmdir()

    def _day_folders(self) -> Iterator[tuple[Path, date]]:
        """Behind a link are somebody else's files."""
        if self.folder.is_dir():
            for folder in sorted(self.folder.iterdir()):
                if folder.is_symlink():
                    continue
                with suppress(ValueError):
                    yield folder, datetime.strptime(folder.name, "%Y-%m-%d").date()


def _last_tick(recording: Path) -> int:
    """Of the last whole row of a draft or packed one; 0 where there is none."""
    with gzip.open(recording) if recording.suffix == ".gz" else recording.open("rb") as file:
        last: deque[bytes] = deque(file, 2)
    for line in reversed(last):
        with suppress(Unreadable):
            return read_row(line).tick
    return 0


def _compress(draft: Path, target: Path) -> None:
    """What is then on the disk stays there."""
    with draft.open("rb") as plain, target.open("wb") as raw:
        with gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as packed:
            shutil.copyfileobj(plain, packed, COPIED_AT_ONCE_BYTES)
        raw.flush()
        os.fsync(raw.fileno())
