"""A film of the show: pictures are read back late, handed to a thread, and encoded by another process."""

from __future__ import annotations

import json
import logging
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from controller.recording.frames import HEAD, Order

RATE_HZ = 60
# About 50 MB at 1920 x 1080; a slower encoder costs pictures of the film, never of the show.
MOST_WAITING = 8
COMPLETION_S = 30.0
# A longer pause than this, a machine asleep for example, is cut out of the film.
LONGEST_STILL = 60 * RATE_HZ

Pixels = npt.NDArray[np.uint8]

logger = logging.getLogger(__name__)


class RecordedCanvas(Protocol):
    """What the recorder needs of the display."""

    @property
    def framebuffer_size(self) -> tuple[int, int]: ...

    def record_next(self, mark: float) -> None: ...

    def take_recorded(self, wait: bool = False) -> tuple[Pixels, float] | None: ...


class Recorder:
    """Records each picture of a canvas into an MP4 file of 60 pictures a second.

    Pictures stand where they stood in time: a late one is preceded by repeats of the one before it.
    With `patient` no picture is left out, the show waits for the encoder instead.
    """

    def __init__(
        self,
        path: Path,
        canvas: RecordedCanvas,
        patient: bool = False,
        popen: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
    ) -> None:
        self.path, self.fault = path, ""
        self.left_out = 0
        self._canvas, self._patient = canvas, patient
        self._start_s: float | None = None
        self._held: Pixels | None = None
        self._filled = 0
        self._waiting: queue.Queue[tuple[int, Pixels] | None] = queue.Queue(MOST_WAITING)
        command = [sys.executable, "-m", "controller.recording.encoder"]
        self._child = popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._thread = threading.Thread(target=self._feed, name="film", daemon=True)
        self._thread.start()

    def picture(self, now_s: float) -> None:
        """Call before each picture is drawn: keeps it, and hands on those that have become ready."""
        if not self.fault:
            self._canvas.record_next(now_s)
            self._hand_on(wait=False)

    def close(self) -> bool:
        """Complete the film, waiting for the encoder; False when it could not be written."""
        if not self.fault:
            self._hand_on(wait=True)
        if self._held is not None:
            self._put(1, self._held, patient=True)
        self._waiting.put(None)
        self._thread.join(COMPLETION_S)
        self._read_answer()
        if self.fault:
            logger.error("The film %s was not written: %s.", self.path, self.fault)
        elif self.left_out:
            logger.warning("%d pictures of the film are repeats: the encoder was too slow.", self.left_out)
        return not self.fault

    def _hand_on(self, wait: bool) -> None:
        while (found := self._canvas.take_recorded(wait)) is not None:
            pixels, at_s = found
            if self._start_s is None:
                self._start_s = at_s
            elif self._held is not None:
                self._fill(self._held, at_s, self._start_s)
            self._held = pixels

    def _fill(self, held: Pixels, at_s: float, start_s: float) -> None:
        """The held picture fills the film's places up to that of `at_s`."""
        repeats = round((at_s - start_s) * RATE_HZ) - self._filled
        if repeats > LONGEST_STILL:
            self._start_s = start_s + (repeats - 1) / RATE_HZ
            repeats = 1
        if repeats > 0:
            self._put(repeats, held, self._patient)

    def _put(self, repeats: int, pixels: Pixels, patient: bool) -> None:
        """Hand a picture on; where there is no room the next one fills its places too."""
        try:
            self._waiting.put((repeats, pixels), block=patient, timeout=COMPLETION_S)
            self._filled += repeats
        except queue.Full:
            self.left_out += 1

    def _feed(self) -> None:
        width, height = self._canvas.framebuffer_size
        order = Order(str(self.path), width - width % 2, height - height % 2, RATE_HZ)
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(order._asdict()).encode() + b"\n")
            while (item := self._waiting.get()) is not None:
                repeats, pixels = item
                self._child.stdin.write(HEAD.pack(repeats, pixels.shape[1], pixels.shape[0]))
                self._child.stdin.write(np.ascontiguousarray(pixels).data)
            self._child.stdin.close()
        except OSError as error:
            self.fault = f"the encoder ended ({error.strerror})"
            logger.warning("The film %s ends here, the show goes on: %s.", self.path, self.fault)
            while self._waiting.get() is not None:
                continue

    def _read_answer(self) -> None:
        assert self._child.stdout is not None
        try:
            self._child.wait(COMPLETION_S)
            answer: dict[str, Any] = json.loads(self._child.stdout.readline() or "{}")
        except (subprocess.TimeoutExpired, ValueError) as error:
            self._child.kill()
            answer = {"fault": f"the encoder does not answer ({error})"}
        self.fault = str(answer.get("fault", "")) or self.fault
        self._child.stdout.close()
        if not self.fault and "frames" not in answer:
            self.fault = f"the encoder ended with {self._child.returncode}"
