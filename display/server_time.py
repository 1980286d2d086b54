"""When an event really happened: the X server's clock brought to `time.perf_counter`."""

from __future__ import annotations

WRAP_MS = 2**32
LONGEST_AGE_S = 1.0


def event_time_s(server_ms: int, now_s: float) -> float:
    """The `perf_counter` time of an event that the server stamped `server_ms`.

    Xorg stamps with the monotonic clock in ms, cut to 32 bits, and Python's `perf_counter` reads the same
    clock on Linux. When the stamp does not lie within a second before `now_s` (another clock, a remote
    server), the answer is `now_s`.
    """
    age_s = ((now_s * 1000.0 - server_ms) % WRAP_MS) / 1000.0
    return now_s - age_s if age_s <= LONGEST_AGE_S else now_s
