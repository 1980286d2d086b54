"""The camera as a light: a child process watches, a thread listens, the show polls."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from calibration.profile import CameraProfile
from controller.inputs.camera_backoff import BackOff
from controller.inputs.camera_child import CameraChild, Popen
from controller.inputs.camera_devices import is_video_file, nodes_for, shown
from controller.inputs.camera_light import CameraLight, Report
from controller.inputs.camera_records import Kind, Loss, Record
from controller.inputs.camera_settings import CameraSettings
from controller.light import LightSample

LISTEN_S = 0.05
CLOSE_S = 0.45
FINAL = (Loss.ENDED, Loss.NOT_A_VIDEO)  # trying again would play a file twice or fail for ever
MOST_TROUBLES = 20


class CameraSource:
    """A LightSource. `poll` never blocks; a lost camera is opened again with growing pauses.

    device: see CameraSettings.device; size: of the screen in px; profile: camera -> screen, else the
    picture is stretched over the screen; report: gets one line at each change of state, and each
    trouble once until the camera is well again. `turns` counts the rounds of its thread.
    """

    def __init__(
        self,
        device: str,
        size: tuple[int, int],
        settings: CameraSettings | None = None,
        profile: CameraProfile | None = None,
        clock: Callable[[], float] = time.perf_counter,
        popen: Popen = subprocess.Popen,
        report: Report = lambda line: None,
    ) -> None:
        self.device = device
        self.settings = settings or CameraSettings()
        self.turns = 0
        self._clock, self._popen, self._report = clock, popen, report
        self._light = CameraLight(size, profile, report, clock())
        self._backoff = BackOff(self.settings.retry_first_s, self.settings.retry_most_s)
        self._child: CameraChild | None = None
        self._name = self._told = self._message = ""
        self._troubles: set[str] = set()
        self._final = False
        self._started_s = self._frame_s = self._frame_got_s = clock()
        self._offset_s: float | None = None
        self._frames = self._starts = self._ignored = 0
        self._restless = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def poll(self, tick: int) -> LightSample:
        """The light at this tick: waiting ON/OFF first, one a tick, then the newest position."""
        return self._light.inbox.take(tick)

    def resize(self, size: tuple[int, int]) -> None:
        """The screen has another size now (px)."""
        self._light.size = size

    def close(self) -> None:
        """End the camera process; returns within 0.5 s whatever it does."""
        self._stop.set()
        self._thread.join(CLOSE_S)

    def state(self) -> dict[str, Any]:
        """Ages in s and counts, for status.json."""
        light = self._light
        return {
            "device": self.device,
            "name": self._name,
            "alive": light.inbox.alive,
            "state": self._told,
            "message": self._message,
            "frame_age_s": round(self._clock() - self._frame_got_s, 3) if self._frames else None,
            "sample_age_s": round(self._clock() - self._frame_s, 3) if self._frames else None,
            "picture_size": light.picture,
            "calibrated": light.calibrated,
            "restless": self._restless,
            "frames": self._frames,
            "starts": self._starts,
            "refused_positions": light.refused,
            "ignored_light_frames": self._ignored,
            "merged_contacts": light.inbox.merged,
        }

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._turn()
            except Exception as error:  # noqa: BLE001  the thread outlives whatever one turn met
                what = " ".join(f"{type(error).__name__}: {error}".split())
                self._lose(Loss.FAULT, f"camera thread met {what}")
            self.turns += 1
        if self._child is not None:
            self._child.end()

    def _turn(self) -> None:
        if self._child is not None:
            self._listen(self._child)
        elif self._final or self._clock() < self._backoff.due_s:
            self._stop.wait(LISTEN_S)
        else:
            self._start()

    def _start(self) -> None:
        if not is_video_file(self.device) and not nodes_for(self.device):
            missing = f"camera {shown(self.device)} is not there"
            self._lose(Loss.NOT_THERE, "no camera is plugged in" if self.device == "auto" else missing)
            return
        self._starts += 1
        self._started_s, self._offset_s = self._clock(), None
        try:
            self._child = CameraChild(self.device, self.settings, self._popen)
        except OSError as error:
            self._lose(Loss.FAULT, f"camera process could not be started: {error}")

    def _listen(self, child: CameraChild) -> None:
        for record in child.read(LISTEN_S):
            self._receive(record, self._child_clock_offset_s(child))
        if self._child is None:
            return
        picture = self._light.picture
        if child.ended:
            self._lose(Loss.FAULT, f"camera process ended{': ' + child.fault if child.fault else ''}")
        elif picture is None and self._clock() - self._started_s > self.settings.opening_s:
            self._lose(Loss.NO_PICTURES, f"camera {shown(self.device)} opened, no pictures")
        elif picture is not None and self._clock() - self._frame_got_s > self.settings.lost_s:
            self._lose(Loss.STOPPED, f"camera {self._name} gives no new pictures")

    def _receive(self, record: Record, offset_s: float) -> None:
        at_s = record.at_s + offset_s
        if record.kind == Kind.OPENED:
            self._name, self._frame_got_s = record.text, self._clock()
            camera = None if is_video_file(self.device) else record.text
            self._light.opened((int(record.x), int(record.y)), camera)
        elif record.kind == Kind.FRAME:
            self._frame(record, at_s)
        elif record.kind in (Kind.ON, Kind.OFF):
            self._light.contact(record, at_s)
        elif record.kind == Kind.LOST:
            self._lose(record.loss, record.text)

    def _frame(self, record: Record, at_s: float) -> None:
        self._frames += 1
        self._frame_s, self._frame_got_s = at_s, self._clock()
        self._ignored, self._restless = record.ignored, record.restless
        if self._backoff.worked(self._frame_got_s):
            self._well(f"camera {self._name} gives pictures ({self._light.words()})")
        self._light.frame(record, at_s)

    def _lose(self, loss: Loss, text: str) -> None:
        """Light off at the last picture, child ended, next attempt planned, one line told."""
        child, self._child = self._child, None
        self._light.lost(self._frame_s)
        self._final = loss in FINAL or (self._frames > 0 and is_video_file(self.device))
        self._backoff.failed(self._clock())
        again = "" if self._final else "; trying again"
        self._trouble("ended" if loss == Loss.ENDED else "lost", f"{text}, no light from the camera{again}")
        if child is not None:
            child.end()

    def _child_clock_offset_s(self, child: CameraChild) -> float:
        """What to add to the child's times: 0 when its hello lies between its start and now on our
        clock, as it does on one machine however slowly the child started."""
        if self._offset_s is None:
            now_s, hello_s = self._clock(), child.hello_s
            ours = hello_s is None or self._started_s <= hello_s <= now_s
            self._offset_s = 0.0 if hello_s is None or ours else now_s - hello_s
        return self._offset_s

    def _well(self, line: str) -> None:
        self._told = "tracking"
        self._troubles.clear()
        if line != self._message:
            self._message = line
            self._report(line)

    def _trouble(self, state: str, line: str) -> None:
        """Keep the newest trouble; tell each once an outage, as a loose plug makes them alternate."""
        self._told, self._message = state, line
        if line not in self._troubles and len(self._troubles) < MOST_TROUBLES:
            self._troubles.add(line)
            self._report(line)
