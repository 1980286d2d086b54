"""The loop: a light is sampled, a scene steps 60 times a second, a picture is drawn, visits are logged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from controller.light import LightSample, LightSource, on_screen
from controller.scenes import Beam, Rows, Scene
from controller.stepper import TICKS_PER_S, Stepper
from display.errors import DisplayLost
from logs.visits import Event, Started, Visits

FAULTS_IN_A_ROW = 20
EXIT_DONE, EXIT_PROBLEM, EXIT_SCREEN_LOST, EXIT_FAULTS = 0, 1, 3, 4

logger = logging.getLogger(__name__)


class Canvas(Protocol):
    """What the loop needs of the display."""

    @property
    def size(self) -> tuple[int, int]: ...

    @property
    def wants_to_quit(self) -> bool: ...

    def dispatch(self) -> None: ...

    def draw(self, rows: Rows, beam: Beam, dust: Rows) -> None: ...

    def flip(self) -> None: ...

    def take_resizes(self) -> list[tuple[int, int]]: ...


class Journal(Protocol):
    """What the loop needs of the log: a place to put events that never blocks."""

    def put(self, event: Event | None, measures: Mapping[str, float] | None = None) -> None: ...


@dataclass
class Pulse:
    """When things last happened, on the host's clock; read by the status thread."""

    tick: int = 0
    tick_at_s: float = 0.0
    picture_at_s: float = 0.0
    pictures: int = 0
    faults: int = 0
    refused_samples: int = 0
    light: LightSample | None = None


class Show:
    """One screen with its scene, light and log."""

    def __init__(
        self,
        canvas: Canvas,
        source: LightSource,
        scene: Scene,
        visits: Visits,
        log: Journal,
        stepper: Stepper,
        clock: Callable[[], float],
        pace: Callable[[], None] = lambda: None,
    ) -> None:
        self.canvas, self.source, self.scene = canvas, source, scene
        self.visits, self.log, self.stepper = visits, log, stepper
        self._clock, self._pace = clock, pace
        self._stop_reason = ""
        self.size = canvas.size
        self._light = LightSample(0, clock(), self.size[0] / 2, self.size[1] / 2, False, "none")
        self.pulse = Pulse(tick_at_s=clock(), picture_at_s=clock())

    def stop(self, reason: str) -> None:
        """End after the picture under way; safe to call from a signal handler."""
        self._stop_reason = self._stop_reason or reason

    def run(self, until_s: float | None = None) -> int:
        """Show pictures until stopped, or until the clock reaches `until_s`; the exit code.

        A fault costs one picture; many in a row end the show, so that it is started afresh.
        """
        in_a_row = 0
        while not self._ended(until_s):
            try:
                self.picture()
                in_a_row = 0
            except DisplayLost as error:
                logger.error("%s", error)
                return self._finish(EXIT_SCREEN_LOST)
            except Exception as error:  # noqa: BLE001  the show goes on whatever one picture met
                in_a_row += 1
                self.pulse.faults += 1
                _report_fault(error, in_a_row)
                if in_a_row >= FAULTS_IN_A_ROW:
                    return self._finish(EXIT_FAULTS)
        return self._finish(EXIT_DONE)

    def picture(self) -> None:
        """One round of the loop."""
        self.canvas.dispatch()
        for size in self.canvas.take_resizes():
            self._resize(size)
        for tick in self.stepper.due():
            self._step(tick)
        self.canvas.draw(*self.scene.frame(self.stepper.alpha))
        self.canvas.flip()
        self.pulse.pictures += 1
        self.pulse.picture_at_s = self._clock()
        self._pace()

    def _step(self, tick: int) -> None:
        light = self._accepted(self.source.poll(tick))
        self.scene.step(light.on, light.x, light.y)
        event = self.visits.step(tick, *light.contact)
        if event is not None:
            if isinstance(event, Started):
                self.scene.begin_visit()
            self.log.put(event, self.scene.measures())
        self._light = light
        self.pulse.light = light
        self.pulse.tick, self.pulse.tick_at_s = tick, self._clock()

    def _accepted(self, light: LightSample) -> LightSample:
        """The sample, or for an impossible place the last good light; an OFF is never refused."""
        if on_screen(light.x, light.y, *self.size):
            return light
        self.pulse.refused_samples += 1
        on = light.on and self._light.on
        return LightSample(
            light.tick, light.at_s, self._light.x, self._light.y, on, light.source, light.alive, light.reason
        )

    def _resize(self, size: tuple[int, int]) -> None:
        self.size = size
        self.scene.resize(size)
        self.source.resize(size)

    def _ended(self, until_s: float | None) -> bool:
        if self.canvas.wants_to_quit:
            self.stop("stopped")
        return bool(self._stop_reason) or (until_s is not None and self._clock() >= until_s)

    def _finish(self, code: int) -> int:
        event = self.visits.close(self._clock(), self._stop_reason or "stopped")
        while event is not None:
            self.log.put(event, self.scene.measures())
            event = self.visits.close(self._clock(), "stopped")
        return code


def _report_fault(error: Exception, in_a_row: int) -> None:
    """The first fault of a row with its trace, the others folded into one line at the end."""
    if in_a_row == 1:
        logger.exception("A picture was skipped", exc_info=error)
    elif in_a_row == FAULTS_IN_A_ROW:
        logger.error(
            "%d faults within %.1f s, the last: %s. The show ends to be started afresh.",
            in_a_row,
            in_a_row / TICKS_PER_S,
            error,
        )
