"""A picture of one size on a screen of another: scaled alike in both directions, in the middle."""

from __future__ import annotations

import numpy as np

from controller.scenes import Beam, Rows

Picture = tuple[Rows, Beam, Rows]


def fitted(picture: Picture, size: tuple[int, int], screen: tuple[int, int]) -> Picture:
    """Rows, beam and dust of a picture of `size` px in px of the `screen`; the same where sizes are.

    What stood outside of the picture is not seen beside it either.
    """
    if size == screen:
        return picture
    rows, (x, y, radius, strength), dust = picture
    share = min(screen[0] / size[0], screen[1] / size[1])
    left, top = (screen[0] - size[0] * share) / 2, (screen[1] - size[1] * share) / 2
    beam = left + x * share, top + y * share, radius * share, strength
    return (
        _placed(_within(rows, size, length=3), share, left, top, length=3),
        beam,
        _placed(_within(dust, size, length=2), share, left, top, length=2),
    )


def _within(rows: Rows, size: tuple[int, int], length: int) -> Rows:
    """Those that reach into the picture; column `length` is how large they are in px."""
    half = rows[:, length] / 2
    seen = (np.abs(rows[:, 0] - size[0] / 2) - half < size[0] / 2) & (
        np.abs(rows[:, 1] - size[1] / 2) - half < size[1] / 2
    )
    return rows[seen]


def _placed(rows: Rows, share: float, left: float, top: float, length: int) -> Rows:
    placed = rows.copy()
    placed[:, 0] = left + rows[:, 0] * share
    placed[:, 1] = top + rows[:, 1] * share
    placed[:, length] = rows[:, length] * share
    return placed
