"""How the log is, as plain values for the status, and what of it somebody must know, in words."""

from __future__ import annotations

from dataclasses import dataclass

WAL_ALARM_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class LogState:
    """How the log is: `error` and `warning` are empty when nobody need act; ages are seconds.

    `warning` tells of damage done in this run (files moved aside, entries lost), `note` of what is
    merely slower here. `queue_length` entries wait; `last_write_age_s` is None before the first
    write; `dropped` entries found the queue full, `refused` ones could not be stored, `unsized`
    ones use an older size of the screen, `unmeasured` measures were no finite numbers. `spilled`
    entries stand in `spill_file` and come into the database as soon as it takes them.
    """

    queue_length: int
    last_write_age_s: float | None
    error: str
    engine: str
    journal: str
    path: str
    dropped: int
    refused: int = 0
    warning: str = ""
    open: bool = False
    note: str = ""
    unsized: int = 0
    unmeasured: int = 0
    spilled: int = 0
    spill_file: str = ""
    wal_bytes: int = 0


def losses(refused: int, dropped: int) -> list[str]:
    """What a run could not keep."""
    found = ((refused, "could not be stored"), (dropped, "came while the queue was full"))
    return [f"lost: {n} {'entry' if n == 1 else 'entries'} that {why}" for n, why in found if n]


def alarms(wal_bytes: int) -> list[str]:
    """A journal that cannot be cut."""
    if wal_bytes <= WAL_ALARM_BYTES:
        return []
    return [f"the journal has grown to {wal_bytes >> 20} MB: another program reads the log without a pause"]
