"""Puts a recording on the screen: the recorded scene at its own pace, without log, light or lock."""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from controller.film.recorder import Recorder
from controller.kernelcache import load_kernels
from controller.recording.fitting import Picture, fitted
from controller.recording.player import Player
from controller.recording.reading import Recording, RecordingError
from controller.scenes import Scene, open_scene
from controller.settings import SECTIONS, Settings
from controller.show import EXIT_DONE, EXIT_PROBLEM, EXIT_SCREEN_LOST
from controller.stage import (
    END_SIGNALS,
    SWITCH_INTERVAL_S,
    Wish,
    display_there,
    film_of,
    pacing,
    save_picture,
)
from controller.stepper import TICKS_PER_S, Stepper
from display.canvas import Canvas, open_canvas
from display.errors import DisplayLost

LAST_PICTURE_TICKS = TICKS_PER_S

logger = logging.getLogger(__name__)


def player_of(recording: Recording, home: Path, say: Callable[[str], None]) -> Player:
    """The recording ready to be played, with its kernels loaded. Raises RecordingError."""
    head = recording.head
    try:
        section = _section(head.scene, head.settings)
    except ValueError as error:
        raise RecordingError(f"{recording.path}, line 1: {error}") from error
    load_kernels(home, head.scene, section, say)
    return Player(recording, scene_of)


def scene_of(name: str, settings: Mapping[str, Any], size: tuple[int, int], seed: int) -> Scene:
    """A scene with a settings section out of JSON. Raises ValueError for one that cannot be."""
    return open_scene(name, _section(name, settings), size, seed)


def _section(name: str, settings: Mapping[str, Any]) -> Any:
    """Settings of a scene out of JSON; what is left out has its default. ValueError says what cannot be."""
    try:
        return SECTIONS[name].model_validate_json(json.dumps(settings), strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in (name, *fault["loc"]))
        raise ValueError(f"settings: {key} = {fault['input']!r:.60}: {fault['msg']}") from error


class Replay:
    """The loop: due ticks out of the recording, pictures at the screen's pace, a last second to look at."""

    def __init__(
        self,
        canvas: Canvas,
        player: Player,
        clock: Callable[[], float],
        pace: Callable[[], None],
        recorder: Recorder | None = None,
    ) -> None:
        self._canvas, self._player, self._clock, self._pace = canvas, player, clock, pace
        self._recorder, self._stepper = recorder, Stepper(clock)
        self._left = LAST_PICTURE_TICKS
        self._stopped = False

    def stop(self) -> None:
        """End after the picture under way; safe to call from a signal handler."""
        self._stopped = True

    def run(self, seconds: float | None = None) -> None:
        """To the end, or for so long. Raises DisplayLost, RecordingError."""
        until_s = None if seconds is None else self._clock() + seconds
        while self._left and not (self._stopped or self._canvas.wants_to_quit):
            if until_s is not None and self._clock() >= until_s:
                break
            self._round()

    def picture(self, alpha: float) -> Picture:
        """The recorded picture as it stands on this screen."""
        return fitted(self._player.frame(alpha), self._player.size, self._canvas.size)

    def _round(self) -> None:
        self._canvas.dispatch()
        self._canvas.take_keys()
        self._canvas.take_resizes()
        for _ in self._stepper.due():
            if self._player.ended:
                self._left = max(0, self._left - 1)
            else:
                self._player.step()
        if self._recorder is not None:
            self._recorder.picture(self._clock())
        self._canvas.draw(*self.picture(1.0 if self._player.ended else self._stepper.alpha))
        self._canvas.flip()
        self._pace()


def run_replay(settings: Settings, player: Player, wish: Wish) -> int:
    """Show a recording; the exit code of the showing, whatever the player's verdict is.

    Raises display.errors.DisplayError when the picture cannot be opened, RecordingError.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    with ExitStack() as parts:
        headless = wish.headless or not display_there(required=False)
        canvas = open_canvas(settings["display"], headless)
        parts.callback(canvas.close)
        clock, rhythm = pacing(canvas, film=wish.film is not None and headless)
        film = film_of(canvas, clock, wish.film)
        replay = Replay(canvas, player, clock, rhythm.wait, film)
        for number in END_SIGNALS:
            signal.signal(number, lambda *_: replay.stop())
        try:
            replay.run(wish.seconds)
            code = EXIT_DONE
            if wish.snapshot is not None:
                code = save_picture(canvas, replay.picture(1.0), wish.snapshot)
        except DisplayLost as error:
            logger.error("%s", error)
            code = EXIT_SCREEN_LOST
        if film is not None and not film.close():
            code = code or EXIT_PROBLEM
        return code
