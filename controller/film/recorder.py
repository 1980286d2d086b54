"""A film of the show: pictures are read back late, given their places in time, and handed to the encoder."""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import click

from controller.film.feed import EncoderFeed, Pixels
from display.errors import DisplayLost

RATE_HZ = 60
# All waiting at the end together: a service is killed 90 s after it was told to stop.
COMPLETION_S = 20.0
# A longer pause than this, a machine asleep for example, is cut out of the film.
LONGEST_STILL = 60 * RATE_HZ

logger = logging.getLogger(__name__)


class RecordedCanvas(Protocol):
    """What the recorder needs of the display."""

    @property
    def framebuffer_size(self) -> tuple[int, int]: ...

    def record_next(self, mark: float) -> None: ...

    def take_recorded(self, wait: bool = False) -> tuple[Pixels, float] | None: ...


class Recorder:
    """Records a canvas into an MP4 file of 60 pictures a second; a place is the number of a picture in it.

    Pictures stand where they stood in time: repeats of the one before replace a late or missing one.
    With `patient` no picture is left out, the show waits for the encoder instead.
    """

    def __init__(
        self,
        path: Path,
        canvas: RecordedCanvas,
        patient: bool = False,
        popen: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
    ) -> None:
        self.path = path
        self._canvas, self._patient = canvas, patient
        self._start_s: float | None = None
        self._held: Pixels | None = None
        self._places = self._filled = 0
        self._asked = self._handed_on = 0
        self._encoder = EncoderFeed(path, canvas.framebuffer_size, RATE_HZ, popen)

    @property
    def left_out(self) -> int:
        """After `close`: pictures of the show that have only a repeat in the film."""
        return self._asked - self._handed_on

    def state(self) -> dict[str, Any]:
        """Plain values for the status; of those `asked` for, not all are `handed_on` yet, or ever."""
        return {
            "path": click.format_filename(self.path),
            "asked": self._asked,
            "handed_on": self._handed_on,
            "fault": self._encoder.fault,
        }

    def picture(self, now_s: float) -> None:
        """Call before each picture is drawn: keeps it, and hands on those that have become ready.

        Of a screen that is faster than the film only the first picture of each place is kept.
        """
        if self._encoder.fault:
            return
        place = self._place(now_s)
        if place >= self._places:
            self._places = place + 1
            self._asked += 1
            self._canvas.record_next(place)
        while self._hand_on(COMPLETION_S if self._patient else 0.0):
            continue

    def close(self) -> bool:
        """Complete the film; False when it could not be written. Takes about COMPLETION_S at most."""
        deadline_s = time.monotonic() + COMPLETION_S
        if not self._encoder.fault:
            self._hand_on_the_rest(deadline_s)
        self._encoder.finish(_left_s(deadline_s))
        if self._encoder.fault:
            logger.error("The film %s was not written: %s.", self.path, self._encoder.fault)
        elif self.left_out:
            logger.warning(
                "%d pictures of the film are repeats: they were not read or not encoded in time.",
                self.left_out,
            )
        return not self._encoder.fault

    def _place(self, now_s: float) -> int:
        if self._start_s is None:
            self._start_s = now_s
        place = round((now_s - self._start_s) * RATE_HZ)
        if place - self._places >= LONGEST_STILL:
            place = self._places
            self._start_s = now_s - place / RATE_HZ
        return place

    def _hand_on(self, patience_s: float, wait: bool = False) -> bool:
        """Take a picture that was read; the one before fills the film up to it. False when there is none."""
        found = self._canvas.take_recorded(wait)
        if found is None:
            return False
        pixels, mark = found
        self._fill(round(mark), patience_s)
        self._held = pixels
        return True

    def _hand_on_the_rest(self, deadline_s: float) -> None:
        try:
            while _left_s(deadline_s) and self._hand_on(_left_s(deadline_s), wait=True):
                continue
        except DisplayLost as error:
            logger.warning("The film ends with the pictures that were read before: %s", error)
        self._fill(self._places, _left_s(deadline_s))

    def _fill(self, end: int, patience_s: float) -> None:
        """The held picture fills the places before `end`; without room the next one fills them too."""
        if self._held is None:
            return
        if self._encoder.put(end - self._filled, self._held, patience_s):
            self._filled = end
            self._handed_on += 1
        elif self._patient:
            self._encoder.give_up()


def _left_s(deadline_s: float) -> float:
    return max(0.0, deadline_s - time.monotonic())
