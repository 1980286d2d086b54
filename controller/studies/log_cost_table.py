"""The figures of `bench log` and their goals, and the table of what was measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from typing import Any

from controller.studies.swarm_cost_laps import Values
from controller.studies.swarm_cost_table import COLUMNS, NONE, OVER, Figure
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


def rows(values: Values) -> Iterator[tuple[str, ...]]:
    """Each figure's cells in the order of the columns."""
    for figure in FIGURES:
        value, note = values[figure.key]
        told = NONE if value is None else figure.told(value)
        yield figure.title, told, figure.goal(), figure.verdict(value), note


def is_over(values: Values) -> bool:
    """Whether any figure that must reach its goal does not."""
    return any(figure.must and figure.verdict(values[figure.key].value) == OVER for figure in FIGURES)


def markdown(values: Values) -> str:
    """The table as it stands in logs/README.md, with the conditions below."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows(values)]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", conditions()])


def as_data(values: Values) -> dict[str, Any]:
    """All of it for `--json`."""
    figures = []
    for figure in FIGURES:
        value, note = values[figure.key]
        row = {"figure": figure.key, "title": figure.title, "measured": value, "unit": figure.unit.strip()}
        row |= {"most": figure.most, "must": figure.must, "is": figure.verdict(value), "in_detail": note}
        figures.append(row)
    return {"conditions": conditions(), "over": is_over(values), "figures": figures}


def conditions() -> str:
    """One line: what it was measured on and with."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    engine = choose()
    return f"{cores} cores, Python {platform.python_version()}, {engine.name}, journal {engine.journal}."
