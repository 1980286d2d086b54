"""The rows of a damaged log that can still be read, put into the new one under their own ids and names.

The engine reads a table by ranges of ids, each as far as it can be read. What it does not find, behind a bad
page, a bad root or a bad schema, is then taken from the pages themselves (`carving`). The reading as a whole
ends after `LIMIT_S`, with what was found by then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from logs import damage
from logs.carving import Carving
from logs.engine import Engine, connect_to_read
from logs.identity import LARGEST_ID, Identity, continue_after

LIMIT_S = 20.0
RANGE = 1024
STEPS_BETWEEN_LOOKS = 100_000
KEYS = {
    "run": "id",
    "session": "id",
    "event": "id",
    "session_metric": "session",
    "pointer_grid": "session",
    "recording": "session",
    "clock_anchor": "id",
    "day_rollup": "rowid",
}
# The visits are taken from the pages too before the time can go by with what belongs to them.
ROUNDS = (("run", "session"), tuple(KEYS)[2:])
OF_SESSIONS = ("session_metric", "pointer_grid", "recording")

# The settings and the version of a run that cannot be read are lost; its visits must not be.
STAND_IN_RUNS = """
INSERT INTO run (id, uuid, started_at_us, started_mono_s, boot_id, zone, version, settings_hash, settings,
    ended_at_us, end_reason)
SELECT run, lower(hex(randomblob(16))), min(at_us), min(mono_s), '', max(zone), '', '', '{}',
    max(at_us), 'crash'
FROM (SELECT run, on_at_us AS at_us, on_mono_s AS mono_s, zone FROM session
    UNION ALL SELECT run, seen_at_us, on_mono_s, zone FROM session
    UNION ALL SELECT run, at_us, mono_s, '' FROM event
    UNION ALL SELECT run, at_us, mono_s, '' FROM clock_anchor)
WHERE run NOT IN (SELECT id FROM run) GROUP BY run
"""


class Salvage:
    """Reads the damaged database at `path`, never writes to it; `perf` gives seconds.

    `known` is what was kept in mind of it: where its ids ended.
    """

    def __init__(
        self,
        path: Path,
        engine: Engine,
        known: Identity | None = None,
        perf: Callable[[], float] = time.perf_counter,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._path, self._engine, self._perf = path, engine, perf
        self._faults = (engine.module.Error, UnicodeDecodeError, MemoryError)
        self._end_s = perf() + limit_s
        self._last = {"run": known.run, "session": known.session} if known else {}

    def into(self, new: Any) -> dict[str, int]:
        """Put all that can be read into an empty, current database; returns the rows by table.

        Raises the driver's `Error` when the new one cannot be written; nothing is in it then.
        """
        old = self._open()
        new.execute("PRAGMA foreign_keys = OFF")
        new.execute("BEGIN IMMEDIATE")
        try:
            saved = self._read(old, new)
            new.execute(STAND_IN_RUNS)
            for table in OF_SESSIONS:
                new.execute(f"DELETE FROM {table} WHERE session NOT IN (SELECT id FROM session)")
            continue_after(new, Identity("", self._last.get("session", 0), self._last.get("run", 0)))
            new.execute("COMMIT")
        finally:
            if old is not None:
                old.close()
            if new.in_transaction:
                new.execute("ROLLBACK")
        return saved

    def _read(self, old: Any, new: Any) -> dict[str, int]:
        with closing(Carving(self._path, self._engine, new, tuple(KEYS), self._is_late)) as carving:
            for tables in ROUNDS:
                for table in tables:
                    self._copy(old, new, table)
                carving.put(tables)
        return {table: new.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in KEYS}

    def _open(self) -> Any:
        """With its journal, else as the file alone is; None when not even its tables can be told.

        Without a journal always as the file alone, or the engine would leave an empty one beside it.
        """
        for immutable in (False, True) if damage.leftovers(self._path) else (True,):
            connection = None
            with suppress(*self._faults):
                connection = connect_to_read(self._engine, self._path, immutable)
                connection.set_progress_handler(self._is_late, STEPS_BETWEEN_LOOKS)
                connection.execute("PRAGMA writable_schema = ON")  # else a file cut short is refused whole
                connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
                return connection
            if connection is not None:
                connection.close()
        return None

    def _is_late(self) -> bool:
        return self._perf() > self._end_s

    def _copy(self, old: Any, new: Any, table: str) -> None:
        """Put the rows of one table that can be read into the new one, if it takes them."""
        names = self._columns(old, new, table)
        if not names:
            return
        marks = ", ".join("?" * len(names))
        put = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})"
        for row in self._rows(old, table, names):
            with suppress(
                self._engine.module.IntegrityError, OverflowError
            ):  # what a bad page spelt is no row
                new.execute(put, row)

    def _columns(self, old: Any, new: Any, table: str) -> list[str]:
        """Those of the new table that the old one has too; none when it cannot be told."""
        if old is None:
            return []
        text = "SELECT name FROM pragma_table_info(?)"
        ours = [name for (name,) in new.execute(text, [table])]
        theirs: list[str] = []
        with suppress(*self._faults):
            theirs = [name for (name,) in old.execute(text, [table])]
        return [name for name in ours if name in theirs]

    def _rows(self, old: Any, table: str, names: list[str]) -> Iterator[tuple[Any, ...]]:
        """The rows in reach; what a range has behind a bad page stands in the pages."""
        key = KEYS[table]
        text = f"SELECT {', '.join(names)} FROM {table} NOT INDEXED WHERE {key} >= ? AND {key} <= ? LIMIT ?"
        last = self._last_id(old, table, key)
        for start in range(0, last, RANGE):
            if self._is_late():
                return
            with suppress(*self._faults):
                # The limit keeps the cursor from going on to a bad page that begins after the last id.
                end = min(start + RANGE, last)
                yield from old.execute(text, [start + 1, end, end - start if key == "id" else -1])

    def _last_id(self, old: Any, table: str, key: str) -> int:
        """The last id that can be in the table, from wherever it can still be read."""
        found = [self._last.get("session" if key == "session" else table, 0)]
        for text in (
            f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
            f"SELECT max({key}) FROM {table} NOT INDEXED",
        ):
            with suppress(*self._faults):
                found += [row[0] for row in old.execute(text).fetchall()]
        good = [number for number in found if isinstance(number, int) and 0 <= number < LARGEST_ID]
        self._last[table] = max(good, default=0)
        return self._last[table]
