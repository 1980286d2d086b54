"""Where the light pointed: 32 x 18 cells of ticks, kept with each event of a visit."""

from __future__ import annotations

import random
from typing import Any

import pytest

from logs.pointing import COLUMNS, ROWS, Pointing, pack, unpack
from logs.visits import Beat, Event

SIZE = (1920, 1080)


def naive(walk: list[tuple[float, float]]) -> list[int]:
    cells = [0] * (COLUMNS * ROWS)
    for x, y in walk:
        for row in range(ROWS):
            for column in range(COLUMNS):
                across = column * 60 <= x < column * 60 + 60
                down = row * 60 <= y < row * 60 + 60
                cells[row * COLUMNS + column] += across and down
    return cells


def test_each_tick_counts_in_the_cell_that_the_light_is_in() -> None:
    chance = random.Random(5)
    walk = [(chance.uniform(0, 1919.99), chance.uniform(0, 1079.99)) for _ in range(500)]
    walk += [(0.0, 0.0), (60.0, 59.999), (1919.0, 1079.0)]
    pointing = Pointing()
    for x, y in walk:
        pointing.add(x, y, SIZE)
    assert list(pointing.ticks()) == naive(walk)


@pytest.mark.parametrize(("x", "y", "cell"), [(-40.0, -1.0, 0), (1920.0, 1080.0, 575), (2000.0, 0.0, 31)])
def test_a_light_a_little_beside_the_screen_counts_at_its_edge(x: float, y: float, cell: int) -> None:
    pointing = Pointing()
    pointing.add(x, y, SIZE)
    assert [place for place, ticks in enumerate(pointing.ticks()) if ticks] == [cell]


def test_what_is_handed_over_does_not_change_afterwards() -> None:
    pointing = Pointing()
    pointing.add(1.0, 1.0, SIZE)
    told = pointing.ticks()
    pointing.add(1.0, 1.0, SIZE)
    pointing.begin()
    assert (told[0], pointing.ticks()[0]) == (1, 0)


def test_packing_loses_nothing_and_what_is_no_grid_is_refused() -> None:
    pointing = Pointing()
    for place in range(3000):
        pointing.add(place % 1920, place % 1080, SIZE)
    assert unpack(pack(pointing.ticks())) == list(pointing.ticks())
    with pytest.raises(ValueError, match="no grid"):
        unpack(b"nothing")


def test_the_grid_of_the_last_event_stands_in_the_log(begin: Any, clock: Any, visit: Any, ask: Any) -> None:
    writing, pointing = begin(**clock.clocks()), Pointing()
    started, ended = visit(1, 0.0, 5.0)
    writing.write(started)
    fields = {name: getattr(started, name) for name in ("number", "source", "demo", "started_at_s")}
    beat = Beat(**fields, start_x=1.0, start_y=1.0, at_s=1.0, x=1.0, y=1.0)
    for event in (beat, ended):
        pointing.add(1000.0, 500.0, SIZE)
        writing.log.put(event, None, pointing.ticks())
    writing.acks.get(timeout=30)
    assert writing.log.stop(5.0)
    (row,) = ask(writing.path, "SELECT * FROM pointer_grid")
    assert (row["session"], row["columns"], row["rows"]) == (1, COLUMNS, ROWS)
    assert unpack(row["dwell"]) == list(pointing.ticks())
    assert len(row["dwell"]) < 60


def test_a_visit_without_a_grid_has_none(begin: Any, visit: Any, ask: Any) -> None:
    writing = begin()
    events: list[Event] = visit(1, 0.0, 5.0)
    for event in events:
        writing.write(event)
    assert writing.log.stop(5.0)
    assert ask(writing.path, "SELECT count(*) AS n FROM pointer_grid") == [{"n": 0}]
