"""First use: makes the Python environment from the lock, then runs the command inside it.

Standard library only, and readable for Python 3.9, far enough to say that a newer one is needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)


def start(arguments: Sequence[str]) -> int:
    """Sets up what this command needs and runs it; the exit code, where it comes back at all."""
    refusal = python_refusal(tuple(sys.version_info[:3]))
    if refusal:
        print(f"baited: {refusal}", file=sys.stderr)
        return 1
    from controller.install.interrupts import leave_quietly

    leave_quietly()
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
    from controller.install.interrupts import INTERRUPTED
    from controller.install.progress import SetupFailed, say
    from controller.install.provision import set_up

    try:
        home = home_folder(option(arguments, "--home"), env)
        inside = _inside(root, home)
        if not inside:
            if is_temporary(home):
                say(f"this user has no home folder: settings and data go to {home} (change it with --home)")
                home.mkdir(mode=0o700, exist_ok=True)
            venv = set_up(root, home, command_of(arguments), arguments, env)
    except (SetupFailed, OSError) as failure:
        say(str(failure))
        return 1
    except UnicodeError as failure:
        say(f"a folder's name cannot be spelled in this locale ({failure}): start with LC_ALL=C.UTF-8")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next start begins the set-up anew")
        return INTERRUPTED
    return _commands() if inside else _hand_over(root, venv, arguments, env)


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
    from controller.install import environment, held

    for base in (root / ".venv", home / "venv"):
        venv = environment.place_for(base)
        if not _same(sys.prefix, venv):
            continue
        if _same(os.environ.get(_HANDED, ""), venv) or not environment.read_mark(venv):
            held.hold(venv)
            return True
    return False


def _same(path: str, venv: Path) -> bool:
    try:
        return os.path.samefile(path, venv)
    except OSError:
        return False


_HANDED = "BAITED_VENV"


def _hand_over(root: Path, venv: Path, arguments: Sequence[str], env: Mapping[str, str]) -> int:
    from controller.install.environment import venv_python
    from controller.install.interrupts import put_off

    python = str(venv_python(venv))
    paths = [str(root), *filter(None, [env.get("PYTHONPATH", "")])]
    inner = {**env, "PYTHONPATH": os.pathsep.join(paths), _HANDED: str(venv)}
    inner.pop("PYTHONHOME", None)
    command = [python, "-m", "controller", *arguments]
    if os.name != "nt":
        put_off()
        os.execve(python, command, inner)
    # On Windows exec would return to the shell at once.
    return subprocess.call(command, env=inner)


def _commands() -> int:
    from controller.cli import main
    from controller.install.interrupts import INTERRUPTED, raise_again

    raise_again()
    try:
        main()
    except SystemExit as ending:
        # click makes an exit of its own, with code 1, of the key.
        if _by_key(ending):
            return INTERRUPTED
        raise
    return 0


def _by_key(error: BaseException | None) -> bool:
    """True when a KeyboardInterrupt led to this error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
