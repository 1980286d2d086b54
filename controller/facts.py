"""What `status.json` says of the running show, gathered from plain values in the status thread."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Protocol

from controller.frametimes import PictureRate
from controller.kernelcache import COMPILATIONS
from controller.settings import Settings
from controller.show import Show
from display.canvas import Canvas
from logs.writer import Log

logger = logging.getLogger(__name__)


class Part(Protocol):
    """What tells its state in plain values, from any thread."""

    def state(self) -> dict[str, Any]: ...


class Facts:
    """Called twice a second; ages are seconds. `files` are written beside the log, by name."""

    def __init__(
        self,
        show: Show,
        canvas: Canvas,
        log: Log,
        settings: Settings,
        clock: Callable[[], float] = time.perf_counter,
        held_by_screen: Callable[[], bool] = lambda: False,
        files: Mapping[str, Part | None] = MappingProxyType({}),
    ) -> None:
        self._show, self._canvas, self._log, self._clock = show, canvas, log, clock
        self._held_by_screen, self._files = held_by_screen, files
        self._fixed = {"scene": settings["show"].scene, "warnings": settings.warnings}
        self._rate = PictureRate(clock())
        self._began_s = clock()
        self._fault = ""

    def __call__(self) -> dict[str, Any]:
        now_s, pulse = self._clock(), self._show.pulse
        log = asdict(self._log.state())
        self._show.frames.collect()
        self._announce(log["error"] or log["warning"])
        return {
            **self._fixed,
            **self._screen(),
            "size": list(self._show.size),
            "up_s": round(now_s - self._began_s, 1),
            "fps": round(self._rate(now_s, pulse.pictures) or 0.0, 1),
            "frames": self._show.frames.facts(),
            "dropped_ticks": self._show.stepper.dropped_ticks,
            "compiled_since_ready": COMPILATIONS.since_ready,
            "faults": pulse.faults,
            "refused_samples": pulse.refused_samples,
            "merged_contacts": self._canvas.merged_contacts,
            "refused_times": self._show.visits.bad_times,
            "visitor": self._show.visits.open,
            "light": self._light(),
            **self._extras(),
            "log": log,
            "ages": {
                "picture": round(now_s - pulse.picture_at_s, 3),
                "tick": round(now_s - pulse.tick_at_s, 3),
                "log_write": log["last_write_age_s"],
            },
        }

    def _announce(self, fault: str) -> None:
        """Tell when the log's state turns, not at each look."""
        if fault and not self._fault:
            logger.warning("Log: %s", fault)
        elif self._fault and not fault:
            logger.info("The log is well again; nothing waits.")
        self._fault = fault

    def _screen(self) -> dict[str, Any]:
        """What may change while the show runs, with the screen or its mode."""
        canvas = self._canvas
        power = None if canvas.power is None else asdict(canvas.power)
        rate_hz = round(canvas.refresh_rate, 3)
        return {
            "screen": canvas.name,
            "vsync": self._held_by_screen(),
            "refresh_hz": rate_hz,
            "black": canvas.black,
            "power": power,
        }

    def _extras(self) -> dict[str, Any]:
        """What only some shows have: a technician's desk, sound, a recording, a film."""
        parts: dict[str, Part | None] = {"desk": self._show.desk, "sound": self._show.sound, **self._files}
        return {name: part.state() for name, part in parts.items() if part is not None}

    def _light(self) -> dict[str, Any]:
        sample = self._show.pulse.light
        if sample is None:
            return {}
        found = {"source": sample.source, "on": sample.on, "alive": sample.alive, "reason": sample.reason}
        return {**found, **self._show.source.state()}
