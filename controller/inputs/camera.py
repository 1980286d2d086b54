"""The camera as a light: a child process watches, a thread listens, the show polls."""

from __future__ import annotations

import math
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from calibration.profile import CameraProfile
from controller.inputs.camera_backoff import BackOff
from controller.inputs.camera_child import CameraChild, Popen
from controller.inputs.camera_devices import is_video_file, nodes_for
from controller.inputs.camera_records import Kind, Loss, Record
from controller.inputs.camera_settings import CameraSettings
from controller.inputs.inbox import Contact, Inbox
from controller.light import LightSample, Reason, brought_in

LISTEN_S = 0.05
CLOSE_S = 0.45
OTHER_CLOCK_S = 5.0
FINAL = (Loss.ENDED, Loss.NOT_A_VIDEO)  # trying again would play a file twice or fail for ever

Report = Callable[[str], None]


class CameraSource:
    """A LightSource. `poll` never blocks; a lost camera is opened again with growing pauses.

    device: see CameraSettings.device; size: of the screen in px; profile: camera -> screen, else the
    picture is stretched over the screen; report: gets one line at each change of state.
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
        self.device, self.size = device, size
        self.settings = settings or CameraSettings()
        self._profile = profile
        self._fitted: CameraProfile | None = None
        self._misfit: tuple[int, int] | None = None
        self._clock, self._popen, self._report = clock, popen, report
        self._inbox = Inbox("camera", "camera_lost", size[0] / 2, size[1] / 2, clock())
        self._backoff = BackOff(self.settings.retry_first_s, self.settings.retry_most_s)
        self._child: CameraChild | None = None
        self._picture: tuple[int, int] | None = None
        self._name = self._told = ""
        self._final = False
        self._started_s = self._frame_s = self._frame_got_s = clock()
        self._frames = self._starts = self._refused = 0
        self._level = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def poll(self, tick: int) -> LightSample:
        """The light at this tick: waiting ON/OFF first, one a tick, then the newest position."""
        return self._inbox.take(tick)

    def resize(self, size: tuple[int, int]) -> None:
        """The screen has another size now (px)."""
        self.size = size

    def close(self) -> None:
        """End the camera process; returns within 0.5 s whatever it does."""
        self._stop.set()
        self._thread.join(CLOSE_S)

    def state(self) -> dict[str, Any]:
        """Ages in s and counts, for status.json."""
        return {
            "device": self.device,
            "name": self._name,
            "alive": self._inbox.alive,
            "state": self._told,
            "frame_age_s": round(self._clock() - self._frame_got_s, 3) if self._frames else None,
            "sample_age_s": round(self._clock() - self._frame_s, 3) if self._frames else None,
            "picture_size": self._picture,
            "calibrated": self._fitted is not None,
            "frames": self._frames,
            "starts": self._starts,
            "refused_positions": self._refused,
            "merged_contacts": self._inbox.merged,
        }

    def _run(self) -> None:
        while not self._stop.is_set():
            if self._child is not None:
                self._listen(self._child)
            elif self._final or self._clock() < self._backoff.due_s:
                self._stop.wait(LISTEN_S)
            else:
                self._start()
        if self._child is not None:
            self._child.end()

    def _start(self) -> None:
        if not is_video_file(self.device) and not nodes_for(self.device):
            what = (
                "no camera is plugged in" if self.device == "auto" else f"camera {self.device} is not there"
            )
            self._lose(Loss.NOT_THERE, what)
            return
        self._starts += 1
        self._started_s = self._clock()
        try:
            self._child = CameraChild(self.device, self.settings, self._popen)
        except OSError as error:
            self._lose(Loss.FAULT, f"camera process could not be started: {error}")

    def _listen(self, child: CameraChild) -> None:
        for record in child.read(LISTEN_S):
            self._receive(record)
        if self._child is None:
            return
        if child.ended:
            self._lose(Loss.FAULT, f"camera process ended{': ' + child.fault if child.fault else ''}")
        elif self._picture is None and self._clock() - self._started_s > self.settings.opening_s:
            self._lose(Loss.NO_PICTURES, f"camera {self.device} opened, no pictures")
        elif self._picture is not None and self._clock() - self._frame_got_s > self.settings.lost_s:
            self._lose(Loss.STOPPED, f"camera {self._name} gives no new pictures")

    def _receive(self, record: Record) -> None:
        at_s = record.at_s + self._clock_offset_s()
        if record.kind == Kind.OPENED:
            self._name, self._frame_got_s = record.text, self._clock()
            self._fit((int(record.x), int(record.y)))
        elif record.kind == Kind.FRAME:
            self._frame(record, at_s)
        elif record.kind in (Kind.ON, Kind.OFF):
            self._contact(record, at_s)
        elif record.kind == Kind.LOST:
            self._lose(record.loss, record.text)

    def _frame(self, record: Record, at_s: float) -> None:
        self._frames += 1
        self._frame_s, self._frame_got_s = at_s, self._clock()
        if self._backoff.worked(self._frame_got_s):
            self._tell("tracking", f"camera {self._name} gives pictures ({self._words()})")
        self._inbox.revived()
        position = self._place(record) if record.lit else None
        if position is None:
            self._inbox.seen(at_s)
        else:
            self._inbox.contact(Contact(True, at_s, *position))  # its ON came from an impossible place
            self._inbox.move(at_s, *position)

    def _contact(self, record: Record, at_s: float) -> None:
        position = self._place(record)
        if record.kind == Kind.OFF and position is None:
            position = self._inbox.position
        if position is not None:
            reason: Reason = "" if record.kind == Kind.ON else "off"
            self._inbox.contact(Contact(record.kind == Kind.ON, at_s, *position, reason))

    def _place(self, record: Record) -> tuple[float, float] | None:
        """Screen position of a record; None, and counted, when it cannot be one."""
        position = brought_in(*self._to_screen(record.x, record.y), *self.size)
        if position is None:
            self._refused += 1
        return position

    def _to_screen(self, x: float, y: float) -> tuple[float, float]:
        if self._fitted is not None:
            across, down = self._fitted.to_screen(x, y)
            made = self._fitted.screen_size
        elif self._picture is not None:
            across, down = x, y
            made = self._picture
        else:
            return math.nan, math.nan
        scale_x, scale_y = self.size[0] / made[0], self.size[1] / made[1]
        return (across + 0.5) * scale_x - 0.5, (down + 0.5) * scale_y - 0.5

    def _fit(self, picture: tuple[int, int]) -> None:
        self._picture, self._fitted = picture, None
        if self._profile is None:
            return
        try:
            self._fitted = self._profile.rescaled(picture)
        except ValueError as error:
            if picture != self._misfit:
                self._report(f"{error}; until then the picture is stretched over the screen")
            self._misfit = picture

    def _lose(self, loss: Loss, text: str) -> None:
        """Light off at the last picture, child ended, next attempt planned, one line told."""
        self._picture = None
        self._inbox.lost(self._frame_s)
        if self._child is not None:
            self._child.end()
            self._child = None
        self._final = loss in FINAL
        self._backoff.failed(self._clock())
        again = "" if self._final else "; trying again"
        self._tell("ended" if loss == Loss.ENDED else "lost", f"{text}, no light from the camera{again}")

    def _clock_offset_s(self) -> float:
        """0 when the child's clock is ours, as it is on one machine; else what to add to its times."""
        hello_s = self._child.hello_s if self._child is not None else None
        if hello_s is None or abs(hello_s - self._started_s) < OTHER_CLOCK_S:
            return 0.0
        return self._started_s - hello_s

    def _words(self) -> str:
        size = f"{self._picture[0]}x{self._picture[1]}" if self._picture else "size unknown"
        return f"{size}, {'calibrated' if self._fitted else 'not calibrated'}"

    def _tell(self, state: str, line: str) -> None:
        if state != self._told:
            self._told = state
            self._report(line)
