"""Laps for `bench log`: events put at 60 a second into a real log, alone and beside readers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from controller.studies import log_cost_datasette
from controller.studies.log_cost_reading import DATASETTE, OURS
from logs.settings import LogSettings
from logs.visits import Event, Visits
from logs.writer import Log

EVENT_S = 1 / 60
# As many figures as the swarm gives with each event.
MEASURES = {f"measure_{number}": float(number) for number in range(14)}
READERS = 5
READ = "import sys; from controller.studies.log_cost_reading import ask_on; ask_on(*sys.argv[1:])"


class Lap(NamedTuple):
    """Of each put: wall and CPU time of its thread in us; of each event told as durable: ms until then."""

    wall_us: list[float]
    cpu_us: list[float]
    durable_ms: list[float]
    problems: list[str]


def lap(path: Path, events: int) -> Lap:
    """Put so many events, one in each sixtieth of a second, as the show's frame thread does."""
    told_s: dict[tuple[int, float], float] = {}

    def acknowledge(event: Event, name: str) -> None:
        told_s[(event.number, event.at_s)] = time.perf_counter()

    log, put_s, costs, met = Log(path, acknowledged=acknowledge), {}, [], set()
    while not log.state().open and not log.state().error:
        time.sleep(0.001)
    for event in _events(events):
        began_s = time.perf_counter()
        costs.append(_put(log, event))
        put_s[(event.number, event.at_s)] = began_s
        time.sleep(max(0.0, EVENT_S - (time.perf_counter() - began_s)))
        met.add(log.state().error)
    done = log.stop(60.0)
    state = log.state()
    problems = sorted({*met, state.error, state.warning} - {""})
    if not done:
        problems.append("the log did not end within a minute")
    waits_ms = [(told_s[key] - at_s) * 1e3 for key, at_s in put_s.items() if key in told_s]
    return Lap([wall for wall, _ in costs], [cpu for _, cpu in costs], waits_ms, problems)


def _put(log: Log, event: Event) -> tuple[float, float]:
    cpu_ns, wall_ns = time.thread_time_ns(), time.perf_counter_ns()
    log.put(event, MEASURES)
    wall_us = (time.perf_counter_ns() - wall_ns) / 1e3
    return wall_us, (time.thread_time_ns() - cpu_ns) / 1e3


def _events(count: int) -> Iterator[Event]:
    """Visits of 4 s with a second between them, in simulated time; these take one event a sixtieth."""
    visits, tick, made = Visits(LogSettings(hold_camera_s=0.0)), 0, 0
    began_s = time.perf_counter()
    while made < count:
        lit = tick % 300 < 240
        event = visits.step(tick, began_s + tick / 60, lit, float(tick % 1900), 500.0, "camera")
        tick += 1
        if event is not None:
            made += 1
            yield event


@contextmanager
def readers(path: Path, with_datasette: bool = True) -> Iterator[list[dict[str, Any]]]:
    """Five processes that ask the log while it is written; the list has what each found, at the end.

    The last of them asks a Datasette, where that is installed; else all ask as our commands do.
    """
    programs = [OURS] * READERS
    if with_datasette and log_cost_datasette.version():
        programs[-1] = DATASETTE
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": env}
    found: list[dict[str, Any]] = []
    commands = [[sys.executable, "-c", READ, str(path), program] for program in programs]
    asking = [subprocess.Popen(command, **pipes) for command in commands]  # type: ignore[call-overload]
    try:
        for reader in asking:
            reader.stdout.readline()  # it is ready
        yield found
    finally:
        for reader, program in zip(asking, programs, strict=True):
            told, _ = reader.communicate()
            died = {"program": program, "asked": 0, "errors": [f"a reader died ({program})"]}
            found.append(json.loads(told) if told.startswith("{") else died)
