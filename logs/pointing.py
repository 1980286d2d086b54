"""Where the light of a visit pointed: the ticks it spent in each of 32 x 18 cells of the screen."""

from __future__ import annotations

import zlib
from array import array

COLUMNS, ROWS = 32, 18
_TICKS_OF = "I"
_EMPTY = bytes(array(_TICKS_OF).itemsize * COLUMNS * ROWS)


class Pointing:
    """Counts on the frame thread; allocates nothing but what `ticks` gives."""

    def __init__(self) -> None:
        self._ticks = array(_TICKS_OF, _EMPTY)

    def begin(self) -> None:
        """Another visit: all cells are empty."""
        self._ticks = array(_TICKS_OF, _EMPTY)

    def add(self, x: float, y: float, size: tuple[int, int]) -> None:
        """One lit tick with the light at x, y px of a screen of this size; beside it counts at its edge."""
        column = min(COLUMNS - 1, max(0, int(x * COLUMNS / size[0])))
        row = min(ROWS - 1, max(0, int(y * ROWS / size[1])))
        self._ticks[row * COLUMNS + column] += 1

    def ticks(self) -> array[int]:
        """A copy of the cells, row by row from the top left, each in ticks of 1/60 s."""
        return self._ticks[:]


def pack(ticks: array[int]) -> bytes:
    """As it is stored: zlib of 32-bit numbers, the lowest byte first."""
    return zlib.compress(b"".join(count.to_bytes(4, "little") for count in ticks))


def unpack(dwell: bytes) -> list[int]:
    """The ticks of each cell, row by row. Raises ValueError for what `pack` did not make."""
    try:
        raw = zlib.decompress(dwell)
    except zlib.error as fault:
        raise ValueError(f"no grid of pointing: {fault}") from fault
    if len(raw) % 4:
        raise ValueError("no grid of pointing: it is cut")
    return [int.from_bytes(raw[place : place + 4], "little") for place in range(0, len(raw), 4)]
