"""Entries into the tables, each exactly once: one that is put again changes nothing."""

from __future__ import annotations

from typing import Any

from logs import clock_marks
from logs.pointing import COLUMNS, ROWS
from logs.records import Entry, Note, Recording, SessionRecord
from logs.visits import Beat, Ended

INSERT_SESSION = """
INSERT INTO session (uuid, run, source, demo, on_at_us, off_at_us, on_mono_s, duration_s, zone,
    utc_offset_min, local_date, local_hour, start_x, start_y, end_x, end_y, joins, seen_at_us,
    seen_mono_s, end_reason)
VALUES (:uuid, :run, :source, :demo, :on_at_us, :off_at_us, :on_mono_s, :duration_s, :zone,
    :utc_offset_min, :local_date, :local_hour, :start_x, :start_y, :end_x, :end_y, :joins, :seen_at_us,
    :seen_mono_s, :end_reason)
"""
END_SESSION = """
UPDATE session SET off_at_us = :off_at_us, duration_s = :duration_s, end_x = :end_x, end_y = :end_y,
    joins = :joins, seen_at_us = :seen_at_us, seen_mono_s = :seen_mono_s, end_reason = :end_reason
WHERE uuid = :uuid AND end_reason IN ('open', 'recovered')
"""
BEAT_SESSION = """
UPDATE session SET duration_s = :duration_s, end_x = :end_x, end_y = :end_y, joins = :joins,
    seen_at_us = :seen_at_us, seen_mono_s = :seen_mono_s
WHERE uuid = :uuid AND end_reason = 'open'
"""
CLOSE_OPEN = """
UPDATE session SET end_reason = 'recovered', off_at_us = seen_at_us WHERE end_reason = 'open'
"""
CLOSE_RUNS = """
UPDATE run SET end_reason = 'crash', ended_at_us = max(started_at_us, coalesce(
    (SELECT seen_at_us FROM session WHERE session.run = run.id ORDER BY id DESC LIMIT 1), 0))
WHERE ended_at_us IS NULL AND id <> ?
"""
PUT_MEASURE = """
INSERT INTO session_metric (session, name, value) SELECT id, ?, ? FROM session WHERE uuid = ?
ON CONFLICT (session, name) DO UPDATE SET value = excluded.value
"""
PUT_DWELL = """
INSERT INTO pointer_grid (session, columns, rows, dwell) SELECT id, ?, ?, ? FROM session WHERE uuid = ?
ON CONFLICT (session) DO UPDATE SET dwell = excluded.dwell
"""
PUT_RECORDING = """
INSERT INTO recording (session, file, ticks, size_bytes) SELECT id, ?, ?, ? FROM session WHERE uuid = ?
ON CONFLICT (session) DO UPDATE
SET file = excluded.file, ticks = excluded.ticks, size_bytes = excluded.size_bytes
"""
PUT_NOTE = """
INSERT INTO event (uuid, run, at_us, mono_s, kind, detail) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (uuid) DO NOTHING
"""


def put(connection: Any, run: int, entry: Entry) -> None:
    """Put one entry of this run, within the caller's transaction. Raises the driver's `Error`."""
    if isinstance(entry, Note):
        put_note(connection, run, entry)
    elif isinstance(entry, Recording):
        _put_recording(connection, entry)
    elif _put_session(connection, run, entry):
        measures = [(name, value, entry.uuid) for name, value in entry.measures.items()]
        connection.executemany(PUT_MEASURE, measures)
        if entry.dwell:
            connection.execute(PUT_DWELL, [COLUMNS, ROWS, entry.dwell, entry.uuid])


def put_note(connection: Any, run: int, note: Note) -> None:
    """Put a happening; one that tells of a step of the wall clock marks the sessions before it."""
    values = [note.uuid, run, note.at_us, note.mono_s, note.kind, note.detail]
    done = connection.execute(PUT_NOTE, values)
    if done.rowcount and note.step_ms:
        clock_marks.mark_step(connection, run, note.step_ms)
    if note.anchor is not None:
        clock_marks.put_anchor(connection, run, note.anchor)


def _put_session(connection: Any, run: int, entry: SessionRecord) -> bool:
    """True when the entry told something new."""
    row = {**entry.row, "run": run}
    statement = {Ended: END_SESSION, Beat: BEAT_SESSION}.get(type(entry.event))
    if statement and connection.execute(statement, row).rowcount:
        return True
    if connection.execute("SELECT 1 FROM session WHERE uuid = ?", [entry.uuid]).fetchone():
        return False
    if row["end_reason"] == "open":
        connection.execute(CLOSE_OPEN)
    connection.execute(INSERT_SESSION, row)
    return True


def _put_recording(connection: Any, recording: Recording) -> None:
    if recording.session:
        values = [recording.file, recording.ticks, recording.size_bytes, recording.session]
        connection.execute(PUT_RECORDING, values)
    else:
        connection.execute("DELETE FROM recording WHERE file = ?", [recording.file])
