"""The end of a show whose log does not take what waits, and spill files that cannot be taken in."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logs import writer
from logs.engine import choose
from tests.logs.conftest import wait_until


def name_of_one(database: Path) -> Path:
    return database.with_name("visits.spill-00000000abcd-0.jsonl")


HEAD = b'{"format": "baited spill", "version": 1, "part": 0, "run": {"uuid": "%s", "started_at_us": %s, '
HEAD += b'"started_mono_s": 1.0, "zone": "UTC"}}\n'
UUID = b"00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    "content",
    [
        HEAD % (UUID, b'"yesterday"'),
        HEAD % (UUID, b"1") + b'{"end": {"at_us": %d, "reason": "clean"}}\n' % 2**70,
        b"[" * 100_000 + b"\n",
        HEAD % (b"no uuid", b"1"),
        b"\xff\xfe\x00\n",
    ],
    ids=["a head of another kind", "too large", "deep", "no uuid", "no text"],
)
def test_a_spill_file_that_cannot_be_taken_is_kept_and_told_and_the_log_opens(
    content: bytes, begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    file = name_of_one(database)
    file.write_bytes(content)
    writing = begin()
    for event in visit(1, 1.0, 9.0):
        writing.write(event)
    assert file.name in writing.log.state().warning
    assert writing.log.stop(5.0)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 1}]
    assert [note["kind"] for note in ask(database, "SELECT kind FROM event")] == ["spill_unread"]
    assert [found.name for found in database.parent.glob("*spill*")] == [f"{file.name}.unread"]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_no_spill_file(
    make: Callable[[Path], None], begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    make(name_of_one(database))
    writing = begin()
    for event in visit(1, 1.0, 9.0):
        writing.write(event)
    assert writing.log.state().warning == ""
    assert writing.log.stop(5.0)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 1}]


@pytest.mark.parametrize("waits", [True, False])
def test_a_clean_end_while_the_log_is_held_is_a_clean_end(
    waits: bool, begin: Any, held: Any, visit: Any, ask: Any, database: Path
) -> None:
    log = begin(sleep=lambda _: time.sleep(0.001)).log
    wait_until(lambda: log.state().open)
    lock = held()
    for event in visit(1, 1.0, 9.0) if waits else []:
        log.put(event)
    assert log.stop(10.0) == (not waits)
    lock.close()
    assert begin().log.stop(5.0)
    assert ask(database, "SELECT end_reason FROM run") == [{"end_reason": "clean"}] * 2
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": int(waits)}]


def test_a_log_that_can_be_written_again_at_the_end_needs_no_spill_file(
    begin: Any, held: Any, visit: Any, ask: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No place takes a spill file; after more tries than it would need the log is let go."""
    monkeypatch.setattr("logs.spill._write", lambda handle, lines: False)
    tries: list[float] = []

    def sleep(wait_s: float) -> None:
        tries.append(wait_s)
        time.sleep(0.001)
        if len(tries) == 3 * writer.TRIES_AT_THE_END:
            lock.close()

    log = begin(sleep=sleep).log
    wait_until(lambda: log.state().open)
    lock = held_by_any_thread(database)
    for event in visit(1, 1.0, 9.0):
        log.put(event)
    assert log.stop(20.0)
    assert ask(database, "SELECT end_reason FROM run") == [{"end_reason": "clean"}]
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 1}]


def held_by_any_thread(database: Path) -> Any:
    connection = choose().module.connect(database, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_what_waits_while_the_database_hangs_goes_to_another_folder_at_the_end(
    begin: Any, visit: Any, ask: Any, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert begin().log.stop(5.0)
    hang = threading.Event()
    monkeypatch.setattr("logs.store.Store._check", lambda self: hang.wait(30))
    log = begin(spill_at=[tmp_path / "other"]).log
    for event in visit(1, 1.0, 9.0):
        log.put(event)
    assert not log.stop(0.1)
    assert (log.state().queue_length, log.state().spilled) == (0, 2)
    assert Path(log.state().spill_file).parent == tmp_path / "other"
    monkeypatch.undo()
    hang.set()
    log._thread.join(30)
    assert begin(spill_at=[tmp_path / "other"]).log.stop(5.0)
    (row,) = ask(database, "SELECT * FROM session")
    assert (row["id"], row["duration_s"]) == (1, 8.0)


def test_a_time_of_another_library_does_not_end_the_writing(
    begin: Any, held: Any, visit: Any, ask: Any, database: Path
) -> None:
    log = begin(sleep=lambda _: time.sleep(0.001)).log
    wait_until(lambda: log.state().open)
    lock = held()
    log.note("numpy", {}, at_s=np.float32(3.0))
    for event in visit(1, 1.0, 9.0):
        log.put(event)
    log.stop(10.0)
    lock.close()
    assert begin().log.stop(5.0)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 1}]
    assert ask(database, "SELECT kind FROM event") == [{"kind": "numpy"}]
