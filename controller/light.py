"""The light as the show knows it: one sample a tick, whatever device gave it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

Source = Literal["none", "mouse", "demo", "replay", "camera", "torch", "osc"]
Reason = Literal[
    "",
    "off",
    "camera_lost",
    "torch_lost",
    "torch_reset",
    "source_changed",
    "feedback",
    "scene_changed",
    "closing",
    "stopped",
    "recovered",
    "stuck",
]

# A hand may point a little beside the screen; what is farther off is a fault of the device.
OUTSIDE_LIMIT_SCREENS = 4.0


@dataclass(frozen=True, slots=True)
class LightSample:
    """One reading of the visitor's light.

    `at_s` is when the device saw it, on the host's `perf_counter`; `x`, `y` are px of the
    screen, y down; `alive` tells that the device answers; `reason` says why the light is off.
    """

    tick: int
    at_s: float
    x: float
    y: float
    on: bool
    source: Source
    alive: bool = True
    reason: Reason = ""

    @property
    def contact(self) -> tuple[float, bool, float, float, str, str]:
        """The plain values that the visit rules take: at_s, on, x, y, source, reason."""
        return self.at_s, self.on, self.x, self.y, self.source, self.reason


class LightSource(Protocol):
    """A device that gives one sample a tick and never blocks."""

    def poll(self, tick: int) -> LightSample: ...

    def close(self) -> None: ...


def plausible(x: float, y: float, width: float, height: float) -> bool:
    """True for a finite position on the screen or within `OUTSIDE_LIMIT_SCREENS` of it."""
    return (
        math.isfinite(x)
        and math.isfinite(y)
        and abs(x - width / 2) <= (0.5 + OUTSIDE_LIMIT_SCREENS) * width
        and abs(y - height / 2) <= (0.5 + OUTSIDE_LIMIT_SCREENS) * height
    )
