"""Killed at any moment: nothing acknowledged is lost, what was open is recovered at the next start."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

CHILD = Path(__file__).with_name("visitor_child.py")


def start(checkout: Path, database: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(CHILD), str(database), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )


def kill_after(nursery: subprocess.Popen[bytes], seed: int, entries: int, wait_s: float) -> list[list[str]]:
    """Let one show run for some acknowledgements and a moment, kill it; returns all it gave, word by word."""
    assert nursery.stdin is not None
    nursery.stdin.write(f"{seed}\n".encode())
    nursery.stdin.flush()

    def listen() -> list[str]:
        assert nursery.stdout is not None
        return nursery.stdout.readline().decode().split()

    words = [listen()]
    while len(words) <= entries or "pid" not in [line[0] for line in words]:
        words.append(listen())
        assert words[-1] not in (["dead"], []), "the show died by itself"
    time.sleep(wait_s)
    os.kill(next(int(line[1]) for line in words if line[0] == "pid"), signal.SIGKILL)
    while words[-1] != ["dead"]:
        words.append(listen())
    return [line for line in words if line[0] not in ("pid", "dead")]


def check_nothing_lost(acks: list[list[str]], rows: dict[str, dict[str, Any]]) -> int:
    """Compare one life's acknowledgements with the database; returns how many were recovered."""
    last: dict[str, list[str]] = {}
    for ack in acks:
        last[ack[1]] = ack
    for kind, name, duration in last.values():
        row = rows[name]
        if kind == "Ended":
            assert row["end_reason"] in ("off", "stopped")
            assert row["duration_s"] == float(duration)
        else:
            assert row["duration_s"] >= float(duration)
            assert row["end_reason"] in ("recovered", "off")
    return sum(rows[name]["end_reason"] == "recovered" for name in last)


def kill_many(trials: int, begin: Any, ask: Any, database: Path, checkout: Path) -> tuple[int, int]:
    """Kill as often at random moments; returns acknowledged entries and recovered sessions."""
    chance, told, recovered = random.Random(trials), 0, 0
    nursery = start(checkout, database, "flow")
    for trial in range(trials):
        acks = kill_after(nursery, trial, chance.randint(0, 40), chance.random() * 0.1)
        writing = begin()
        assert writing.log.stop(20.0)
        assert writing.log.state().warning == ""
        rows = ask(database, "SELECT * FROM session")
        recovered += check_nothing_lost(acks, {row["uuid"]: row for row in rows})
        assert not [row for row in rows if row["end_reason"] == "open" or row["off_at_us"] is None]
        told += len(acks)
    nursery.communicate()
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert {row["end_reason"] for row in ask(database, "SELECT end_reason FROM run")} <= {"clean", "crash"}
    return told, recovered


def test_killed_at_30_random_moments_no_acknowledged_row_is_lost(
    begin: Any, ask: Any, database: Path, checkout: Path
) -> None:
    told, recovered = kill_many(30, begin, ask, database, checkout)
    assert told > 200
    assert recovered >= 5


@pytest.mark.full
def test_killed_at_1000_random_moments_no_acknowledged_row_is_lost(
    begin: Any, ask: Any, database: Path, checkout: Path
) -> None:
    told, recovered = kill_many(1000, begin, ask, database, checkout)
    assert told > 8000
    assert recovered >= 200


def test_kill_term_and_interrupt_20_s_into_a_visit_are_told_apart(
    begin: Any, ask: Any, database: Path, checkout: Path
) -> None:
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        child = start(checkout, database, "lit")
        assert child.stdout is not None
        while child.stdout.readline() != b"lit\n":
            assert child.poll() is None
        child.send_signal(number)
        child.wait(timeout=30)
        child.communicate()
    assert begin().log.stop(5.0)
    rows = ask(database, "SELECT end_reason, duration_s FROM session ORDER BY id")
    assert [row["end_reason"] for row in rows] == ["recovered", "stopped", "stopped"]
    assert all(19.0 <= row["duration_s"] <= 20.0 for row in rows)
    runs = ask(database, "SELECT end_reason FROM run ORDER BY id")
    assert [row["end_reason"] for row in runs] == ["crash", "clean", "clean", "clean"]
    (note,) = ask(database, "SELECT detail FROM event WHERE kind = 'recovered'")
    assert note["detail"] == '{"sessions": 1, "runs": 1}'
