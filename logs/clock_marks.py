"""Steps of the wall clock, marked on the sessions that they make wrong, of all runs since the boot.

A machine without a clock battery starts with a wrong time and is put right when the network comes, perhaps
after the program was started again. All its runs since the boot share one monotonic clock, so each pair
of clock readings (an anchor) tells what the wall clock should have said at any moment of them. The clock
as it was last set is believed: `on_at_us` and `clock_step_ms` together are the true time of a session, and
its date and hour are those of that.
"""

from __future__ import annotations

from datetime import timedelta, timezone, tzinfo
from typing import Any

from logs.clock import STEP_NOTED_S, local_time
from logs.records import Anchor
from logs.settings import zone_named

# The run itself, and those since the same boot; where no boot is known, the run alone.
SAME_BOOT = """
SELECT other.id FROM run AS mine JOIN run AS other
ON other.id = mine.id OR (other.boot_id = mine.boot_id AND mine.boot_id <> '') WHERE mine.id = ?
"""
EARLIER = f"{SAME_BOOT} AND other.id <> mine.id AND other.started_mono_s < mine.started_mono_s"
LAST_ANCHOR = f"SELECT at_us, boot_s FROM clock_anchor WHERE run IN ({EARLIER}) ORDER BY boot_s DESC LIMIT 1"
PUT_ANCHOR = """
INSERT INTO clock_anchor (run, mono_s, boot_s, at_us, synchronised) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""


def put_anchor(connection: Any, run: int, anchor: Anchor) -> None:
    """Keep what the clocks said in this run. Raises the driver's `Error`, as all of these."""
    values = [run, anchor.mono_s, anchor.boot_s, anchor.at_us, anchor.synchronised]
    connection.execute(PUT_ANCHOR, values)


def put_first_anchor(connection: Any, run: int, anchor: Anchor) -> float:
    """Keep what the clocks said when a run began, once; seconds of the step while no show ran, else 0."""
    before = connection.execute(LAST_ANCHOR, [run]).fetchone()
    put_anchor(connection, run, anchor)
    if before is None:
        return 0.0
    step_s = (anchor.at_us - before[0]) / 1e6 - (anchor.boot_s - before[1])
    if abs(step_s) <= STEP_NOTED_S:
        return 0.0
    mark_step(connection, run, round(step_s * 1000), EARLIER)
    return float(step_s)


def mark_step(connection: Any, run: int, step_ms: int, runs: str = SAME_BOOT) -> None:
    """All that was dated since the boot is off by this much."""
    for table, key in (("session", "run"), ("run", "id")):
        connection.execute(
            f"UPDATE {table} SET clock_step_ms = clock_step_ms + ? WHERE {key} IN ({runs})", [step_ms, run]
        )
    told = "id, on_at_us + clock_step_ms * 1000, zone, utc_offset_min"
    found = connection.execute(f"SELECT {told} FROM session WHERE run IN ({runs})", [run])
    for session, true_us, zone, offset_min in found.fetchall():
        true = local_time(true_us, _zone(zone, offset_min))
        connection.execute(
            "UPDATE session SET local_date = ?, local_hour = ?, utc_offset_min = ? WHERE id = ?",
            [true.date, true.hour, true.utc_offset_min, session],
        )


def _zone(name: str, offset_min: int) -> tzinfo:
    """A machine may have told a zone that is known nowhere else; its offset then is what is known."""
    try:
        return zone_named(name)
    except ValueError:
        return timezone(timedelta(minutes=offset_min))
