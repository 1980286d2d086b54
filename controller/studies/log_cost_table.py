"""The figures of `bench log` and their goals, and the conditions they were measured under."""

from __future__ import annotations

from controller.studies.bench_table import Figure, Measured, Values, machine
from logs.engine import choose

FIGURES = (
    Figure("put_cpu_p50", "an event handed over: CPU of the frame thread, median", " us", 1, None),
    Figure("put_cpu_p99", "the same, p99", " us", 1, 20),
    Figure("put_wall_p50", "the same, wall time, median", " us", 1, None),
    Figure("put_wall_p99", "the same, wall time, p99", " us", 1, 20, must=False),
    Figure("durable_p50", "from there until it is safe on the disk, median", " ms", 1, None),
    Figure("durable_p99", "the same, p99", " ms", 1, 50),
    Figure("reader_errors", "errors of log and readers, 5 of them asking", "", 0, 0),
    Figure("reader_ratio", "safe on the disk with these readers: p99, times that alone", " x", 2, 2),
    Figure("today", "the visits of the last day", " ms", 1, 5),
    Figure("any_day", "the visits of any day", " ms", 1, 20),
    Figure("day_list", "all days with count and mean", " ms", 1, 100),
    Figure("median", "the median of all visits", " ms", 1, 100),
    Figure("summary", "the whole of `logs summary`", " ms", 1, 500, must=False),
)


def told(values: Values) -> Measured:
    """What was measured, with its goals."""
    return Measured(FIGURES, values, conditions())


def conditions() -> str:
    """One line: what it was measured on and with."""
    engine = choose()
    return f"{', '.join(machine())}, {engine.name}, journal {engine.journal}."
