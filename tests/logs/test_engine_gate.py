"""The gate: only an engine without the WAL-reset fault writes a write-ahead log."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from logs import engine

FIXED = ["3.44.6", "3.44.7", "3.50.7", "3.51.3", "3.51.4", "3.52.1", "3.53.4", "4.0.0"]
FAULTY = ["3.7.0", "3.40.1", "3.44.5", "3.45.1", "3.46.1", "3.49.9", "3.50.6", "3.51.1", "3.51.2", "3.52.0"]


@pytest.mark.parametrize("version", FIXED)
def test_fixed_engines_pass(version: str) -> None:
    assert engine.is_fixed(tuple(int(part) for part in version.split(".")))


@pytest.mark.parametrize("version", FAULTY)
def test_engines_that_can_lose_committed_rows_do_not(version: str) -> None:
    assert not engine.is_fixed(tuple(int(part) for part in version.split(".")))


def driver(name: str, version: str) -> Any:
    return SimpleNamespace(__name__=name, sqlite_version=version)


def test_the_first_fixed_driver_is_taken() -> None:
    old, new = driver("pysqlite3", "3.51.1"), driver("sqlite3", "3.51.3")
    chosen = engine.choose([old, new])
    assert (chosen.name, chosen.journal, chosen.warning) == ("sqlite3 3.51.3", "WAL", "")


def test_without_a_fixed_engine_the_rollback_journal_is_used_and_said() -> None:
    chosen = engine.choose([driver("pysqlite3", "3.51.1"), driver("sqlite3", "3.40.1")])
    assert (chosen.name, chosen.journal) == ("sqlite3 3.40.1", "DELETE")
    assert "3.40.1" in chosen.warning
    assert "pysqlite3" in chosen.warning


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_the_connection_is_durable_in_both_modes(journal: str, tmp_path: Path) -> None:
    real = engine.choose()
    chosen = engine.Engine(real.module, real.version, journal, "")
    connection = engine.connect(chosen, tmp_path / "a.db")
    assert connection.execute("PRAGMA journal_mode").fetchone()[0].upper() == journal
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 3
    connection.close()


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_sessions_are_kept_in_both_modes(journal: str, begin: Any, visit: Any, ask: Any) -> None:
    real = engine.choose()
    writing = begin(engine=engine.Engine(real.module, real.version, journal, "", "slower"))
    for event in visit(1, 5.0, 47.0):
        writing.write(event)
    assert writing.log.state().journal == journal
    assert (writing.log.state().note, writing.log.state().warning) == ("slower", "")
    assert writing.log.stop(5.0)
    assert [row["duration_s"] for row in ask(writing.path, "SELECT * FROM session")] == [42.0]
    assert ask(writing.path, "PRAGMA journal_mode")[0]["journal_mode"].upper() == journal


def test_a_reader_can_neither_write_nor_checkpoint(tmp_path: Path) -> None:
    chosen, path = engine.choose(), tmp_path / "an odd name?#%.db"
    writer = engine.connect(chosen, path)
    writer.execute("CREATE TABLE a (b)")
    reader = engine.connect_to_read(chosen, path)
    assert reader.execute("SELECT count(*) FROM a").fetchone() == (0,)
    with pytest.raises(chosen.module.OperationalError, match="readonly"):
        reader.execute("INSERT INTO a VALUES (1)")
    reader.close()
    writer.close()
