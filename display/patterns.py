"""The test patterns in the order in which the key T shows them."""

from __future__ import annotations

from display.charuco import NoRoomForBoard, board_for
from display.pattern_motion import MOVING
from display.pattern_parts import Fill, Pattern, Size, black
from display.pattern_stills import STILL
from display.picture import Pixels

__all__ = ["PATTERNS", "Fill", "Pattern"]


def _board(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    try:
        return board_for(size_px).image()
    except NoRoomForBoard:
        return black(size_px)


BOARD = Pattern("charuco", {"en": "Board for calibrations", "ja": "校正用の模様"}, _board)

PATTERNS: tuple[Pattern, ...] = (*STILL, *MOVING, BOARD)
