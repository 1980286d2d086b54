"""The log as a Parquet file: typed, row for row what the log says, no network, or how to get DuckDB."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import tracemalloc
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.settings import DATABASE
from logs import exporting, parquet
from logs.exporting import CannotExport, Choice, export_parquet

READ = """
SELECT * REPLACE (epoch_us(on_utc) AS on_utc, epoch_us(off_utc) AS off_utc, epoch_us("local") AS "local",
    local_date::VARCHAR AS local_date, demo::INTEGER AS demo)
FROM read_parquet(?) ORDER BY file_row_number
"""
LOGGED = """
SELECT id, uuid, on_at_us + clock_step_ms * 1000 + utc_offset_min * 60000000 AS "local",
    on_at_us + clock_step_ms * 1000 AS on_utc,
    on_at_us + clock_step_ms * 1000 + CAST(round(duration_s * 1e6) AS INTEGER) AS off_utc,
    duration_s, source, end_reason, joins, start_x, start_y, end_x, end_y, demo, zone, local_date, local_hour,
    clock_step_ms FROM session WHERE end_reason <> 'open' ORDER BY id
"""
TYPES = {
    **dict.fromkeys(("id", "joins", "local_hour", "clock_step_ms"), "BIGINT"),
    **dict.fromkeys(("duration_s", "start_x", "start_y", "end_x", "end_y", "reached", "墨"), "DOUBLE"),
    **dict.fromkeys(("uuid", "source", "end_reason", "zone"), "VARCHAR"),
    **dict.fromkeys(("on_utc", "off_utc"), "TIMESTAMP WITH TIME ZONE"),
    "local": "TIMESTAMP",
    "local_date": "DATE",
    "demo": "BOOLEAN",
}


def read(file: Path) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        found = connection.execute(READ.replace("(?)", f"('{file}', file_row_number = true)"))
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.fixture
def filled(begin: Any, visit: Any) -> Any:
    """Visits with and without measures, a source in kanji, a simulated one, and one who is still there."""
    writing = begin(zone="Asia/Kolkata")
    measures: list[dict[str, float]] = [
        {"reached": 1 / 3},
        {},
        {"墨": -1e300, "reached": 0.0},
        {"reached": 5.0},
    ]
    sources = ("camera", "光 'の' \"虫", "camera", "demo")
    for number, (measured, source) in enumerate(zip(measures, sources, strict=True), start=1):
        writing.log.put(visit(number, number * 100.0, number * 100.0 + 1 / 7, source)[1], measured)
        writing.acks.get(timeout=30)
    writing.write(visit(9, 900.0, 910.0)[0])
    return writing


def test_each_row_is_what_the_log_says_and_each_column_has_its_type(
    filled: Any, ask: Any, tmp_path: Path
) -> None:
    out = tmp_path / "o'ut 墨.parquet"
    assert export_parquet(filled.path, out, Choice(include_demo=True)) == 4
    rows = read(out.rename(tmp_path / "out.parquet"))
    measured = [{name: row.pop(name) for name in ("reached", "墨")} for row in rows]
    for row in rows:
        row.pop("file_row_number", None)
    assert rows == ask(filled.path, LOGGED)
    assert measured == [
        {"reached": 1 / 3, "墨": None},
        {"reached": None, "墨": None},
        {"reached": 0.0, "墨": -1e300},
        {"reached": 5.0, "墨": None},
    ]
    file = tmp_path / "out.parquet"
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'").fetchall()
    assert {name: kind for name, kind, *_ in described} == TYPES
    packed = duckdb.sql(f"SELECT DISTINCT compression FROM parquet_metadata('{file}')").fetchall()
    assert packed == [("ZSTD",)]


def test_times_read_as_times_with_the_packages_of_the_extra(filled: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    export_parquet(filled.path, out, Choice())
    on, local, day = duckdb.sql(f"SELECT on_utc, local, local_date FROM '{out}' LIMIT 1").fetchall()[0]
    assert isinstance(on, datetime)
    assert on.tzinfo is not None
    assert (local - on.astimezone(None).replace(tzinfo=None)).total_seconds() % 60 == 0
    assert day == local.date()
    assert isinstance(day, date)


def test_days_and_simulated_visitors_are_chosen_as_in_every_format(
    begin: Any, visit: Any, clock: Any, tmp_path: Path
) -> None:
    writing, out = begin(zone="UTC", **clock.clocks()), tmp_path / "out.parquet"
    for number in range(1, 5):
        clock.at_s = number * 86400.0
        writing.write(visit(number, clock.at_s, clock.at_s + 6.0, "demo" if number == 4 else "camera")[1])
    days = [row["local_date"] for row in exporting_days(writing.path)]
    assert [export_parquet(writing.path, out, Choice(first=day)) for day in days] == [3, 2, 1, 0]
    assert export_parquet(writing.path, out, Choice(days[3], days[3], include_demo=True)) == 1
    assert [row["id"] for row in read(out)] == [4]
    assert export_parquet(writing.path, out, Choice(days[3])) == 0
    assert read(out) == []


def exporting_days(path: Path) -> list[dict[str, Any]]:
    from logs.questions import sessions

    return sessions(path, include_demo=True)


def test_more_rows_than_a_chunk_stay_in_order_and_names_know_no_case(tmp_path: Path) -> None:
    out, count = tmp_path / "out.parquet", 2 * parquet.CHUNK_ROWS + 7
    columns = [("n", parquet.WHOLE), ("N", parquet.NUMBER), ('a"b', parquet.TEXT)]
    assert parquet.write(out, columns, ((n, None, f"t{n % 3}") for n in range(count))) == count
    found = duckdb.sql(f"SELECT * FROM '{out}'")
    assert found.columns == ["n", "N_1", 'a"b']
    assert found.fetchall() == [(n, None, f"t{n % 3}") for n in range(count)]


def test_one_long_text_does_not_make_every_cell_as_long(tmp_path: Path) -> None:
    """In 3000 rows it would take 2.4 GB of array. The rows stay in order."""
    out, count, place = tmp_path / "out.parquet", 3_000, 1_234
    columns = [("n", parquet.WHOLE), ("text", parquet.TEXT), ("day", parquet.DAY)]
    rows = [[n, f"t{n}", "2026-04-02"] for n in range(count)]
    rows[place][1] = "墨" * 200_000
    tracemalloc.start()
    assert parquet.write(out, columns, iter(rows)) == count
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 50e6
    assert duckdb.sql(f"SELECT n, text FROM '{out}'").fetchall() == [(n, text) for n, text, _ in rows]


def test_duckdb_is_closed_in_while_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other file and no extension: the same statements, with one more of each kind."""
    elsewhere = tmp_path / "elsewhere.parquet"
    for more in (f"COPY (SELECT 1) TO '{elsewhere}'", "INSTALL httpfs", "SET enable_external_access = true"):
        monkeypatch.setattr(parquet, "CLOSED_IN", (*parquet.CLOSED_IN[:5], more))
        with pytest.raises(parquet.NoParquet, match=r"disabled|not possible|cannot|Cannot"):
            parquet.write(tmp_path / "out.parquet", [("n", parquet.WHOLE)], [(1,)])
    assert list(tmp_path.iterdir()) == []


def test_without_duckdb_one_sentence_tells_how_to_get_it_and_nothing_is_written(
    filled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, out = tmp_path / "home", tmp_path / "out.parquet"
    home.mkdir()
    exporting.export_db(filled.path, home / DATABASE, Choice())
    command = ["logs", "export", "--home", str(home), "--format", "parquet", "--out", str(out)]
    done = CliRunner().invoke(main, command)
    assert (done.exit_code, done.output) == (0, f"3 sessions in {out}\n")
    before = out.read_bytes()
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "duckdb" else find(name))
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1
    assert refused.output.count("\n") == 1
    with pytest.raises(CannotExport, match="needs DuckDB"):
        export_parquet(filled.path, out, Choice())
    assert out.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == sorted([home, out, filled.path, *lying_beside(filled.path)])

    words = shlex.split(refused.output.partition("get it with: ")[2])
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    pins = dict(re.findall(r"^([a-z-]+)==(\S+)", Path(words[-1]).read_text(encoding="utf-8"), re.MULTILINE))
    assert pins["duckdb"] == duckdb.__version__
    assert {"datasette", "pytz", "click", "numpy"} <= pins.keys()


def lying_beside(path: Path) -> list[Path]:
    return [file for file in path.parent.iterdir() if file.name.startswith(path.name) and file != path]
