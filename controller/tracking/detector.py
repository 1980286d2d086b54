"""Finds the visitor's light in camera pictures, one picture after the other."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from controller.tracking.background import Background
from controller.tracking.blobs import Blob, find_blobs, light_shaped, plane_of
from controller.tracking.settings import TrackingSettings

HALO_PX = 9  # a light brightens its surroundings below the threshold: keep those out of the scene too
RING_PX = 25  # the scene beside a light, by which the covered part is assumed to change
UNSTEADY_SHARE = 0.02
PATIENCE = 5  # a scene that never rests (lamp flicker) is learned after this many warm-ups all the same
AGAIN_PX = 20.0  # a hand-held light moves less than this from one frame to the next
MOST_CANDIDATES = 8
CLEARLY = 2.0  # this many times the threshold, or another light, is no matter of noise


@dataclass(frozen=True, slots=True)
class Spot:
    """The light in one picture: camera px, peak rise in levels of 255; `fresh` once an appearance."""

    x_px: float
    y_px: float
    level: float
    fresh: bool


class Detector:
    """Picture plus memory -> the light, or None. It has no clock and opens no device.

    `ready` is False until the scene has been steady for some frames; `restless` is True while
    too much moves for a new light to be believed; `ignored` counts second lights by frame.
    """

    def __init__(self, settings: TrackingSettings) -> None:
        self.settings = settings
        self.background = Background(settings.background_s)
        self.ready = False
        self.restless = False
        self.ignored = 0
        self._steady_frames = 0
        self._unsteady_frames = 0
        self._seen_s = 0.0
        self._plane: np.ndarray = np.zeros((0, 0), np.uint8)
        self._levels: np.ndarray = np.zeros(256, np.float32)
        self._held: Blob | None = None
        self._told = False
        self._dark_frames = 0
        self._rivals: list[Blob] = []
        self._faint: list[Blob] = []

    def step(self, picture: np.ndarray, at_s: float) -> Spot | None:
        """Take a uint8 picture (h, w) or (h, w, 3) BGR seen at `at_s`; the light in it, if any."""
        if picture.size == 0:
            return None
        interval_s, self._seen_s = at_s - self._seen_s, at_s
        plane, scale = plane_of(picture, self.settings.width_px, self.settings.light == "coloured")
        if plane.shape != self.background.mean.shape:
            self._forget(plane)
            return None
        self._plane = plane
        threshold = self.background.threshold(self.settings.noise_sigmas, self.settings.min_rise)
        self._watch_scene(plane, threshold)
        blob = self._choose(self._blobs(plane, threshold))
        self._learn(plane, interval_s)
        return None if blob is None else self._spot(blob, scale)

    def _forget(self, plane: np.ndarray) -> None:
        self.background.restart(plane)
        self._held, self._rivals, self._faint = None, [], []
        self.ready, self._steady_frames = False, 0

    def _watch_scene(self, plane: np.ndarray, threshold: np.ndarray) -> None:
        """Start again when most of the picture changed; be ready when it has rested."""
        changed = cv2.countNonZero(cv2.compare(self.background.change(plane), threshold, cv2.CMP_GT))
        limit = self.settings.scene_share if self.ready else UNSTEADY_SHARE
        patience = PATIENCE * self.settings.warm_up_frames
        if changed <= limit * plane.size or (not self.ready and self._unsteady_frames >= patience):
            self._steady_frames += 1
        else:
            self._unsteady_frames += 1
            self._restart(plane)
        if not self.ready and self._steady_frames >= self.settings.warm_up_frames:
            self.ready, self._unsteady_frames = True, 0

    def _restart(self, plane: np.ndarray) -> None:
        """Take the picture as the new scene, but for a light that is being held."""
        held = self._held
        scene = plane
        if held is not None:
            scene = plane.copy()
            box, covered, ring = self._surroundings(held)
            scene[box][covered > 0] = int(np.median(plane[box][ring > 0])) if ring.any() else 0
        self.background.restart(scene)
        self.ready, self._steady_frames = False, 0

    def _blobs(self, plane: np.ndarray, threshold: np.ndarray) -> list[Blob]:
        if not self.ready and self._held is None:
            return []
        rise = self.background.rise(plane)
        hot = cv2.compare(rise, threshold, cv2.CMP_GT)
        if not cv2.countNonZero(hot):
            return []
        least = self.settings.on_rise * self.settings.off_ratio
        blobs = find_blobs(plane, self.background.mean, rise, hot, least)
        self._levels = cv2.calcHist([rise], [0], hot, [256], [0, 256]).ravel()
        return blobs

    def _choose(self, blobs: list[Blob]) -> Blob | None:
        """The held light where it is or went; else the clearest new one."""
        held = self._follow(blobs)
        others = [blob for blob in self._candidates(blobs) if blob is not held]
        new = self._believed(others)
        if new and (held is None or new[0].rise >= CLEARLY * held.rise):
            held = self._take(new[0])
        self._dark_frames = 0 if held is not None else self._dark_frames + 1
        if self._dark_frames >= self.settings.off_frames:
            self._held = None
        self._rivals = [blob for blob in others if blob is not held]
        self.ignored += bool(self._rivals) and held is not None
        return held

    def _follow(self, blobs: list[Blob]) -> Blob | None:
        if self._held is None:
            return None
        x, y = self._held.x_px, self._held.y_px
        near = [blob for blob in blobs if blob.distance_px(x, y) <= self.settings.hold_radius_px]
        near = [blob for blob in near if light_shaped(blob, self.settings, held=True)]
        if not near:
            return None
        self._held = min(near, key=lambda blob: blob.distance_px(x, y))
        return self._held

    def _candidates(self, blobs: list[Blob]) -> list[Blob]:
        """Blobs that look like a light, the clearest first."""
        shaped = [
            blob
            for blob in blobs
            if blob.rise >= self.settings.on_rise and not blob.cut and light_shaped(blob, self.settings)
        ]
        return [blob for blob in shaped[:MOST_CANDIDATES] if self._outshines(blob)]

    def _believed(self, others: list[Blob]) -> list[Blob]:
        """Candidates that may become the light now; one that stood beside it must wait until it is gone."""
        self.restless = False
        if not self.ready:
            return []
        if self._held is not None:
            others = [b for b in others if not _near(b, self._rivals, self.settings.hold_radius_px)]
        still = [blob for blob in others if self._still_around(blob)]
        self.restless = bool(others) and not still
        seen_before, self._faint = self._faint, still
        return [blob for blob in still if self._is_clear(blob) or _near(blob, seen_before, AGAIN_PX)]

    def _is_clear(self, blob: Blob) -> bool:
        """True when one frame is enough to believe it; a faint blob must show up twice."""
        return blob.rise >= CLEARLY * self.settings.on_rise

    def _outshines(self, blob: Blob) -> bool:
        """True when it is brighter than what is around it; the leading edge of a moving shape is not."""
        box, _, ring = self._surroundings(blob)
        around = self._plane[box][ring > 0]
        return around.size == 0 or blob.peak >= float(np.percentile(around, 90)) + self.settings.min_rise

    def _still_around(self, blob: Blob) -> bool:
        """True while little else in the picture rises half as much as this blob does."""
        others = float(self._levels[int(blob.rise / 2) :].sum()) - blob.area_px
        return others <= self.settings.motion_share * self.background.mean.size

    def _take(self, blob: Blob) -> Blob:
        self._held, self._told = blob, False
        return blob

    def _spot(self, blob: Blob, scale: float) -> Spot:
        fresh, self._told = not self._told, True
        return Spot((blob.x_px + 0.5) * scale - 0.5, (blob.y_px + 0.5) * scale - 0.5, blob.rise, fresh)

    def _learn(self, plane: np.ndarray, interval_s: float) -> None:
        """Follow the scene but no light in it: what the held one covers shifts as its surroundings do."""
        frozen = np.zeros(plane.shape, np.uint8)
        for rival in self._rivals:
            box, covered, _ = self._surroundings(rival)
            frozen[box] |= covered
        if self._held is None:
            self.background.learn(plane, interval_s, frozen)
            return
        box, covered, ring = self._surroundings(self._held)
        frozen[box] |= covered
        before = cv2.mean(self.background.mean[box], ring)[0]
        self.background.learn(plane, interval_s, frozen)
        self.background.shift(box, covered, cv2.mean(self.background.mean[box], ring)[0] - before)

    def _surroundings(self, blob: Blob) -> tuple[tuple[slice, slice], np.ndarray, np.ndarray]:
        """A box around the blob and two uint8 masks in it: what the light covers, the ring beside it."""
        rows, columns = blob.box
        height, width = self.background.mean.shape
        top, left = max(0, rows.start - RING_PX), max(0, columns.start - RING_PX)
        bottom, right = min(height, rows.stop + RING_PX), min(width, columns.stop + RING_PX)
        covered = np.zeros((bottom - top, right - left), np.uint8)
        covered[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left] = blob.mask
        covered = cv2.dilate(covered, np.ones((2 * HALO_PX + 1,) * 2, np.uint8))
        return (slice(top, bottom), slice(left, right)), covered, cv2.bitwise_not(covered)


def _near(blob: Blob, others: list[Blob], reach_px: float) -> bool:
    return any(other.distance_px(blob.x_px, blob.y_px) <= reach_px for other in others)
