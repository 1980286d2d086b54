"""The lock of a home where the file system gives none: an error in words, and no descriptor left open."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from logs.lock import AlreadyRunning, HomeLock

OPEN_FILES = Path("/proc/self/fd")


def open_files() -> int:
    return len(os.listdir(OPEN_FILES))


def refuse_with(number: int) -> Any:
    def flock(handle: int, how: int) -> None:
        raise OSError(number, os.strerror(number))

    return flock


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="counts descriptors in /proc: run on Linux")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.EAGAIN, errno.EINTR])
def test_a_lock_that_fails_leaves_no_descriptor_however_often_it_is_tried(
    number: int, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fcntl.flock", refuse_with(number))
    lock, before = HomeLock(database), open_files()
    for _ in range(50):
        with pytest.raises(AlreadyRunning if number == errno.EAGAIN else OSError):
            lock.take()
    assert open_files() == before
    monkeypatch.undo()
    lock.take()
    lock.release()


def test_a_home_without_locks_says_so_and_the_visits_wait(
    begin: Any, visit: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fcntl.flock", refuse_with(errno.ENOLCK))
    writing = begin(sleep=lambda wait_s: time.sleep(0.005))
    assert "visits.db.lock cannot be locked" in writing.log.state().error
    for event in visit(1, 10.0, 20.0):
        writing.log.put(event)
    assert writing.log.state().queue_length == 2
    monkeypatch.undo()
    assert writing.log.stop(20.0)


def test_who_asks_for_the_holder_makes_no_file_and_keeps_no_show_out(tmp_path: Path) -> None:
    """The asker has the lock for an instant: the show that starts just then tries again."""
    database = tmp_path / "visits.db"
    assert not HomeLock(database).is_held()
    assert list(tmp_path.iterdir()) == []
    asker = HomeLock(database)
    asker.take()
    assert HomeLock(database).is_held()
    pauses: list[float] = []

    def pause(wait_s: float) -> None:
        pauses.append(wait_s)
        if len(pauses) == 2:
            asker.release()

    HomeLock(database, sleep=pause).take()
    assert len(pauses) == 2
