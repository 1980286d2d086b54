"""The ChArUco board for calibrations: a chessboard with markers in its white squares, and its corners.

The board follows the later convention of OpenCV (4.6 on): the upper left square is black. As the number of
rows is always odd, the earlier ("legacy") convention means the same board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from display.picture import Pixels

DICTIONARY = "DICT_4X4_50"
BITS = 4
# The markers of that dictionary: 16 bits row by row, the highest first, 1 = white.
MARKERS = (
    0xB532, 0x0F9A, 0x332D, 0x9946, 0x549E, 0x79CD, 0x9E2E, 0xC4F2, 0xFEDA, 0xCF56,
    0xF991, 0x11A7, 0x0EB7, 0x2A0F, 0x24B1, 0x263E, 0x4665, 0x6600, 0x6C5E, 0x76AF,
    0x868B, 0xB02B, 0xCCD5, 0xDD82, 0xFE47, 0x9471, 0xACE4, 0xA554, 0x2123, 0x346F,
    0x4415, 0x57B2, 0x9ECF, 0xF0CB, 0x08AE, 0x0929, 0x1875, 0x04FF, 0x0DF6, 0x1C5A,
    0x1718, 0x2A28, 0x328C, 0x38B2, 0x24E8, 0x2EEB, 0x2D3F, 0x4B64, 0x502E, 0x5013,
)  # fmt: skip
MARKER_CELLS = BITS + 2
SQUARE_CELLS = MARKER_CELLS + 2
QUIET_CELLS = 2
FEWEST_SQUARES, MOST_SQUARES = 3, 15
# A camera sees a projected cell smaller than it is; fewer and larger squares on small screens.
GOOD_CELL_PX = 5


class NoRoomForBoard(ValueError):
    """The picture is too small for a board of 3 x 3 squares."""


@dataclass(frozen=True)
class Board:
    """A board in a picture of `size_px` (width, height).

    `columns`, `rows`: squares; `cell_px`: side of a marker bit, eight of which are the side of a square;
    `left_px`, `top_px`: the upper left corner of the first square. All lengths are whole px.
    """

    size_px: tuple[int, int]
    columns: int
    rows: int
    cell_px: int
    left_px: int
    top_px: int

    @property
    def square_px(self) -> int:
        """Side of a square."""
        return SQUARE_CELLS * self.cell_px

    @property
    def marker_px(self) -> int:
        """Side of a marker with its black border."""
        return MARKER_CELLS * self.cell_px

    @property
    def marker_ids(self) -> npt.NDArray[np.int32]:
        """The ids of the markers, one for each white square, row by row."""
        return np.arange(self.columns * self.rows // 2, dtype=np.int32)

    @property
    def corner_ids(self) -> npt.NDArray[np.int32]:
        """The ids of the inner corners, as OpenCV counts them: row by row from the upper left."""
        return np.arange((self.columns - 1) * (self.rows - 1), dtype=np.int32)

    def corners_px(self) -> npt.NDArray[np.float64]:
        """Where the inner corners are, (n, 2) x and y in the order of `corner_ids`, whole picture px.

        In picture px the upper left edge of the picture is 0, 0; OpenCV, to which the middle of the first
        pixel is 0, 0, gives the same places less 0.5.
        """
        x = self.left_px + self.square_px * np.arange(1, self.columns, dtype=np.float64)
        y = self.top_px + self.square_px * np.arange(1, self.rows, dtype=np.float64)
        return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)

    def image(self) -> Pixels:
        """The picture, uint8 (height, width): the board with a white border on black."""
        image = np.zeros((self.size_px[1], self.size_px[0]), np.uint8)
        cells = np.pad(self._cells(), QUIET_CELLS, constant_values=255)
        drawn = np.kron(cells, np.ones((self.cell_px, self.cell_px), np.uint8))
        top, left = (start - QUIET_CELLS * self.cell_px for start in (self.top_px, self.left_px))
        image[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
        return image

    def _cells(self) -> Pixels:
        cells = np.zeros((self.rows * SQUARE_CELLS, self.columns * SQUARE_CELLS), np.uint8)
        white = np.argwhere(np.add.outer(np.arange(self.rows), np.arange(self.columns)) % 2)
        for marker, (row, column) in enumerate(white):
            square = cells[row * SQUARE_CELLS :, column * SQUARE_CELLS :][:SQUARE_CELLS, :SQUARE_CELLS]
            square[:] = 255
            square[1:-1, 1:-1] = marker_cells(marker)
        return cells


def marker_cells(marker: int) -> Pixels:
    """A marker with its black border, uint8 (6, 6), 0 or 255."""
    bits = [MARKERS[marker] >> place & 1 for place in reversed(range(BITS * BITS))]
    return np.pad(np.array(bits, np.uint8).reshape(BITS, BITS) * 255, 1).astype(np.uint8)


def board_for(size_px: tuple[int, int]) -> Board:
    """The board that covers most of a picture of (width, height) with many squares of a good size.

    Raises NoRoomForBoard when not even 3 x 3 squares fit (under 28 px).
    """
    boards = [
        board
        for columns in range(FEWEST_SQUARES, MOST_SQUARES + 1)
        for rows in range(FEWEST_SQUARES, MOST_SQUARES + 1, 2)
        if columns * rows // 2 <= len(MARKERS) and (board := _placed(size_px, columns, rows))
    ]
    if not boards:
        raise NoRoomForBoard(
            f"a picture of {size_px[0]} x {size_px[1]} px has no room for a calibration board: "
            f"3 x 3 squares need 28 px; choose a larger picture"
        )
    return max(boards, key=_merit)


def _placed(size_px: tuple[int, int], columns: int, rows: int) -> Board | None:
    """That many squares, as large as they fit, in the middle; None when they do not fit."""
    cells = [SQUARE_CELLS * count + 2 * QUIET_CELLS for count in (columns, rows)]
    cell_px = min(size_px[0] // cells[0], size_px[1] // cells[1])
    if cell_px < 1:
        return None
    left, top = (
        (length - cell_px * count) // 2 + QUIET_CELLS * cell_px
        for length, count in zip(size_px, cells, strict=True)
    )
    return Board(size_px, columns, rows, cell_px, left, top)


def _merit(board: Board) -> float:
    """Share of the picture inside the board, less for cells under the good size and for few markers."""
    covered = board.columns * board.rows * board.square_px**2 / (board.size_px[0] * board.size_px[1])
    return covered * min(1.0, board.cell_px / GOOD_CELL_PX) * (len(board.marker_ids) / len(MARKERS)) ** 0.25
