"""What can still be read of a damaged log stands in the new one, once, under its own ids."""

from __future__ import annotations

import json
import os
import shutil
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from logs import schema
from logs.engine import choose
from logs.salvage import KEYS, LIMIT_S, Salvage

COUNT = 600
PAGE = 4096
COLUMNS = "id, uuid, duration_s, end_reason, run"


@pytest.fixture
def before(begin: Any, visit: Any, ask: Any, database: Path) -> list[dict[str, Any]]:
    """The sessions of a sound log of two runs, each session with two measures, and an event."""
    for run in range(2):
        writing = begin()
        for number in range(1, COUNT // 2 + 1):
            ended = visit(number, number * 10.0, number * 10.0 + 5.0 + run)[1]
            writing.log.put(ended, {"bugs": 250.0, "reached": float(number)})
        writing.log.note("input_connected", {"input": "torch"})
        assert writing.log.stop(30.0)
    return list(ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id"))


def spoil(path: Path, pages: list[int], with_what: bytes = b"\xa5") -> None:
    """Spoil pages, counted from 1."""
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(with_what * PAGE)


def pages_of(path: Path, name: str) -> list[int]:
    """The leaves of a table or an index, in the order of its keys."""
    connection = choose().module.connect(path)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [name]).fetchone()
    connection.close()
    return leaves(path.read_bytes(), root)


def leaves(file: bytes, number: int) -> list[int]:
    page = file[(number - 1) * PAGE : number * PAGE]
    if page[0] not in (2, 5):
        return [number]
    (count,) = struct.unpack(">H", page[3:5])
    cells = struct.unpack(f">{count}H", page[12 : 12 + 2 * count])
    children = [page[cell : cell + 4] for cell in cells] + [page[8:12]]
    return [leaf for child in children for leaf in leaves(file, int.from_bytes(child, "big"))]


def reopen(begin: Any, database: Path, ask: Any) -> tuple[str, dict[str, int]]:
    """The warning of a start on the damaged log, and the counts in its event."""
    writing = begin()
    assert writing.log.stop(30.0)
    (note,) = ask(database, "SELECT detail FROM event WHERE kind = 'log_moved_aside'")
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert ask(database, "PRAGMA foreign_key_check") == []
    return writing.log.state().warning, json.loads(note["detail"])["saved"]


def test_all_rows_but_those_of_one_bad_page_are_saved(
    begin: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    pages = pages_of(database, "session")
    bad = pages[len(pages) // 2]
    (on_the_page,) = struct.unpack_from(">H", database.read_bytes(), (bad - 1) * PAGE + 3)
    spoil(database, [bad])
    warning, saved = reopen(begin, database, ask)
    after = ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id")
    assert len(after) == COUNT - on_the_page
    assert [row for row in before if row in after] == after
    lost = sorted({row["id"] for row in before} - {row["id"] for row in after})
    assert lost == list(range(lost[0], lost[-1] + 1))
    assert saved["session"] == len(after)
    assert f"with {len(after)} sessions saved" in warning
    found = ask(database, "SELECT session, name, value FROM session_metric WHERE name = 'reached'")
    assert {row["session"]: row["value"] for row in found} == {
        row["id"]: float((row["id"] - 1) % (COUNT // 2) + 1) for row in after
    }
    assert [row["id"] for row in ask(database, "SELECT id FROM run ORDER BY id")] == [1, 2, 3]
    (events,) = ask(database, "SELECT count(*) AS n FROM event WHERE kind = 'input_connected'")
    assert events == {"n": 2}


def test_damage_in_an_index_costs_no_row(
    begin: Any, visit: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    spoil(database, [pages_of(database, "session_day")[0]])
    reopen(begin, database, ask)
    assert ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id") == before
    writing = begin()
    writing.write(visit(1, 10.0, 20.0)[1])
    assert ask(database, "SELECT max(id) AS last FROM session") == [{"last": COUNT + 1}]


def test_visits_whose_run_is_lost_are_kept_with_a_run_in_its_place(
    begin: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    spoil(database, pages_of(database, "run"))
    _, saved = reopen(begin, database, ask)
    assert ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id") == before
    assert (saved["run"], saved["session"]) == (0, COUNT)
    runs = ask(database, "SELECT id, end_reason, started_at_us < ended_at_us AS spans FROM run ORDER BY id")
    assert runs[:2] == [{"id": run, "end_reason": "crash", "spans": 1} for run in (1, 2)]
    assert runs[2]["id"] == 3


def test_a_file_cut_in_half_gives_its_first_half(
    begin: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    os.truncate(database, database.stat().st_size // 2 // PAGE * PAGE)
    _, saved = reopen(begin, database, ask)
    after = ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id")
    assert COUNT // 4 < len(after) == saved["session"] < COUNT
    assert [row for row in before if row in after] == after


def test_a_file_that_cannot_be_read_at_all_gives_none_and_ids_still_go_on(
    begin: Any, visit: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    spoil(database, list(range(1, database.stat().st_size // PAGE + 1)))
    warning, saved = reopen(begin, database, ask)
    assert "with 0 sessions saved" in warning
    assert set(saved.values()) == {0}
    begin().write(visit(1, 10.0, 20.0)[1])
    assert ask(database, "SELECT id FROM session") == [{"id": len(before) + 1}]


def test_names_in_the_file_that_are_no_text_are_damage_like_any_other(
    begin: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    file = database.read_bytes()
    spoilt = file.replace(b"tableeventevent", b"table\x9f\x9f\x9f\x9f\x9fevent").replace(
        b"CREATE TABLE event", b"\x9f" * 18
    )
    assert spoilt != file
    database.write_bytes(spoilt)
    _, saved = reopen(begin, database, ask)
    assert (saved["session"], saved["event"]) == (COUNT, 2)
    assert ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id") == before
    (events,) = ask(database, "SELECT count(*) AS n FROM event WHERE kind = 'input_connected'")
    assert events == {"n": 2}


@pytest.mark.parametrize("name", ["session", "sqlite_schema"])
def test_a_bad_root_of_a_table_or_of_the_schema_costs_no_visit(
    name: str, begin: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    with closing(choose().module.connect(database)) as connection:
        found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [name]).fetchone()
    spoil(database, [found[0] if found else 1])
    warning, saved = reopen(begin, database, ask)
    assert (saved["session"], saved["session_metric"]) == (COUNT, 2 * COUNT)
    assert f"with {COUNT} sessions saved" in warning
    assert ask(database, f"SELECT {COLUMNS} FROM session ORDER BY id") == before


def test_nothing_is_made_beside_a_file_without_a_journal(
    database: Path, before: list[dict[str, Any]], tmp_path: Path
) -> None:
    kept = tmp_path / "handed in" / "kept.db"
    kept.parent.mkdir()
    shutil.copy(database, kept)
    engine = choose()
    with closing(engine.module.connect(tmp_path / "new.db", isolation_level=None)) as new:
        schema.migrate(new)
        assert Salvage(kept, engine).into(new)["session"] == len(before)
        assert list(kept.parent.iterdir()) == [kept]


class Counting:
    """Seconds that pass with each reading, so that the time is up after so many looks at the clock."""

    def __init__(self, looks: int) -> None:
        self.step_s, self.at_s, self.looks = LIMIT_S / looks, 0.0, 0

    def __call__(self) -> float:
        self.at_s += self.step_s
        self.looks += 1
        return self.at_s


@pytest.mark.parametrize("looks", [4, 40])
def test_the_reading_ends_when_its_time_is_up(
    looks: int, ask: Any, database: Path, before: list[dict[str, Any]], tmp_path: Path
) -> None:
    spoil(database, pages_of(database, "session")[:-2])
    engine, clock = choose(), Counting(looks)
    new = engine.module.connect(tmp_path / "new.db", isolation_level=None)
    schema.migrate(new)
    saved = Salvage(database, engine, perf=clock).into(new)
    new.close()
    assert saved["run"] == 2
    assert saved["session"] < len(before)
    assert clock.looks < looks + 3 * len(KEYS)


def test_the_reading_of_pages_ends_when_its_time_is_up(
    database: Path, before: list[dict[str, Any]], tmp_path: Path
) -> None:
    spoil(database, [1])
    engine, pages = choose(), database.stat().st_size // PAGE
    clock = Counting(pages // 2)
    with closing(engine.module.connect(tmp_path / "new.db", isolation_level=None)) as new:
        schema.migrate(new)
        saved = Salvage(database, engine, perf=clock).into(new)
    assert 0 < saved["session"] < len(before)
    assert clock.looks < pages


def test_nothing_is_in_the_new_file_when_it_cannot_take_the_rows(
    database: Path, before: list[dict[str, Any]], tmp_path: Path
) -> None:
    engine: Any = choose()
    new = engine.module.connect(tmp_path / "new.db", isolation_level=None)
    schema.migrate(new)
    new.execute("PRAGMA max_page_count = 30")
    with pytest.raises(engine.module.Error, match="full"):
        Salvage(database, engine).into(new)
    assert new.execute("SELECT count(*) FROM session").fetchone() == (0,)
    new.close()
    assert before


def test_a_visit_open_when_the_damage_is_found_goes_on_under_its_id(
    begin: Any, visit: Any, ask: Any, database: Path, before: list[dict[str, Any]]
) -> None:
    writing = begin(sleep=lambda wait_s: None)
    on, off = visit(900, 9000.0, 9020.0)
    writing.write(on)
    engine = choose()
    other = engine.module.connect(database, isolation_level=None)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    spoil(database, [pages_of(database, "session")[0], *pages_of(database, "sqlite_autoindex_session_1")])
    writing.write(off)
    assert writing.log.stop(20.0)
    rows = ask(database, "SELECT id, duration_s, end_reason FROM session WHERE duration_s = 20")
    assert rows == [{"id": len(before) + 1, "duration_s": 20.0, "end_reason": "off"}]
