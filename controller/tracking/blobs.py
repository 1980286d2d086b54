"""Bright blobs in one picture: outlines, shape tests, sub-pixel position."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from controller.tracking.settings import TrackingSettings

MOST_OUTLINES = 400  # a picture with more pieces than this is noise or a moving show


@dataclass(frozen=True, slots=True)
class Blob:
    """One bright patch, in px of the reduced picture; `rise`, `peak` in levels of 255.

    `cut`: it touches the border, so its true shape and centre are unknown. `mask` (uint8) fills `box`.
    """

    x_px: float
    y_px: float
    rise: float
    peak: float
    area_px: int
    aspect: float
    density: float
    cut: bool
    box: tuple[slice, slice]
    mask: np.ndarray

    def distance_px(self, x_px: float, y_px: float) -> float:
        return float(np.hypot(self.x_px - x_px, self.y_px - y_px))


def plane_of(picture: np.ndarray, width_px: int, coloured: bool = False) -> tuple[np.ndarray, float]:
    """The picture as one smoothed uint8 plane of at most `width_px`, and how much it was reduced.

    The plane is the darkest of the three colours: the overdriven core of a lamp or laser fills
    all three, coloured things of any brightness do not. For a light that stays coloured, as a red
    lamp does at a short exposure, it is the brightest of the three, and coloured things count too.
    """
    scale = max(1.0, picture.shape[1] / width_px)
    if scale > 1.0:
        size = (width_px, max(1, round(picture.shape[0] / scale)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    if picture.ndim == 3:
        blue, green, red = cv2.split(picture)
        choose = cv2.max if coloured else cv2.min
        picture = choose(choose(blue, green), red)
    return cv2.blur(picture, (3, 3)), scale


def find_blobs(
    plane: np.ndarray, mean: np.ndarray, rise: np.ndarray, hot: np.ndarray, least: float
) -> list[Blob]:
    """All patches of the uint8 mask `hot` whose peak rise reaches `least`, the clearest first.

    plane, rise, hot: uint8 (h, w); mean: float32 (h, w), the empty scene.
    """
    outlines, _ = cv2.findContours(hot, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if len(outlines) > MOST_OUTLINES:
        return []
    blobs = []
    for outline in outlines:
        left, top, width, height = cv2.boundingRect(outline)
        box = (slice(top, top + height), slice(left, left + width))
        if int(rise[box].max()) >= least:
            blobs.append(_measure(outline, box, plane, mean, rise))
    return sorted(blobs, key=lambda blob: (blob.rise, blob.area_px), reverse=True)


def _measure(
    outline: np.ndarray, box: tuple[slice, slice], plane: np.ndarray, mean: np.ndarray, rise: np.ndarray
) -> Blob:
    top, left = box[0].start, box[1].start
    mask = np.zeros((box[0].stop - top, box[1].stop - left), np.uint8)
    cv2.drawContours(mask, [outline], -1, 255, cv2.FILLED, offset=(-left, -top))
    area = cv2.countNonZero(mask)
    x, y = _centroid(plane[box], mean[box], mask)
    return Blob(
        x_px=left + x,
        y_px=top + y,
        rise=float(cv2.minMaxLoc(rise[box], mask)[1]),
        peak=float(cv2.minMaxLoc(plane[box], mask)[1]),
        area_px=area,
        aspect=_aspect(outline),
        density=area / mask.size,
        cut=top == 0 or left == 0 or box[0].stop == plane.shape[0] or box[1].stop == plane.shape[1],
        box=box,
        mask=mask,
    )


def _centroid(plane: np.ndarray, mean: np.ndarray, mask: np.ndarray) -> tuple[float, float]:
    """Centre of the light that was added to the scene, inside the mask only, in px of the box."""
    added = np.clip(plane.astype(np.float32) - mean, 0.0, None)
    added[mask == 0] = 0.0
    total = float(added.sum())
    if total <= 0.0:
        return (mask.shape[1] - 1) / 2, (mask.shape[0] - 1) / 2
    columns, rows = added.sum(axis=0), added.sum(axis=1)
    x = float(columns @ np.arange(len(columns), dtype=np.float32)) / total
    y = float(rows @ np.arange(len(rows), dtype=np.float32)) / total
    return x, y


def _aspect(outline: np.ndarray) -> float:
    """Length against width of the smallest box around it, each a pixel more than its corners say."""
    (_, (width, height), _) = cv2.minAreaRect(outline)
    return (max(width, height) + 1.0) / (min(width, height) + 1.0)


def light_shaped(blob: Blob, settings: TrackingSettings, held: bool = False) -> bool:
    """True for a compact bright patch of the size of a light; a held one may be smeared by motion."""
    looser = 2.0 if held else 1.0
    return (
        settings.min_area_px <= blob.area_px <= settings.max_area_px
        and blob.aspect <= settings.max_aspect * looser
        and blob.density >= settings.min_density / looser
        and blob.peak >= settings.min_peak / looser
    )
