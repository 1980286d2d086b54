"""The show's end of the camera process: starts it, reads its records, ends it. Never waits long."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.inputs.camera_records import BadHello, Decoder, Record
from controller.inputs.camera_settings import CameraSettings

READ_BYTES = 65536
END_WAIT_S = 0.25

Popen = Callable[..., Any]


class CameraChild:
    """One camera process. `ended` when its output closed, `fault` when it does not speak our language."""

    def __init__(self, device: str, settings: CameraSettings, popen: Popen = subprocess.Popen) -> None:
        self.ended = False
        self.fault = ""
        self._decoder = Decoder()
        self._process = popen(
            [sys.executable, "-m", "controller.inputs.camera_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            bufsize=0,
            start_new_session=True,  # Ctrl+C or a closed terminal: the show ends the visit, then this process
        )
        with contextlib.suppress(OSError):  # a child that is gone is found out by the next read
            order = {"device": device, "settings": settings.model_dump()}
            self._process.stdin.write(json.dumps(order).encode() + b"\n")

    @property
    def hello_s(self) -> float | None:
        """The child's clock at its start, once it has said hello."""
        return self._decoder.hello_s

    def read(self, timeout_s: float) -> list[Record]:
        """Records that came within the time; sets `ended` or `fault` instead of raising."""
        pipe = self._process.stdout.fileno()
        if not select.select([pipe], [], [], timeout_s)[0]:
            return []
        data = os.read(pipe, READ_BYTES)
        if not data:
            self.ended = True
            return []
        try:
            return self._decoder.feed(data)
        except BadHello as error:
            self.ended, self.fault = True, str(error)
            return []

    def end(self) -> None:
        """Close its input, which makes it leave; kill it when it does not."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(END_WAIT_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(subprocess.TimeoutExpired, OSError):
                self._process.kill()
                self._process.wait(END_WAIT_S)
        with contextlib.suppress(OSError):
            self._process.stdout.close()


def _environment() -> dict[str, str]:
    """Ours, with the place of these packages first on the path: we may run without being installed."""
    here = str(Path(__file__).parents[2])
    others = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{others}" if others else here}
