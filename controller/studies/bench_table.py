"""A bench's figures with their goals, as rows, as the table of a README, and as data."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from typing import Any, NamedTuple

COLUMNS = ("figure", "measured", "goal", "is", "in detail")
OK, OVER, NONE = "ok", "over", "–"


class Figure(NamedTuple):
    """A row: its key and words, its unit and digits, the most that it should be (None: told only)."""

    key: str
    title: str
    unit: str
    digits: int
    most: float | None
    # Whether the bench finds a problem when it is more.
    must: bool = True

    def told(self, value: float) -> str:
        """The value in its unit."""
        return f"{value:.{self.digits}f}{self.unit}"

    def goal(self) -> str:
        """What it should be."""
        if self.most is None:
            return ""
        return f"{'≤' if self.must else 'aim'} {self.most:g}{self.unit}"

    def verdict(self, value: float | None) -> str:
        """Whether the goal is reached; what could not be measured is neither."""
        if value is None or self.most is None:
            return NONE if value is None else ""
        return OK if value <= self.most else OVER


class Value(NamedTuple):
    """What was measured for a figure, and what to know about it; None: it could not be."""

    value: float | None
    note: str = ""


Values = dict[str, Value]


class Measured(NamedTuple):
    """What was measured, by the figures' keys, and the conditions in a line."""

    figures: tuple[Figure, ...]
    values: Values
    conditions: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The heads of the columns."""
        return COLUMNS

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Each figure's cells in the order of COLUMNS."""
        for figure in self.figures:
            value, note = self.values[figure.key]
            told = NONE if value is None else figure.told(value)
            yield figure.title, told, figure.goal(), figure.verdict(value), note

    @property
    def is_over(self) -> bool:
        """Whether any figure that must reach its goal does not."""
        return any(
            figure.must and figure.verdict(self.values[figure.key].value) == OVER for figure in self.figures
        )

    def markdown(self) -> str:
        """The table as it stands in a README, with the conditions below."""
        lines = [COLUMNS, ("---",) * len(COLUMNS), *self.rows()]
        return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", self.conditions])

    def as_data(self) -> dict[str, Any]:
        """All of it for `--json`."""
        figures = []
        for figure in self.figures:
            value, note = self.values[figure.key]
            row = {"figure": figure.key, "title": figure.title, "measured": value}
            row |= {"unit": figure.unit.strip(), "most": figure.most, "must": figure.must}
            row |= {"is": figure.verdict(value), "in_detail": note}
            figures.append(row)
        return {"conditions": self.conditions, "over": self.is_over, "figures": figures}


def machine() -> list[str]:
    """Cores and Python, for the conditions."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [f"{cores} cores", f"Python {platform.python_version()}"]
