"""The pages of an SQLite file and the records in them, read without SQLite, whatever is damaged.

After the file format's description (sqlite.org, "Database File Format"). Nothing here trusts a number that
it reads: what does not fit is left out. Pages are read one at a time and not mapped, since a bad sector
under a mapping would end the program.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

TABLE_LEAF, INDEX_LEAF, INDEX_INTERIOR = 0x0D, 0x0A, 0x02
MAGIC = b"SQLite format 3\x00"
SIZES = (4096, 8192, 1024, 16384, 2048, 32768, 512, 65536)
MOST_FIELDS, MOST_BYTES = 64, 1 << 24
WAL_MAGIC, WAL_HEADER, FRAME_HEADER = 0x377F0682, 32, 24
# By the type of a field: its class, its format, and what makes the value of it.
FIXED: dict[int, tuple[str, str, Any]] = {
    0: ("n", "0s", lambda raw: None),
    1: ("i", "b", None),
    2: ("i", "h", None),
    3: ("i", "3s", lambda raw: int.from_bytes(raw, "big", signed=True)),
    4: ("i", "i", None),
    5: ("i", "6s", lambda raw: int.from_bytes(raw, "big", signed=True)),
    6: ("i", "q", None),
    7: ("r", "d", None),
    8: ("i", "0s", lambda raw: 0),
    9: ("i", "0s", lambda raw: 1),
}


class Layout(NamedTuple):
    """How a record is made up: `classes` has a letter a field (null, integer, real, text, blob)."""

    classes: str
    body: struct.Struct
    makers: tuple[Any, ...]


class Cell(NamedTuple):
    """A record in a page, still packed; `rowid` is 0 in an index."""

    rowid: int
    layout: Layout
    local: bytes
    missing: int
    overflow: int


class Pages:
    """The newest image of each page of the database at `path`, numbered from 1, with a journal's in front.

    A page that cannot be read is empty; so are all when the file cannot be opened. `free` has the pages
    that the file itself says are unused; `is_late` ends the reading of the journal.
    """

    def __init__(self, path: Path, size: int, is_late: Callable[[], bool] = lambda: False) -> None:
        self.size = size
        self._file, self._wal = _opened(path), _opened(path.with_name(path.name + "-wal"))
        self.count = self._file.seek(0, io.SEEK_END) // size
        self._frames: dict[int, int] = {}
        self._read_frames(is_late)
        first = self.page(1)
        is_whole = first[:16] == MAGIC
        self._usable = size - first[20] if is_whole and size - first[20] >= 480 else size
        self.free = self._free_pages(first) if is_whole else set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self._wal.close()

    def page(self, number: int) -> bytes:
        """Of `size` bytes, or empty."""
        if number in self._frames:
            return _read(self._wal, self._frames[number], self.size)
        return _read(self._file, (number - 1) * self.size, self.size) if 0 < number <= self.count else b""

    def cells(self, page: bytes, few: bool = False) -> Iterator[Cell]:
        """The records that a page lists: what only stands in its unused part was deleted or moved.

        With `few` three at most, spread over the page.
        """
        start = 12 if page[0] == INDEX_INTERIOR else 8
        count = int.from_bytes(page[3:5], "big")
        end = start + 2 * count
        if end > self._usable:
            return
        listed = struct.unpack_from(f">{count}H", page, start)
        for at in listed[:: max(1, (count + 2) // 3)] if few else listed:
            cell = self._cell(page, at) if end <= at < self._usable else None
            if cell is not None:
                yield cell

    def values(self, cell: Cell) -> list[Any] | None:
        """The fields of a record; None when the rest of it cannot be found or a text is none."""
        body = cell.local if not cell.missing else self._with_overflow(cell)
        if body is None:
            return None
        try:
            raw = cell.layout.body.unpack(body)
            pairs = zip(cell.layout.makers, raw, strict=True)
            return [value if make is None else make(value) for make, value in pairs]
        except UnicodeDecodeError:
            return None

    def _cell(self, page: bytes, at: int) -> Cell | None:
        is_table, rowid = page[0] == TABLE_LEAF, 0
        length, at = varint(page, at + 4 if page[0] == INDEX_INTERIOR else at)
        if is_table:
            rowid, at = varint(page, at)
        local = self._local(length, is_table)
        if at + local > self._usable or length > MOST_BYTES:
            return None
        header, begin = varint(page, at)
        if header > local or begin > at + header:
            return None
        layout = layout_of(page[begin : at + header], length - header)
        if layout is None:
            return None
        end = at + local
        missing = length - local
        overflow = int.from_bytes(page[end : end + 4], "big") if missing else 0
        return Cell(rowid, layout, page[at + header : end], missing, overflow)

    def _local(self, length: int, is_table: bool) -> int:
        """How many bytes of a record stand in the page itself."""
        usable = self._usable
        most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (usable - 12) * 32 // 255 - 23
        fitting = least + (length - least) % (usable - 4)
        return fitting if fitting <= most else least

    def _with_overflow(self, cell: Cell) -> bytes | None:
        parts, missing, number = [cell.local], cell.missing, cell.overflow
        seen: set[int] = set()
        while missing > 0:
            page = self.page(number)
            if not page or number in seen:
                return None
            seen.add(number)
            parts.append(page[4 : min(self._usable, 4 + missing)])
            missing -= len(parts[-1])
            number = int.from_bytes(page[:4], "big")
        return b"".join(parts)

    def _free_pages(self, first: bytes) -> set[int]:
        """As far as their list can be followed."""
        found: set[int] = set()
        last = max(self.count, int.from_bytes(first[28:32], "big"))  # the file may have been cut
        number = int.from_bytes(first[32:36], "big")
        while number and number not in found and (page := self.page(number)):
            after, count = struct.unpack_from(">II", page)
            if after > last or count > self._usable // 4 - 2:
                break
            leaves = struct.unpack_from(f">{count}I", page, 8)
            if not all(1 < leaf <= last for leaf in leaves):
                break
            found |= {number, *leaves}
            number = after
        return found

    def _read_frames(self, is_late: Callable[[], bool]) -> None:
        """Where in the journal each page stands last, as of the last commit that is whole.

        That also tells how many pages there are: what the file has beyond them is no part of it.
        """
        header = _read(self._wal, 0, WAL_HEADER)
        if not header or int.from_bytes(header[:4], "big") & ~1 != WAL_MAGIC:
            return
        order = ">" if header[3] & 1 else "<"
        sums = _checksum(order, header[:24], (0, 0))
        if sums != struct.unpack(">II", header[24:]) or int.from_bytes(header[8:12], "big") != self.size:
            return
        waiting, at = {}, WAL_HEADER
        while not is_late() and (frame := _read(self._wal, at, FRAME_HEADER + self.size)):
            number, pages, salt, *told = struct.unpack_from(">II8sII", frame)
            sums = _checksum(order, frame[FRAME_HEADER:], _checksum(order, frame[:8], sums))
            if salt != header[16:24] or sums != tuple(told):
                return
            waiting[number] = at + FRAME_HEADER
            if pages:
                self._frames.update(waiting)
                self.count = pages
                waiting = {}
            at += len(frame)


def size_told(path: Path) -> int:
    """The page size in the header of the file, 0 when there is none or the header is damaged."""
    with _opened(path) as file:
        header = _read(file, 0, 100)
    told = int.from_bytes(header[16:18], "big") if header[:16] == MAGIC else 0
    told = 65536 if told == 1 else told
    return told if told in SIZES else 0


def varint(page: bytes, at: int) -> tuple[int, int]:
    """The number at a place and the place after it; negative ones come out very large."""
    if at < len(page) and page[at] < 0x80:
        return page[at], at + 1
    value = 0
    for step, byte in enumerate(page[at : at + 9], start=1):
        if step == 9:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step
    return MOST_BYTES + 1, at


@lru_cache(maxsize=8192)
def layout_of(header: bytes, length: int) -> Layout | None:
    """Of the types of the fields; None when they make no record of that many bytes."""
    makers: list[Any] = []
    classes, formats, at = "", ">", 0
    while at < len(header):
        kind, after = varint(header, at)
        if after == at or kind in (10, 11) or kind - 12 > 2 * MOST_BYTES or len(makers) == MOST_FIELDS:
            return None
        text, at = "bt"[kind % 2], after
        decoded = bytes.decode if kind % 2 else None
        letter, form, make = FIXED.get(kind) or (text, f"{(kind - 12) // 2}s", decoded)
        classes, formats, makers = classes + letter, formats + form, [*makers, make]
    body = struct.Struct(formats)
    return Layout(classes, body, tuple(makers)) if body.size == length else None


def _checksum(order: str, data: bytes, before: tuple[int, int]) -> tuple[int, int]:
    first, second = before
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb", buffering=0)
    except OSError:
        return io.BytesIO()


def _read(file: BinaryIO, at: int, length: int) -> bytes:
    """That many bytes, or none where the file ends before or the disk does not give them."""
    try:
        file.seek(at)
        found = file.read(length)
    except OSError:
        return b""
    return found if len(found) == length else b""
