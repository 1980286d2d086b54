"""What keeps the log small and its views right: the journal is cut, and told when a reader holds it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs import state, store, writer
from logs.engine import choose


def test_a_reader_that_never_ends_makes_the_journal_grow_and_is_told(
    begin: Any, visit: Any, clock: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if choose().journal != "WAL":
        pytest.skip("this engine writes with a rollback journal; install pysqlite3 for the write-ahead log")
    monkeypatch.setattr(store, "WAL_CUT_BYTES", 100_000)
    monkeypatch.setattr(state, "WAL_ALARM_BYTES", 300_000)
    writing = begin(**clock.clocks())
    number = 0

    def write_until(true: Callable[[], bool]) -> None:
        nonlocal number
        for _ in range(300):
            if true():
                return
            number += 1
            for event in visit(number, clock.at_s, clock.at_s + 5.0):
                writing.write(event)
            clock.advance(writer.TEND_EVERY_S)
        raise AssertionError("it never came")

    write_until(lambda: number == 1)
    reader = choose().module.connect(database, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM session").fetchone()
    write_until(lambda: "reads the log without a pause" in writing.log.state().warning)
    assert writing.log.state().wal_bytes > 300_000
    reader.close()
    write_until(lambda: writing.log.state().warning == "")
    assert writing.log.state().wal_bytes < 100_000
    assert database.with_name("visits.db-wal").stat().st_size < 200_000


def test_the_views_count_by_the_shortest_contact_of_the_settings(begin: Any, visit: Any, ask: Any) -> None:
    for short_s, valid in ((5.0, 1), (3.0, 2)):
        writing = begin(short_s=short_s)
        if short_s == 5.0:
            for number, length_s in ((1, 4.0), (2, 6.0)):
                for event in visit(number, number * 10.0, number * 10.0 + length_s):
                    writing.write(event)
        assert writing.log.stop(5.0)
        assert ask(writing.path, "SELECT count(*) AS n FROM session_valid") == [{"n": valid}]
