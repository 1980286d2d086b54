"""The empty scene as the camera knows it: a running mean and deviation of every pixel."""

from __future__ import annotations

import math

import cv2
import numpy as np

DEVIATION_TO_SIGMA = 1.2533  # mean absolute deviation -> sigma of a normal distribution, sqrt(pi / 2)


class Background:
    """Running mean and mean absolute deviation, both float32 (height, width), in levels."""

    def __init__(self, time_constant_s: float) -> None:
        self.time_constant_s = time_constant_s
        self.frames = 0
        self.mean: np.ndarray = np.zeros((0, 0), np.float32)
        self.deviation: np.ndarray = np.zeros((0, 0), np.float32)
        self.mean8: np.ndarray = np.zeros((0, 0), np.uint8)

    def restart(self, plane: np.ndarray) -> None:
        """Take one uint8 picture as the whole scene and forget what was before."""
        self.frames = 1
        self.mean = plane.astype(np.float32)
        self.deviation = np.zeros(plane.shape, np.float32)
        self.mean8 = plane.copy()

    def rise(self, plane: np.ndarray) -> np.ndarray:
        """How far each pixel stands above the scene, uint8, 0 where it is darker."""
        return cv2.subtract(plane, self.mean8)

    def change(self, plane: np.ndarray) -> np.ndarray:
        """How far each pixel is from the scene in either direction, uint8."""
        return cv2.absdiff(plane, self.mean8)

    def threshold(self, sigmas: float, least: float) -> np.ndarray:
        """Level above the scene that noise does not reach, uint8: sigmas of each pixel, at least `least`."""
        noise = cv2.convertScaleAbs(self.deviation, alpha=sigmas * DEVIATION_TO_SIGMA)
        return np.maximum(noise, np.uint8(least))

    def learn(self, plane: np.ndarray, interval_s: float, frozen: np.ndarray | None = None) -> None:
        """Follow the scene by one frame; pixels set in `frozen` (uint8 mask) keep what they were.

        The first frames count alike, later ones fade with the time constant, so a scene is
        known after a few frames whatever the frame rate is.
        """
        self.frames += 1
        fade = 1.0 - math.exp(-max(interval_s, 1e-4) / self.time_constant_s)
        weight = max(fade, 1.0 / self.frames)
        free = None if frozen is None else cv2.bitwise_not(frozen)
        difference = cv2.absdiff(plane, self.mean8)
        cv2.accumulateWeighted(difference, self.deviation, weight, free)
        cv2.accumulateWeighted(plane, self.mean, weight, free)
        self.mean8 = cv2.convertScaleAbs(self.mean)

    def shift(self, box: tuple[slice, slice], frozen: np.ndarray, levels: float) -> None:
        """Move the pixels of a box that are set in `frozen` (mask of the box) by some levels."""
        self.mean[box][frozen > 0] += levels
