"""Killed at any moment: nothing acknowledged is lost, what was open is recovered at the next start."""

from __future__ import annotations

import os
import random
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logs.settings import LogSettings

CHILD = Path(__file__).with_name("visitor_child.py")
HEARTBEAT_S = LogSettings().heartbeat_s
# A heartbeat, and what its way to the disk may take.
END_ERROR_S = HEARTBEAT_S + 0.2


class Killed(NamedTuple):
    """Acknowledged entries, recovered sessions, and the end errors of these where they were measured."""

    told: int
    recovered: int
    errors_s: list[float]


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


def end_errors(acks: list[list[str]], rows: dict[str, dict[str, Any]], database: Path) -> list[float]:
    """Seconds from the recovered end of a life's session to the last tick with the light on."""
    (lit_at_s,) = struct.unpack("d", database.with_name("lit_at_s").read_bytes())
    found = [rows[name] for name in {ack[1] for ack in acks}]
    return [abs(lit_at_s - row["seen_mono_s"]) for row in found if row["end_reason"] == "recovered"]


def kill_many(trials: int, begin: Any, ask: Any, database: Path, checkout: Path) -> Killed:
    """Kill as often at random moments."""
    chance, told, recovered, errors_s = random.Random(trials), 0, 0, []
    nursery = start(checkout, database, "flow")
    for trial in range(trials):
        acks = kill_after(nursery, trial, chance.randint(0, 40), chance.random() * 0.1)
        writing = begin()
        assert writing.log.stop(20.0)
        assert writing.log.state().warning == ""
        rows = {row["uuid"]: row for row in ask(database, "SELECT * FROM session")}
        recovered += check_nothing_lost(acks, rows)
        if trial % 2:  # these lives wait for the disk
            errors_s += end_errors(acks, rows, database)
        assert not [row for row in rows.values() if row["end_reason"] == "open" or row["off_at_us"] is None]
        told += len(acks)
    nursery.communicate()
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert {row["end_reason"] for row in ask(database, "SELECT end_reason FROM run")} <= {"clean", "crash"}
    return Killed(told, recovered, errors_s)


def test_killed_at_30_random_moments_no_acknowledged_row_is_lost(
    begin: Any, ask: Any, database: Path, checkout: Path
) -> None:
    killed = kill_many(30, begin, ask, database, checkout)
    assert killed.told > 200
    assert killed.recovered >= 5
    assert max(killed.errors_s) <= END_ERROR_S


@pytest.mark.full
def test_killed_at_1000_random_moments_no_acknowledged_row_is_lost(
    begin: Any, ask: Any, database: Path, checkout: Path
) -> None:
    killed = kill_many(1000, begin, ask, database, checkout)
    assert killed.told > 8000
    assert killed.recovered >= 200
    assert HEARTBEAT_S * 0.8 < max(killed.errors_s) <= END_ERROR_S


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
