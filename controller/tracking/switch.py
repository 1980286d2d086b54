"""Turns the light's level, frame by frame, into ON and OFF with the time of the crossing."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from controller.motion import crossing_time
from controller.tracking.settings import TrackingSettings

HISTORY_FRAMES = 64
PLATEAU_FRAMES = 5
CLEARLY = 2.0
LONGEST_GAP_S = 0.25  # over a longer gap between two frames a straight line says nothing


@dataclass(frozen=True, slots=True)
class Change:
    """The light went on or off: `at_s` when it crossed, some frames before it is told; camera px."""

    on: bool
    at_s: float
    x_px: float
    y_px: float


class Switch:
    """Two thresholds and a number of frames; the time is where the light passed half its own level.

    Half of the light's level, not the threshold: a lamp that comes on between two exposures jumps
    far over any threshold, and only the middle of that jump is unbiased.
    """

    def __init__(self, settings: TrackingSettings) -> None:
        self.settings = settings
        self.on = False
        self.x_px = 0.0
        self.y_px = 0.0
        self._frames: deque[tuple[float, float]] = deque(maxlen=HISTORY_FRAMES)
        self._run_frames = 0
        self._run_from_s = 0.0
        self._lit_levels: deque[float] = deque(maxlen=PLATEAU_FRAMES)

    def step(self, at_s: float, level: float, x_px: float, y_px: float) -> Change | None:
        """One frame: level in 0..255 (0 = no light seen) and its position; the change, if any."""
        interval_s = at_s - self._frames[-1][0] if self._frames else 0.0
        self._frames.append((at_s, level))
        lit = self._lit(level)
        if lit:
            self.x_px, self.y_px = x_px, y_px
            self._lit_levels.append(level)
        if lit == self.on:
            self._run_frames = 0
            if not lit:
                self._lit_levels.clear()
            return None
        self._run_frames += 1
        if self._run_frames == 1:
            self._run_from_s = at_s - interval_s
        if not self._decided(at_s, interval_s, level):
            return None
        return self._turn()

    def force_off(self, at_s: float) -> Change | None:
        """The light is gone for another reason (camera lost, feedback); None if it was off."""
        self._frames.clear()
        if not self.on:
            return None
        self.on, self._run_frames = False, 0
        self._lit_levels.clear()
        return Change(False, at_s, self.x_px, self.y_px)

    def _lit(self, level: float) -> bool:
        share = self.settings.off_ratio if self.on else 1.0
        return level >= share * self.settings.on_rise

    def _decided(self, at_s: float, interval_s: float, level: float) -> bool:
        slow = interval_s > self.settings.slow_frame_s
        if self.on:
            long_enough = self._run_frames >= 2 and at_s - self._run_from_s >= self.settings.off_limit_s
            return self._run_frames >= self.settings.off_frames or (slow and long_enough)
        clear = level >= CLEARLY * self.settings.on_rise
        return self._run_frames >= self.settings.on_frames or (slow and clear)

    def _turn(self) -> Change:
        goal = (median(self._lit_levels) if self.on else max(self._lit_levels)) / 2
        crossed_s = self._crossing(goal)
        self.on, self._run_frames = not self.on, 0
        if not self.on:
            self._lit_levels.clear()
        return Change(self.on, crossed_s, self.x_px, self.y_px)

    def _crossing(self, goal: float) -> float:
        """Time of the newest passage through `goal` in the direction of the change."""
        frames = list(self._frames)
        for (t_before, before), (t, level) in reversed(list(pairwise(frames))):
            passed = before >= goal > level if self.on else before < goal <= level
            if passed:
                return crossing_time(t, min(t - t_before, LONGEST_GAP_S), level, before, goal)
        return frames[0][0]
