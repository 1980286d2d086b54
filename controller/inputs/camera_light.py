"""The camera's records as the light on the screen: where it is, and whether it can be there."""

from __future__ import annotations

import math
from collections.abc import Callable

from calibration.profile import CameraProfile
from controller.inputs.camera_devices import same_camera
from controller.inputs.camera_records import Kind, Record
from controller.inputs.inbox import Contact, Inbox
from controller.light import Reason, brought_in

Report = Callable[[str], None]


class CameraLight:
    """Fills an inbox from records; it has no clock and no thread.

    size: of the screen in px; profile: camera -> screen, else the picture is stretched over the
    screen; report: gets a line, once each, for what is odd about the calibration.
    """

    def __init__(
        self, size: tuple[int, int], profile: CameraProfile | None, report: Report, at_s: float
    ) -> None:
        self.size = size
        self.inbox = Inbox("camera", "camera_lost", size[0] / 2, size[1] / 2, at_s)
        self.picture: tuple[int, int] | None = None
        self.refused = 0
        self._report = report
        self._profile = profile
        self._fitted: CameraProfile | None = None
        self._reported: set[str] = set()

    @property
    def calibrated(self) -> bool:
        """True while positions come from the calibration."""
        return self._fitted is not None

    def opened(self, picture: tuple[int, int], camera: str | None) -> None:
        """Pictures of this size (px) follow, from the camera of this name, or from a file (None)."""
        self.picture, self._fitted = picture, None
        if self._profile is None:
            return
        if self._profile.verdict != "accepted":
            self._once(
                f"the calibration of camera {self._profile.camera} was refused: run `calibrate camera`;"
                " until then the picture is stretched over the screen"
            )
            return
        try:
            self._fitted = self._profile.rescaled(picture)
        except ValueError as error:
            self._once(f"{error}; until then the picture is stretched over the screen")
            return
        if camera is not None and not same_camera(self._profile.camera, camera):
            self._once(
                f"the calibration was made with camera {self._profile.camera}, but this is {camera}:"
                " it is used all the same; run `calibrate camera` for this one"
            )

    def frame(self, record: Record, at_s: float) -> None:
        """A picture taken at `at_s`."""
        self.inbox.revived()
        position = self._place(record) if record.lit else None
        if position is None:
            self.inbox.seen(at_s)
        else:
            self.inbox.contact(Contact(True, at_s, *position))  # its ON came from an impossible place
            self.inbox.move(at_s, *position)

    def contact(self, record: Record, at_s: float) -> None:
        """The light went on or off at `at_s`."""
        position = self._place(record)
        if record.kind == Kind.OFF and position is None:
            position = self.inbox.position
        if position is not None:
            reason: Reason = "" if record.kind == Kind.ON else "off"
            self.inbox.contact(Contact(record.kind == Kind.ON, at_s, *position, reason))

    def lost(self, at_s: float) -> None:
        """No pictures after `at_s`."""
        self.picture = None
        self.inbox.lost(at_s)

    def words(self) -> str:
        """What the pictures are, for a message."""
        size = f"{self.picture[0]}x{self.picture[1]}" if self.picture else "size unknown"
        return f"{size}, {'calibrated' if self.calibrated else 'not calibrated'}"

    def _place(self, record: Record) -> tuple[float, float] | None:
        """Screen position of a record; None, and counted, when it cannot be one."""
        position = brought_in(*self._to_screen(record.x, record.y), *self.size)
        if position is None:
            self.refused += 1
        return position

    def _to_screen(self, x: float, y: float) -> tuple[float, float]:
        if self._fitted is not None:
            across, down = self._fitted.to_screen(x, y)
            made = self._fitted.screen_size
        elif self.picture is not None:
            across, down = x, y
            made = self.picture
        else:
            return math.nan, math.nan
        scale_x, scale_y = self.size[0] / made[0], self.size[1] / made[1]
        return (across + 0.5) * scale_x - 0.5, (down + 0.5) * scale_y - 0.5

    def _once(self, line: str) -> None:
        if line not in self._reported:
            self._reported.add(line)
            self._report(line)
