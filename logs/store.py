"""The database of the log: opening it whatever its state, recovery, and writing entries exactly once.

Used by one thread only. Every entry carries its own name (uuid): an entry that is written again
after a commit whose outcome was unknown changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from logs import damage, identity, records, schema, spill
from logs.clock_marks import put_anchor, put_first_anchor
from logs.engine import Engine, connect, connect_to_read
from logs.exchange import Exchange
from logs.putting import CLOSE_OPEN, CLOSE_RUNS, put, put_note
from logs.records import Anchor, Entry, Run
from logs.salvage import Salvage
from logs.spill import Spill, Spilled

INSERT_RUN = """
INSERT INTO run (uuid, started_at_us, started_mono_s, boot_id, zone, version, settings_hash, settings)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uuid) DO NOTHING
"""
END_RUN = """
UPDATE run SET ended_at_us = ?, end_reason = ? WHERE id = ? AND (ended_at_us IS NULL OR end_reason = 'crash')
"""
# A write-ahead log that has grown so large is cut back.
WAL_CUT_BYTES = 16 << 20


class Store:
    """One connection to one file. `now_us` gives UTC microseconds for names and notes.

    `run` is None for one that only repairs. What waits in `spill` is put into the database before all
    else. `short_s` is the shortest contact that the views count. `moved` tells in words what was put
    aside, `repaired` counts what was put right, `wal_bytes` is the size of the write-ahead log.
    Its methods raise the driver's `Error` or OSError; `damage.kind_of` tells what to do then.
    """

    def __init__(
        self,
        path: Path,
        engine: Engine,
        run: Run | None,
        now_us: Callable[[], int],
        spill: Spill | None = None,
        short_s: float = schema.SHORT_S,
    ) -> None:
        self._path, self._engine, self._run, self._now_us = path, engine, run, now_us
        self._spill, self._short_s = spill, short_s
        self._exchange = Exchange(path, engine, now_us)
        self._connection: Any = None
        self._stamp: tuple[int, ...] = ()
        self._known: identity.Identity | None = None
        self._run_id = 0
        self._ready = False
        self.moved: list[str] = []
        self.repaired: dict[str, int] = {}
        self.wal_bytes = 0
        self._untold: list[tuple[str, dict[str, Any]]] = []

    @property
    def is_open(self) -> bool:
        """True from the end of `open`, with all its checks, to `close`."""
        return self._ready

    def open(self) -> None:
        """Open or begin the database, check it, bring it up to date, close what a crash left open.

        A file that is damaged, emptied or no log of ours is moved aside first and named in `moved`;
        one that is another than at the last run is named there too.
        """
        self.close()
        if self._path.is_symlink() and not self._path.exists():
            raise FileNotFoundError(f"{self._path} is a link to a file that is not there: mount its disk")
        if self._path.exists() and not os.access(self._path, os.W_OK):
            # SQLite would leave a journal with the same rights, in the way even when these are mended.
            raise PermissionError(f"the log file {self._path} is read-only")
        self._complete_exchange()
        self._known = identity.read(self._path) or self._known
        unusable = self._unusable()
        if unusable or not self._path.exists():
            self._begin(unusable)
        try:
            self._open()
        except (self._engine.module.Error, UnicodeDecodeError) as fault:
            self.close()
            if damage.kind_of(fault) != "damaged":
                raise
            self._begin(f"is damaged ({fault})", damaged=True)
            self._open()
        self._ready = True

    def close(self) -> None:
        """Close the connection; never raises."""
        self._ready = False
        if self._connection is None:
            return
        connection, self._connection = self._connection, None
        try:
            connection.close()
        except self._engine.module.Error:
            return  # the file is beyond our reach; the next opening will judge it

    def write(self, entries: Sequence[Entry]) -> None:
        """Write all entries in one durable transaction, or none of them."""
        self._check_place()

        def put_all() -> None:
            for entry in entries:
                put(self._connection, self._run_id, entry)

        self._transact(put_all)

    def anchor(self, anchor: Anchor) -> None:
        """Write down what the clocks said."""
        self._check_place()
        self._transact(lambda: put_anchor(self._connection, self._run_id, anchor))

    def end_run(self, reason: str) -> None:
        """Mark this run as ended; a clean end is told from a crash by this alone."""
        values = [self._now_us(), reason, self._run_id]
        self._transact(lambda: self._connection.execute(END_RUN, values))

    def tend(self) -> None:
        """Look whether the file is still the one that is written, and cut its write-ahead log back when that
        has grown, as far as no reader is in the way; never waits."""
        self._check_place()
        self.wal_bytes = self._size_of_wal()
        if self.wal_bytes > WAL_CUT_BYTES:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._stamp = self._read_stamp()
            self.wal_bytes = self._size_of_wal()

    def remember(self) -> None:
        """Keep the last ids beside the file, where they changed; never raises, the next call tries again."""
        try:
            now = identity.of(self._connection)
            if now != self._known:
                identity.keep(self._path, now)
                self._known = now
        except (OSError, self._engine.module.Error):
            return  # the entries themselves are safe; a fault of the disk shows at the next one

    def _open(self) -> None:
        self._connection = connect(self._engine, self._path)
        self._transact(lambda: None)  # tells at once whether another program holds the file
        self._check()
        self._migrate()
        self._notice_exchange()
        self._transact(lambda: identity.continue_after(self._connection, self._known))
        self.take_in_spilled()
        self._transact(self._recover)
        self._untold.clear()

    def _begin(self, unusable: str, damaged: bool = False) -> None:
        """Put a new database in the place; what is there, and why it is `unusable`, is kept and told.

        The new one begins with the rows of a damaged one that can still be read.
        """

        def fill(new: Any) -> dict[str, int]:
            saved = Salvage(self._path, self._engine, self._known).into(new) if damaged else {}
            identity.follow(new, self._known)
            return saved

        saved, kept = self._exchange.make(fill)
        if unusable:
            where = f"kept as {kept.name}, " if kept else ""
            rescued = f" with {saved['session']} sessions saved from it" if damaged else ""
            text = f"{self._path.name} {unusable}: {where}a new log was begun{rescued}"
            self._tell("log_moved_aside", text, saved)

    def _complete_exchange(self) -> None:
        waited = self._exchange.waits
        kept = self._exchange.complete()
        if kept or (waited and identity.read(self._path)):
            where = f"the old one is kept as {kept.name}" if kept else "there was no old one"
            text = f"{self._path.name} was about to be replaced at the last start: {where}"
            self._tell("log_moved_aside", text, {})

    def _unusable(self) -> str:
        """Why the place needs a new file, in words; empty for a log of ours and for a first start."""
        if not self._path.exists():
            journal = " and left its journal" if damage.leftovers(self._path) else ""
            return f"is gone{journal}" if journal or self._known else ""
        if self._path.stat().st_size == 0:
            return "is empty"
        return "" if self._is_ours() else "is a database of another program"

    def _is_ours(self) -> bool:
        """False only for a sound database that is no log; damage is judged by the opening itself."""
        connection = None
        try:
            connection = connect_to_read(self._engine, self._path)
            return schema.is_ours(connection)
        except (self._engine.module.Error, UnicodeDecodeError) as fault:
            if damage.kind_of(fault) == "busy":
                raise
            return True
        finally:
            if connection is not None:
                connection.close()

    def _notice_exchange(self) -> None:
        difference = identity.difference(identity.of(self._connection), self._known)
        if difference:
            text = f"{self._path.name} was replaced: {difference}; it is used as it is"
            self._tell("log_replaced", text, {})

    def _tell(self, kind: str, text: str, saved: dict[str, int]) -> None:
        if text not in self.moved:
            self.moved.append(text)
            self._untold.append((kind, {"text": text, "saved": saved} if saved else {"text": text}))

    def _check(self) -> None:
        """Only this sees a damaged page inside; without it the file would go on taking rows."""
        verdict = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            fault = self._engine.module.DatabaseError(f"quick_check: {verdict}")
            fault.sqlite_errorcode = damage.CORRUPT
            raise fault

    def _migrate(self) -> None:
        if not schema.is_current(self._connection):
            name = f"{self._path.stem}.before-migration{self._path.suffix}"
            schema.migrate(self._connection, keep_copy_at=self._path.with_name(name))

    def _recover(self) -> None:
        own = self._insert_run(self._run) if self._run else 0
        recovered = self._connection.execute(CLOSE_OPEN + " AND run <> ?", [own]).rowcount
        crashed = self._connection.execute(CLOSE_RUNS, [own]).rowcount
        last = self._connection.execute("SELECT max(id) FROM run").fetchone()[0]
        self._run_id = own or last or 0
        self._connection.execute("UPDATE view_setting SET short_s = ?", [self._short_s])
        if recovered or crashed:
            self._add("sessions", recovered)
            self._add("runs", crashed)
            self._note("recovered", {"sessions": recovered, "runs": crashed})
        self._note_untold()

    def _insert_run(self, run: Run) -> int:
        """Its id, whether it is new or not."""
        times = (run.started_at_us, run.started_mono_s, run.boot_id)
        about = (run.zone, run.version, run.settings_hash, run.settings)
        is_new = self._connection.execute(INSERT_RUN, (str(run.uuid), *times, *about)).rowcount
        found = self._connection.execute("SELECT id FROM run WHERE uuid = ?", [str(run.uuid)])
        number = int(found.fetchone()[0])
        if is_new and run.anchor is not None:
            self._begin_clocks(number, run.anchor)
        return number

    def _begin_clocks(self, run: int, anchor: Anchor) -> None:
        step_s = put_first_anchor(self._connection, run, anchor)
        if step_s:
            detail = {"step_s": round(step_s, 3), "show": "stopped"}
            put_note(self._connection, run, records.note("clock_step", anchor.at_us, anchor.mono_s, detail))

    def take_in_spilled(self) -> None:
        """Put into the database what waits in spill files; each file in one transaction, then it goes."""
        if self._spill is None or not self._spill.pending:
            return
        for file in self._spill.files():
            if not self._spill.is_written_elsewhere(file):
                self._take_in(self._spill, file)
        self._spill.all_done()
        if self._ready and self._untold:
            self._transact(self._note_untold)
            self._untold.clear()

    def _take_in(self, place: Spill, file: Path) -> None:
        """What cannot be read or taken is kept and told; it must not keep the log shut."""
        try:
            found = spill.read(file)
            self._transact(partial(self._put_spilled, found))
        except (OSError, self._engine.module.Error, *damage.VALUE_FAULTS) as fault:
            if not isinstance(fault, OSError) and damage.kind_of(fault) != "refused":
                raise
            place.done(file, unread=1)
            self._tell("spill_unread", f"{file.name} cannot be taken in ({fault}); it is kept", {})
            return
        place.done(file, found.unread)
        self._add("spilled", found.taken)
        if found.unread:
            text = f"{file.name}: {found.unread} lines cannot be read; they are kept in that file"
            self._tell("spill_unread", text, {})

    def _put_spilled(self, found: Spilled) -> None:
        run = None if found.run is None else self._insert_run(found.run)
        if run is None:
            found.unread += len(found.entries)
            return
        found.taken = 0
        for entry in found.entries:
            self._connection.execute("SAVEPOINT entry")
            try:
                put(self._connection, run, entry)
                found.taken += 1
            except (self._engine.module.Error, *damage.VALUE_FAULTS) as fault:
                if damage.kind_of(fault) != "refused":
                    raise
                self._connection.execute("ROLLBACK TO entry")
                found.unread += 1
            self._connection.execute("RELEASE entry")
        if found.end is not None:
            self._connection.execute(END_RUN, [*found.end, run])

    def _note_untold(self) -> None:
        for kind, detail in self._untold:
            self._note(kind, detail)

    def _add(self, what: str, count: int) -> None:
        self.repaired[what] = self.repaired.get(what, 0) + count

    def _note(self, kind: str, detail: dict[str, Any]) -> None:
        if self._run_id:
            mono_s = self._run.started_mono_s if self._run else 0.0
            put_note(self._connection, self._run_id, records.note(kind, self._now_us(), mono_s, detail))

    def _size_of_wal(self) -> int:
        try:
            return self._path.with_name(self._path.name + "-wal").stat().st_size
        except OSError:
            return 0

    def _transact(self, work: Callable[[], Any]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            schema.with_rollback(self._connection, work)
        finally:
            self._stamp = self._read_stamp()

    def _check_place(self) -> None:
        """Nobody else writes the file: one that is not as this connection left it is looked at anew."""
        found = self._read_stamp()
        if not found:
            raise damage.LogMoved("the log file was deleted while in use")
        if found != self._stamp:
            was = "replaced" if found[:2] != self._stamp[:2] else "changed by another program"
            raise damage.LogMoved(f"the log file was {was} while in use")

    def _read_stamp(self) -> tuple[int, ...]:
        """Which file it is, its size and its last change; empty when it is gone."""
        try:
            stat = os.stat(self._path)
        except FileNotFoundError:
            return ()
        return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns
