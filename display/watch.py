"""The thread that looks after the window once a second: screens that come, go and change, and power saving.

It has an X connection of its own, so the frame thread never waits for it and does nothing but read
what it found.
"""

from __future__ import annotations

import logging
import threading

from display.covering import Area, Covering, area_of
from display.errors import DisplayError, NoSuchScreenError
from display.monitors import Screen, Sight, look
from display.power import Power, PowerState
from display.screens import choose_screen, first_screen
from display.x_connection import XConnection

PERIOD_S = 1.0
POWER_EVERY_LOOKS = 60
# A window manager that has not obeyed by then is told about, and asked once a minute from there on.
PATIENT_LOOKS = 5
UNCOVER_AFTER_LOOKS = 60
MOST_TOLD_FAULTS = 10
STOP_WAIT_S = 2.0

log = logging.getLogger(__name__)


class Watch:
    """Keeps one window on its screen from `start` to `stop`. All attributes are to be read only.

    `screen` is the one to be covered now: the wanted one, or where that is off the first one that is on.
    `placed` tells whether the window had exactly its place and size at the last look, `looks_to_place`
    how many looks the last change took. `power` is what the last look at it found, None before.
    """

    def __init__(self, window: int, wanted: str, screen: Screen, period_s: float = PERIOD_S) -> None:
        self._window, self._wanted, self._period_s = window, wanted, period_s
        self.screen = screen
        self.placed = True
        self.dark = False
        self.covered = False
        self.looks = 0
        self.looks_to_place = 0
        self.power: PowerState | None = None
        self._tries = self._covered_looks = self._faults = 0
        self._was_covered = self._told_power = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look, and keep the screen lit; a second call does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="screens", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End, with the old power settings given back; waits for a server that hangs for a while only."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(STOP_WAIT_S)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                with XConnection() as x:
                    self._attend(x)
            except DisplayError as fault:
                log.debug("screens cannot be watched: %s", fault)
            self._stopping.wait(self._period_s)

    def _attend(self, x: XConnection) -> None:
        cover, power = Covering(x, self._window), Power(x)
        since_power = 0
        while not self._stopping.is_set() and not x.ended:
            try:
                self._see(x, cover)
                if since_power % POWER_EVERY_LOOKS == 0:
                    self._light(x, power)
                since_power += 1
            except Exception:
                self._faults += 1
                if self._faults <= MOST_TOLD_FAULTS:
                    log.exception("a look at the screens failed; the next one follows")
            self._stopping.wait(self._period_s)
        power.restore()

    def _light(self, x: XConnection, power: Power) -> None:
        found = power.inhibit()
        if self.power is not None and (found.saver_s or found.dpms) and not self._told_power:
            self._told_power = True
            log.warning("screen saver or power saving was turned on during the show; off again (told once)")
        if not x.ended:
            self.power = power.state()

    def _see(self, x: XConnection, cover: Covering) -> None:
        sight = look(x)
        if x.ended:
            return
        self._aim(sight)
        if sight.screens:
            self._place(cover)
            self._uncover(cover)
            cover.take_orphaned_keys()
        self.looks += 1

    def _aim(self, sight: Sight) -> None:
        """Settle which screen is to be covered."""
        if not sight.screens:
            if not self.dark:
                log.warning("no screen is on; the show goes on and waits for one")
            self.dark = True
            return
        if self.dark:
            log.info("a screen is on again")
        self.dark = False
        target = screen_now(self._wanted, sight)
        if _shape(target) != _shape(self.screen):
            log.info("the show moves to %s (%.4g Hz); it was on %s", target, target.refresh_rate, self.screen)
            self._tries = 0
        self.screen = target

    def _place(self, cover: Covering) -> None:
        area = cover.area()
        if area is None:
            return
        self.placed = area == area_of(self.screen)
        if self.placed:
            if self._tries:
                self.looks_to_place = self._tries
                log.info("the window covers %s after %d looks", self.screen, self._tries)
            self._tries = 0
            return
        self._tries += 1
        if self._tries == PATIENT_LOOKS:
            log.warning("the window is at %s instead of on %s; check the window manager", area, self.screen)
        if self._tries < PATIENT_LOOKS or self._tries % POWER_EVERY_LOOKS == 0:
            cover.put(self.screen)

    def _uncover(self, cover: Covering) -> None:
        """Come to the top again after a minute under another window."""
        self.covered = cover.is_covered()
        self._covered_looks = self._covered_looks + 1 if self.covered else 0
        if self._covered_looks >= UNCOVER_AFTER_LOOKS:
            if not self._was_covered:
                log.warning("another window has covered the show for a minute; the show comes to the front")
            self._was_covered = True
            self._covered_looks = 0
            cover.raise_over_others()


def screen_now(wanted: str, sight: Sight) -> Screen:
    """The wanted screen, or the first one that is on as long as that one is not."""
    try:
        return choose_screen(wanted, sight.screens)
    except NoSuchScreenError:
        return first_screen(sight.screens)


def _shape(screen: Screen) -> tuple[str, Area, float]:
    return screen.name, area_of(screen), screen.refresh_rate
