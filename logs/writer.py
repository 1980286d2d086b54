"""The log as the show sees it: it takes events at once, and its one thread writes them to the database."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from logs import damage
from logs.clock import ClockPair
from logs.engine import Engine, choose
from logs.intake import QUEUE_LIMIT, Intake
from logs.lock import AlreadyRunning, HomeLock
from logs.records import Anchor, Entry, Recording, Run, SessionRecord, session_uuid
from logs.schema import SHORT_S
from logs.settings import zone_named
from logs.spill import Spill
from logs.state import LogState, alarms, losses
from logs.store import Store
from logs.visits import Event

BATCH = 64
IDLE_S = 1.0
FIRST_WAIT_S, LONGEST_WAIT_S, STOPPING_WAIT_S = 0.01, 2.0, 0.05
# So long the database may refuse before what waits goes to the spill file; at the end so often.
SPILL_AFTER_S, TRIES_AT_THE_END = 5.0, 20
TEND_EVERY_S, RESCUE_S = 10.0, 1.0
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Log:
    """Opens the log at `path` in its own thread; the show goes on whatever becomes of the file.

    `zone` is an IANA name or empty; `size_px` gives the screen's width and height; `settings` is
    the JSON in force, `short_s` the shortest contact that its views count; `spill_at` are folders for
    what the database does not take, after its own. `acknowledged(event, session uuid)` is called by the
    writer thread after the durable commit, not for what went through the spill file. `perf` gives
    seconds, `wall_ns` UTC nanoseconds, `sleep` takes seconds; `boot` gives seconds since boot with those
    asleep, `synchronised` whether the network sets the wall clock.
    Raises AlreadyRunning when another process writes this log, ValueError for an unknown zone.
    """

    def __init__(
        self,
        path: Path,
        *,
        zone: str = "",
        size_px: Callable[[], tuple[float, float]] = lambda: (1.0, 1.0),
        version: str = "",
        settings: str = "{}",
        acknowledged: Callable[[Event, str], None] | None = None,
        perf: Callable[[], float] = time.perf_counter,
        wall_ns: Callable[[], int] = time.time_ns,
        boot: Callable[[], float] | None = None,
        synchronised: Callable[[], bool | None] = lambda: None,
        sleep: Callable[[float], object] | None = None,
        spill_at: Sequence[Path] = (),
        short_s: float = SHORT_S,
        limit: int = QUEUE_LIMIT,
        engine: Engine | None = None,
    ) -> None:
        self._path = Path(path).absolute()
        self._engine = engine or choose()
        self._clock = ClockPair(perf, wall_ns, boot)
        place = zone_named(zone)
        run = self._describe = self._describe_run(str(place), version, settings, synchronised())
        self._spill_at, self._rescued, self._rescue_file, self._ended = spill_at, 0, "", False
        self._intake = Intake(run.uuid, self._clock, place, size_px, limit, synchronised)
        self._spill = Spill(self._path, spill_at, run)
        self._store = Store(self._path, self._engine, run, self._clock.now_us, self._spill, short_s)
        self._failing_since_s: float | None = None
        self._spill_at_s, self._tend_at_s = 0.0, -math.inf
        self._tries = self._end_tries = 0
        self._acknowledged = acknowledged
        self._stopping, self._abandoned = threading.Event(), threading.Event()
        self._sleep = sleep or self._wait
        self._error, self._end_reason = "", "clean"
        self._wrote_s: float | None = None
        self._refused, self._wait_s, self._batch = 0, FIRST_WAIT_S, BATCH
        self._storing = False
        self._lock = HomeLock(self._path)
        self._take_lock()
        self._thread = threading.Thread(target=self._work, name="log-writer", daemon=True)
        self._thread.start()

    def put(
        self,
        event: Event | None,
        measures: Mapping[str, float] | None = None,
        pointing: array[int] | None = None,
    ) -> None:
        """Hand over what `Visits.step` gave; never blocks, never raises; None is ignored.

        `measures`, numbers by name, and `pointing`, the ticks of each cell as `Pointing.ticks` gives
        them, are kept with the session; the last ones stand.
        """
        if event is not None:
            self._intake.put(event, measures, pointing)

    def name_of(self, event: Event) -> str:
        """The uuid of the event's session, as it stands in the log."""
        return session_uuid(self._describe.uuid, event)

    def recorded(self, session: str, file: str, ticks: int, size_bytes: int) -> None:
        """Tell the recording of a session, by its uuid; `file` is relative to the home. For any thread."""
        self._intake.recording(Recording(file, session, ticks, size_bytes))

    def recording_gone(self, file: str) -> None:
        """Tell that a recording is there no more. For any thread."""
        self._intake.recording(Recording(file))

    def note(self, kind: str, detail: Mapping[str, Any] | None = None, at_s: float | None = None) -> None:
        """Hand over a happening (input lost, scene changed) with plain values, at `at_s` or now.

        For any thread; never blocks, never raises: what cannot be stored is counted as refused.
        """
        self._intake.note(kind, detail, self._clock.now_s() if at_s is None else at_s)

    def state(self) -> LogState:
        """Plain values for status.json; callable from any thread, waits for nothing."""
        wrote_s, refused = self._wrote_s, self._refused + self._intake.undated + self._spill.refused
        return LogState(
            queue_length=0 if self._rescued else len(self._intake),
            last_write_age_s=None if wrote_s is None else max(0.0, self._clock.now_s() - wrote_s),
            error=self._error,
            engine=self._engine.name,
            journal=self._engine.journal,
            path=str(self._path),
            dropped=self._intake.dropped,
            refused=refused,
            warning="; ".join(
                [*self._store.moved, *losses(refused, self._intake.dropped), *alarms(self._store.wal_bytes)]
            ),
            open=self._store.is_open,
            note=self._engine.warning,
            unsized=self._intake.unsized,
            unmeasured=self._intake.unmeasured,
            spilled=self._spill.held + self._rescued,
            spill_file=self._rescue_file or self._spill.path,
            wal_bytes=self._store.wal_bytes,
        )

    def stop(self, timeout_s: float = 2.0, reason: str = "clean") -> bool:
        """Write what waits, end the run, close; True when all of it was done within `timeout_s`.

        On False the writer may be left behind, trying or hanging; it dies with the process. What it has
        not written by then goes to a spill file.
        """
        self._end_reason = reason
        self._stopping.set()
        self._intake.wake()
        self._thread.join(timeout_s)
        self._abandoned.set()
        if self._thread.is_alive() and len(self._intake):
            rescue = threading.Thread(target=self._rescue, name="log-rescue", daemon=True)
            rescue.start()
            rescue.join(RESCUE_S)
        return self._ended and not (self._spill.held or self._rescued)

    def _rescue(self) -> None:
        """While the thread hangs in the database, perhaps on its disk: another one is tried first.

        Both may write an entry in the end; it is in the log once.
        """
        with suppress(Exception):  # it is the last try, and has nobody to tell
            self._intake.collect(0.0)
            waiting = list(self._intake.waiting)
            last = Spill(self._path, self._spill_at, self._describe, before=True)
            if last.keep(waiting):
                self._rescued, self._rescue_file = last.held, last.path
            last.close()

    def _describe_run(self, zone: str, version: str, settings: str, synchronised: bool | None) -> Run:
        now_s = self._clock.now_s()
        digest = hashlib.sha256(settings.encode()).hexdigest()
        boot_id = BOOT_ID.read_text(encoding="utf-8").strip() if BOOT_ID.exists() else ""
        at_us = self._clock.to_utc_us(now_s)
        anchor = Anchor(now_s, self._clock.boot_s(now_s), at_us, synchronised)
        return Run(at_us, now_s, zone, version, settings, digest, boot_id, anchor=anchor)

    def _take_lock(self) -> None:
        try:
            self._lock.take()
        except OSError as fault:  # a folder that cannot be written to: the thread tries again
            self._error = damage.explain(fault, self._path)

    def _wait(self, wait_s: float) -> None:
        """The default sleep: a stop cuts it short, and while stopping it keeps to short naps."""
        if self._stopping.is_set():
            self._abandoned.wait(min(wait_s, STOPPING_WAIT_S))
        else:
            self._stopping.wait(wait_s)

    def _work(self) -> None:
        try:
            while not self._abandoned.is_set():
                self._advance()
                if self._stopping.is_set() and self._finished():
                    break
        finally:
            self._store.close()
            self._spill.close()
            self._lock.release()

    def _advance(self) -> None:
        """One turn of the thread: take what came, write a batch; after a fault wait, longer each time."""
        idle = self._store.is_open and not self._intake.waiting and not self._stopping.is_set()
        self._storing = False
        try:
            self._intake.collect(IDLE_S if idle else 0.0)
            self._write()
            self._error, self._wait_s = "", FIRST_WAIT_S
            self._failing_since_s, self._tries = None, 0
            self._store.remember()
            return
        except AlreadyRunning as fault:
            self._error = str(fault)
            self._store.close()
        except Exception as fault:  # noqa: BLE001  the only writer must outlive whatever it meets
            self._judge(fault)
        try:
            self._spill_over()
        except Exception as fault:  # noqa: BLE001  as above
            self._error = damage.explain(fault, self._path)
        self._sleep(self._wait_s)
        self._wait_s = min(self._wait_s * 2, LONGEST_WAIT_S)

    def _spill_over(self) -> None:
        """What the database has refused for seconds is put where the end of this process cannot reach it."""
        now_s = self._clock.now_s()
        if self._failing_since_s is None:
            self._failing_since_s, self._spill_at_s, self._tries = now_s, now_s + SPILL_AFTER_S, 0
        self._tries += self._stopping.is_set()
        if now_s >= self._spill_at_s or self._tries >= TRIES_AT_THE_END:
            self._spill_at_s = now_s + SPILL_AFTER_S
            if self._intake.waiting and self._spill.keep(self._intake.waiting):
                self._intake.waiting.clear()

    def _write(self) -> None:
        if not self._store.is_open:
            self._lock.take()
            self._store.open()
            self._wrote_s = self._clock.now_s()
        self._store.take_in_spilled()
        entries = list(islice(self._intake.waiting, self._batch))
        if entries:
            self._write_entries(entries)
        if self._intake.anchor is not None:
            self._store.anchor(self._intake.anchor)
            self._intake.anchor = None
        now_s = self._clock.now_s()
        if now_s >= self._tend_at_s and not self._intake.waiting:
            self._tend_at_s = now_s + TEND_EVERY_S
            self._lock.take()
            self._store.tend()

    def _write_entries(self, entries: list[Entry]) -> None:
        self._storing = True
        self._store.write(entries)
        self._storing = False
        self._wrote_s = self._clock.now_s()
        self._batch = BATCH
        for entry in entries:
            self._intake.waiting.popleft()
            self._acknowledge(entry)

    def _acknowledge(self, entry: Entry) -> None:
        if self._acknowledged is not None and isinstance(entry, SessionRecord):
            with suppress(Exception):  # the entry is safe; a fault of the listener must not count against it
                self._acknowledged(entry.event, entry.uuid)

    def _judge(self, fault: Exception) -> None:
        """Decide how to go on: wait, skip the one entry that is refused, or open the file anew."""
        self._error = damage.explain(fault, self._path)
        kind = damage.kind_of(fault)
        if kind == "busy":
            return
        if kind == "refused" and self._storing:
            if self._batch == 1:
                self._intake.waiting.popleft()
                self._refused += 1
            self._batch = 1
            return
        self._store.close()

    def _finished(self) -> bool:
        """True when nothing waits and the run is marked as ended, if need be in the spill file."""
        if len(self._intake):
            return False
        self._ended = self._end_in_store() or (
            max(self._tries, self._end_tries) >= TRIES_AT_THE_END
            and self._spill.end_run(self._clock.now_us(), self._end_reason)
        )
        return self._ended

    def _end_in_store(self) -> bool:
        if not self._store.is_open:
            return False
        self._storing = False
        try:
            self._store.end_run(self._end_reason)
        except Exception as fault:  # noqa: BLE001  as above; the end is tried again until it is abandoned
            self._end_tries += 1
            self._judge(fault)
            self._sleep(STOPPING_WAIT_S)
            return False
        return True
