"""The sound of the show as its loop uses it: told of the light, it answers at once and never waits."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from display.sound.ambience import Frames, ambience
from display.sound.device import Fill, NoPlayerError, OpenDevice, in_words, open_device
from display.sound.keeper import Keeper
from display.sound.mixer import CLOSING_S, Mixer
from display.sound.settings import SoundSettings
from display.sound.sound_file import SoundFileError, read_loop

TURN_S = 0.5
SILENT_S = 10.0  # a device's own library that holds our thread for longer is told of in the state
LIVE = ("on", "volume", "fade_in_s", "fade_out_s")

log = logging.getLogger(__name__)


class Sound:
    """Everything slow (reading, decoding, devices) is done by a thread of its own, which starts here.

    That thread does nothing while `on` is false. Whatever fails there is told once in the log and
    costs the sound only.
    """

    def __init__(
        self,
        settings: SoundSettings,
        opener: Callable[[Fill], OpenDevice] = open_device,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings.model_copy()
        self._clock = clock
        self._mixer = Mixer(settings)
        self._keeper = Keeper(self._mixer, opener)
        self._file_fault = self._dead = ""
        self._turned_s = clock()
        self._frames, self._moved_s = 0, self._turned_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sound", daemon=True)
        self._thread.start()
        atexit.register(self.close)  # a device must not call into an interpreter that is being taken down

    def light(self, on: bool) -> None:
        """The light is on or off from now on."""
        self._mixer.lit = on

    def configure(self, name: str, value: Any) -> None:
        """Change a live setting. Raises ValueError for another name or a value out of its range."""
        if name not in LIVE:
            raise ValueError(f"sound.{name} cannot be changed while the show runs: {', '.join(LIVE)} can")
        setattr(self._settings, name, value)
        setattr(self._mixer, name, getattr(self._settings, name))

    def state(self) -> dict[str, Any]:
        """Plain values for status and panel. `device` is None where nothing is heard; `gain` is 0..1;
        `fault` and `file_fault` are sentences or ""; `frames_age_s` is since the device last took sound."""
        now_s, device = self._clock(), self._keeper.device
        return {
            "on": self._settings.on,
            "device": device.name if device is not None else None,
            "gain": round(self._mixer.gain, 4),
            "file": self._settings.file or "own loop",
            "file_fault": self._file_fault,
            "fault": self._fault(now_s),
            "opens": self._keeper.opens,
            "frames": device.frames if device is not None else 0,
            "frames_age_s": None if device is None else self._age_s(device, now_s),
        }

    def close(self, wait_s: float = 1.0) -> None:
        """Fade out shortly and let go; waits for at most `wait_s`, whatever the device does."""
        self._mixer.closing = True
        self._stop.set()
        self._thread.join(wait_s)
        atexit.unregister(self.close)

    def _age_s(self, device: OpenDevice, now_s: float) -> float:
        if device.frames != self._frames:
            self._frames, self._moved_s = device.frames, now_s
        return round(now_s - self._moved_s, 3)

    def _fault(self, now_s: float) -> str:
        if self._dead or not self._settings.on:
            return self._dead
        if now_s - self._turned_s > SILENT_S:
            return f"The sound is held up for {now_s - self._turned_s:.0f} s, by its device or by its file."
        return self._keeper.fault

    def _run(self) -> None:
        try:
            if self._wait_until_on():
                self._mixer.loop = self._load()
                self._play()
        except Exception as error:  # noqa: BLE001  a fault here costs the sound and nothing else
            self._give_up(error)
        try:
            self._keeper.close()
        except Exception as error:  # noqa: BLE001  a device that cannot even be closed
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if not self._dead:
            self._dead = f"No sound: {in_words(error)}. The show goes on silently."
            foreseen = isinstance(error, NoPlayerError)
            log.warning("%s", self._dead, exc_info=None if foreseen else error)

    def _wait_until_on(self) -> bool:
        while not self._settings.on and not self._stop.wait(TURN_S):
            self._turned_s = self._clock()
        return not self._stop.is_set()

    def _play(self) -> None:
        while not self._stop.is_set():
            self._turned_s = self._clock()
            self._keeper.turn(self._turned_s)
            self._stop.wait(TURN_S)
        if self._keeper.device is not None and self._mixer.gain > 0:
            time.sleep(3 * CLOSING_S)

    def _load(self) -> Frames:
        file = self._settings.file
        if file:
            try:
                return read_loop(file)
            except SoundFileError as error:
                self._refuse(file, str(error))
            except ImportError:
                pass  # the device says so in a moment, and for the same reason
            except Exception as error:  # noqa: BLE001  such as no memory for it: our loop needs little
                self._refuse(file, in_words(error))
        return ambience()

    def _refuse(self, file: str, why: str) -> None:
        self._file_fault = f"sound.file {file}: {why}; our own loop is played instead."
        log.warning("%s", self._file_fault)
