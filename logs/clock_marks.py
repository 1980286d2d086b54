"""Steps of the wall clock, marked on the sessions that they make wrong, of all runs since the boot.

A machine without a clock battery starts with a wrong time and is put right when the network comes, perhaps
after the program was started again. All its runs since the boot share one monotonic clock, so each pair
of clock readings (an anchor) tells what the wall clock should have said at any moment of them.
"""

from __future__ import annotations

from typing import Any

from logs.clock import STEP_NOTED_S, local_time
from logs.records import Anchor, note
from logs.settings import zone_named

# The run itself, and those since the same boot; where no boot is known, the run alone.
SAME_BOOT = """
SELECT other.id FROM run AS mine JOIN run AS other
ON other.id = mine.id OR (other.boot_id = mine.boot_id AND mine.boot_id <> '') WHERE mine.id = ?
"""
EARLIER = f"{SAME_BOOT} AND other.id <> mine.id"
LAST_ANCHOR = f"""
SELECT at_us, boot_s, run FROM clock_anchor WHERE run IN ({SAME_BOOT}) ORDER BY id DESC LIMIT 1
"""
STEPPED = f"""
SELECT id, on_at_us, clock_step_ms, zone, local_date, local_hour, utc_offset_min FROM session
WHERE clock_step_ms <> 0 AND run IN ({SAME_BOOT})
"""


def mark_step(connection: Any, run: int, step_ms: int, runs: str = SAME_BOOT) -> None:
    """All that was dated since the boot is off by this much; raises the driver's `Error`."""
    for table, key in (("session", "run"), ("run", "id")):
        connection.execute(
            f"UPDATE {table} SET clock_step_ms = clock_step_ms + ? WHERE {key} IN ({runs})", [step_ms, run]
        )


def put_anchor(connection: Any, run: int, anchor: Anchor) -> None:
    """Keep what the clocks said; raises the driver's `Error`.

    The first anchor of a run tells whether the clock was stepped while no show ran. One whose clock
    is set by the network gives the marked sessions their true date and hour.
    """
    before = connection.execute(LAST_ANCHOR, [run]).fetchone()
    if before is not None and before[2] != run:
        _notice_step_between(connection, run, anchor, before)
    connection.execute(
        "INSERT INTO clock_anchor (run, mono_s, boot_s, at_us, synchronised) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        [run, anchor.mono_s, anchor.boot_s, anchor.at_us, anchor.synchronised],
    )
    if anchor.synchronised:
        _date_anew(connection, run)


def _notice_step_between(connection: Any, run: int, anchor: Anchor, before: tuple[int, float, int]) -> None:
    step_s = (anchor.at_us - before[0]) / 1e6 - (anchor.boot_s - before[1])
    if abs(step_s) <= STEP_NOTED_S:
        return
    told = note("clock_step", anchor.at_us, anchor.mono_s, {"step_s": round(step_s, 3), "show": "stopped"})
    connection.execute(
        "INSERT INTO event (uuid, run, at_us, mono_s, kind, detail) VALUES (?, ?, ?, ?, ?, ?)",
        [told.uuid, run, told.at_us, told.mono_s, told.kind, told.detail],
    )
    mark_step(connection, run, round(step_s * 1000), EARLIER)


def _date_anew(connection: Any, run: int) -> None:
    for session, on_at_us, step_ms, zone, *dated in connection.execute(STEPPED, [run]).fetchall():
        true = local_time(on_at_us + step_ms * 1000, zone_named(zone))
        if dated != [true.date, true.hour, true.utc_offset_min]:
            connection.execute(
                "UPDATE session SET local_date = ?, local_hour = ?, utc_offset_min = ? WHERE id = ?",
                [true.date, true.hour, true.utc_offset_min, session],
            )
