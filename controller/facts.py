"""What `status.json` says of the running show, gathered from plain values in the status thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from controller.settings import Settings
from controller.show import Show
from display.canvas import Canvas
from logs.writer import Log


class Facts:
    """Called twice a second; ages are seconds."""

    def __init__(
        self,
        show: Show,
        canvas: Canvas,
        log: Log,
        settings: Settings,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._show, self._log, self._clock = show, log, clock
        self._fixed = {
            "scene": settings["show"].scene,
            "screen": canvas.name,
            "vsync": canvas.vsync,
            "warnings": settings.warnings,
        }
        self._since_s, self._pictures = clock(), 0
        self._began_s = clock()

    def __call__(self) -> dict[str, Any]:
        now_s, pulse = self._clock(), self._show.pulse
        log = asdict(self._log.state())
        return {
            **self._fixed,
            "size": list(self._show.size),
            "up_s": round(now_s - self._began_s, 1),
            "fps": self._rate(now_s, pulse.pictures),
            "dropped_ticks": self._show.stepper.dropped_ticks,
            "faults": pulse.faults,
            "refused_samples": pulse.refused_samples,
            "visitor": self._show.visits.open,
            "light": self._light(),
            "log": log,
            "ages": {
                "picture": round(now_s - pulse.picture_at_s, 3),
                "tick": round(now_s - pulse.tick_at_s, 3),
                "log_write": log["last_write_age_s"],
            },
        }

    def _rate(self, now_s: float, pictures: int) -> float:
        passed_s, drawn = now_s - self._since_s, pictures - self._pictures
        self._since_s, self._pictures = now_s, pictures
        return round(drawn / passed_s, 1) if passed_s > 0 else 0.0

    def _light(self) -> dict[str, Any]:
        sample = self._show.pulse.light
        if sample is None:
            return {}
        found = {"source": sample.source, "on": sample.on, "alive": sample.alive, "reason": sample.reason}
        return {**found, **self._show.source.state()}
