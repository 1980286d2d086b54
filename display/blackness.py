"""Whether what the screen is given is black although it should not be: looked at once a minute."""

from __future__ import annotations

import numpy as np

from display.picture import Beam, Pixels, Rows

LOOK_S = 60.0
FAINT = 0.1
BAND_PX = 32


class BlackDetector:
    """Asks for the drawn pixels now and then and compares them with what must be visible."""

    def __init__(self) -> None:
        self.black = False
        self.looks = 0
        self._next_s = 0.0

    def due(self, now_s: float) -> bool:
        """True once a minute."""
        if now_s < self._next_s:
            return False
        self._next_s = now_s + LOOK_S
        return True

    def judge(self, pixels: Pixels) -> None:
        """Look at the pixels of a picture in which something must be seen."""
        self.looks += 1
        # In bands, so that a picture with light in it is left at the first one.
        bands = range(0, len(pixels), BAND_PX)
        self.black = not any(pixels[top : top + BAND_PX].any() for top in bands)


def must_show(rows: Rows, beam: Beam, size_px: tuple[float, float]) -> bool:
    """Whether a picture of these rows and beam must have light in it.

    Rows count when they are wholly on the picture of `size_px` (width, height picture px) and not faint.
    """
    if beam[3] > FAINT and 0 <= beam[0] < size_px[0] and 0 <= beam[1] < size_px[1]:
        return True
    x, y, size, alpha = rows[:, 0], rows[:, 1], rows[:, 3], rows[:, 4]
    inside = (x > size) & (x < size_px[0] - size) & (y > size) & (y < size_px[1] - size)
    return bool(np.any(inside & (alpha > FAINT) & (size > 4)))
