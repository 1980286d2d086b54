"""Keeps one device playing: opens it, notices when it stands still, tries again once a minute."""

from __future__ import annotations

import logging
from collections.abc import Callable

from display.sound.ambience import RATE_HZ
from display.sound.device import Fill, NoPlayerError, OpenDevice, in_words
from display.sound.mixer import Mixer

RETRY_S = 60.0
STALL_S = 5.0
HEALTHY_S = 600.0  # after so long a new fault is told anew
LONGEST_TURN_S = 1.0

log = logging.getLogger(__name__)


class Keeper:
    """`turn` is called about twice a second by the sound's thread, with that moment in seconds."""

    def __init__(self, mixer: Mixer, opener: Callable[[Fill], OpenDevice]) -> None:
        self.device: OpenDevice | None = None
        self.fault = ""
        self.opens = 0
        self._mixer, self._opener = mixer, opener
        self._next_try_s = float("-inf")
        self._turned_s: float | None = None
        self._frames = 0
        self._still_s = self._healthy_s = 0.0
        self._told = False

    def turn(self, now_s: float) -> None:
        """Look after the device. Raises NoPlayerError when there can never be one."""
        passed_s = 0.0 if self._turned_s is None else max(0.0, now_s - self._turned_s)
        self._turned_s = now_s
        if self.device is not None:
            self._watch(self.device, passed_s)
        else:
            self._mixer.skip(round(passed_s * RATE_HZ))
        if self.device is None and now_s >= self._next_try_s:
            self._open(now_s)

    def close(self) -> None:
        """Let go of the device, if there is one."""
        device, self.device = self.device, None
        if device is not None:
            device.close()

    def _open(self, now_s: float) -> None:
        self._next_try_s = now_s + RETRY_S
        self._mixer.hush()
        try:
            self.device = self._opener(self._mixer.fill)
        except NoPlayerError:
            raise
        except Exception as error:  # noqa: BLE001  whatever a device's library meets, it may be well in a minute
            why = in_words(error)
            self._complain(f"No sound: {why}. The show goes on silently; it is tried again every minute.")
            return
        self.opens += 1
        self._frames, self._still_s, self._healthy_s = self.device.frames, 0.0, 0.0
        log.info("Sound: playing through %s.", self.device.name)

    def _watch(self, device: OpenDevice, passed_s: float) -> None:
        """A pause of the whole process counts as one turn, so it is no stall of the device."""
        passed_s = min(passed_s, LONGEST_TURN_S)
        if device.frames != self._frames:
            self._frames, self._still_s = device.frames, 0.0
            self._healthy_s += passed_s
            self.fault = ""
            self._told = self._told and self._healthy_s < HEALTHY_S
            return
        self._still_s += passed_s
        if self._still_s >= STALL_S:
            self._complain(f"The sound device ({device.name}) has stopped taking sound; it is opened again.")
            self.close()

    def _complain(self, text: str) -> None:
        self.fault = text
        if not self._told:
            log.warning("%s", text)
        self._told = True
