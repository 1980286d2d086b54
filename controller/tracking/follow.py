"""The tracker alone: pictures in, ON, OFF, MOVE and SPOT out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from calibration.profile import CameraProfile
from controller.tracking.detector import Detector
from controller.tracking.settings import TrackingSettings
from controller.tracking.switch import Change, Switch

Kind = Literal["on", "off", "move", "spot"]


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

    def configure(self, settings: TrackingSettings) -> None:
        """Go on with other thresholds; what was learned of the scene stays."""
        self.detector.settings = self.switch.settings = settings
        self.detector.background.time_constant_s = settings.background_s

    def end(self) -> list[Event]:
        """No more pictures: a light that is on goes off at the last one."""
        change = self.switch.force_off(self._last_s)
        return [_event(change)] if change else []


def track(
    source: Iterable[tuple[float, np.ndarray]],
    settings: TrackingSettings,
    profile: CameraProfile | None = None,
    moves: bool = False,
    spots: bool = False,
) -> Iterator[dict[str, Any]]:
    """Events of `source` (seconds, uint8 picture) as plain dicts: kind, time (s), x, y.

    Positions are camera px, or screen px when a profile is given (rescaled to the pictures;
    ValueError when their shape does not agree with it).
    """
    wanted = {"on", "off"} | ({"move"} if moves else set()) | ({"spot"} if spots else set())
    tracker = Tracker(settings)
    fitted: CameraProfile | None = None
    for at_s, picture in source:
        if profile is not None and fitted is None:
            fitted = profile.rescaled((picture.shape[1], picture.shape[0]))
        yield from (_plain(event, fitted) for event in tracker.step(picture, at_s) if event.kind in wanted)
    yield from (_plain(event, fitted) for event in tracker.end())


def _event(change: Change) -> Event:
    return Event("on" if change.on else "off", change.at_s, change.x_px, change.y_px)


def _plain(event: Event, profile: CameraProfile | None) -> dict[str, Any]:
    x, y = (event.x_px, event.y_px) if profile is None else profile.to_screen(event.x_px, event.y_px)
    return {"kind": event.kind, "time": round(event.at_s, 4), "x": round(x, 2), "y": round(y, 2)}
