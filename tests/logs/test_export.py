"""The log as a file: what is in it, harmless cells, read-only folders, beside a running show, never half."""

from __future__ import annotations

import csv
import json
import os
import stat
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest
from click.testing import CliRunner

from controller.cli import main
from logs import questions
from logs.engine import choose
from logs.exporting import CannotExport, Choice, export_csv, export_db, export_jsonl, export_parquet
from logs.lock import HomeLock
from logs.original import to_line
from logs.questions import UnreadableLog
from logs.visits import Started

ALL = Choice()
EXPORTS = (export_csv, export_jsonl, export_parquet, export_db)


def write_visits(writing: Any, visit: Any, count: int, source: str = "camera", first: int = 1) -> None:
    for number in range(first, first + count):
        writing.log.put(visit(number, number * 100.0, number * 100.0 + 7.25, source)[0])
        writing.acks.get(timeout=30)
        ended = visit(number, number * 100.0, number * 100.0 + 7.25, source)[1]
        writing.log.put(ended, {"reached": 12, "mean_interest": 0.1 + 0.2})
        writing.acks.get(timeout=30)


@pytest.fixture
def filled(begin: Any, visit: Any) -> Any:
    """A running log with three visitors, a simulated one and one who is still there."""
    writing = begin(zone="Asia/Tokyo")
    write_visits(writing, visit, 3)
    write_visits(writing, visit, 1, "demo", first=4)
    started = visit(9, 900.0, 910.0)[0]
    assert isinstance(started, Started)
    writing.write(started)
    return writing


def test_jsonl_has_the_names_of_the_original_and_only_visitors_who_left(filled: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert export_jsonl(filled.path, out, ALL) == 3
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    original = ["type", "id", "onTime", "offTime", "duration", "startX", "startY", "endX", "endY"]
    assert [list(line)[:9] for line in lines] == [original] * 3
    assert {line["type"] for line in lines} == {"session"}
    assert [line["duration"] for line in lines] == [7.25] * 3
    assert all(line["onTime"].endswith("+09:00") for line in lines)
    assert lines[0]["measures"] == {"mean_interest": 0.1 + 0.2, "reached": 12.0}
    assert export_jsonl(filled.path, out, Choice(include_demo=True)) == 4


def test_csv_has_a_row_a_visit_and_a_column_a_measure(filled: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert export_csv(filled.path, out, ALL) == 3
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    asked = questions.sessions(filled.path)
    assert [int(row["id"]) for row in rows] == [row["id"] for row in asked if row["reason"] != "open"]
    assert {(row["duration_s"], row["reached"], row["demo"]) for row in rows} == {("7.25", "12.0", "0")}


def test_every_table_tells_true_times_also_of_a_visit_in_which_the_clock_was_stepped(
    begin: Any, visit: Any, clock: Any, tmp_path: Path
) -> None:
    writing = begin(zone="Asia/Tokyo", **clock.clocks())
    on_s = (clock.wall_ns + 86_400 * 10**9) / 1e9
    on, off = visit(1, clock.at_s, clock.at_s + 7.25)
    writing.write(on)
    clock.step_wall(86_400.0)
    clock.advance(7.25)
    writing.write(off)
    true = [datetime.fromtimestamp(at_s, UTC) for at_s in (on_s, on_s + 7.25)]
    local = true[0].astimezone(ZoneInfo("Asia/Tokyo"))
    export_csv(writing.path, tmp_path / "out.csv", ALL)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert [datetime.fromisoformat(row[name]) for name in ("on_utc", "off_utc", "local")] == [*true, local]
    assert row["clock_step_ms"] == "86400000"
    export_parquet(writing.path, tmp_path / "out.parquet", ALL)
    told = duckdb.sql(f"SELECT on_utc, off_utc, local FROM '{tmp_path / 'out.parquet'}'").fetchone()
    assert told == (*true, local.replace(tzinfo=None))
    (asked,) = questions.sessions(writing.path)
    assert [datetime.fromisoformat(asked[name]) for name in ("on", "off", "local")] == [*true, local]


def test_the_byte_order_mark_is_there_for_excel_only(filled: Any, tmp_path: Path) -> None:
    export_csv(filled.path, tmp_path / "plain.csv", ALL)
    export_csv(filled.path, tmp_path / "excel.csv", ALL, excel=True)
    plain, excel = (tmp_path / "plain.csv").read_bytes(), (tmp_path / "excel.csv").read_bytes()
    assert excel == b"\xef\xbb\xbf" + plain
    assert not plain.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_of_text_can_run_as_a_formula_and_numbers_stay(
    start: str, begin: Any, visit: Any, tmp_path: Path
) -> None:
    writing, evil = begin(), start + "cmd|'/c calc'!A1"
    writing.log.put(visit(1, 10.0, 20.0, evil)[1], {evil: -3.5, "墨": 1.0})
    writing.acks.get(timeout=30)
    export_csv(writing.path, tmp_path / "out.csv", ALL)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        head, row = list(csv.reader(file))
    assert "'" + evil in head
    assert "墨" in head
    assert "'" + evil in row
    assert "-3.5" in row
    assert not [cell for cell in head + row if cell.startswith(start) and cell != "-3.5"]


def test_days_choose_the_sessions_of_every_format(begin: Any, visit: Any, clock: Any, tmp_path: Path) -> None:
    writing = begin(zone="UTC", **clock.clocks())
    for number in range(1, 5):
        clock.at_s = number * 86400.0
        writing.write(visit(number, clock.at_s, clock.at_s + 6.0)[1])
    days = [row["local_date"] for row in questions.sessions(writing.path)]
    for export in (export_csv, export_jsonl, export_db):
        assert export(writing.path, tmp_path / "out", Choice(days[1], days[2])) == 2
        assert export(writing.path, tmp_path / "out", Choice(last=days[0])) == 1
        assert export(writing.path, tmp_path / "out", Choice(first=days[1])) == 3
    with pytest.raises(ValueError, match="before the first"):
        Choice("2026-04-03", "2026-04-02")
    with pytest.raises(ValueError, match="day"):
        Choice("2026-02-30")


def test_f40_the_database_opens_in_a_read_only_folder_with_all_closed_sessions(
    filled: Any, visit: Any, ask: Any, tmp_path: Path
) -> None:
    place = tmp_path / "for the curator 墨"
    place.mkdir()
    out = place / "copy.db"
    assert export_db(filled.path, out, ALL) == 4
    assert [file.name for file in place.iterdir()] == ["copy.db"]
    assert out.read_bytes()[18:20] == b"\x01\x01", "a file in WAL mode needs companions to be read"
    place.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        found = questions.sessions(out)
        assert [row["measures"]["reached"] for row in found if row["reason"] == "off"] == [12.0] * 3
        assert ask(out, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    finally:
        place.chmod(stat.S_IRWXU)
    filled.write(visit(9, 900.0, 910.0)[1])
    assert len(questions.sessions(filled.path)) == 4, "the show goes on writing"


READ_AS_ANOTHER = """
import os, sqlite3, sys
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(connection.execute("SELECT count(*) FROM session_closed").fetchone()[0])
try:
    open(sys.argv[1] + "-shm", "x")
except OSError:
    print("closed folder")
"""


def test_f40_another_user_and_program_reads_it_from_a_closed_folder(filled: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "copy.db"
        export_db(filled.path, out, ALL)
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", READ_AS_ANOTHER, str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        Path(folder).chmod(0o755)
    assert done.stdout == "3\nclosed folder\n"


@pytest.mark.skipif(
    choose().journal != "WAL",
    reason="needs write-ahead mode, this SQLite is too old for it: pip install pysqlite3",
)
def test_the_show_writes_on_while_it_is_exported_and_the_export_is_of_one_moment(
    filled: Any, visit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = iter(range(20, 99))

    def write_meanwhile(*values: Any) -> str:
        number = next(numbers)
        filled.write(visit(number, number * 100.0, number * 100.0 + 9.0)[1])
        return to_line(*values)

    monkeypatch.setattr("logs.exporting.to_line", write_meanwhile)
    assert export_jsonl(filled.path, tmp_path / "out.jsonl", ALL) == 3
    monkeypatch.undo()
    assert export_jsonl(filled.path, tmp_path / "out.jsonl", ALL) == 6


def test_what_was_not_chosen_is_not_in_the_bytes(begin: Any, visit: Any, tmp_path: Path) -> None:
    writing = begin()
    writing.log.put(visit(1, 10.0, 20.0, "demo")[1], {"only_of_the_demo": 1.0})
    writing.acks.get(timeout=30)
    export_db(writing.path, tmp_path / "all.db", Choice(include_demo=True))
    export_db(writing.path, tmp_path / "some.db", ALL)
    assert b"only_of_the_demo" in (tmp_path / "all.db").read_bytes()
    assert b"only_of_the_demo" not in (tmp_path / "some.db").read_bytes()


OF_EACH_DAY = """
INSERT INTO pointer_grid SELECT id, 1, 1, CAST('pointed at ' || local_date AS BLOB) FROM session;
INSERT INTO recording SELECT id, 'recorded on ' || local_date, 60, 1000 FROM session;
INSERT INTO day_rollup SELECT local_date, 0, 30, 1, 1, 5.0, 6.0, 6.0, 6.0, 0, 1, 0, 0, 0 FROM session;
"""


def test_days_not_chosen_leave_no_pointing_recording_or_rollup_behind(
    begin: Any, visit: Any, clock: Any, ask: Any, tmp_path: Path
) -> None:
    writing, out = begin(zone="UTC", **clock.clocks()), tmp_path / "out.db"
    for number in range(1, 4):
        clock.at_s = number * 86400.0
        writing.write(visit(number, clock.at_s, clock.at_s + 6.0)[1])
    assert writing.log.stop(5.0)
    connection = choose().module.connect(writing.path)
    connection.executescript(OF_EACH_DAY)
    connection.close()
    days = [row["local_date"] for row in questions.sessions(writing.path)]
    assert export_db(writing.path, out, Choice(days[1], days[1])) == 1
    for table in ("session", "pointer_grid", "recording", "day_rollup"):
        assert len(ask(out, f"SELECT * FROM {table}")) == 1, table
    assert [row["local_date"] for row in ask(out, "SELECT * FROM day_rollup")] == [days[1]]
    for day, is_there in zip(days, (False, True, False), strict=True):
        for text in (f"pointed at {day}", f"recorded on {day}"):
            assert (text.encode() in out.read_bytes()) is is_there, text
    assert export_db(writing.path, out, ALL) == 3
    assert len(ask(out, "SELECT * FROM day_rollup")) == 3
    assert ask(out, "PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("export", EXPORTS)
def test_a_fault_in_the_middle_leaves_what_was_there(
    export: Any, filled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "out"
    place.mkdir()
    out = place / "a"
    out.write_text("before")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotExport, match="No space left"):
        export(filled.path, out, ALL)
    assert out.read_text() == "before"
    assert list(place.iterdir()) == [out]


@pytest.mark.parametrize("export", EXPORTS)
def test_the_log_itself_is_never_written_over(export: Any, filled: Any, tmp_path: Path) -> None:
    link, other_name = tmp_path / "link", tmp_path / "other name"
    link.symlink_to(filled.path)
    other_name.hardlink_to(filled.path)
    before = questions.sessions(filled.path)
    companions = ("visits.db-wal", "visits.db.lock", "visits.spill-1.jsonl", "visits.damaged-1.db")
    for out in (filled.path, link, other_name, *map(filled.path.with_name, companions)):
        with pytest.raises(CannotExport, match="log itself"):
            export(filled.path, out, ALL)
    for out in (tmp_path, tmp_path / "nowhere" / "a"):
        with pytest.raises(CannotExport):
            export(filled.path, out, ALL)
    assert questions.sessions(filled.path) == before


@pytest.mark.parametrize("export", EXPORTS)
def test_a_log_that_is_a_link_is_not_written_over_where_it_lies(
    export: Any, filled: Any, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    link = tmp_path / "home" / "visits.db"
    link.symlink_to(filled.path)
    with pytest.raises(CannotExport, match="log itself"):
        export(link, filled.path, ALL)


@pytest.mark.parametrize("export", EXPORTS)
def test_a_name_that_no_file_can_have_is_refused_and_the_longest_is_taken(
    export: Any, filled: Any, tmp_path: Path
) -> None:
    for out in (tmp_path / ("n" * 260), tmp_path / ("n" * 260) / "out", tmp_path / ("n/o" * 2000)):
        with pytest.raises(CannotExport, match=r"too long|no folder"):
            export(filled.path, out, ALL)
    longest = tmp_path / ("n" * 255)
    assert export(filled.path, longest, ALL) >= 3
    assert longest.exists()


def test_a_foreign_journal_beside_the_copy_is_not_played_into_it(filled: Any, tmp_path: Path) -> None:
    (tmp_path / "copy.db-wal").write_bytes(b"x")
    with pytest.raises(CannotExport, match="journal"):
        export_db(filled.path, tmp_path / "copy.db", ALL)


@pytest.mark.parametrize("export", EXPORTS)
def test_no_log_and_old_logs(export: Any, old_file: Any, tmp_path: Path) -> None:
    with pytest.raises(UnreadableLog, match="no log yet"):
        export(tmp_path / "none.db", tmp_path / "out", ALL)
    assert not (tmp_path / "out").exists()
    for version in (1, 2, 3, 4):
        old_file(tmp_path / f"{version}.db", version)
        assert export(tmp_path / f"{version}.db", tmp_path / "out", ALL) == 1


ORIGINAL = (
    '{"type":"session","id":1,"onTime":"2026-04-02T%d:00:00.000","offTime":"2026-04-02T%d:00:09.000",'
    '"duration":9.0,"startX":1,"startY":2,"endX":3,"endY":4}'
)


def test_the_commands_give_and_take_files_and_name_each_bad_line(tmp_path: Path) -> None:
    file, home, out = tmp_path / "2026-04-02.jsonl", tmp_path / "home", tmp_path / "out.csv"
    file.write_text(f"{ORIGINAL % (10, 10)}\nwrong\n{ORIGINAL % (11, 11)}\n")
    call = ["logs", "import", str(file), "--home", str(home), "--screen", "1000x600"]
    done = CliRunner().invoke(main, call)
    assert done.exit_code == 1
    assert f"{file}: 2 sessions taken, 0 known before, 1 bad lines" in done.output
    assert f"{file}, line 2: it is no JSON" in done.output
    assert json.loads(CliRunner().invoke(main, [*call, "--json"]).stdout)[0]["known"] == 2
    done = CliRunner().invoke(
        main, ["logs", "export", "--home", str(home), "--format", "csv", "--excel", "--out", str(out)]
    )
    assert (done.exit_code, done.output) == (0, f"2 sessions in {out}\n")
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    wrong = ["logs", "export", "--home", str(home), "--format", "db", "--out", str(out)]
    for more in (["--excel"], ["--day", "2026-04-02", "--to", "2026-04-03"], ["--day", "2026-02-30"]):
        assert CliRunner().invoke(main, [*wrong, *more]).exit_code == 2
    lock = HomeLock(home / "visits.db")
    lock.take()
    refused = CliRunner().invoke(main, call)
    lock.release()
    assert refused.exit_code == 1
    assert "stop it first" in refused.output
