"""`panel.toml`: what was set at the panel, read at the start and written by a thread of its own.

The hand-written `config.toml` is never touched; this file lies on top of it.
"""

from __future__ import annotations

import logging
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from logs.durable import replace_text

FILE = "panel.toml"
HEAD = "# Set at the panel of baited, and written anew at each change. It wins over config.toml.\n"
# A held key makes 30 changes a second: the first is written at once, the newest after this pause.
PAUSE_S = 0.2
RETRY_S = 5.0
CLOSE_S = 2.0

Values = Mapping[str, Any]

logger = logging.getLogger(__name__)


def toml_value(value: Any) -> str:
    """A setting's value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def panel_text(values: Values) -> str:
    """The file's text for values by `section.name`, one table a section."""
    sections: dict[str, list[str]] = {}
    for full_name, value in values.items():
        section, _, name = full_name.rpartition(".")
        sections.setdefault(section, []).append(f"{name} = {toml_value(value)}")
    return HEAD + "".join(f"\n[{name}]\n" + "\n".join(lines) + "\n" for name, lines in sections.items())


def read_panel(home: Path) -> tuple[dict[str, Any], str]:
    """The values of the file by `section.name`, and what is wrong with it in words ("" when nothing).

    A file that is not there holds nothing; one that cannot be read neither, and stays as it is.
    """
    path = home / FILE
    try:
        return dict(_leaves("", tomllib.loads(path.read_bytes().decode("utf-8-sig")))), ""
    except FileNotFoundError:
        return {}, ""
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, (
            f"{path} cannot be read ({error}): what was set at the panel is not in force. "
            "It is kept beside the new one at the next change."
        )


def _leaves(prefix: str, values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        inside = isinstance(value, dict)
        found += _leaves(f"{prefix}{name}.", value) if inside else [(prefix + name, value)]
    return found


class PanelSaver:
    """Keeps the newest values in the file; `put` never waits.

    `fault` says in words why they cannot be kept at present, "" when they are. `say` gets it once each
    time it turns, and the good news afterwards.
    """

    def __init__(
        self,
        home: Path,
        say: Callable[[str], None] = logger.warning,
        write: Callable[[Path, str], None] | None = None,
        pause_s: float = PAUSE_S,
        retry_s: float = RETRY_S,
    ) -> None:
        self.fault = ""
        self.written = 0
        self._path, self._say, self._write = home / FILE, say, write or write_panel
        self._pause_s, self._retry_s = pause_s, retry_s
        self._newest: dict[str, Any] | None = None
        self._turn = threading.Condition()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="panel", daemon=True)
        self._thread.start()

    def put(self, values: Values) -> None:
        """Have these values, all that are to be kept, written as soon as possible."""
        with self._turn:
            self._newest = dict(values)
            self._turn.notify()

    def close(self, timeout_s: float = CLOSE_S) -> bool:
        """Write what waits, once more if need be, and end; True when nothing was left unwritten."""
        self._closing.set()
        with self._turn:
            self._turn.notify()
        self._thread.join(timeout_s)
        if self._newest is not None:
            self._say(f"{self._path}: the last changes at the panel are lost. {self.fault}".rstrip())
        return self._newest is None

    def _work(self) -> None:
        while True:
            values = self._next()
            if values is None:
                return
            last_try = self._closing.is_set()
            done = self._try(values)
            if not done and last_try:
                return
            self._closing.wait(self._pause_s if done else self._retry_s)

    def _next(self) -> dict[str, Any] | None:
        """The newest values, waited for; None when there are none and the end was asked for."""
        with self._turn:
            self._turn.wait_for(lambda: self._newest is not None or self._closing.is_set())
            return self._newest

    def _try(self, values: dict[str, Any]) -> bool:
        try:
            self._write(self._path, panel_text(values))
        except Exception as error:  # noqa: BLE001  this thread must outlive whatever a disk does
            self._turn_to(f"{self._path} cannot be written ({_words(error)}); it is tried again.")
            return False
        with self._turn:
            if self._newest is values:
                self._newest = None
        self.written += 1
        self._turn_to("")
        return True

    def _turn_to(self, fault: str) -> None:
        if fault and fault != self.fault:
            self._say(fault)
        elif self.fault and not fault:
            self._say(f"{self._path} can be written again; the panel's settings are kept.")
        self.fault = fault


def _words(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"


def write_panel(path: Path, text: str) -> None:
    """Replace the file in one step, flushed to the disk; one that cannot be parsed is kept aside. OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if read_panel(path.parent)[1]:
        path.replace(path.with_name(f"panel-unreadable-{time.strftime('%Y%m%d-%H%M%S')}.toml"))
    replace_text(path, text)
