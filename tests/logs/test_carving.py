"""Whatever page of a log is bad, every row whose own pages are whole is given back."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import Any

import pytest

from logs import schema
from logs.engine import choose
from logs.pointing import Pointing
from logs.purging import purge
from logs.recovery import recover
from logs.salvage import Salvage
from logs.writer import Log
from tests.logs.conftest import contact

PAGE, COUNT = 4096, 150
TABLES = ("run", "session", "event", "session_metric", "pointer_grid", "clock_anchor")
LONG = " ".join(str(number) for number in range(3000))
NOISE = random.Random(8).randbytes(1 << 20)
Rows = dict[str, list[tuple[Any, ...]]]


def in_use(page: bytes) -> bytes:
    """The kind of a page and the rows that it lists; elsewhere in it old ones may stand."""
    if page[0] not in (0x0A, 0x02):
        return page[:1] + page[int.from_bytes(page[5:7], "big") :]
    head, child = (8, 0) if page[0] == 0x0A else (12, 4)
    (count,) = struct.unpack_from(">H", page, 3)
    begins = [at + child for at in struct.unpack_from(f">{count}H", page, head)]
    return page[:1] + b"".join(page[at : at + page[at] + 1] for at in begins)  # all shorter than 128


def rows_of(connection: Any) -> Rows:
    return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


@dataclass(frozen=True)
class Good:
    """A sound log: its bytes and rows, and by page the rows that stand in it, told by their bytes."""

    data: bytes
    rows: Rows

    @property
    def pages(self) -> range:
        return range(1, len(self.data) // PAGE + 1)

    def on(self, *pages: int) -> Rows:
        """The rows of visits, events, measures and grids on these pages."""
        texts = [in_use(self.data[(page - 1) * PAGE : page * PAGE]) for page in pages]
        marks: dict[str, Callable[[tuple[Any, ...]], bytes]] = {
            "session": lambda row: row[1].encode(),
            "event": lambda row: row[1].encode(),
            "session_metric": lambda row: struct.pack(">d", row[2]),
            "pointer_grid": lambda row: row[3],
        }
        kinds = {table: b"\x0a\x02" if table == "session_metric" else b"\x0d" for table in marks}
        return {
            table: [
                row
                for row in self.rows[table]
                if any(text[0] in kinds[table] and mark(row) in text for text in texts)
            ]
            for table, mark in marks.items()
        }

    def spoilt(self, *pages: int, noise: bytes = NOISE) -> bytes:
        data = bytearray(self.data)
        for page in pages:
            data[(page - 1) * PAGE : page * PAGE] = noise[page * 7 : page * 7 + PAGE]
        return bytes(data)


def write_log(path: Path, visit: Any, count: int) -> None:
    """Two runs of visits with two measures and a grid each, and long settings."""
    for first in (1, count // 2 + 1):
        log = Log(path, settings=LONG)
        for number in range(first, first + count // 2):
            pointing = Pointing()
            for at in range(3 + number % 9):
                pointing.add((number * 7.0 + at * 31.0) % 100, at * 9.0 % 100, (100, 100))
            begun, ended = visit(number, number * 10.0, number * 10.0 + 5.0)
            log.put(begun)
            log.put(ended, {"bugs": -number - 0.3, "reached": number + 0.7}, pointing.ticks())
            log.note("a note", {"of": number})
        assert log.stop(30.0)


@pytest.fixture(scope="module")
def good(tmp_path_factory: Any) -> Good:
    path = tmp_path_factory.mktemp("good") / "visits.db"
    write_log(path, contact, COUNT)
    with closing(choose().module.connect(path)) as connection:
        return Good(path.read_bytes(), rows_of(connection))


@pytest.fixture(scope="module")
def empty() -> Iterator[Any]:
    connection = choose().module.connect(":memory:", isolation_level=None)
    schema.migrate(connection)
    yield connection
    connection.close()


@pytest.fixture
def salvaged(empty: Any, tmp_path: Path) -> Callable[[bytes], Rows]:
    """salvaged(data): the rows that a new log gets of a file with these bytes."""

    def salvage(data: bytes) -> Rows:
        path = tmp_path / "damaged.db"
        path.write_bytes(data)
        return rows_from(path, empty)

    return salvage


def rows_from(path: Path, empty: Any) -> Rows:
    with closing(choose().module.connect(":memory:", isolation_level=None)) as new:
        empty.backup(new)
        saved = Salvage(path, choose()).into(new)
        found = rows_of(new)
        assert saved["session"] == len(found["session"])
        assert new.execute("PRAGMA foreign_key_check").fetchall() == []
        return found


def check(good: Good, found: Rows, *bad: int, displaced: int = 0) -> None:
    """All rows but those on the bad pages are there, each as it was and once; or all but so many."""
    lost = good.on(*bad)
    for table, gone in lost.items():
        of_lost = {row[0] for row in lost["session"]}
        expected = set(good.rows[table]) - set(gone)
        if table in ("session_metric", "pointer_grid"):
            expected = {row for row in expected if row[0] not in of_lost}
        assert len(expected - set(found[table])) <= displaced, f"{table}, pages {bad}"
        assert len(found[table]) <= len(good.rows[table])


def test_the_log_has_all_kinds_of_rows_and_each_on_one_page(good: Good) -> None:
    assert 40 <= len(good.pages) <= 80
    counts = [(table, len(rows)) for page in good.pages for table, rows in good.on(page).items()]
    for table in ("session", "event", "session_metric", "pointer_grid"):
        assert sum(count for name, count in counts if name == table) == len(good.rows[table]) >= COUNT
    assert set(TABLES) == {table for table, rows in good.rows.items() if rows}


@pytest.mark.parametrize("noise", [NOISE, bytes(len(NOISE))], ids=["noise", "zeros"])
def test_any_bad_page_costs_only_its_own_rows(good: Good, salvaged: Any, noise: bytes) -> None:
    for page in good.pages:
        check(good, salvaged(good.spoilt(page, noise=noise)), page)


def test_several_bad_pages_cost_only_their_own_rows(good: Good, salvaged: Any) -> None:
    choice = random.Random(3)
    for count in [2] * 8 + [5] * 8:
        bad = choice.sample(good.pages, count)
        check(good, salvaged(good.spoilt(*bad)), *bad)


@pytest.mark.parametrize("part", [0.75, 0.5, 0.25])
@pytest.mark.parametrize("more", [0, 1, PAGE - 1])
def test_a_cut_file_gives_all_that_is_left_of_it(good: Good, salvaged: Any, part: float, more: int) -> None:
    whole = round(len(good.pages) * part)
    found = salvaged(good.data[: whole * PAGE + more])
    check(good, found, *range(whole + 1, len(good.pages) + 1))
    if part == 0.75:
        assert found["session"]


@pytest.mark.parametrize("part", [0.75, 0.5])
def test_a_young_log_that_was_cut_gives_all_its_visits(
    tmp_path: Path, salvaged: Any, visit: Any, ask: Any, part: float
) -> None:
    path = tmp_path / "young.db"
    write_log(path, visit, 10)
    data = path.read_bytes()
    found = salvaged(data[: round(len(data) * part)])
    assert [row[1] for row in found["session"]] == [
        row["uuid"] for row in ask(path, "SELECT uuid FROM session ORDER BY id")
    ]


@pytest.mark.parametrize("size", [512, 1024, 4096, 8192, 65536])
def test_the_size_of_the_pages_is_found_without_the_header(
    good: Good, salvaged: Any, tmp_path: Path, size: int
) -> None:
    path = tmp_path / "sized.db"
    path.write_bytes(good.data)
    with closing(choose().module.connect(path, isolation_level=None)) as connection:
        for text in ("PRAGMA journal_mode = DELETE", f"PRAGMA page_size = {size}", "VACUUM"):
            connection.execute(text).fetchall()
    assert int.from_bytes(path.read_bytes()[16:18], "big") == size % 65535
    found = salvaged(NOISE[:100] + path.read_bytes()[100:])
    assert found["session"] == good.rows["session"]
    assert set(found["session_metric"]) == set(good.rows["session_metric"])
    assert found["run"] == good.rows["run"]


def test_garbage_and_other_files_give_nothing(salvaged: Any, good: Good) -> None:
    leaf = good.data[:16] + b"\x10\x00" + NOISE[18:PAGE]
    for data in (b"", b"S", good.data[:99], good.data[:PAGE], NOISE, leaf + NOISE, b"\x0d" * 99_999):
        assert not any(salvaged(data).values())


def test_a_journal_goes_before_the_file_as_far_as_it_was_committed(
    tmp_path: Path, empty: Any, visit: Any
) -> None:
    path, damaged = tmp_path / "live.db", tmp_path / "damaged.db"
    write_log(path, visit, 20)
    wal, beside = (file.with_name(file.name + "-wal") for file in (path, damaged))
    with closing(choose().module.connect(path, isolation_level=None)) as live:
        live.execute("PRAGMA journal_mode = WAL").fetchall()
        before = rows_of(live)
        live.execute("UPDATE session SET duration_s = 77.5")
        after = rows_of(live)
        committed = wal.read_bytes()
        live.execute("UPDATE session SET duration_s = 99.5, source = 'later'")
        later = wal.read_bytes()
        damaged.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:])
    half = later[: len(later) - PAGE // 2]
    spoilt = committed[:40] + b"?" + committed[41:]
    for journal, rows in ((committed, after), (half, after), (spoilt, before), (NOISE, before)):
        beside.write_bytes(journal)
        assert rows_from(damaged, empty)["session"] == rows["session"]


def test_what_was_deleted_does_not_come_back(tmp_path: Path, salvaged: Any, visit: Any) -> None:
    path = tmp_path / "visits.db"
    write_log(path, visit, COUNT)
    with closing(choose().module.connect(path, isolation_level=None)) as connection:
        for text in ("secure_delete = OFF", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {text}").fetchall()
        names = [row[1] for row in connection.execute("SELECT * FROM session WHERE id <= 100")]
        connection.execute("DELETE FROM session WHERE id <= 100")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'session'").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        rows = rows_of(connection)
    data = path.read_bytes()
    assert sum(name.encode() in data for name in names) > 50
    log = Good(data, rows)
    check(log, salvaged(log.spoilt(root)), root)
    assert salvaged(log.spoilt(root))["session"] == rows["session"]


def test_pages_that_a_journal_cuts_off_are_no_part_of_the_file(
    tmp_path: Path, empty: Any, visit: Any
) -> None:
    path, damaged = tmp_path / "live.db", tmp_path / "damaged.db"
    write_log(path, visit, COUNT)
    with closing(choose().module.connect(path, isolation_level=None)) as live:
        for text in ("journal_mode = WAL", "wal_autocheckpoint = 0", "foreign_keys = ON"):
            live.execute(f"PRAGMA {text}").fetchall()
        live.execute("DELETE FROM session WHERE id > 50")
        live.execute("VACUUM")
        rows = rows_of(live)
        for ending in ("", "-wal"):
            damaged.with_name(damaged.name + ending).write_bytes(
                path.with_name(path.name + ending).read_bytes()
            )
    assert rows_from(damaged, empty)["session"] == rows["session"]


def test_a_long_text_whose_pages_go_round_is_no_text(tmp_path: Path, salvaged: Any) -> None:
    path = tmp_path / "long.db"
    log = Log(path)
    log.note("a note", {"text": LONG})
    log.note("a note", {"text": ""})
    assert log.stop(30.0)
    data = bytearray(NOISE[:PAGE] + path.read_bytes()[PAGE:])
    details = [row[6] for row in salvaged(bytes(data))["event"] if row[5] == "a note"]
    assert [json.loads(detail) for detail in details] == [{"text": LONG}, {"text": ""}]
    for begin in range(PAGE, len(data), PAGE):
        if b" 1200 1201 " in data[begin : begin + PAGE]:
            data[begin : begin + 4] = (begin // PAGE + 1).to_bytes(4, "big")
    found = [row[6] for row in salvaged(bytes(data))["event"] if row[5] == "a note"]
    assert found == details[1:]


def test_what_was_purged_does_not_come_back_when_nothing_tells_the_unused_pages(
    tmp_path: Path, salvaged: Any, visit: Any, ask: Any
) -> None:
    path = tmp_path / "visits.db"
    write_log(path, visit, COUNT)
    (days,) = ask(path, "SELECT min(local_date) AS first FROM session")
    assert purge(path, date.fromisoformat(days["first"]) + timedelta(days=1), UTC).sessions == COUNT
    write_log(path, visit, 4)
    data = path.read_bytes()
    assert [row[1] for row in salvaged(NOISE[:PAGE] + data[PAGE:])["session"]] == [
        row["uuid"] for row in ask(path, "SELECT uuid FROM session ORDER BY id")
    ]


def test_of_two_copies_of_a_visit_the_one_that_has_ended_counts(
    tmp_path: Path, salvaged: Any, visit: Any, good: Good
) -> None:
    """An older image of a page stands in the file once more, before and behind the newer one."""
    path = tmp_path / "visits.db"
    write_log(path, visit, 4)
    with closing(choose().module.connect(path, isolation_level=None)) as connection:
        rows = rows_of(connection)["session"]
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'session'").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        new = path.read_bytes()
        connection.execute(
            "UPDATE session SET end_reason = 'open', off_at_us = NULL, duration_s = 1 WHERE id = 4"
        )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    old = path.read_bytes()
    page = slice((root - 1) * PAGE, root * PAGE)
    noise = NOISE[:PAGE]
    assert salvaged(noise + new[PAGE:] + old[page])["session"] == rows
    assert salvaged(noise + old[PAGE:] + new[page])["session"] == rows
    (last,) = salvaged(noise + old[PAGE:])["session"][3:]
    assert (last[8], last[-1], last[6]) == (1.0, "recovered", last[18])


def test_a_kept_file_without_its_first_page_is_taken_into_the_log(
    tmp_path: Path, good: Good, visit: Any, ask: Any
) -> None:
    path, kept = tmp_path / "visits.db", tmp_path / "visits.damaged-20260101T000000Z.db"
    write_log(path, visit, 2)
    kept.write_bytes(good.spoilt(1))
    found = recover(path, [kept], [], lambda: 1_900_000_000_000_000)
    assert found.taken == {str(kept): COUNT}
    text = (
        "SELECT session.uuid, value FROM session_metric JOIN session ON id = session WHERE name = 'reached'"
    )
    of_id = {row[0]: row[1] for row in good.rows["session"]}
    measured = {(row["uuid"], row["value"]) for row in ask(path, text)}
    assert {(of_id[row[0]], row[2]) for row in good.rows["session_metric"] if row[1] == "reached"} <= measured
    assert sorted(tmp_path.glob("*.damaged*")) == [kept]


def flips(good: Good, salvaged: Any, places: list[int]) -> None:
    """A bit of an id may make it the id of another row, which is then there already."""
    for place in places:
        data = bytearray(good.data)
        data[place // 8] ^= 1 << place % 8
        check(good, salvaged(bytes(data)), place // 8 // PAGE + 1, displaced=1)


def test_a_flipped_bit_costs_no_row_of_another_page(good: Good, salvaged: Any) -> None:
    choice = random.Random(5)
    flips(good, salvaged, [choice.randrange(len(good.data) * 8) for _ in range(60)])


@pytest.mark.full
def test_no_flipped_bit_in_the_heads_of_pages_costs_more_than_that_page(good: Good, salvaged: Any) -> None:
    heads = [(page - 1) * PAGE * 8 + bit for page in good.pages for bit in range(0, 8 * 40, 3)]
    flips(good, salvaged, heads)


@pytest.mark.full
def test_thousands_of_flipped_bits_cost_no_row_of_another_page(good: Good, salvaged: Any) -> None:
    choice = random.Random(6)
    flips(good, salvaged, [choice.randrange(len(good.data) * 8) for _ in range(3000)])
