"""How much memory this process holds."""

from __future__ import annotations

import gc
import os
from pathlib import Path


def resident_bytes() -> int:
    """Resident set size of this process after a collection (Linux, /proc/self/statm)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
