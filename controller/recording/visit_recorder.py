"""A recording of each visit, from its ON to its end: what the frame thread does for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from pydantic import BaseModel

from controller.light import LightSample
from controller.recording.recorded_scene import RecordedScene
from controller.recording.visit_writing import Begun, VisitWriting
from controller.scenes import Scene
from logs.visits import Ended, Event, Started


class VisitRecorder:
    """Told each event of the visits before the scene is; `scene` is to stand for the one that is recorded.

    `settings` gives the scene's section in force, which nobody changes afterwards.
    """

    def __init__(
        self,
        scene: Scene,
        writing: VisitWriting,
        settings: Callable[[], BaseModel],
        light: Callable[[], LightSample | None],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.scene = RecordedScene(scene, None, light, dated=False)
        self._writing, self._settings, self._wall = writing, settings, wall

    def tell(self, event: Event) -> None:
        """Begin or end a recording. Raises whatever the scene raises instead of a snapshot."""
        if isinstance(event, Started):
            snapshot = self.scene.snapshot()
            begun = Begun(event, self._wall(), snapshot, self._settings(), self.scene.size)
            if self._writing.begin(begun):
                self.scene.begin(self._writing)
        elif isinstance(event, Ended):
            self.scene.end()
