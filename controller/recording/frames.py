"""What the show hands to the encoder's process: an order line, then pictures with their repeats."""

from __future__ import annotations

import struct
from typing import NamedTuple

# repeats, width px, height px; then width * height * 3 bytes, RGB, top row first
HEAD = struct.Struct("<IHH")


class Order(NamedTuple):
    """The first line, as JSON: where to, how large, how many pictures a second."""

    path: str
    width_px: int
    height_px: int
    rate_hz: int
