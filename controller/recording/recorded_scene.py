"""A scene whose recording is written: all that it is told goes into a row, and on to the scene itself."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any, Protocol

from controller.light import LightSample
from controller.recording.rows import End, Resize, Restored, Row, Sample, Setting, Visit
from controller.scenes import Beam, Rows, Scene


class Writer(Protocol):
    """Where the rows go; never waits."""

    def put(self, row: Row) -> None: ...

    def close(self, end: End) -> bool: ...


class RecordedScene:
    """Stands for `scene` from its opening on. Steps are counted from `tick`, what failed is counted too.

    `light` gives the sample that a step is made with, for what the scene itself is not told of it.
    """

    def __init__(
        self, scene: Scene, writer: Writer, light: Callable[[], LightSample | None], tick: int = 0
    ) -> None:
        self._scene, self._writer, self._light, self._tick = scene, writer, light, tick
        self._given: tuple[Any, ...] = ()

    def step(self, on: bool, x: float, y: float) -> None:
        """One tick; a sample unlike the one before is recorded."""
        self._tick += 1
        light = self._light()
        device = ("none", True, "") if light is None else (light.source, light.alive, light.reason)
        given = (bool(on), float(x), float(y), *device)
        if given != self._given:
            self._given = given
            self._writer.put(_sample(self._tick, given, None if light is None else light.at_s))
        self._scene.step(on, x, y)

    def configure(self, name: str, value: Any) -> None:
        """A setting that the scene refuses, by ValueError, is not recorded."""
        self._scene.configure(name, value)
        self._writer.put(Setting(tick=self._tick + 1, setting=name, value=value))

    def resize(self, size: tuple[int, int]) -> None:
        """Another size, px."""
        self._writer.put(Resize(tick=self._tick + 1, size=size))
        self._scene.resize(size)

    def begin_visit(self) -> None:
        """A visit began."""
        self._writer.put(Visit(tick=self._tick + 1, visit=True))
        self._scene.begin_visit()

    def restore(self, saved: bytes) -> None:
        """Go on from a snapshot."""
        self._scene.restore(saved)
        self._writer.put(Restored(tick=self._tick + 1, snapshot=base64.b64encode(saved).decode()))

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
        """Complete the recording; False when it is not whole."""
        return self._writer.close(End(tick=self._tick, end=True, sha256=digest(self._scene)))


def digest(scene: Scene) -> str:
    """The SHA-256 of all of a scene's state, as hexadecimal digits."""
    return hashlib.sha256(scene.snapshot()).hexdigest()


def _sample(tick: int, given: tuple[Any, ...], at_s: float | None) -> Sample:
    """Unchecked: whatever stands in it, a recording costs no picture."""
    names = ("on", "x", "y", "source", "alive", "reason")
    return Sample.model_construct(tick=tick, **dict(zip(names, given, strict=True)), at_s=at_s)
