"""The loop: a light is sampled, a scene steps 60 times a second, a picture is drawn, visits are logged."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from controller.frametimes import FrameTimes
from controller.light import LightSample, LightSource, on_screen
from controller.scenes import Beam, Rows, Scene
from controller.stepper import Stepper
from display.errors import DisplayLost
from logs.pointing import Pointing
from logs.visits import Event, LeftOn, Started, Visits

FAULTS_IN_A_ROW = 20
MOST_TOLD_FAULTS = 20
EXIT_DONE, EXIT_PROBLEM, EXIT_SCREEN_LOST, EXIT_FAULTS = 0, 1, 3, 4

logger = logging.getLogger(__name__)


class Canvas(Protocol):
    """What the loop needs of the display."""

    @property
    def size(self) -> tuple[int, int]: ...

    @property
    def refresh_rate(self) -> float: ...

    @property
    def gpu_time_s(self) -> float | None: ...

    @property
    def wants_to_quit(self) -> bool: ...

    def dispatch(self) -> None: ...

    def draw(self, rows: Rows, beam: Beam, dust: Rows) -> None: ...

    def flip(self) -> None: ...

    def take_resizes(self) -> list[tuple[int, int]]: ...

    def take_keys(self) -> list[str]: ...


class Desk(Protocol):
    """The technician's keys and what they show; called once a picture, never blocks."""

    def press(self, keys: list[str]) -> None: ...

    def picture(self, now_s: float) -> None: ...

    def state(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


class Recorder(Protocol):
    """Makes a film of the pictures; told before each is drawn."""

    def picture(self, now_s: float) -> None: ...


class VisitRecorder(Protocol):
    """Makes a recording of each visit; told each event before the scene is."""

    def tell(self, event: Event) -> None: ...


class Sound(Protocol):
    """What is heard while a light is on; told of each change, never blocks."""

    def light(self, on: bool) -> None: ...

    def state(self) -> dict[str, Any]: ...


class Journal(Protocol):
    """What the loop needs of the log: places to put events and happenings that never block."""

    def put(
        self,
        event: Event | None,
        measures: Mapping[str, float] | None = None,
        pointing: array[int] | None = None,
    ) -> None: ...

    def note(self, kind: str, detail: Mapping[str, Any] | None = None, at_s: float | None = None) -> None: ...


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
        desk: Desk | None = None,
        sound: Sound | None = None,
        timer: Callable[[], float] | None = None,
        closes: Callable[[float], bool] = lambda now_s: False,
    ) -> None:
        """`timer` measures how long things take and when they happened, where `clock` is not the host's.

        `closes` tells, asked in each tick, that the gallery closes at this moment of the clock.
        """
        self.canvas, self.source, self.scene = canvas, source, scene
        self.visits, self.log, self.stepper = visits, log, stepper
        self.clock, self._pace = clock, pace
        self._timer = timer or clock
        self.desk, self.sound, self._sounding = desk, sound, False
        self.recorder: Recorder | None = None
        self.visit_recorder: VisitRecorder | None = None
        self.frames = FrameTimes(lambda: canvas.refresh_rate, log.note)
        self._pointing, self._closes = Pointing(), closes
        self._stop_reason = ""
        self._told: set[str] = set()
        self.size = canvas.size
        self._light = LightSample(0, clock(), self.size[0] / 2, self.size[1] / 2, False, "none")
        self.pulse = Pulse(tick_at_s=self._timer(), picture_at_s=self._timer())

    def stop(self, reason: str) -> None:
        """End after the picture under way; safe to call from a signal handler."""
        self._stop_reason = self._stop_reason or reason

    def run(self, until_s: float | None = None) -> int:
        """Show pictures until stopped, or until the clock reaches `until_s`; the exit code.

        A fault costs one picture; many with no faultless picture of a tick between them end the show,
        so that it is started afresh.
        """
        in_a_row = 0
        while not self._ended(until_s):
            last_tick = self.pulse.tick
            try:
                self.picture()
            except DisplayLost as error:
                logger.error("%s", error)
                return self._finish(EXIT_SCREEN_LOST)
            except Exception as error:  # noqa: BLE001  the show goes on whatever one picture met
                in_a_row += 1
                self._note_fault(error)
                if in_a_row >= FAULTS_IN_A_ROW:
                    logger.error("%d faults in a row: the show ends to be started afresh.", in_a_row)
                    return self._finish(EXIT_FAULTS)
                self._pace()
            else:
                in_a_row = 0 if self.pulse.tick > last_tick else in_a_row
        return self._finish(EXIT_FAULTS if in_a_row else EXIT_DONE)

    def picture(self) -> None:
        """One round of the loop."""
        began_s = self._timer()
        self.canvas.dispatch()
        for size in self.canvas.take_resizes():
            self._resize(size)
        if self.desk is not None:
            self._beside(self.desk.press, self.canvas.take_keys())
        for tick in self.stepper.due():
            self._step(tick)
        stepped_s, now_s = self._timer(), self.clock()
        if self.desk is not None:
            self._beside(self.desk.picture, now_s)
        if self.recorder is not None:
            self._beside(self.recorder.picture, now_s)
        self.canvas.draw(*self.scene.frame(self.stepper.alpha))
        drawn_s = self._timer()
        self.canvas.flip()
        shown_s = self._timer()
        self.frames.add(
            stepped_s - began_s, drawn_s - stepped_s, shown_s - drawn_s, shown_s, self.canvas.gpu_time_s
        )
        self.pulse.pictures += 1
        self.pulse.picture_at_s = shown_s
        self._pace()

    def _beside(self, part: Callable[[Any], None], told: Any) -> bool:
        """Call what stands beside the show, the desk or the sound: its faults cost no picture."""
        try:
            part(told)
        except DisplayLost:
            raise
        except Exception as error:  # noqa: BLE001  visitors get their picture whatever fails here
            self._note_fault(error)
            return False
        return True

    def _step(self, tick: int) -> None:
        """Contacts first: whatever the scene meets, the log has them."""
        light = self._accepted(self.source.poll(tick))
        if light.source == self._light.source and light.alive != self._light.alive:
            kind = "input_back" if light.alive else "input_lost"
            self.log.note(kind, {"source": light.source, "reason": light.reason}, light.at_s)
        self._light = self.pulse.light = light
        if self._closes(self.clock()):
            self._close("closing")
        left_on = self.visits.left_on
        event = self.visits.step(tick, *light.contact)
        if event is not None:
            self._tell(event)
        if left_on is not None and self.visits.left_on is None:
            self._note_left_on(left_on, light.at_s)
        if light.on:
            self._pointing.add(light.x, light.y, self.size)
        if self.sound is not None and light.on != self._sounding and self._beside(self.sound.light, light.on):
            self._sounding = light.on
        self.scene.step(light.on, light.x, light.y)
        self.pulse.tick, self.pulse.tick_at_s = tick, self._timer()

    def _tell(self, event: Event) -> None:
        """The recorder first: its snapshot is of the scene as the visitor found it."""
        if self.visit_recorder is not None:
            self._beside(self.visit_recorder.tell, event)
        if isinstance(event, Started):
            self._begin_visit()
        self._put(event)

    def _begin_visit(self) -> None:
        """Before the log hears of it: what the last visitor left must not be told of this one."""
        self._pointing.begin()
        try:
            self.scene.begin_visit()
        except Exception as error:  # noqa: BLE001  a visit counts more than its measures
            self._note_fault(error)

    def _put(self, event: Event) -> None:
        """Hand an event over with the scene's measures, or without when these fail."""
        measures = None
        try:
            measures = self.scene.measures()
        except Exception as error:  # noqa: BLE001  a visit counts more than its measures
            self._note_fault(error)
        self.log.put(event, measures, None if isinstance(event, Started) else self._pointing.ticks())

    def _note_fault(self, error: Exception) -> None:
        """Tell each kind of fault once, with its trace; count them all."""
        self.pulse.faults += 1
        kind = f"{type(error).__name__}: {error}"
        if kind not in self._told and len(self._told) < MOST_TOLD_FAULTS:
            self._told.add(kind)
            logger.error("A fault was passed over (each kind is told once)", exc_info=error)

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
        """A picture without a side, as of a window put away, changes nothing."""
        if min(size) < 1:
            return
        self.scene.resize(size)
        # A held mouse says nothing until it is moved: its light keeps the place on the wall, too.
        across, down = size[0] / self.size[0], size[1] / self.size[1]
        self._light = replace(self._light, x=self._light.x * across, y=self._light.y * down)
        self.size = size
        self.source.resize(size)

    def _ended(self, until_s: float | None) -> bool:
        if self.canvas.wants_to_quit:
            self.stop("stopped")
        return bool(self._stop_reason) or (until_s is not None and self.clock() >= until_s)

    def _close(self, reason: str) -> None:
        """Close the open session; told twice where one tick made two events."""
        while (event := self.visits.close(self.clock(), reason)) is not None:
            self._tell(event)

    def _note_left_on(self, light: LeftOn, at_s: float) -> None:
        """A light that was on with nobody there is no visit, but it is kept that it was."""
        detail = {"source": light.source, "duration_s": round(max(0.0, at_s - light.since_s), 1)}
        self.log.note("left_on", detail, at_s)

    def _finish(self, code: int) -> int:
        self._close(self._stop_reason or "stopped")
        if self.visits.left_on is not None:
            self._note_left_on(self.visits.left_on, self.clock())
        self.frames.finish()
        if self.pulse.faults:
            logger.warning("%d faults were passed over in all.", self.pulse.faults)
        return code
