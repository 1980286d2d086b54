"""The camera as a process of its own: `python -m controller.inputs.camera_process`.

Standard input: one JSON line {"device": ..., "settings": {...}}. When the input ends, the process
leaves at once, even while a read from the camera hangs. Standard output: see camera_records.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from controller.inputs.camera_capture import CaptureFailed, DevicePictures, FilePictures, Liveness
from controller.inputs.camera_devices import is_video_file
from controller.inputs.camera_records import Kind, Loss, Record, hello
from controller.inputs.camera_settings import CameraSettings
from controller.tracking.follow import Tracker

ORDER_WAIT_S = 10.0
NEXT_PICTURE_S = 0.25
KINDS = {"on": Kind.ON, "off": Kind.OFF}

Write = Callable[[bytes], Any]


class Capture:
    """One run of one camera or file: pictures in, records out."""

    def __init__(
        self,
        device: str,
        settings: CameraSettings,
        write: Write,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.device, self.settings = device, settings
        self._write, self._clock, self._sleep = write, clock, sleep
        self._tracker = Tracker(settings.tracking)
        self._frames = 0
        self._last_s = clock()

    def run(self) -> None:
        """Play or watch until there are no more pictures; the last record says why."""
        try:
            if is_video_file(self.device):
                self._play(FilePictures(self.device))
            else:
                self._watch(DevicePictures(self.device, self.settings, clock=self._clock))
        except CaptureFailed as failure:
            self._send(Record(Kind.LOST, self._last_s, loss=failure.loss, text=str(failure)))

    def _play(self, video: FilePictures) -> None:
        self._opened(video.name, video.size)
        origin_s = self._clock()
        for at_s, picture in video:
            self._sleep(max(0.0, origin_s + at_s - self._clock()))
            self._take(picture, origin_s + at_s)
        self._send(Record(Kind.LOST, self._last_s, loss=Loss.ENDED, text=f"{video.name} has ended"))

    def _watch(self, camera: DevicePictures) -> None:
        self._opened(camera.name, camera.size)
        liveness = Liveness(self.settings.dark_level)
        while not camera.stopped:
            item = camera.next(NEXT_PICTURE_S)
            if item is not None and liveness.is_new(item[1]):
                self._take(item[1], item[0])
        text = f"camera {camera.name} stopped giving pictures"
        self._send(Record(Kind.LOST, self._last_s, loss=Loss.STOPPED, text=text))

    def _take(self, picture: np.ndarray, at_s: float) -> None:
        events = self._tracker.step(picture, at_s)
        self._last_s, self._frames = at_s, self._frames + 1
        switch, detector = self._tracker.switch, self._tracker.detector
        for event in events:
            if event.kind in KINDS:
                self._send(Record(KINDS[event.kind], event.at_s, event.x_px, event.y_px, switch.on))
        self._send(
            Record(
                Kind.FRAME,
                at_s,
                switch.x_px,
                switch.y_px,
                switch.on,
                self._frames,
                detector.ignored,
                detector.restless,
            )
        )

    def _opened(self, name: str, size: tuple[int, int]) -> None:
        self._send(Record(Kind.OPENED, self._clock(), size[0], size[1], text=name))

    def _send(self, record: Record) -> None:
        self._write(record.pack())


def main() -> None:
    """Serve one show over the standard streams until it lets go."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the show gets the same signal and closes our input
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    write = _take_over_output()
    write(hello(time.perf_counter()))
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_lifeline, args=(orders,), name="lifeline", daemon=True).start()
    cv2.setNumThreads(1)
    try:
        order = json.loads(orders.get(timeout=ORDER_WAIT_S))
        settings = CameraSettings(**order["settings"])
        Capture(str(order["device"]), settings, write).run()
    except (queue.Empty, KeyError, TypeError, ValueError, OSError, cv2.error, MemoryError) as error:
        text = f"camera process failed: {type(error).__name__}: {error}".splitlines()[0]
        write(Record(Kind.LOST, time.perf_counter(), loss=Loss.FAULT, text=text).pack())
    os._exit(0)


def _take_over_output() -> Write:
    """Keep the pipe for records and send whatever libraries print to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)

    def write(data: bytes) -> None:
        try:
            while data:
                data = data[os.write(pipe, data) :]
        except BrokenPipeError:
            os._exit(0)

    return write


def _lifeline(orders: queue.SimpleQueue[bytes]) -> None:
    """Pass on the order, then wait for the end of the input, which is the end of the process."""
    order = sys.stdin.buffer.readline()
    if order:
        orders.put(order)
    while sys.stdin.buffer.readline():
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
