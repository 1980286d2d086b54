"""The test patterns in the order in which the key T shows them."""

from __future__ import annotations

from display.pattern_motion import MOVING
from display.pattern_parts import Fill, Pattern
from display.pattern_stills import STILL

__all__ = ["PATTERNS", "Fill", "Pattern"]

PATTERNS: tuple[Pattern, ...] = (*STILL, *MOVING)
