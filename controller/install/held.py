"""Who sets an environment up, and who uses it: two starts never get in each other's way.

Standard library only. The system's file locks do it, so that a killed program leaves nothing behind. Where
there are none (Windows, some network folders) everybody goes on as if alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from controller.install.progress import say

UNHELD = -1


def setup_lock(venv: Path) -> Path:
    """The file that is held while an environment in this folder is made."""
    return venv.parent / ".cache" / "set-up.lock"


def why_not_writable(venv: Path) -> str:
    """Why no environment can be made here, "" where it can; tried, since modes can deceive."""
    lock = setup_lock(venv)
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("ab"):
            pass
        return "" if not venv.exists() or os.access(venv, os.W_OK) else "read only"
    except OSError as failure:
        return str(failure.strerror)


@contextlib.contextmanager
def only_one(venv: Path) -> Iterator[None]:
    """Holds the set-up of this environment; a second start waits here, and says so."""
    with setup_lock(venv).open("ab") as held:
        # venv and pip inherit the hold: a start that was killed leaves them at work for a while.
        os.set_inheritable(held.fileno(), True)
        _lock_alone(held.fileno(), "another start is setting this up; waiting for it")
        yield


def hold(venv: Path) -> int | None:
    """Says that this process uses an environment: a descriptor that holds it as long as it is open.

    The folder itself is held, which those may do too who cannot write it. None when there is no
    environment or it is just being removed; UNHELD where nothing can be held.
    """
    if not venv.is_dir():
        return None
    if os.name == "nt":
        return UNHELD
    import fcntl

    try:
        held = os.open(venv, os.O_RDONLY)
    except OSError:
        return UNHELD
    try:
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(held), os.stat(venv)):
            return held
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        return held
    os.close(held)
    return None


def release(held: int) -> None:
    """Ends a hold."""
    if held != UNHELD:
        os.close(held)


@contextlib.contextmanager
def unused(venv: Path) -> Iterator[None]:
    """Waits until no command runs in this environment, says so, and lets none begin meanwhile."""
    if os.name == "nt":
        yield
        return
    held = os.open(venv, os.O_RDONLY)
    try:
        _lock_alone(held, f"a running command uses {venv}, which must be made anew; waiting for it to end")
        yield
    finally:
        os.close(held)


def _lock_alone(held: int, waiting: str) -> None:
    if os.name == "nt":
        return
    import fcntl

    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(waiting)
        fcntl.flock(held, fcntl.LOCK_EX)
