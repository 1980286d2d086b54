"""The log as a file for others: CSV, JSON lines, Parquet, or one database; whole or not at all.

All of them read one consistent state beside a running show, as any reader does.
"""

from __future__ import annotations

import csv
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from logs import damage, parquet
from logs.durable import sync_folder
from logs.engine import choose
from logs.original import local_iso, to_line, true_times
from logs.questions import has_table, reading

BOM = "\ufeff"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
COLUMNS = (
    *("id", "uuid", "local", "on_utc", "off_utc", "duration_s", "source", "end_reason", "joins"),
    *("start_x", "start_y", "end_x", "end_y", "demo", "zone", "local_date", "local_hour", "clock_step_ms"),
)
TYPES = {
    **dict.fromkeys(("uuid", "source", "end_reason", "zone"), parquet.TEXT),
    **dict.fromkeys(("duration_s", "start_x", "start_y", "end_x", "end_y"), parquet.NUMBER),
    **dict.fromkeys(("id", "joins", "local_hour", "clock_step_ms"), parquet.WHOLE),
    **dict.fromkeys(("on_utc", "off_utc"), parquet.INSTANT),
    "local": parquet.LOCAL_TIME,
    "local_date": parquet.DAY,
    "demo": parquet.YES_NO,
}
OF_SESSIONS = ("session_metric", "pointer_grid", "recording")


class CannotExport(RuntimeError):
    """The file cannot be made there; the message says why. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which sessions: those that began on the local dates `first` to `last` (YYYY-MM-DD, None = any).

    Raises ValueError for what is no date, and for a last day before the first.
    """

    first: str | None = None
    last: str | None = None
    include_demo: bool = False

    def __post_init__(self) -> None:
        for day in (self.first, self.last):
            if day is not None and date.fromisoformat(day).isoformat() != day:
                raise ValueError(f"{day!r} is no date; give it as 2026-04-02")
        if self.first and self.last and self.last < self.first:
            raise ValueError(f"the last day, {self.last}, lies before the first, {self.first}")

    def where(self) -> tuple[str, list[str]]:
        """A condition on `session`, and its values."""
        days, values = self.days()
        return f"{'1' if self.include_demo else 'demo = 0'} AND {days}", values

    def days(self) -> tuple[str, list[str]]:
        """A condition on `local_date`, and its values."""
        ends = {"local_date >= ?": self.first, "local_date <= ?": self.last}
        kept = {text: day for text, day in ends.items() if day is not None}
        return " AND ".join(kept) or "1", list(kept.values())


def export_csv(path: Path, out: Path, choice: Choice, excel: bool = False) -> int:
    """Closed sessions as UTF-8 CSV, a column a measure; returns how many.

    `excel` puts the byte-order mark before it, without which Excel takes the text for another
    encoding. Text that a spreadsheet would run as a formula gets an apostrophe before it.
    Raises UnreadableLog, CannotExport.
    """
    with _new_file(path, out) as aside, reading(path) as connection:
        names = _measure_names(connection)
        with aside.open("w", encoding="utf-8", newline="") as file:
            file.write(BOM if excel else "")
            table = csv.writer(file)
            table.writerow([_harmless(name) for name in [*COLUMNS, *names]])
            count = 0
            for row, measures in _closed(connection, choice):
                cells = [_cell(row, column) for column in COLUMNS] + [measures.get(name) for name in names]
                table.writerow([_harmless(cell) for cell in cells])
                count += 1
    return count


def export_jsonl(path: Path, out: Path, choice: Choice) -> int:
    """Closed sessions as JSON lines with the original's field names; returns how many.

    Raises UnreadableLog, CannotExport.
    """
    count = 0
    with (
        _new_file(path, out) as aside,
        reading(path) as connection,
        aside.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for row, measures in _closed(connection, choice):
            file.write(to_line(row, measures) + "\n")
            count += 1
    return count


def export_parquet(path: Path, out: Path, choice: Choice) -> int:
    """Closed sessions as one Parquet file, typed, a column a measure; returns how many.

    Needs DuckDB. Raises UnreadableLog, CannotExport.
    """
    with _new_file(path, out) as aside, reading(path) as connection:
        names = _measure_names(connection)
        kinds = [*((name, TYPES[name]) for name in COLUMNS), *((name, parquet.NUMBER) for name in names)]
        rows = (
            [*(_raw(row, column) for column in COLUMNS), *(measures.get(name) for name in names)]
            for row, measures in _closed(connection, choice)
        )
        try:
            return parquet.write(aside, kinds, rows)
        except parquet.NoParquet as fault:
            raise CannotExport(f"{out}: {fault}") from fault


def export_db(path: Path, out: Path, choice: Choice) -> int:
    """The database as one file without companions, which opens in a read-only folder; returns its sessions.

    A visitor who is there now is in it as `open`. Raises UnreadableLog, CannotExport.
    """
    with _new_file(path, out, is_database=True) as aside:
        with reading(path) as connection:
            connection.execute("COMMIT")
            with _told(out):
                connection.execute("VACUUM INTO ?", [str(aside)])
        with _told(out):
            return _keep_only(aside, choice)


@contextmanager
def _told(out: Path) -> Iterator[None]:
    """Faults of the database that is being made, told as such."""
    try:
        yield
    except choose().module.Error as fault:
        raise CannotExport(f"{out}: cannot be written ({fault})") from fault


def _keep_only(copy: Path, choice: Choice) -> int:
    """Take the other sessions out of a copy, their bytes too; returns how many it has."""
    connection = choose().module.connect(copy, isolation_level=None)
    try:
        where, values = choice.where()
        gone = connection.execute(f"DELETE FROM session WHERE NOT ({where})", values).rowcount
        for table in OF_SESSIONS:
            if has_table(connection, table):
                text = f"DELETE FROM {table} WHERE session NOT IN (SELECT id FROM session)"
                gone += connection.execute(text).rowcount
        if has_table(connection, "day_rollup"):
            where, values = choice.days()
            gone += connection.execute(f"DELETE FROM day_rollup WHERE NOT ({where})", values).rowcount
        if gone:
            connection.execute("VACUUM")
        return int(connection.execute("SELECT count(*) FROM session").fetchone()[0])
    finally:
        connection.close()


def _measure_names(connection: Any) -> list[str]:
    if not has_table(connection, "session_metric"):
        return []
    return [name for (name,) in connection.execute("SELECT DISTINCT name FROM session_metric ORDER BY name")]


def _closed(connection: Any, choice: Choice) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """Rows and measures in the order of their ids, one at a time."""
    where, values = choice.where()
    text = f"SELECT * FROM session WHERE end_reason <> 'open' AND {where} ORDER BY id"
    cursor = connection.execute(text, values)
    names = [column[0] for column in cursor.description]
    measures_of = _measures_of(connection)
    for found in cursor:
        row = dict(zip(names, found, strict=True))
        yield row, measures_of(row["id"])


def _measures_of(connection: Any) -> Callable[[int], dict[str, float]]:
    if not has_table(connection, "session_metric"):
        return lambda session: {}
    text = "SELECT name, value FROM session_metric WHERE session = ? ORDER BY name"
    return lambda session: dict(connection.execute(text, [session]).fetchall())


def _cell(row: Mapping[str, Any], column: str) -> Any:
    if column == "local":
        return local_iso(true_times(row)[0], row["utc_offset_min"])
    if column in ("on_utc", "off_utc"):
        return local_iso(true_times(row)[column == "off_utc"], 0).replace("+00:00", "Z")
    return row[column]


def _raw(row: Mapping[str, Any], column: str) -> Any:
    """As `parquet` takes it: times in microseconds."""
    if column == "local":
        return true_times(row)[0] + row["utc_offset_min"] * 60_000_000
    if column in ("on_utc", "off_utc"):
        return true_times(row)[column == "off_utc"]
    return row[column]


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


@contextmanager
def _new_file(path: Path, out: Path, is_database: bool = False) -> Iterator[Path]:
    """A name beside `out`; what stands there in the end takes its place in one step, on the disk."""
    target = Path(os.path.realpath(out))
    aside = target.with_name(f".{secrets.token_hex(8)}.new")
    try:
        _check_place(path, out, target)
        if is_database:
            _check_alone(out, target)
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(target)
    except OSError as fault:
        raise CannotExport(f"{out}: cannot be written ({fault.strerror or fault})") from fault
    finally:
        with suppress(OSError):
            for file_left in [*damage.leftovers(aside), aside]:
                file_left.unlink(missing_ok=True)
    sync_folder(target.parent)


def _check_place(path: Path, out: Path, target: Path) -> None:
    """Raises CannotExport, and OSError for a name that no file can have."""
    for log in (path, Path(os.path.realpath(path))):
        if target.parent == Path(os.path.realpath(log.parent)) and target.name.startswith(_own(log)):
            raise CannotExport(f"{out} is the log itself or belongs to it; give another name")
    if not target.parent.is_dir():
        raise CannotExport(f"{out}: there is no folder {target.parent}")
    if not target.exists():
        return
    if not target.is_file():
        raise CannotExport(f"{out} is no regular file; give another name")
    if path.exists() and target.samefile(path):
        raise CannotExport(f"{out} is the log itself; give another name")


def _own(log: Path) -> tuple[str, ...]:
    """How the names begin of the log, its companions, its copies and what waits for it."""
    return log.name, *(f"{log.stem}.{kind}" for kind in ("spill", "damaged-", "before-migration"))


def _check_alone(out: Path, target: Path) -> None:
    if any(os.path.lexists(f"{target}{ending}") for ending in damage.COMPANIONS):
        raise CannotExport(f"{out}: a journal lies beside it and would be taken for its own; remove it first")
