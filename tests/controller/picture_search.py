"""Finds pictures in bytes: by the signatures of picture and film files, and by rows of known pictures.

It also looks into what is packed: gzip, zlib and zip members, base64 and hexadecimal text, values of a
SQLite file, and one within another. A row that was changed, scaled or encrypted it cannot know.
"""

from __future__ import annotations

import base64
import re
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress

import cv2
import numpy as np

UNPACKED_LIMIT = 1 << 24
DEPTH = 3
SAMPLE = 32  # bytes: any run of twice as many has one whole such piece of a row
WORD = 8
DISTINCT = 8  # fewer values in a piece, or half of that in its first word, are a plain ground

PLAIN = {
    "PNG": rb"\x89PNG\r\n\x1a\n",
    "GIF": rb"GIF8[79]a",
    "WebP or AVI": rb"RIFF.{4}(?:WEBP|AVI )",
    "HEIC, AVIF or MP4": rb"\x00[\x00\x01].{2}ftyp[ -~]{4}",
    "Matroska": rb"\x1a\x45\xdf\xa3.{1,64}(?:matroska|webm)",
    "NumPy": rb"\x93NUMPY",
    "PGM or PPM": rb"P[1-6]\s+(?:#[^\n]*\n\s*)*\d{1,5}\s+\d{1,5}\s",
    "PAM": rb"P7\nWIDTH",
    "raw film": rb"YUV4MPEG2 ",
    "JPEG 2000 or XL": rb"\x00\x00\x00\x0c(?:jP  |JXL )\r\n\x87\n",
    "OpenEXR": rb"\x76\x2f\x31\x01\x02[\x00-\x1e]\x00\x00",
    "HDF5": rb"\x89HDF\r\n\x1a\n",
    "Exif": rb"Exif\x00\x00(?:II\*\x00|MM\x00\*)",
}
PLAIN_PATTERNS = {name: re.compile(pattern, re.DOTALL) for name, pattern in PLAIN.items()}
BMP_HEADERS = {12, 40, 52, 56, 64, 108, 124}
TEXT = re.compile(rb"[A-Za-z0-9+/_\-]{32,}(?:\r?\n[A-Za-z0-9+/_\-]+)*={0,2}")
HEXADECIMAL = re.compile(rb"[0-9a-fA-F]{64,}")


def findings(data: bytes, rows: Rows) -> list[str]:
    """What is a picture in `data` or one of these rows, in words with the ways into it."""
    found = []
    for way, layer in layers(data):
        kinds = [*signatures(layer), *(["a row of pixels"] if rows.are_in(layer) else [])]
        found += [f"{kind}{way}" for kind in kinds]
    return found


def layers(data: bytes, depth: int = DEPTH) -> Iterator[tuple[str, bytes]]:
    """The bytes themselves and all that can be unpacked from them, with how it was packed."""
    yield "", data
    if depth == 0:
        return
    for name, unpack in UNPACKERS.items():
        for inner in unpack(data):
            for way, layer in layers(inner, depth - 1):
                yield f"{way} in {name}", layer


def signatures(data: bytes) -> Iterator[str]:
    """The kinds of picture and film that begin anywhere in the bytes."""
    for name, pattern in PLAIN_PATTERNS.items():
        if pattern.search(data):
            yield name
    for name, (start, is_one) in CHECKED.items():
        if any(is_one(data, match.start()) for match in re.finditer(re.escape(start), data)):
            yield name


def _is_jpeg(data: bytes, at: int) -> bool:
    """A first segment of a possible length, and the mark of the next one behind it."""
    if at + 6 > len(data) or not 0xC0 <= data[at + 3] <= 0xFE:
        return False
    behind = at + 4 + int.from_bytes(data[at + 4 : at + 6], "big")
    return (
        data[behind : behind + 1] == b"\xff" and 0xC0 <= (data[behind + 1 : behind + 2] or b"\0")[0] <= 0xFE
    )


def _is_bmp(data: bytes, at: int) -> bool:
    if at + 18 > len(data):
        return False
    _, reserved, pixels_at, header = struct.unpack_from("<IIII", data, at + 2)
    return reserved == 0 and 26 <= pixels_at <= 2000 and header in BMP_HEADERS


def _is_tiff(data: bytes, at: int) -> bool:
    """A list of 1 to 100 tags, the first of them one that a picture has."""
    order = "<" if data[at : at + 2] == b"II" else ">"
    if at + 8 > len(data):
        return False
    tags_at = at + struct.unpack_from(f"{order}I", data, at + 4)[0]
    if tags_at + 4 > len(data):
        return False
    count, first = struct.unpack_from(f"{order}HH", data, tags_at)
    return 1 <= count <= 100 and 254 <= first <= 34_665


CHECKED: dict[str, tuple[bytes, Callable[[bytes, int], bool]]] = {
    "JPEG": (b"\xff\xd8\xff", _is_jpeg),
    "BMP": (b"BM", _is_bmp),
    "TIFF": (b"II*\x00", _is_tiff),
    "TIFF of the other order": (b"MM\x00*", _is_tiff),
}


def _inflated(data: bytes, at: int, window: int) -> Iterator[bytes]:
    try:
        inner = zlib.decompressobj(window).decompress(data[at:], UNPACKED_LIMIT)
    except zlib.error:
        return
    if len(inner) >= SAMPLE:
        yield inner


def _gzip(data: bytes) -> Iterator[bytes]:
    for match in re.finditer(rb"\x1f\x8b\x08", data):
        yield from _inflated(data, match.start(), 31)


def _zlib(data: bytes) -> Iterator[bytes]:
    for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        yield from _inflated(data, match.start(), 15)


def _zip(data: bytes) -> Iterator[bytes]:
    """Packed members; those that are stored as they are stand in the bytes themselves."""
    for match in re.finditer(rb"PK\x03\x04", data):
        header = data[match.start() : match.start() + 30]
        if len(header) == 30 and header[8:10] == b"\x08\x00":
            name, extra = struct.unpack_from("<HH", header, 26)
            yield from _inflated(data, match.start() + 30 + name + extra, -15)


def _base64(data: bytes) -> Iterator[bytes]:
    for match in TEXT.finditer(data):
        text = re.sub(rb"[\r\n=]", b"", match[0]).translate(bytes.maketrans(b"-_", b"+/"))
        for begin in range(4):  # letters before it may have been taken for a part of it
            part = text[begin : len(text) - ((len(text) - begin) % 4 == 1)]
            yield base64.b64decode(part + b"=" * (-len(part) % 4))


def _hexadecimal(data: bytes) -> Iterator[bytes]:
    for match in HEXADECIMAL.finditer(data):
        yield bytes.fromhex(match[0][: len(match[0]) // 2 * 2].decode())


def _sqlite(data: bytes) -> Iterator[bytes]:
    """Each long value of each table: large ones do not stand in one piece in the file."""
    if not data.startswith(b"SQLite format 3\x00"):
        return
    with closing(sqlite3.connect(":memory:")) as connection, suppress(sqlite3.DatabaseError):
        connection.deserialize(data[:18] + b"\x01\x01" + data[20:])  # as if without a write-ahead log
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                values = [value.encode() if isinstance(value, str) else value for value in row]
                yield from (value for value in values if isinstance(value, bytes) and len(value) >= SAMPLE)


UNPACKERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "zlib": _zlib,
    "zip": _zip,
    "base64": _base64,
    "hexadecimal": _hexadecimal,
    "SQLite": _sqlite,
}


class Rows:
    """Pieces of the rows of some pictures, (h, w, 3) BGR, as BGR, RGB and grey, to be found in bytes."""

    def __init__(self, pictures: Iterable[np.ndarray] = ()) -> None:
        found = [piece for picture in pictures for piece in _pieces(picture)]
        pieces = np.concatenate(found) if found else np.empty((0, SAMPLE), np.uint8)
        pieces = pieces[(_distinct(pieces) >= DISTINCT) & (_distinct(pieces[:, :WORD]) >= DISTINCT // 2)]
        starts = np.ascontiguousarray(pieces[:, :WORD]).view(np.uint64).ravel()
        order = np.argsort(starts)
        self._starts, self._pieces = starts[order], pieces[order]

    def __len__(self) -> int:
        return len(self._pieces)

    def are_in(self, data: bytes) -> bool:
        """Whether 64 or more bytes of a row stand in the bytes."""
        if len(data) < SAMPLE or not len(self):
            return False
        windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(data, np.uint8), WORD)
        words = np.ascontiguousarray(windows).view(np.uint64).ravel()
        first = np.searchsorted(self._starts, words)
        last = np.searchsorted(self._starts, words, side="right")
        for at in np.flatnonzero(last > first):
            window = np.frombuffer(data[at : at + SAMPLE], np.uint8)
            if len(window) == SAMPLE and (self._pieces[first[at] : last[at]] == window).all(axis=1).any():
                return True
        return False


def _distinct(pieces: np.ndarray) -> np.ndarray:
    """How many values stand in each piece."""
    return 1 + (np.diff(np.sort(pieces, axis=1), axis=1) > 0).sum(axis=1)


def _pieces(picture: np.ndarray) -> Iterator[np.ndarray]:
    for layout in (picture, picture[:, :, ::-1], cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)):
        rows = np.ascontiguousarray(layout).reshape(len(picture), -1)
        yield rows[:, : rows.shape[1] // SAMPLE * SAMPLE].reshape(-1, SAMPLE)
