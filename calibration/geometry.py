"""Plane geometry of the calibrations: homographies applied to points."""

from __future__ import annotations

import numpy as np


def apply_homography(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (n, 2) through a 3x3 homography, float64 (n, 2); those on its horizon come out as nan."""
    points = np.asarray(points, np.float64).reshape(-1, 2)
    mapped = np.column_stack([points, np.ones(len(points))]) @ np.asarray(matrix, np.float64).T
    depth = mapped[:, 2:]
    depth = np.where(np.abs(depth) < 1e-12, np.nan, depth)
    return mapped[:, :2] / depth


def scaling(from_size: tuple[int, int], to_size: tuple[int, int]) -> np.ndarray:
    """3x3 map between two sizes of one picture, in px; pixel centres are whole numbers, edges at -0.5."""
    scale_x, scale_y = to_size[0] / from_size[0], to_size[1] / from_size[1]
    return np.array(
        [[scale_x, 0.0, (scale_x - 1.0) / 2], [0.0, scale_y, (scale_y - 1.0) / 2], [0.0, 0.0, 1.0]]
    )


def is_usable(matrix: np.ndarray) -> bool:
    """True for a finite 3x3 matrix that does not fold the plane onto a line."""
    matrix = np.asarray(matrix, np.float64)
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        return False
    norm = float(np.abs(matrix).max())
    return norm > 0 and abs(float(np.linalg.det(matrix / norm))) > 1e-12
