"""When to try a lost device again: soon at first, then ever more seldom."""

from __future__ import annotations

HEALTHY_S = 10.0  # pictures for so long mean the trouble is over
MOST_SHORT_LIVES = 2


class BackOff:
    """Pauses from `first_s` doubling to `most_s`; they are short again after a healthy time."""

    def __init__(self, first_s: float, most_s: float) -> None:
        self.first_s, self.most_s = first_s, most_s
        self.due_s = float("-inf")
        self._pause_s = first_s
        self._good_since_s: float | None = None
        self._short_lives = 0

    def failed(self, now_s: float) -> None:
        """An attempt ended without pictures, or the pictures stopped."""
        if self._good_since_s is not None:
            short = now_s - self._good_since_s < HEALTHY_S
            self._short_lives = self._short_lives + 1 if short else 0
        self.due_s = now_s + self._pause_s
        self._pause_s = min(self.most_s, 2 * self._pause_s)
        self._good_since_s = None

    def worked(self, now_s: float) -> bool:
        """Pictures are coming; True when they may be trusted to last, at once unless they come and go."""
        if self._good_since_s is None:
            self._good_since_s = now_s
        if now_s - self._good_since_s < HEALTHY_S:
            return self._short_lives < MOST_SHORT_LIVES
        self._pause_s = self.first_s
        return True
