"""A scene whose recording is written: all that it is told goes into a row when it has taken it."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from controller.light import LightSample, Reason, Source
from controller.recording.rows import Reading, Resize, Restored, Row, Setting, Visit
from controller.scenes import Beam, Rows, Scene

# What a power cut or a kill costs at most of a light that stays as it is, beside what was not written yet.
REPEATED_TICKS = 60

# on, x and y px, source, alive, reason
_Given = tuple[bool, float, float, Source, bool, Reason]

logger = logging.getLogger(__name__)


class Writer(Protocol):
    """Where the rows go, unchecked: a recording costs no picture. Never waits."""

    def put(self, row: Row | Reading) -> None: ...

    def close(self, tick: int, state: bytes | None) -> bool:
        """The last tick and the scene's snapshot after it, None where that is not to be compared."""


class RecordedScene:
    """Stands for `scene`. What it is told goes to the `writer`, from its opening on or from `begin` to `end`.

    Steps are counted from `tick`, once they are made. `light` gives the sample that a step is made with, for
    what the scene itself is not told of it; with `dated` rows tell when the device saw it. What a fault in
    the scene left half done cannot be told again: the recording then goes on, and its end has no digest.
    """

    def __init__(
        self,
        scene: Scene,
        writer: Writer | None,
        light: Callable[[], LightSample | None],
        tick: int = 0,
        dated: bool = True,
    ) -> None:
        self._scene, self._light, self._dated = scene, light, dated
        self.begin(writer, tick)

    def begin(self, writer: Writer | None, tick: int = 0) -> None:
        """From here on it is another recording, or with no writer none."""
        self._writer, self._tick = writer, tick
        self._given: _Given | None = None
        self._given_tick = tick
        self._comparable = True

    def step(self, on: bool, x: float, y: float) -> None:
        """One tick; a sample unlike the one before is recorded, any other once a second."""
        try:
            self._scene.step(on, x, y)
        except Exception:
            self._cannot_be_compared()
            raise
        if self._writer is not None:
            self._tick += 1
            self._put_light(self._writer, on, x, y)

    def _put_light(self, writer: Writer, on: bool, x: float, y: float) -> None:
        """Of each tick, so it makes no more than a tuple."""
        light = self._light()
        if light is None:
            given: _Given = (bool(on), float(x), float(y), "none", True, "")
        else:
            given = (bool(on), float(x), float(y), light.source, light.alive, light.reason)
        if given != self._given or self._tick - self._given_tick >= REPEATED_TICKS:
            self._given, self._given_tick = given, self._tick
            at_s = light.at_s if self._dated and light is not None else None
            writer.put(Reading(self._tick, *given, at_s))

    def configure(self, name: str, value: Any) -> None:
        """A setting that the scene refuses, by ValueError, is not recorded."""
        with self._faults_seen(refusal=ValueError):
            self._scene.configure(name, value)
        self._put(Setting, setting=name, value=value)

    def resize(self, size: tuple[int, int]) -> None:
        """Another size, px."""
        with self._faults_seen():
            self._scene.resize(size)
        self._put(Resize, size=size)

    @property
    def size(self) -> tuple[int, int]:
        """The scene's own."""
        return self._scene.size

    def begin_visit(self) -> None:
        """A visit began."""
        with self._faults_seen():
            self._scene.begin_visit()
        self._put(Visit, visit=True)

    def restore(self, saved: bytes) -> None:
        """Go on from a snapshot; one that the scene refuses, by ValueError, is not recorded."""
        with self._faults_seen(refusal=ValueError):
            self._scene.restore(saved)
        self._put(Restored, snapshot=base64.b64encode(saved).decode())

    def frame(self, alpha: float) -> tuple[Rows, Beam, Rows]:
        """The scene's own."""
        return self._scene.frame(alpha)

    def measures(self) -> dict[str, float]:
        """The scene's own."""
        return self._scene.measures()

    def snapshot(self) -> bytes:
        """The scene's own."""
        return self._scene.snapshot()

    def end(self) -> bool:
        """Complete the recording and make no other; False when it is not whole."""
        writer, self._writer = self._writer, None
        return writer is None or writer.close(self._tick, self._state())

    def _state(self) -> bytes | None:
        """None where there is nothing to compare with, or the scene cannot tell its state."""
        try:
            return self._scene.snapshot() if self._comparable else None
        except Exception as error:  # noqa: BLE001  whatever the scene meets, the rows are brought to the disk
            logger.warning("The recording cannot be compared: the scene's state cannot be had (%s).", error)
            return None

    def _put(self, kind: type[Row], **content: Any) -> None:
        """A row that counts from the next step on."""
        if self._writer is not None:
            self._writer.put(kind.model_construct(tick=self._tick + 1, **content))

    @contextmanager
    def _faults_seen(self, refusal: type[Exception] | tuple[()] = ()) -> Iterator[None]:
        """Notes a fault of the scene and lets it go on; a `refusal` has changed nothing and is none."""
        try:
            yield
        except refusal:
            raise
        except Exception:
            self._cannot_be_compared()
            raise

    def _cannot_be_compared(self) -> None:
        if self._comparable and self._writer is not None:
            logger.warning("The recording goes on but cannot be compared: the scene met a fault.")
        self._comparable = False
