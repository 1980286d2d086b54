"""A visitor who counts: reads every bug and the light in each tick and keeps the visit's measures."""

from __future__ import annotations

import math

from controller.scenes.baited.scene import BaitedScene

TICKS_PER_S = 60


class Observer:
    """Sees a scene from outside. A bug counts as inside where it stands when the tick begins."""

    def __init__(self, scene: BaitedScene) -> None:
        self.scene = scene
        self.was_on = bool(scene.world["on"][0])
        self.begin_visit()

    def begin_visit(self) -> None:
        self.ticks, self.exposure, self.peak = 0, 0, 0
        self.reached: dict[int, int] = {}
        self.bored: dict[int, int] = {}
        self.interest_at_off: float | None = None

    def step(self, on: bool, x: float, y: float) -> None:
        """One tick of the scene, seen."""
        radius = self.scene.settings.light_radius_px
        inside = [on and math.hypot(x - bug["x"], y - bug["y"]) < radius for bug in self.scene.bugs]
        before = self._interests(on and not self.was_on)
        self.scene.advance(on, x, y)
        after = self._interests(False)
        self.was_on = on
        self._note(inside, before, after)
        if on and after:
            self.interest_at_off = sum(after) / len(after)
        self.ticks += 1

    def _interests(self, onset: bool) -> list[float]:
        gain = self.scene.settings.onset_gain if onset else 0.0
        return [min(1.0, float(interest) + gain) for interest in self.scene.bugs["interest"]]

    def _note(self, inside: list[bool], before: list[float], after: list[float]) -> None:
        threshold = self.scene.settings.boredom_threshold
        for number, within in enumerate(inside):
            if not within:
                continue
            self.exposure += 1
            if self.scene.bugs["reacted"][number] and after[number] > threshold:
                self.reached.setdefault(number, self.ticks)
            if before[number] > threshold >= after[number]:
                self.bored.setdefault(number, self.ticks)
        self.peak = max(self.peak, sum(inside))

    def _lit_now(self, away: list[float]) -> int:
        """How many stand in the lit circle at this moment."""
        radius = self.scene.settings.light_radius_px
        return sum(distance < radius for distance in away) if self.was_on else 0

    def measures(self) -> dict[str, float]:
        """What the scene should say of the visit and of this moment."""
        bugs, light = self.scene.bugs, self.scene.world[0]
        away = [math.hypot(bug["x"] - light["light_x"], bug["y"] - light["light_y"]) for bug in bugs]
        interests = [float(interest) for interest in bugs["interest"]]
        found = {
            "bugs": float(len(bugs)),
            "inside": float(sum(distance < light["light_radius_px"] for distance in away)),
            "bored": float(sum(i <= self.scene.settings.boredom_threshold for i in interests)),
            "mean_interest": sum(interests) / len(interests) if interests else 0.0,
            "exposure_bug_s": self.exposure / TICKS_PER_S,
            "peak_inside": float(max(self.peak, self._lit_now(away))),
            "put_back": 0.0,
        }
        if self.interest_at_off is not None:
            found["mean_interest_at_off"] = self.interest_at_off
        for name, times in (("reached", self.reached), ("grew_bored", self.bored)):
            found[name] = float(len(times))
            found |= self._times(name, sorted(times.values()))
        return found

    def _times(self, name: str, ticks: list[int]) -> dict[str, float]:
        """When the first had, and when half of all bugs had (of an odd number the larger half)."""
        half = math.ceil(len(self.scene.bugs) / 2)
        wanted = {f"first_{name}_s": 1, f"half_{name}_s": half}
        return {key: ticks[n - 1] / TICKS_PER_S for key, n in wanted.items() if 0 < n <= len(ticks)}
