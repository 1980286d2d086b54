"""What the camera process writes to the show: one hello, then records of one fixed size."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

MAGIC = b"BCAM"
VERSION = 2
_HELLO = struct.Struct("<4sHHd")
_RECORD = struct.Struct("<BBBBIIddd476s")
HELLO_BYTES = _HELLO.size
RECORD_BYTES = _RECORD.size
TEXT_BYTES = 476


class Kind(IntEnum):
    """OPENED carries the picture size in x, y; FRAME is sent for every new picture, lit or not."""

    OPENED = 1
    FRAME = 2
    ON = 3
    OFF = 4
    LOST = 5


class Loss(IntEnum):
    """Why a camera or file gives no (more) pictures."""

    NONE = 0
    NOT_THERE = 1
    NO_PICTURES = 2
    NOT_A_VIDEO = 3
    ENDED = 4
    STOPPED = 5
    FAULT = 6
    FORBIDDEN = 7


class BadHello(Exception):
    """The other end is not a camera process of this version; starting it again will not help."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: `at_s` on `perf_counter` when the picture was grabbed, x and y in camera px.

    Of a FRAME: `ignored` second lights so far; `restless` while too much moves to believe a light.
    """

    kind: Kind
    at_s: float = 0.0
    x: float = 0.0
    y: float = 0.0
    lit: bool = False
    frame: int = 0
    ignored: int = 0
    restless: bool = False
    loss: Loss = Loss.NONE
    text: str = ""

    def pack(self) -> bytes:
        """The record as bytes of fixed size; a text that is too long is cut at a whole character."""
        text = self.text.encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore").encode("utf-8")
        return _RECORD.pack(
            self.kind,
            self.lit,
            self.loss,
            self.restless,
            self.frame & 0xFFFFFFFF,
            self.ignored & 0xFFFFFFFF,
            self.at_s,
            self.x,
            self.y,
            text,
        )


def hello(now_s: float) -> bytes:
    """The first bytes of a camera process: magic, version, record size, its clock."""
    return _HELLO.pack(MAGIC, VERSION, RECORD_BYTES, now_s)


def read_hello(data: bytes) -> float:
    """The child's clock in a hello; BadHello when magic, version or record size differ."""
    magic, version, size, now_s = _HELLO.unpack(data)
    if (magic, version, size) != (MAGIC, VERSION, RECORD_BYTES):
        raise BadHello(f"camera process speaks {magic!r} {version}, records of {size} bytes")
    return now_s


class Decoder:
    """Bytes of a pipe in any pieces -> hello stamp, then records."""

    def __init__(self) -> None:
        self.hello_s: float | None = None
        self._waiting = b""

    def feed(self, data: bytes) -> list[Record]:
        """All records that are complete now; BadHello when the stream does not begin as it must."""
        self._waiting += data
        if self.hello_s is None:
            if len(self._waiting) < HELLO_BYTES:
                return []
            self.hello_s = read_hello(self._waiting[:HELLO_BYTES])
            self._waiting = self._waiting[HELLO_BYTES:]
        whole = len(self._waiting) // RECORD_BYTES * RECORD_BYTES
        complete, self._waiting = self._waiting[:whole], self._waiting[whole:]
        return [_unpack(values) for values in _RECORD.iter_unpack(complete)]


def _unpack(values: tuple) -> Record:
    kind, lit, loss, restless, frame, ignored, at_s, x, y, text = values
    try:
        known_kind, known_loss = Kind(kind), Loss(loss)
    except ValueError as error:
        raise BadHello(f"camera process sent a record of unknown kind {kind} / {loss}") from error
    words = text.rstrip(b"\0").decode("utf-8", "replace")
    return Record(known_kind, at_s, x, y, bool(lit), frame, ignored, bool(restless), known_loss, words)
