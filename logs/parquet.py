"""A table as one Parquet file with typed columns, written by DuckDB: it comes with the extra `analysis`."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

CHUNK_ROWS = 20_000
# An array of text gives each cell the room of the longest.
CHUNK_CHARACTERS = 2_000_000
TEXT, NUMBER, WHOLE, YES_NO = "VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"
DAY, LOCAL_TIME, INSTANT = "DATE", "TIMESTAMP", "TIMESTAMPTZ"
# DuckDB sees no mask of an array, so these stand for None: SQLite has no NaN, and no time is that old.
NO_NUMBER, NO_WHOLE = np.nan, np.iinfo(np.int64).min
WHOLE_OR_NULL = f"nullif({{}}, {NO_WHOLE})"
# How a type is made from the values that are handed over, where these are not yet of it.
MADE_FROM = {
    NUMBER: "nullif({}, 'nan'::DOUBLE)",
    WHOLE: WHOLE_OR_NULL,
    YES_NO: WHOLE_OR_NULL,
    LOCAL_TIME: f"make_timestamp({WHOLE_OR_NULL})",
    INSTANT: f"make_timestamp({WHOLE_OR_NULL})::TIMESTAMPTZ",
}
# DuckDB looks for pandas anew at each cell that is an object of Python's.
ARRAYS = {TEXT: np.str_, DAY: np.str_, NUMBER: np.float64}
# Nothing is looked for on the network or read from the disk, and only the one file is written.
CLOSED_IN = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET TimeZone = 'UTC'",
    "SET allowed_paths = [{out}]",
    "SET enable_external_access = false",
)
PACKED = "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false"
MARK = '"'


class NoParquet(RuntimeError):
    """DuckDB is missing or refuses; the message says why."""


def is_available() -> bool:
    """Whether DuckDB is installed."""
    return importlib.util.find_spec("duckdb") is not None


def write(out: Path, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]]) -> int:
    """All rows as `out`, packed with zstd, in their order; returns how many.

    `columns` are names, each with a type of this module. Instants and local times are microseconds
    since 1970, days ISO text; None is NULL, but for text and days. A name that differs from one before
    it only in its case gets a number behind it, as DuckDB's names know no case. Raises NoParquet.
    """
    if not is_available():
        raise NoParquet("a Parquet file needs DuckDB, which is not installed")
    import duckdb

    types = [kind for _, kind in columns]
    named = ", ".join(f"c{place} AS {_quoted(name, MARK)}" for place, (name, _) in enumerate(columns))
    target = _quoted(str(out), "'")
    try:
        with duckdb.connect(":memory:") as connection:
            for text in CLOSED_IN:
                connection.execute(text.format(out=target))
            cells = ", ".join(f"c{place} {kind}" for place, kind in enumerate(types))
            connection.execute(f"CREATE TABLE made ({cells})")
            for chunk in _chunks(types, rows):
                _insert(connection, types, chunk)
            text = f"COPY (SELECT {named} FROM made ORDER BY rowid) TO {target} ({PACKED})"
            return int(connection.execute(text).fetchall()[0][0])
    except duckdb.Error as fault:
        raise NoParquet(f"DuckDB says: {fault}") from fault


def _chunks(types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """The rows in parts that fit into arrays: few enough, and fewer where a text is long."""
    texts = [place for place, kind in enumerate(types) if ARRAYS.get(kind) is np.str_]
    chunk: list[Sequence[Any]] = []
    longest = 1
    for row in rows:
        length = max([len(row[place]) for place in texts], default=1)
        if len(chunk) == CHUNK_ROWS or (len(chunk) + 1) * max(longest, length) > CHUNK_CHARACTERS:
            if chunk:
                yield chunk
            chunk, longest = [], 1
        chunk.append(row)
        longest = max(longest, length)
    if chunk:
        yield chunk


def _insert(connection: Any, types: Sequence[str], rows: list[Sequence[Any]]) -> None:
    cells = zip(types, zip(*rows, strict=True), strict=True)
    connection.register("chunk", {f"c{place}": _array(*cell) for place, cell in enumerate(cells)})
    made = (MADE_FROM.get(kind, "{}").format(f"c{place}") for place, kind in enumerate(types))
    connection.execute(f"INSERT INTO made SELECT {', '.join(made)} FROM chunk")
    connection.unregister("chunk")


def _array(kind: str, values: Sequence[Any]) -> Any:
    """The values as DuckDB reads them fastest."""
    dtype = ARRAYS.get(kind, np.int64)
    none = NO_NUMBER if kind == NUMBER else NO_WHOLE
    return np.array(
        values if dtype is np.str_ else [none if cell is None else cell for cell in values], dtype
    )


def _quoted(text: str, mark: str) -> str:
    return mark + text.replace(mark, mark * 2) + mark
