"""The lines of a file that somebody hands in: packed or not, of several encodings, cut or damaged."""

from __future__ import annotations

import gzip
import io
import json
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from logs.original import BadLine

LINE_LIMIT = 65_536
GZIP, UTF_16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
CUT = (EOFError, zlib.error, OSError)
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class UnreadEncoding(ValueError):
    """The text is of an encoding that is not read; the message names it."""


def why_no_file(path: Path) -> str:
    """What is at the path instead of a regular file, in words; empty for one. Opens nothing."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        return "it is a link that leads nowhere" if path.is_symlink() else "there is no such file"
    except OSError as fault:
        return f"it cannot be reached ({fault.strerror})"
    return "" if kind == stat.S_IFREG else f"it is {KINDS.get(kind, 'no regular file')}; give a file"


class HandedIn:
    """One file, read line by line; `note` says afterwards what encoding was read, if not UTF-8."""

    def __init__(self, path: Path) -> None:
        self.path, self.note = path, ""

    def lines(self) -> Iterator[tuple[int, str | BadLine]]:
        """Each line that is not blank with its number, or why it cannot be read; the last may tell
        that the file cannot be read further. Raises OSError when it cannot be opened, UnreadEncoding.
        """
        if no_file := why_no_file(self.path):
            raise OSError(no_file)
        number = 0
        with self.path.open("rb") as raw:
            try:
                text = self._unpacked(raw)
                for number, line in enumerate(_cut_lines(text), start=1):
                    decoded = line if isinstance(line, BadLine) else self._decoded(line)
                    if isinstance(decoded, BadLine) or decoded.strip():
                        yield number, decoded
            except CUT as fault:
                why = getattr(fault, "strerror", None) or fault
                yield number + 1, BadLine(f"the file is cut off or damaged here ({why}); nothing follows")

    def _unpacked(self, raw: IO[bytes]) -> IO[Any]:
        packed = raw.read(2) == GZIP
        raw.seek(0)
        file: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        start = file.peek(4)[:4]
        _refuse_unread(start)
        if start[:2] not in UTF_16:
            return file  # type: ignore[no-any-return]
        self.note = "read as UTF-16"
        return io.TextIOWrapper(file, "utf-16", errors="replace", newline="\n")

    def _decoded(self, line: bytes | str) -> str | BadLine:
        if isinstance(line, str):
            return line
        try:
            return line.decode("utf-8-sig")
        except UnicodeDecodeError:
            pass
        try:
            text = line.decode("cp932")
        except UnicodeDecodeError:
            return BadLine("it is neither UTF-8 nor cp932 text")
        self.note = "read as cp932, where it is not UTF-8"
        return text


def _refuse_unread(start: bytes) -> None:
    """By the zeros among the first bytes of a JSON text; where all are zeros the file is damaged."""
    found = json.detect_encoding(start) if start.strip(b"\0") else "utf-8"
    if found.startswith("utf-32") or found in ("utf-16-le", "utf-16-be"):
        mark = "" if found.startswith("utf-32") else " without a byte-order mark"
        raise UnreadEncoding(f"it is {found[:6].upper()} text{mark}, which is not read; save it as UTF-8")


def _cut_lines(file: IO[Any]) -> Iterator[bytes | str | BadLine]:
    """Lines of at most LINE_LIMIT; a longer one is passed over without being held."""
    while line := file.readline(LINE_LIMIT):
        if len(line) < LINE_LIMIT or _ended(line):
            yield line
            continue
        while (rest := file.readline(LINE_LIMIT)) and not _ended(rest):
            continue
        yield BadLine(f"it is longer than {LINE_LIMIT} characters")


def _ended(line: bytes | str) -> bool:
    return line[-1:] in (b"\n", "\n")
