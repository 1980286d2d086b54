"""A recording played again: the scene is opened as it was and told the same in the same order."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from controller.recording.reading import Recording, RecordingError
from controller.recording.rows import NewScene, Resize, Restored, Row, Sample, Setting, Visit, digest
from controller.scenes import Beam, Rows, Scene

# (name, settings section as plain values, size px, seed); ValueError says what cannot be.
OpenScene = Callable[[str, Mapping[str, Any], tuple[int, int], int], Scene]


@dataclass(frozen=True)
class Verdict:
    """What a replay came to: the scene's digest after the last step, beside the recorded one ("": none)."""

    digest: str
    recorded_digest: str

    @property
    def agrees(self) -> bool | None:
        """None where the recording has nothing to compare with."""
        return self.digest == self.recorded_digest if self.recorded_digest else None


class Player:
    """`step` makes one tick of the recording. Raises RecordingError for what the scene refuses."""

    def __init__(self, recording: Recording, open_scene: OpenScene) -> None:
        self.recording = recording
        head = recording.head
        self.tick, self._open = head.tick, open_scene
        self._rows = recording.rows()
        self._next = next(self._rows, None)
        self.scene = self._opened(head.scene, head.settings, head.size)
        self._light = (False, self.size[0] / 2, self.size[1] / 2)
        if head.snapshot is not None:
            self._do(Restored(tick=head.tick, snapshot=head.snapshot))
            self._light = self._light_of_scene()

    @property
    def size(self) -> tuple[int, int]:
        """The recorded one at this moment, px."""
        return self.scene.size

    @property
    def ended(self) -> bool:
        """All steps were made."""
        return self.tick >= self.recording.last_tick

    @property
    def ticks(self) -> int:
        """How many steps were made."""
        return self.tick - self.recording.head.tick

    def step(self) -> None:
        """The rows of the next tick, then the tick itself."""
        self.tick += 1
        self._do_rows(self.tick)
        self.scene.step(*self._light)

    def frame(self, alpha: float) -> tuple[Rows, Beam, Rows]:
        """The scene's picture, in px of the recorded size."""
        return self.scene.frame(alpha)

    def _light_of_scene(self) -> tuple[bool, float, float]:
        """As it is in the scene: it stays so until a row says otherwise."""
        x, y, _, strength = self.scene.frame(1.0)[1]
        return strength > 0.0, x, y

    def verdict(self) -> Verdict:
        """After the last step: whether the scene came to where it was."""
        self._do_rows(self.tick + 1)
        return Verdict(digest(self.scene.snapshot()), self.recording.digest)

    def _do_rows(self, tick: int) -> None:
        while self._next is not None and self._next.tick <= tick:
            self._do(self._next)
            self._next = next(self._rows, None)

    def _do(self, row: Row) -> None:
        try:
            self._tell(row)
        except RecordingError:
            raise
        except ValueError as error:
            what = row.model_dump_json(exclude={"tick"})
            raise RecordingError(
                f"{self.recording.path}: the scene refuses {what:.80} at tick {row.tick}: {_reason(error)}"
            ) from error

    def _tell(self, row: Row) -> None:
        match row:
            case Sample():
                self._light = row.on, row.x, row.y
            case Setting():
                self.scene.configure(row.setting, row.value)  # type: ignore[arg-type]
            case Resize():
                self.scene.resize(row.size)
            case Visit():
                self.scene.begin_visit()
            case NewScene():
                self.scene = self._opened(row.scene, row.settings, self.size)
            case Restored():
                self.scene.restore(base64.b64decode(row.snapshot, validate=True))

    def _opened(self, name: str, settings: Mapping[str, Any], size: tuple[int, int]) -> Scene:
        try:
            return self._open(name, settings, size, self.recording.head.seed)
        except ValueError as error:
            raise RecordingError(f"{self.recording.path}: settings of {name}: {error}") from error


def _reason(error: ValueError) -> str:
    """In one line; of several faults the first."""
    return error.errors(include_url=False)[0]["msg"] if isinstance(error, ValidationError) else str(error)
