"""First use: makes the Python environment from the lock, then runs the command inside it.

Standard library only, and readable for Python 3.9, far enough to say that a newer one is needed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.install.system import SystemPart

OLDEST, NEWEST = (3, 11), (3, 13)


def start(arguments: Sequence[str]) -> int:
    """Sets up what this command needs and runs it; the exit code, where it comes back at all."""
    refusal = python_refusal(tuple(sys.version_info[:3]))
    if refusal:
        print(f"baited: {refusal}", file=sys.stderr)
        return 1
    root = Path(__file__).resolve().parents[2]
    if not (root / "pyproject.toml").is_file():
        return _commands()
    return _start_checkout(root, arguments, os.environ)


def python_refusal(version: tuple[int, ...]) -> str:
    """Why this Python will not do, in one line; empty when it will."""
    if OLDEST <= version[:2] <= NEWEST:
        return ""
    needed = "Python 3.11 or newer is needed"
    if version[:2] > NEWEST:
        needed = f"Python 3.11 to 3.{NEWEST[1]} is needed"
    found = ".".join(str(number) for number in version)
    return f"{needed}; this is {found} ({sys.executable}). Start with another one, such as python3.11."


def _start_checkout(root: Path, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    from controller.install.home import home_folder, is_temporary
    from controller.install.progress import SetupFailed, say

    try:
        home = home_folder(option(arguments, "--home"), env)
        if _inside(root, home):
            return _commands()
        if is_temporary(home):
            say(f"this user has no home folder: settings and data go to {home} (change it with --home)")
            home.mkdir(mode=0o700, exist_ok=True)
        venv = set_up(root, home, arguments, env)
    except (SetupFailed, OSError) as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next start begins the set-up anew")
        return 1
    return _hand_over(root, venv, arguments, env)


def set_up(root: Path, home: Path, arguments: Sequence[str], env: Mapping[str, str]) -> Path:
    """The environment that serves this command, made where the checkout or else the home can hold it.

    Raises SetupFailed, or OSError where the place cannot be written.
    """
    from controller.install import environment, system

    command = command_of(arguments)
    scope = "test" if command == "test" else "run"
    parts = system.parts_for(command, arguments, env)
    places = (root / ".venv", home / "venv")
    for venv in places:
        if environment.is_current(root, venv, scope):
            _try_parts(venv, parts)
            return venv
    venv = next((place for place in places if environment.can_write_beside(place)), places[-1])
    with environment.only_one(venv):
        if not environment.is_current(root, venv, scope):
            system.provide(parts)
            environment.make(root, venv, scope, env)
        _try_parts(venv, parts)
    return venv


def _try_parts(venv: Path, parts: Sequence[SystemPart]) -> None:
    """Tries the system parts that were never seen to work, and remembers those that do."""
    from controller.install import environment, system

    mark = environment.read_mark(venv)
    seen = set(mark.get("system", ()))
    untried = [part for part in parts if part.name not in seen]
    if not untried:
        return
    system.provide(untried)
    # In somebody else's environment they are tried again each time.
    with contextlib.suppress(OSError):
        environment.write_mark(venv, {**mark, "system": sorted(seen | {part.name for part in untried})})


def command_of(arguments: Sequence[str]) -> str:
    """The first argument that is no option, "" without one."""
    words = iter(arguments)
    for word in words:
        if word == "--home":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def option(arguments: Sequence[str], name: str) -> str | None:
    """The value of `NAME VALUE` or `NAME=VALUE` among the arguments, None without it."""
    for index, word in enumerate(arguments):
        if word == "--":
            break
        if word == name:
            return arguments[index + 1] if index + 1 < len(arguments) else None
        if word.startswith(name + "="):
            return word[len(name) + 1 :]
    return None


def _inside(root: Path, home: Path) -> bool:
    """True when this Python already is that of the environment, finished or made by hand."""
    from controller.install import environment

    for venv in (root / ".venv", home / "venv"):
        if os.path.realpath(sys.prefix) == os.path.realpath(venv):
            return os.environ.get(_HANDED) == str(venv) or not environment.read_mark(venv)
    return False


_HANDED = "BAITED_VENV"


def _hand_over(root: Path, venv: Path, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    from controller.install.environment import venv_python

    python = str(venv_python(venv))
    paths = [str(root), *filter(None, [env.get("PYTHONPATH", "")])]
    inner = {**env, "PYTHONPATH": os.pathsep.join(paths), _HANDED: str(venv)}
    inner.pop("PYTHONHOME", None)
    command = [python, "-m", "controller", *arguments]
    if os.name != "nt":
        os.execve(python, command, inner)
    # On Windows exec would return to the shell at once.
    return subprocess.call(command, env=inner)


def _commands() -> int:
    from controller.cli import main

    main()
    return 0
