"""Corner pin: where the four corners of the picture go on a projector's pixels, and the way back."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

# x and y of top left, top right, bottom right, bottom left, as shares of the width and height that
# the corner moves to the right and down; all zero leaves the picture where it is.
Corners: TypeAlias = tuple[float, float, float, float, float, float, float, float]
Matrix: TypeAlias = npt.NDArray[np.float64]

UNMOVED: Corners = (0.0,) * 8
_UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
# Twice the area of the triangle at a corner, of the whole: below it the picture folds or vanishes.
LEAST_TURN = 0.02


class FoldedPictureError(ValueError):
    """The four corners make no picture: crossed, folded inwards, or on a line."""


def to_picture(corners: Corners, size_px: tuple[int, int]) -> Matrix:
    """The homography (3, 3) from framebuffer px to px of the unmoved picture, both y down.

    Solved from the four pairs of corners (direct linear transformation); the third coordinate is
    positive on the whole picture. Raises FoldedPictureError when the corners are no convex
    quadrangle in their order, or are not finite.
    """
    at = _UNIT + np.asarray(corners, float).reshape(4, 2)
    _check_convex(at)
    moved, unmoved = at * size_px, _UNIT * size_px
    rows, wanted = [], []
    for (x, y), (u, v) in zip(moved, unmoved, strict=True):
        rows += [(x, y, 1, 0, 0, 0, -u * x, -u * y), (0, 0, 0, x, y, 1, -v * x, -v * y)]
        wanted += [u, v]
    matrix = np.append(np.linalg.solve(np.array(rows), np.array(wanted)), 1.0).reshape(3, 3)
    # The solution has 1 at the framebuffer's own corner, which may lie beyond the horizon of the picture:
    # what counts is that the third coordinate is positive where the picture is.
    middle = matrix @ (*moved.mean(axis=0), 1.0)
    return matrix if middle[2] > 0 else -matrix


def apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """A point moved by a homography; one of the picture's own side of its horizon."""
    u, v, w = matrix @ (x, y, 1.0)
    return float(u / w), float(v / w)


def held_in(corners: Corners, size_px: tuple[int, int], x: float, y: float) -> tuple[float, float]:
    """The point of the moved picture that is nearest to a framebuffer px; itself when it lies within."""
    at = (_UNIT + np.asarray(corners, float).reshape(4, 2)) * size_px
    sides = np.roll(at, -1, axis=0) - at
    away = (x, y) - at
    if bool(np.all(sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0] >= 0)):
        return x, y
    shares = np.clip((away * sides).sum(axis=1) / (sides**2).sum(axis=1), 0.0, 1.0)
    nearest = at + shares[:, None] * sides
    best = nearest[np.argmin(((nearest - (x, y)) ** 2).sum(axis=1))]
    return float(best[0]), float(best[1])


def _check_convex(at: npt.NDArray[np.float64]) -> None:
    sides = np.roll(at, -1, axis=0) - at
    before = np.roll(sides, 1, axis=0)
    turns = before[:, 0] * sides[:, 1] - before[:, 1] * sides[:, 0]
    if not bool(np.all(turns >= LEAST_TURN)):
        raise FoldedPictureError("these corners fold the picture over; move them apart again")
