"""Which SQLite may write the log, and how: the gate against the engine that can corrupt a WAL file.

Engines 3.7.0 to 3.51.2 can lose committed data when two connections write or checkpoint one
write-ahead log at the same moment. Fixed in 3.51.3, and in 3.50.7 and 3.44.6 for their lines;
3.52.0 was withdrawn. An engine that is not fixed writes with the old rollback journal instead.
"""

from __future__ import annotations

import importlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

# The driver with its own engine comes first: a distribution's engine is often years old.
DRIVERS = ("pysqlite3", "sqlite3")


@dataclass(frozen=True, slots=True)
class Engine:
    """The chosen driver: `journal` is WAL or DELETE, `warning` is empty on a fixed engine."""

    module: Any
    version: str
    journal: str
    verdict: str
    warning: str = ""

    @property
    def name(self) -> str:
        return f"{self.module.__name__} {self.version}"


def is_fixed(version: tuple[int, ...]) -> bool:
    """True when this SQLite version, as (3, 51, 3), may share a write-ahead log."""
    if version[:3] == (3, 52, 0):
        return False
    if version[:2] in ((3, 50), (3, 44)):
        return version >= {50: (3, 50, 7), 44: (3, 44, 6)}[version[1]]
    return version >= (3, 51, 3)


def installed() -> list[ModuleType]:
    """The SQLite drivers of this Python, best first."""
    found = []
    for name in DRIVERS:
        try:
            found.append(importlib.import_module(name))
        except ImportError:
            continue
    return found


def choose(drivers: list[Any] | None = None) -> Engine:
    """The first driver with a fixed engine and WAL, else the last one with DELETE and a warning."""
    drivers = installed() if drivers is None else drivers
    for module in drivers:
        version = module.sqlite_version
        if is_fixed(tuple(int(part) for part in version.split("."))):
            return Engine(module, version, "WAL", f"SQLite {version} is fixed; the log uses WAL")
    module = drivers[-1] if drivers else sqlite3
    text = (
        f"SQLite {module.sqlite_version} has the WAL-reset fault; the log uses the slower rollback "
        "journal, which is as safe. Install pysqlite3 >= 0.6.1 for the write-ahead log"
    )
    return Engine(module, module.sqlite_version, "DELETE", text, text)


def connect(engine: Engine, path: Path) -> Any:
    """The one writing connection: no implicit transactions, no waiting inside SQLite.

    Raises `engine.module.Error` when the file cannot be opened or is no database.
    """
    connection = engine.module.connect(path, isolation_level=None, timeout=0.0)
    try:
        _set_up(connection, engine)
    except engine.module.Error:
        connection.close()
        raise
    return connection


def _set_up(connection: Any, engine: Engine) -> None:
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if mode.upper() != engine.journal:
        connection.execute(f"PRAGMA journal_mode = {engine.journal}")
    # EXTRA syncs the folder too, or a rollback journal could be back after a power cut.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA foreign_keys = ON")


def connect_to_read(engine: Engine, path: Path, immutable: bool = False) -> Any:
    """A reading connection that can neither write nor checkpoint.

    Raises `engine.module.Error` when the file cannot be opened.
    """
    flags = "mode=ro&immutable=1" if immutable else "mode=ro"
    address = f"file:{quote(str(path.absolute()))}?{flags}"
    return engine.module.connect(address, uri=True, isolation_level=None, timeout=2.0)
