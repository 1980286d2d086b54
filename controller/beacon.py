"""What other processes may know of the running show: `status.json`, replaced twice a second.

The ring of glyph rows comes here with the first process that reads it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, FiniteFloat

from controller.install.home import temporary_home

FILE = "status.json"
PERIOD_S = 0.5
STALE_S = 5.0

logger = logging.getLogger(__name__)


class StatusWriter:
    """Writes what `facts` gives from a thread of its own, so that the frame thread never writes."""

    def __init__(self, home: Path, facts: Callable[[], Mapping[str, Any]]) -> None:
        self._home, self._facts = home, facts
        self._told = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="status", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.wait(PERIOD_S):
            self.write("running")

    def write(self, state: str) -> None:
        """Write the file once; facts that fail are named in it.

        Where the home cannot be written the file goes to the user's temporary folder, told once.
        """
        facts: dict[str, Any] = {"state": state, "written_monotonic_s": time.monotonic(), "pid": os.getpid()}
        try:
            text = json.dumps({**facts, **self._facts()})
        except Exception as error:  # noqa: BLE001  a status without facts says more than none
            text = json.dumps({**facts, "error": f"{type(error).__name__}: {error}"})
        for path in _places(self._home):
            try:
                _replace(path, text)
                return
            except OSError as error:
                if not self._told:
                    self._told = True
                    logger.warning("The status cannot be written in %s: %s", path.parent, error.strerror)

    def stop(self) -> None:
        """End the thread and leave a last word that the show ended."""
        self._stop.set()
        self._thread.join(2.0)
        self.write("ended")


def _replace(path: Path, text: str) -> None:
    aside = path.with_suffix(".new")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def _places(home: Path) -> list[Path]:
    """Where the status may stand: the home, else this user's own temporary folder."""
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    places = [home / FILE]
    with suppress(OSError):
        places.append(temporary_home() / f"status-{digest}.json")
    return places


class Status(BaseModel):
    """What must stand in the file, whatever else does; ages are seconds at the time of writing."""

    model_config = ConfigDict(extra="allow")

    state: Literal["running", "ended"]
    written_monotonic_s: FiniteFloat
    pid: int
    error: str = ""
    black: bool = False
    ages: dict[str, FiniteFloat | None] = {}
    light: dict[str, Any] = {}
    desk: dict[str, Any] = {}
    recording: dict[str, Any] = {}
    film: dict[str, Any] = {}
    recordings: dict[str, Any] = {}
    log: dict[str, Any] = {}

    @property
    def _files(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        return (
            ("recording", self.recording),
            ("film", self.film),
            ("visits' recording in", self.recordings),
        )

    def faults(self, now_s: float) -> list[str]:
        """What is wrong at `now_s` (monotonic), one line each."""
        since_s = now_s - self.written_monotonic_s
        if self.state == "ended":
            return ["The show has ended."]
        if not _is_alive(self.pid):
            return [f"The show was killed; its last sign is {since_s:.0f} s old: start it again."]
        if not 0 <= since_s <= STALE_S:
            return [f"The show's last sign is {since_s:.0f} s old: it hangs. Stop and start it."]
        found = [f"Status: {self.error}"] if self.error else []
        if self.black:
            found.append("The picture is black where bugs should be seen: look at the screen and its driver.")
        found += [
            f"The last {name} is {age_s:.0f} s old."
            for name in ("picture", "tick")
            if (age_s := self.ages.get(name)) is not None and age_s > STALE_S
        ]
        found += [f"Panel: {fault}"] if (fault := self.desk.get("fault")) else []
        found += [
            f"The {name} {part.get('path')} fails: {fault}."
            for name, part in self._files
            if (fault := part.get("fault"))
        ]
        found += [f"Log: {self.log[key]}" for key in ("error", "warning") if self.log.get(key)]
        if self.light.get("alive") is False:
            why = self.light.get("message") or self.light.get("reason") or "no reason given"
            found.append(f"The light does not answer: {why}.")
        return found


def read_status(home: Path, now_s: float) -> tuple[dict[str, Any], list[str]]:
    """The last status with its ages brought up to `now_s` (monotonic), and what is wrong with it.

    An empty dict when there is no readable status.
    """
    found: list[Status] = []
    fault = f"No show has run with {home}: start one with `python3 -m controller run`."
    for path in _places(home):
        try:
            found.append(Status.model_validate_json(path.read_bytes()))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            fault = f"{path} cannot be read ({str(error).splitlines()[0]}). Is the show running?"
    if not found:
        return {}, [fault]
    status = max(found, key=lambda one: one.written_monotonic_s)
    since_s = now_s - status.written_monotonic_s
    ages = {name: None if age is None else round(age + since_s, 3) for name, age in status.ages.items()}
    return {**status.model_dump(), "ages": ages, "status_age_s": round(since_s, 3)}, status.faults(now_s)


def _is_alive(pid: int) -> bool:
    return not Path("/proc").is_dir() or Path("/proc", str(pid)).exists()
