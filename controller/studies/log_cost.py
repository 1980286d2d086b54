"""What the log costs the show, how soon an event is safe, readers beside it, a large log: for `bench log`."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from controller.studies.bench_table import Value, Values
from controller.studies.log_cost_datasette import version
from controller.studies.log_cost_reading import DATASETTE, TRIES, ask_all, build
from controller.studies.log_cost_writing import Lap, lap, readers


class Effort(NamedTuple):
    """How much to measure: events a lap, laps alone and with readers in turn, sessions, times asked."""

    events: int
    laps: int
    old_sessions: int
    sessions: int
    repeats: int


FULL = Effort(600, 3, 10_000, 1_000_000, 21)
QUICK = Effort(120, 1, 2_000, 20_000, 5)


def measured(effort: Effort, home: Path) -> Values:
    """All figures, on the disk of this home, in a folder that is removed again."""
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-log-", dir=home) as name:
        folder = Path(name)
        return {**written(effort, folder / "written.db"), **asked(effort, folder / "asked.db")}


def written(effort: Effort, path: Path) -> Values:
    """The figures of writing; laps alone and with readers take turns, so that both meet the same disk."""
    build(path, effort.old_sessions)
    alone: list[Lap] = []
    beside: list[Lap] = []
    errors: list[str] = []
    asked: Counter[str] = Counter()
    for _ in range(effort.laps):
        alone.append(lap(path, effort.events))
        with readers(path) as found:
            beside.append(lap(path, effort.events))
        for reader in found:
            asked[reader["program"]] += reader["asked"]
        errors += [error for reader in found for error in reader["errors"]]
    errors += [problem for each in (*alone, *beside) for problem in each.problems]
    wall_us, cpu_us = ([us for one in alone for us in getattr(one, what)] for what in ("wall_us", "cpu_us"))
    durable_ms = [ms for one in alone for ms in one.durable_ms]
    # A lap in which the machine was busy with something else must not decide.
    p99_ms, beside_ms = (
        float(np.median([_p(99, one.durable_ms) for one in laps])) for laps in (alone, beside)
    )
    return {
        "put_cpu_p50": Value(_p(50, cpu_us)),
        "put_cpu_p99": Value(_p(99, cpu_us), f"{len(cpu_us)} puts, 60 a second"),
        "put_wall_p50": Value(_p(50, wall_us)),
        "put_wall_p99": Value(_p(99, wall_us), f"most {max(wall_us):.0f} us"),
        "durable_p50": Value(_p(50, durable_ms)),
        "durable_p99": Value(_p(99, durable_ms), f"most {max(durable_ms):.0f} ms"),
        "reader_errors": Value(float(len(errors)), errors[0] if errors else _who_asked(asked)),
        "reader_ratio": Value(beside_ms / p99_ms, f"{beside_ms:.1f} for {p99_ms:.1f} ms, of the median lap"),
    }


def asked(effort: Effort, path: Path) -> Values:
    """The figures of reading a large log."""
    build(path, effort.sessions)
    size = f"{effort.sessions} sessions, {path.stat().st_size / 1e6:.0f} MB"
    found = ask_all(path, effort.sessions, effort.repeats)
    notes = {"today": size, "any_day": f"the slowest of {effort.repeats}, each the best of {TRIES} times"}
    return {
        key: Value(max(ms) if key == "any_day" else _p(50, ms), notes.get(key, ""))
        for key, ms in found.items()
    }


def _who_asked(asked: Counter[str]) -> str:
    if DATASETTE not in asked:
        return f"{asked.total()} questions asked, none by Datasette: it is not installed"
    return f"{asked.total()} questions asked, {asked[DATASETTE]} of them by Datasette {version()}"


def _p(percent: int, values: Sequence[float]) -> float:
    return float(np.percentile(values, percent))
