"""One writer a home: a lock file that the system lets go of when its holder dies."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no flock; there nothing guards against a second start.
    fcntl = None  # type: ignore[assignment]


# A command that only asks who holds the lock has it for an instant.
TRIES, PAUSE_S = 3, 0.02


class AlreadyRunning(RuntimeError):
    """Another show writes the log of this home. Do not retry: stop that one, or use another home."""

    def __init__(self, home: Path) -> None:
        super().__init__(
            f"another baited is already running with the home {home}: stop it first, "
            "or give this one a home of its own with --home"
        )
        self.home = home


class HomeLock:
    """The lock beside the database; `take` and `release`, both harmless when repeated."""

    def __init__(self, database: Path, sleep: Callable[[float], object] = time.sleep) -> None:
        self._sleep = sleep
        self._home = database.parent
        self._path = database.with_name(database.name + ".lock")
        self._handle: int | None = None

    def take(self) -> None:
        """Raises AlreadyRunning when held elsewhere, OSError when the folder cannot be written or locked.

        A lock whose file was deleted keeps nobody out, and is taken anew.
        """
        if self._handle is not None:
            if self._is_there(self._handle):
                return
            self.release()
        self._home.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o664)
        try:
            self._lock(handle)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle

    def _is_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False

    def is_held(self) -> bool:
        """Whether a show, or a command that writes, holds the lock now; makes no file."""
        try:
            handle = os.open(self._path, os.O_RDONLY)
        except OSError:
            return False
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            os.close(handle)
        return False

    def _lock(self, handle: int, tries: int = TRIES) -> None:
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if tries > 1:
                self._sleep(PAUSE_S)
                return self._lock(handle, tries - 1)
            raise AlreadyRunning(self._home) from None
        except OSError as fault:
            text = (
                f"{self._path.name} cannot be locked ({fault.strerror}); some network folders give no locks"
            )
            raise OSError(fault.errno, text) from fault

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
