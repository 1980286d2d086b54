"""The tracker alone: pictures in, ON, OFF, MOVE and SPOT out."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from calibration.profile import CameraProfile
from controller.tracking.detector import Detector
from controller.tracking.settings import TrackingSettings
from controller.tracking.switch import Change, Switch

Kind = Literal["on", "off", "move", "spot"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event:
    """What the tracker saw: `at_s` on the clock of the frames, position in camera px."""

    kind: Kind
    at_s: float
    x_px: float
    y_px: float


class Tracker:
    """Detector and switch as one: what `run`'s camera process and `track` both use."""

    def __init__(self, settings: TrackingSettings) -> None:
        self.detector = Detector(settings)
        self.switch = Switch(settings)
        self._last_s = 0.0

    def step(self, picture: np.ndarray, at_s: float) -> list[Event]:
        """Events of one uint8 picture: a confirmed spot first, then the switch, then the move."""
        self._last_s = at_s
        spot = self.detector.step(picture, at_s)
        if spot is None:
            change = self.switch.step(at_s, 0.0, 0.0, 0.0)
            return [_event(change)] if change else []
        change = self.switch.step(at_s, spot.level, spot.x_px, spot.y_px)
        events = [Event("spot", at_s, spot.x_px, spot.y_px)] if spot.fresh else []
        if change:
            events.append(_event(change))
        return [*events, Event("move", at_s, spot.x_px, spot.y_px)]

    def end(self) -> list[Event]:
        """No more pictures: a light that is on goes off at the last one."""
        change = self.switch.force_off(self._last_s)
        return [_event(change)] if change else []


class Placed:
    """Events at their place on the screen. Where the calibration has no place (its horizon), moves and
    spots are left out; the ON waits for the first place, the OFF takes the last one: they stay pairs.
    """

    def __init__(self, profile: CameraProfile) -> None:
        self._profile = profile
        self._last: Event | None = None  # of the light that was told to be on
        self._lit = False
        self._warned = False

    def step(self, event: Event) -> list[Event]:
        """What is told instead of this event, in screen px."""
        x, y = self._profile.to_screen(event.x_px, event.y_px)
        if not (math.isfinite(x) and math.isfinite(y)):
            self._warn()
            return self._without_place(event)
        event = replace(event, x_px=x, y_px=y)
        if event.kind == "off":
            return self._off(event)
        self._lit = self._lit or event.kind == "on"
        late = self._lit and self._last is None and event.kind != "on"
        if self._lit:
            self._last = event
        return [replace(event, kind="on"), event] if late else [event]

    def _without_place(self, event: Event) -> list[Event]:
        if event.kind == "on":
            self._lit = True
        if event.kind == "off" and self._last is not None:
            return self._off(replace(self._last, kind="off", at_s=event.at_s))
        self._lit = self._lit and event.kind != "off"
        return []

    def _off(self, event: Event) -> list[Event]:
        told = self._last is not None
        self._last, self._lit = None, False
        return [event] if told else []

    def _warn(self) -> None:
        if not self._warned:
            logger.warning(
                "A light is on the horizon of the calibration, at no place of the screen: left out."
            )
        self._warned = True


def track(
    source: Iterable[tuple[float, np.ndarray]],
    settings: TrackingSettings,
    profile: CameraProfile | None = None,
    moves: bool = False,
    spots: bool = False,
) -> Iterator[dict[str, Any]]:
    """Events of `source` (seconds, uint8 picture) as plain dicts: kind, time (s), x, y.

    Positions are camera px, or screen px when a profile is given (rescaled to the pictures).
    ValueError when their shape does not agree with it, or when it was refused.
    """
    wanted = {"on", "off"} | ({"move"} if moves else set()) | ({"spot"} if spots else set())
    events = _events(source, settings, profile)
    yield from (_plain(event) for event in events if event.kind in wanted)


def _events(
    source: Iterable[tuple[float, np.ndarray]], settings: TrackingSettings, profile: CameraProfile | None
) -> Iterator[Event]:
    if profile is not None and profile.verdict != "accepted":
        raise ValueError(f"calibration of camera {profile.camera} was refused: run `calibrate camera` again")
    tracker = Tracker(settings)
    placed: Placed | None = None
    for at_s, picture in source:
        if profile is not None and placed is None:
            placed = Placed(profile.rescaled((picture.shape[1], picture.shape[0])))
        for event in tracker.step(picture, at_s):
            yield from [event] if placed is None else placed.step(event)
    for event in tracker.end():
        yield from [event] if placed is None else placed.step(event)


def _event(change: Change) -> Event:
    return Event("on" if change.on else "off", change.at_s, change.x_px, change.y_px)


def _plain(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "time": round(event.at_s, 4),
        "x": round(event.x_px, 2),
        "y": round(event.y_px, 2),
    }
