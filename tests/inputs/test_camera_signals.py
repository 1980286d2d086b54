"""The camera's process when the show is told to end: it stays until the show has closed the visit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from controller.inputs.camera_records import Decoder, Kind, Record
from controller.inputs.camera_settings import CameraSettings

PATIENCE_S = 30.0
ENDINGS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
CLIP = Path("tracking", "c920_close_red.mp4")

# A show in its terminal: all three signals reach its whole group, while the child's libraries load.
IN_ITS_TERMINAL = """
import os, signal, sys
from controller.inputs.camera_child import CameraChild
from controller.inputs.camera_records import Kind
from controller.inputs.camera_settings import CameraSettings
endings = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
for number in endings:
    signal.signal(number, lambda *_: None)
child = CameraChild(sys.argv[1], CameraSettings())
pictures = 0
for number in endings:
    os.killpg(0, number)
while pictures < 5 and not child.ended:
    pictures += sum(record.kind == Kind.FRAME for record in child.read(1.0))
print(child.ended, pictures >= 5)
child.end()
"""


def test_a_terminal_that_is_closed_does_not_end_the_camera_before_the_show(
    cases: Path, checkout: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_ITS_TERMINAL, str(cases / CLIP)],
        cwd=checkout,
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stdout.split() == ["False", "True"]


def test_signals_to_the_camera_process_itself_are_for_the_show(cases: Path, checkout: Path) -> None:
    """A service that is stopped sends SIGTERM to each of its processes; the end of the input is the end."""
    child = subprocess.Popen(
        [sys.executable, "-m", "controller.inputs.camera_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=checkout,
    )
    assert child.stdin
    assert child.stdout
    order = {"device": str(cases / CLIP), "settings": CameraSettings().model_dump()}
    child.stdin.write(json.dumps(order).encode() + b"\n")
    child.stdin.flush()
    decoder = Decoder()
    for number in (None, *ENDINGS):
        if number is not None:
            child.send_signal(number)
        records: list[Record] = []
        while not any(record.kind == Kind.FRAME for record in records):
            data = os.read(child.stdout.fileno(), 4096)
            assert data, f"the camera process ended after {number!r}"
            records += decoder.feed(data)
    child.stdin.close()
    assert child.wait(PATIENCE_S) == 0
