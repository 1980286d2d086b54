"""The lines of a file that somebody hands in: packed or not, of several encodings, cut or damaged."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from logs.original import BadLine

LINE_LIMIT = 65_536
GZIP, UTF_16 = b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
CUT = (EOFError, zlib.error, OSError)


class HandedIn:
    """One file, read line by line; `note` says afterwards what encoding was read, if not UTF-8."""

    def __init__(self, path: Path) -> None:
        self.path, self.note = path, ""

    def lines(self) -> Iterator[tuple[int, str | BadLine]]:
        """Each line that is not blank with its number, or why it cannot be read; the last may tell
        that the file cannot be read further. Raises OSError when it cannot be opened.
        """
        if not self.path.is_file():
            raise OSError("there is no such file")
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
        if file.peek(2)[:2] not in UTF_16:
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
