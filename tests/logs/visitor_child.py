"""A small show for the tests to kill: visits flow, each durable entry is told on standard output.

`visitor_child.py DATABASE flow`: for each line with a seed a process of its own, forked with all modules
loaded, in which contacts flow without end; its number is told first, `dead` last. A file `lit_at_s`
beside the database holds the simulated time when the light was last seen, also after a kill.
`visitor_child.py DATABASE lit`: one contact, lit for 20 s of simulated time, then it waits and closes
cleanly on a signal.
`visitor_child.py DATABASE lives JOURNAL SYNCHRONOUS EVENTS`: two shows one after the other, the first closed
cleanly, the second not; each waits for the disk after most of its events. `shipped` leaves
the syncs as they are.
`visitor_child.py DATABASE wait FILE_LIMIT USER`: one contact put at once, as this user and with files
limited to this size where they are not 0; then a line `state` asks for the error, `room` lifts the
limit, the end of the input is the end.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import resource
import signal
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from logs.engine import Engine, choose
from logs.settings import LogSettings
from logs.visits import Event, Visits
from logs.writer import Log


def tell(event: Event, name: str) -> None:
    line = f"{type(event).__name__} {name} {event.duration_s!r}\n"
    os.write(1, line.encode())


def flow(log: Log, seed: int, lit_at_s: ctypes.c_double) -> None:
    """Even seeds run ahead of the disk; odd ones stand still, in simulated time, until it has all."""
    waits = seed % 2 == 1
    settings = LogSettings() if waits else LogSettings(heartbeat_s=0.1)
    chance, visits = random.Random(seed), Visits(settings)
    tick, on, left = 0, False, 1
    while True:
        if left == 0:
            on, left = not on, chance.randint(1, 600 if waits else 60)
        if on:
            lit_at_s.value = tick / 60
        log.put(visits.step(tick, tick / 60, on, chance.random() * 1900, 500, "camera", "" if on else "off"))
        tick, left = tick + 1, left - 1
        while log.state().queue_length > (0 if waits else 5):
            time.sleep(0.001)


def nursery(path: str) -> None:
    """One show a line; forked before it has any thread, so it is as good as a fresh start."""
    lit_at = Path(path).with_name("lit_at_s")
    lit_at.write_bytes(bytes(8))
    with lit_at.open("r+b") as file:
        lit_at_s = ctypes.c_double.from_buffer(mmap.mmap(file.fileno(), 8))
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            flow(open_log(path), int(line), lit_at_s)
        os.write(1, f"pid {number}\n".encode())
        os.waitpid(number, 0)
        os.write(1, b"dead\n")


def lives(path: str, journal: str, synchronous: str, events: int) -> None:
    chance, engine = random.Random(1), _engine(journal, synchronous)
    for last in (False, True):
        log = Log(Path(path), acknowledged=tell, engine=engine)
        visits, tick, written = Visits(LogSettings(hold_camera_s=0.0)), 0, 0
        while written < events:
            event = visits.step(tick, tick / 60, tick // 200 % 2 == 0, chance.random(), 0.5, "camera")
            log.put(event, {"inside": chance.random()})
            tick, written = tick + 1, written + (event is not None)
            while event is not None and chance.random() < 0.9 and log.state().queue_length:
                time.sleep(0.0005)
        while log.state().queue_length:
            time.sleep(0.001)
        if last:
            os._exit(0)
        assert log.stop(20.0)


def _engine(journal: str, synchronous: str) -> Engine:
    """The engine of this machine with another journal, or one that syncs less than it is told to."""
    engine = replace(choose(), journal=journal)
    if synchronous == "shipped":
        return engine

    class Connection(engine.module.Connection):  # type: ignore[misc, name-defined]
        def execute(self, text: str, *values: Any) -> Any:
            return super().execute(
                text.replace("synchronous = EXTRA", f"synchronous = {synchronous}"), *values
            )

    module = ModuleType(engine.module.__name__)
    module.__dict__.update(engine.module.__dict__)
    module.__dict__["connect"] = partial(engine.module.connect, factory=Connection)
    return replace(engine, module=module)


def lit(log: Log) -> None:
    def leave(number: int, frame: object) -> None:
        log.put(visits.close(20.0, "stopped"))
        log.stop(20.0)
        sys.exit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    visits = Visits(LogSettings())
    for tick in range(1201):
        log.put(visits.step(tick, tick / 60, True, 0, 0, "camera"))
        while log.state().queue_length:
            time.sleep(0.001)
    os.write(1, b"lit\n")
    while True:
        signal.pause()


def wait(log: Log) -> None:
    visits = Visits(LogSettings())
    log.put(visits.step(0, 1.0, True, 0, 0, "mouse"))
    log.put(visits.step(1, 8.5, False, 0, 0, "mouse", "off"))
    for line in sys.stdin:
        if line == "state\n":
            while not log.state().error:
                time.sleep(0.01)
            os.write(1, f"{log.state().queue_length} {log.state().error}\n".encode())
        elif line == "room\n":
            _limit_files(resource.RLIM_INFINITY)
    print(log.stop(20.0), flush=True)


def _limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _become(user: int) -> None:
    """Another user may not read this Python's files: load all that a log needs before the change."""
    with tempfile.TemporaryDirectory() as scratch:
        Log(Path(scratch) / "warm.db").stop(20.0)
    os.setgid(user)
    os.setuid(user)


def main(path: str, how: str, *more: str) -> None:
    if how == "wait" and int(more[0]):
        _limit_files(int(more[0]))
    if how == "wait" and int(more[1]):
        _become(int(more[1]))
    if how == "flow":
        nursery(path)
    elif how == "lives":
        lives(path, more[0], more[1], int(more[2]))
    elif how == "lit":
        lit(open_log(path))
    else:
        wait(open_log(path))


def open_log(path: str) -> Log:
    return Log(Path(path), acknowledged=tell, size_px=lambda: (1920.0, 1080.0))


if __name__ == "__main__":
    main(*sys.argv[1:])
