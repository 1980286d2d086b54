"""What the show hands to the encoder's process: an order line, then pictures with their repeats."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

# repeats, width px, height px; then width * height * 3 bytes, RGB, top row first
HEAD = struct.Struct("<IHH")


class Order(NamedTuple):
    """The first line, as JSON: where to, how large, how many pictures a second."""

    path: str
    width_px: int
    height_px: int
    rate_hz: int


def partial_of(path: str, process_id: int) -> Path:
    """Where the encoder with that process id writes before the film is complete."""
    whole = Path(path)
    return whole.with_name(f".{whole.stem}.{process_id}.partial.mp4")
