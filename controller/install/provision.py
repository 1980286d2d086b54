"""Which environment serves a command, and seeing to it that there is one (standard library only)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from controller.install import environment, held, system
from controller.install.interrupts import leave_quietly, raise_again
from controller.install.progress import SetupFailed
from controller.install.system import SystemPart


def set_up(root: Path, home: Path, command: str, arguments: Sequence[str], env: Mapping[str, str]) -> Path:
    """The environment that serves this command, made where the checkout or else the home can hold it.

    This process holds it to its end. Raises SetupFailed, or OSError where the place cannot be written.
    """
    scope = "test" if command == "test" else "run"
    parts = system.parts_for(command, arguments, env)
    bases = (root / ".venv", home / "venv")
    for base in bases:
        venv = environment.place_for(base)
        if _taken(root, venv, scope):
            _try_parts(venv, parts)
            return venv
    return _made(root, _writable(bases), scope, parts, env)


def _made(root: Path, base: Path, scope: str, parts: Sequence[SystemPart], env: Mapping[str, str]) -> Path:
    """The environment, made or brought up to date unless another start does it meanwhile."""
    raise_again()
    with held.only_one(base):
        # Another version may have taken the name while this one waited.
        venv = environment.place_for(base)
        if not _taken(root, venv, scope):
            system.provide(parts)
            environment.make(root, venv, scope, env)
            _taken(root, venv, scope)
        _try_parts(venv, parts)
    leave_quietly()
    return venv


def _taken(root: Path, venv: Path, scope: str) -> bool:
    """True when the environment is good: then this process, and what it becomes, holds it to its end."""
    descriptor = held.hold(venv)
    if descriptor is None:
        return False
    if environment.is_current(root, venv, scope):
        if descriptor != held.UNHELD:
            os.set_inheritable(descriptor, True)
        return True
    held.release(descriptor)
    return False


def _writable(bases: Sequence[Path]) -> Path:
    """The first base whose environment this user can make. Raises SetupFailed when there is none."""
    tried = []
    for base in bases:
        venv = environment.place_for(base)
        reason = held.why_not_writable(venv)
        if not reason:
            return base
        tried.append(f"{venv} ({reason})")
    raise SetupFailed(
        f"No Python environment can be used or made in {' or '.join(tried)}: give a folder that this user "
        f"can write with --home DIR, or have the owner make {bases[0]} and its Python readable for everybody."
    )


def _try_parts(venv: Path, parts: Sequence[SystemPart]) -> None:
    """Tries the system parts that were never seen to work, and remembers those that do."""
    mark = environment.read_mark(venv)
    seen = set(mark.get("system", ()))
    untried = [part for part in parts if part.name not in seen]
    if not untried:
        return
    system.provide(untried)
    # In somebody else's environment they are tried again each time.
    with contextlib.suppress(OSError):
        environment.write_mark(venv, {**mark, "system": sorted(seen | {part.name for part in untried})})
