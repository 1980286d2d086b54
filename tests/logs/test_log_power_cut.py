"""Power gone at any moment: nothing acknowledged is lost, the file is whole, what was open is recovered.

The real log runs under strace; a new start then meets the files as a disk may have them after a cut.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logs.engine import choose
from logs.store import Run, Store
from tests.logs.power_cut import Call, Disk, can_trace, trace_of

CHILD = Path(__file__).with_name("visitor_child.py")
# The write-ahead log begins anew after some 300 of its commits; a rollback journal does at each.
EVENTS = {"WAL": 300, "DELETE": 80}
Traced = Callable[..., tuple[Path, list[Call]]]
Ask = Callable[..., list[dict[str, Any]]]

pytestmark = pytest.mark.skipif(
    not can_trace(),
    reason="no strace that may trace here: apt-get install strace, in a container that allows ptrace",
)


class Found(NamedTuple):
    """What all cuts of one trial came to."""

    told: int
    lost: int
    recovered: int
    fresh: int
    moved: int


@pytest.fixture(scope="module")
def traced(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    """traced(journal, synchronous): the folder and the calls of two shows, each traced once."""
    made: dict[tuple[str, str], tuple[Path, list[Call]]] = {}

    def trace(journal: str, synchronous: str = "shipped") -> tuple[Path, list[Call]]:
        key = (journal, synchronous)
        if key not in made:
            folder = tmp_path_factory.mktemp("show")
            words = [str(folder / "visits.db"), "lives", journal, synchronous, str(EVENTS[journal])]
            env = {**os.environ, "PYTHONPATH": str(checkout)}
            file = tmp_path_factory.mktemp("trace") / "calls"
            made[key] = (folder, trace_of([sys.executable, str(CHILD), *words], env, file))
        return made[key]

    return trace


def cut_many(cuts: int, traced: tuple[Path, list[Call]], ask: Ask, scratch: Path) -> Found:
    """Cut as often at random calls; every file must open, be whole and have nothing open left."""
    folder, calls = traced
    chance, disk, done = random.Random(cuts), Disk(folder), 0
    counts = [0] * len(Found._fields)
    for number, moment in enumerate(sorted(chance.randint(0, len(calls)) for _ in range(cuts))):
        for call in calls[done:moment]:
            disk.do(call)
        done = moment
        after = scratch / str(number)
        after.mkdir()
        disk.after_cut(after, chance)
        fresh = not (after / "visits.db").exists()
        moved = start_again(after / "visits.db")
        told = disk.told.decode().splitlines()
        lost, recovered = compare(told, after / "visits.db", ask)
        counts = [sum(pair) for pair in zip(counts, (len(told), lost, recovered, fresh, moved), strict=True)]
        for file in after.iterdir():
            file.unlink()
    return Found(*counts)


def start_again(database: Path) -> int:
    """Open the log as the next start of the show does; returns how many things it had to warn of."""
    store = Store(database, choose(), Run(2_000_000_000_000_000, 0.0, "UTC"), lambda: 2_000_000_000_000_000)
    store.open()
    store.close()
    return len(store.moved)


def compare(told: list[str], database: Path, ask: Ask) -> tuple[int, int]:
    """How many acknowledged contacts miss what was acknowledged last, and how many were recovered."""
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    rows = {row["uuid"]: row for row in ask(database, "SELECT * FROM session")}
    assert not [row for row in rows.values() if row["end_reason"] == "open" or row["off_at_us"] is None]
    runs = ask(database, "SELECT ended_at_us FROM run ORDER BY id")
    assert None not in [run["ended_at_us"] for run in runs[:-1]]
    last = {line.split()[1]: line.split() for line in told}
    lost = sum(not keeps(rows.get(name), ack) for name, ack in last.items())
    return lost, sum(row["end_reason"] == "recovered" for row in rows.values())


def keeps(row: dict[str, Any] | None, ack: list[str]) -> bool:
    """Whether a row has all that was acknowledged; more may have reached the disk."""
    kind, _, duration = ack
    if row is None:
        return False
    if kind == "Ended":
        return bool(row["end_reason"] == "off" and row["duration_s"] == float(duration))
    return bool(row["end_reason"] in ("recovered", "off") and row["duration_s"] >= float(duration))


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_after_30_power_cuts_no_acknowledged_contact_is_lost(
    journal: str, traced: Traced, ask: Ask, tmp_path: Path
) -> None:
    found = cut_many(30, traced(journal), ask, tmp_path)
    assert (found.lost, found.moved) == (0, 0)
    assert found.told > 1000
    assert found.recovered >= 5


@pytest.mark.full
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_after_1000_power_cuts_no_acknowledged_contact_is_lost(
    journal: str, traced: Traced, ask: Ask, tmp_path: Path
) -> None:
    found = cut_many(1000, traced(journal), ask, tmp_path)
    assert (found.lost, found.moved) == (0, 0)
    assert found.told > 50_000
    assert found.recovered >= 200
    assert found.fresh > 0


@pytest.mark.full
def test_a_log_that_syncs_less_loses_contacts_in_the_same_trial(
    traced: Traced, ask: Ask, tmp_path: Path
) -> None:
    """What proves the trial: with NORMAL a commit is told before it is on the disk."""
    assert cut_many(30, traced("WAL", "NORMAL"), ask, tmp_path).lost > 100


def test_the_traced_files_are_those_on_the_disk(traced: Traced) -> None:
    """Every write is in the trace: replayed to its end and synced it gives the same bytes."""
    folder, calls = traced("WAL")
    disk = Disk(folder)
    for call in calls:
        disk.do(call)
    whole = {name.decode(): content for name, content in disk._names.items()}
    assert set(whole) == {file.name for file in folder.iterdir() if not file.name.endswith("-shm")}
    for name, content in whole.items():
        content.sync()
        assert bytes(content.safe) == (folder / name).read_bytes(), name
