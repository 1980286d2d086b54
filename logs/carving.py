"""Rows of a damaged log read from its pages themselves, also when the engine cannot tell its tables any more.

A leaf page holds whole rows, and a row tells the types of its fields: by these, and by what names, days
and times look like, its table is known. So a row needs no page but its own (and those of a long text).

Old bytes must not come back as visits. So only rows count that a page lists, in the newest image of it
that was committed; pages are left out that the file calls unused; and a row that is there already, by
its id or name, stays as it is, but that a visit which has ended goes before an unfinished copy of it. What
a purge deleted is in no page any more: it overwrites the rows and writes the whole file anew. When the first
page is bad nothing tells the unused ones; rows of removed recordings may then come back, and go again
at the next start.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from logs.engine import Engine
from logs.identity import LARGEST_ID
from logs.pages import INDEX_INTERIOR, INDEX_LEAF, SIZES, TABLE_LEAF, Cell, Pages, size_told

SAMPLE_BYTES = 4 << 20
LARGEST_US = 2**53
TEXTS = {
    "uuid": re.compile(r"[!-~]{1,64}"),
    "local_date": re.compile(r"\d{4}-\d\d-\d\d"),
    "end_reason": re.compile(r"[a-z_]+"),
}
CLASSES = {"INTEGER": "i", "REAL": "ir", "TEXT": "t", "BLOB": "b"}
# Of two copies of a visit the one that has ended counts; of two that have not, the later one.
UNFINISHED = "session.end_reason IN ('open', 'recovered')"
NEWER = f"""
WHERE session.uuid = excluded.uuid AND {UNFINISHED}
AND (excluded.end_reason <> 'recovered' OR excluded.seen_at_us > session.seen_at_us)
"""


class Table:
    """How the rows of one table look, as the database `new` has it; older rows may have fewer columns."""

    def __init__(self, new: Any, name: str) -> None:
        text = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)'
        columns = new.execute(text, [name]).fetchall()
        (bare,) = new.execute("SELECT wr FROM pragma_table_list WHERE name = ?", [name]).fetchone()
        self.name, self.columns = name, [column[0] for column in columns]
        self.pages = (INDEX_LEAF, INDEX_INTERIOR) if bare else (TABLE_LEAF,)
        keys = [column[0] for column in columns if column[4]]
        self.key = keys[0] if keys and not bare else ""
        self._classes = [
            "n" if column == self.key else CLASSES[kind] + ("" if filled else "n")
            for column, kind, filled, _, _ in columns
        ]
        checks = ((place, _check_of(*column[:2])) for place, column in enumerate(columns))
        self._checks = [(place, check) for place, check in checks if check is not None]
        self.settled = f"AND NOT {UNFINISHED}" if name == "session" else ""
        self._needed = 1 + max(
            place for place, column in enumerate(columns) if column[2] and column[3] is None
        )

    def matches(self, classes: str) -> bool:
        """Whether a record of fields of these classes can be a row of it."""
        if not self._needed <= len(classes) <= len(self.columns):
            return False
        return all(one in allowed for one, allowed in zip(classes, self._classes, strict=False))

    def row(self, cell: Cell, values: list[Any]) -> list[Any] | None:
        """The row, its id in its place; None when it cannot be one."""
        if self.key:
            values[self.columns.index(self.key)] = cell.rowid
            if not 0 < cell.rowid < LARGEST_ID:
                return None
        for place, is_possible in self._checks:
            if place < len(values) and values[place] is not None and not is_possible(values[place]):
                return None
        if self.name == "session" and values[-1] == "open":
            # Only one visit is open at a time; a recovered one goes on too when its end is written.
            values[-1] = "recovered"
            values[self.columns.index("off_at_us")] = values[self.columns.index("seen_at_us")]
        return values

    def insert(self, count: int) -> str:
        """Text that puts a row of that many columns, unless it is there."""
        names = self.columns[:count]
        marks = ", ".join("?" * count)
        into = f"INTO {self.name} ({', '.join(names)}) VALUES ({marks})"
        if self.name != "session":
            return f"INSERT OR IGNORE {into}"
        changed = ", ".join(f"{name} = excluded.{name}" for name in names if name not in ("id", "uuid"))
        return f"INSERT {into} ON CONFLICT DO UPDATE SET {changed} {NEWER}"


class Carving:
    """The rows in the pages of the damaged database at `path` put into `new`, which is current and open.

    `is_late` ends the reading. Raises the driver's `Error` when `new` cannot be written.
    """

    def __init__(
        self, path: Path, engine: Engine, new: Any, tables: Sequence[str], is_late: Callable[[], bool]
    ) -> None:
        self._refused = (engine.module.IntegrityError, OverflowError, UnicodeEncodeError)
        self._new, self._is_late = new, is_late
        tables_by_page: dict[int, list[Table]] = {}
        for table in (Table(new, name) for name in tables):
            for kind in table.pages:
                tables_by_page.setdefault(kind, []).append(table)
        self._tables = tables_by_page
        self._table_of = cache(self._find_table)
        self._insert_of = cache(Table.insert)
        self._pages = Pages(path, size_told(path) or self._likely_size(path), is_late)

    def close(self) -> None:
        self._pages.close()

    def put(self, names: Sequence[str]) -> None:
        """Put the rows of these tables that are not there yet."""
        kinds = [
            kind for kind, tables in self._tables.items() if any(table.name in names for table in tables)
        ]
        for number in range(2, self._pages.count + 1):
            if self._is_late():
                return
            page = b"" if number in self._pages.free else self._pages.page(number)
            if page and page[0] in kinds:
                self._put_page(page, names)

    def _put_page(self, page: bytes, names: Sequence[str]) -> None:
        for table, row in self._rows(page, names):
            with suppress(*self._refused):
                self._new.execute(self._insert_of(table, len(row)), row)

    def _rows(self, page: bytes, names: Sequence[str]) -> Iterator[tuple[Table, list[Any]]]:
        """The rows of these tables in one page, unless all are there already."""
        cells = [found for found in self._cells(self._pages, page) if found[1].name in names]
        if not cells or self._are_there(cells):
            return
        for cell, table in cells:
            values = self._pages.values(cell)
            row = None if values is None else table.row(cell, values)
            if row is not None:
                yield table, row

    def _cells(self, pages: Pages, page: bytes) -> list[tuple[Cell, Table]]:
        """None when neither of a few cells is of a table: most pages are those of indexes."""
        if not page or page[0] not in self._tables:
            return []
        if not any(self._known(page, pages.cells(page, few=True))):
            return []
        return list(self._known(page, pages.cells(page)))

    def _known(self, page: bytes, cells: Iterator[Cell]) -> Iterator[tuple[Cell, Table]]:
        for cell in cells:
            table = self._table_of(page[0], cell.layout.classes)
            if table is not None:
                yield cell, table

    def _find_table(self, kind: int, classes: str) -> Table | None:
        return next((table for table in self._tables[kind] if table.matches(classes)), None)

    def _are_there(self, cells: list[tuple[Cell, Table]]) -> bool:
        """Spares the unpacking of the many pages that the engine could read."""
        (first, table), (last, _) = cells[0], cells[-1]
        if not table.key or max(first.rowid, last.rowid) > LARGEST_ID:
            return False
        text = f"SELECT count(*) FROM {table.name} WHERE {table.key} BETWEEN ? AND ? {table.settled}"
        return bool(self._new.execute(text, [first.rowid, last.rowid]).fetchone()[0] == len(cells))

    def _likely_size(self, path: Path) -> int:
        """The page size that makes most rows of a sample spread over the file."""
        scores: dict[int, int] = {}
        for size in SIZES:
            with Pages(path, size, self._is_late) as pages:
                step = 1 + pages.count * size // SAMPLE_BYTES
                sample = (pages.page(number) for number in range(2, pages.count + 1, step))
                scores[size] = sum(len(self._cells(pages, page)) for page in sample)
        return max(scores, key=scores.__getitem__)


def _check_of(name: str, kind: str) -> Callable[[Any], object] | None:
    """What tells whether a value that is not null can stand in the column; it is of the right class."""
    if name in TEXTS:
        return TEXTS[name].fullmatch
    if name.endswith("at_us"):
        return lambda value: 0 <= value < LARGEST_US
    return {"TEXT": lambda value: "\0" not in value, "REAL": math.isfinite}.get(kind)
