"""The show's side of the encoder's process: a thread feeds it, takes its answer and clears up."""

from __future__ import annotations

import json
import logging
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from controller.film.frames import HEAD, Order, partial_of

# About 66 MB at 1920 x 1080; a slower encoder costs pictures of the film, never of the show.
MOST_WAITING = 8
AFTER_THE_KILL_S = 2.0

Pixels = npt.NDArray[np.uint8]

logger = logging.getLogger(__name__)


class EncoderFeed:
    """Hands pictures to its own encoder; `fault` tells why the film ended early, empty while it is well."""

    def __init__(
        self,
        path: Path,
        size_px: tuple[int, int],
        rate_hz: int,
        popen: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen,
    ) -> None:
        self.fault = ""
        width, height = size_px
        self._order = Order(str(path), width - width % 2, height - height % 2, rate_hz)
        self._waiting: queue.Queue[tuple[int, Pixels] | None] = queue.Queue(MOST_WAITING)
        command = [sys.executable, "-m", "controller.film.encoder"]
        # A session of its own: a closed terminal or Ctrl+C must not end the encoder before the film is whole.
        self._child = popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._thread = threading.Thread(target=self._work, name="film", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """No picture waits; one may be on its way to the encoder."""
        return self._waiting.empty()

    def put(self, repeats: int, pixels: Pixels, patience_s: float) -> bool:
        """Hand on uint8 (height, width, 3), to be shown `repeats` times; False when there was no room."""
        try:
            self._waiting.put((repeats, pixels), timeout=patience_s)
        except queue.Full:
            return False
        return True

    def finish(self, patience_s: float) -> None:
        """Have the film completed; the encoder that needs longer than this is given up."""
        deadline_s = time.monotonic() + patience_s
        with suppress(queue.Full):
            self._waiting.put(None, timeout=patience_s)
            self._thread.join(max(0.0, deadline_s - time.monotonic()))
        if self._thread.is_alive():
            self.give_up()

    def give_up(self) -> None:
        """Kill an encoder that does not go on."""
        self.fault = self.fault or "the encoder does not answer; look at the disk and at the machine's load"
        self._child.kill()
        self._thread.join(AFTER_THE_KILL_S)

    def _work(self) -> None:
        try:
            self._feed()
        except OSError as error:
            self.fault = self.fault or f"the encoder ended ({error.strerror}); it may have been killed"
            self._empty()
            self._take_answer()
            logger.warning("The film %s ends here, the show goes on: %s.", self._order.path, self.fault)
        else:
            self._take_answer()
        with suppress(OSError):
            partial_of(self._order.path, self._child.pid).unlink(missing_ok=True)

    def _feed(self) -> None:
        assert self._child.stdin is not None
        with self._child.stdin as pipe:
            pipe.write(json.dumps(self._order._asdict()).encode() + b"\n")
            pipe.flush()
            while (item := self._waiting.get()) is not None:
                repeats, pixels = item
                pipe.write(HEAD.pack(repeats, pixels.shape[1], pixels.shape[0]))
                pipe.write(np.ascontiguousarray(pixels).data)

    def _empty(self) -> None:
        """Let go of what waits, and of whoever waits for room."""
        with suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()

    def _take_answer(self) -> None:
        """Wait for the encoder's end; its own reason is the better one."""
        assert self._child.stdout is not None
        with self._child.stdout as pipe:
            line = pipe.readline()
        code = self._child.wait()
        try:
            answer = json.loads(line or "{}")
        except ValueError:
            answer = {}
        if "fault" in answer:
            self.fault = str(answer["fault"])
        elif "frames" not in answer:
            self.fault = self.fault or f"the encoder ended with {code}; its words stand above"
