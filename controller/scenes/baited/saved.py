"""A swarm as bytes: what moves of it, the light and the visit, for going on from there."""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib import recfunctions

from controller.scenes import LARGEST_PX
from controller.scenes.baited.bugs import BUG, MOVING
from controller.scenes.baited.visit import VISIT

_HEAD = struct.Struct("<4sQqddqqqd")
_MARK = b"BT05"
_BUG = recfunctions.repack_fields(np.zeros(0, BUG)[list(MOVING)]).dtype
_REALS = [name for name in MOVING if _BUG[name].kind == "f"]
LAST_TICK = 2**62


class Saved(NamedTuple):
    """`size` and the `light`'s place in px; `moving` are records of what moves of each bug."""

    seed: int
    tick: int
    light: tuple[float, float]
    size: tuple[int, int]
    on: bool
    pulse_phase: float
    visit: npt.NDArray[np.void]
    moving: npt.NDArray[np.void]


def write_saved(saved: Saved) -> bytes:
    """The bytes that `read_saved` takes."""
    head = (_MARK, saved.seed, saved.tick, *saved.light, *saved.size, saved.on, saved.pulse_phase)
    return _HEAD.pack(*head) + saved.visit.tobytes() + saved.moving.tobytes()


def read_saved(saved: bytes) -> Saved:
    """Raises ValueError for bytes of another kind or version, a size that no screen has, or a NaN."""
    start = _HEAD.size + VISIT.itemsize
    if len(saved) < start or (len(saved) - start) % _BUG.itemsize or saved[:4] != _MARK:
        raise ValueError("not a snapshot of the scene baited in this version")
    _, seed, tick, x, y, width, height, on, pulse_phase = _HEAD.unpack_from(saved)
    moving = np.frombuffer(saved, _BUG, offset=start)
    if not 0 <= tick < LAST_TICK:
        raise ValueError(f"a snapshot of tick {tick}, which no show reaches")
    if not all(1 <= side <= LARGEST_PX for side in (width, height)):
        raise ValueError(f"a snapshot of a screen of {width} x {height} px")
    if not (
        all(map(math.isfinite, (x, y, pulse_phase)))
        and all(np.isfinite(moving[name]).all() for name in _REALS)
    ):
        raise ValueError("a snapshot with places that are not numbers")
    visit = np.frombuffer(saved, VISIT, 1, _HEAD.size).copy()
    return Saved(seed, tick, (x, y), (width, height), bool(on), pulse_phase, visit, moving)
