"""What other processes may know of the running show: `status.json`, replaced twice a second.

The ring of glyph rows comes here with the first process that reads it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

FILE = "status.json"
PERIOD_S = 0.5
STALE_S = 5.0


class StatusWriter:
    """Writes what `facts` gives from a thread of its own, so that the frame thread never writes."""

    def __init__(self, home: Path, facts: Callable[[], Mapping[str, Any]]) -> None:
        self._path, self._facts = home / FILE, facts
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="status", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.wait(PERIOD_S):
            self.write("running")

    def write(self, state: str) -> None:
        """Write the file once; facts that fail are named in it, a folder that fails is no reason to stop."""
        facts: dict[str, Any] = {"state": state, "written_monotonic_s": time.monotonic(), "pid": os.getpid()}
        try:
            text = json.dumps({**facts, **self._facts()})
        except Exception as error:  # noqa: BLE001  a status without facts says more than none
            text = json.dumps({**facts, "error": f"{type(error).__name__}: {error}"})
        aside = self._path.with_suffix(".new")
        with suppress(OSError):
            aside.write_text(text, encoding="utf-8")
            aside.replace(self._path)

    def stop(self) -> None:
        """End the thread and leave a last word that the show ended."""
        self._stop.set()
        self._thread.join(2.0)
        self.write("ended")


def read_status(home: Path, now_s: float) -> tuple[dict[str, Any], list[str]]:
    """The last status with its ages brought up to `now_s` (monotonic), and what is wrong with it.

    An empty dict when there is no readable status.
    """
    path = home / FILE
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        written_s = float(facts["written_monotonic_s"])
    except FileNotFoundError:
        return {}, [f"No show has run with {home}: start one with `python3 -m controller run`."]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {}, [f"{path} cannot be read ({error}). Is the show running?"]
    since_s = now_s - written_s
    facts["status_age_s"] = round(since_s, 3)
    facts["ages"] = {
        name: None if age is None else round(age + since_s, 3) for name, age in facts.get("ages", {}).items()
    }
    return facts, _faults(facts, since_s)


def _faults(facts: Mapping[str, Any], since_s: float) -> list[str]:
    if facts.get("state") == "ended":
        return ["The show has ended."]
    if not 0 <= since_s <= STALE_S:
        return [
            f"The show's last sign is {since_s:.0f} s old: it hangs, was killed, or the machine restarted."
        ]
    faults = [f"Status: {facts['error']}"] if facts.get("error") else []
    for name in ("picture", "tick"):
        age_s = facts["ages"].get(name)
        if age_s is not None and age_s > STALE_S:
            faults.append(f"The last {name} is {age_s:.0f} s old.")
    log = facts.get("log", {})
    faults += [f"Log: {log[key]}" for key in ("error", "warning") if log.get(key)]
    light = facts.get("light", {})
    if light.get("alive") is False:
        faults.append(
            f"The light does not answer: {light.get('message') or light.get('reason') or 'no reason given'}."
        )
    return faults
