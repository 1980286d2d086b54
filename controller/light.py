"""The light as the show knows it: one sample a tick, whatever device gave it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Protocol

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

EDGE_SHARE = 0.02


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
    """A device that gives one sample a tick and never blocks.

    `resize` tells it the screen's size in px, `state` gives plain facts for the status file.
    """

    def poll(self, tick: int) -> LightSample: ...

    def resize(self, size: tuple[int, int]) -> None: ...

    def state(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


def on_screen(x: float, y: float, width: float, height: float) -> bool:
    """True for a finite position on a screen of `width` x `height` px."""
    return 0.0 <= x <= width and 0.0 <= y <= height


def brought_in(x: float, y: float, width: float, height: float) -> tuple[float, float] | None:
    """The position itself, or the edge next to it when it lies just outside; None for any other.

    A calibrated device points at the edge with a small error; what is farther off is its fault.
    """
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    held = min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))
    near = abs(x - held[0]) <= EDGE_SHARE * width and abs(y - held[1]) <= EDGE_SHARE * height
    return held if near else None
