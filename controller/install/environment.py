"""The virtual environment that the commands run in: where it is, whether it is good, making it.

Standard library only. A mark inside it, written last, names what it was made from.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controller.install.held import setup_lock, unused
from controller.install.progress import SetupFailed, Steps

LOCKS = ("run", "test")
MARK = "baited.json"
MINOR = f"{sys.version_info[0]}.{sys.version_info[1]}"
# As venv writes it, and as other makers of environments do.
MADE_BY = re.compile(rb"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)
# What a user may have set for their own pip and Python, and what would lead ours astray.
DISTURBING = (
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONUSERBASE",
    "PYTHONSTARTUP",
    "VIRTUAL_ENV",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_PYTHON",
    "PIP_DRY_RUN",
    "PIP_NO_BINARY",
    "PIP_ONLY_BINARY",
    "PIP_NO_DEPS",
    "PIP_EDITABLE",
    "PIP_REQUIREMENT",
    "PIP_REPORT",
    "PIP_QUIET",
    "PIP_VERBOSE",
    "PIP_LOG",
)


def venv_python(venv: Path) -> Path:
    """The Python inside a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def place_for(base: Path) -> Path:
    """The environment of this Python version: `base` serves the version that made it, others stand beside.

    With Python 3.12 it is `.venv-3.12` when `.venv` was made by 3.11.
    """
    own = base.with_name(f"{base.name}-{MINOR}")
    maker = _minor_of(base)
    if maker == MINOR:
        return base
    return own if maker or own.exists() else base


def _minor_of(venv: Path) -> str:
    """The Python version, such as "3.11", that made an environment; "" when it is none or cannot be read."""
    try:
        found = MADE_BY.search((venv / "pyvenv.cfg").read_bytes())
    except OSError:
        return ""
    return found[1].decode("ascii") if found else ""


def lock_file(root: Path, scope: str) -> Path:
    """The lock of a scope ("run" or "test") in a checkout."""
    return root / "controller" / "install" / f"{scope}.lock"


def read_mark(venv: Path) -> dict[str, Any]:
    """The mark of an environment, empty when there is none or it cannot be read."""
    try:
        mark = json.loads((venv / MARK).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return mark if isinstance(mark, dict) else {}


def write_mark(venv: Path, mark: Mapping[str, Any]) -> None:
    """Replaces the mark in one step. Raises OSError where it cannot be written."""
    aside = venv / f"{MARK}.{os.getpid()}"
    aside.write_text(json.dumps(mark, indent=1), "utf-8")
    os.replace(aside, venv / MARK)


def fresh_mark(root: Path, venv: Path, scope: str) -> dict[str, Any]:
    """The mark that an environment of this scope, made here and now, carries.

    The test lock holds all of the run lock, so an environment for tests serves both.
    """
    scopes = LOCKS if scope == "test" else ("run",)
    return {
        "state": "ready",
        "place": _spelled(os.path.realpath(venv)),
        "python": MINOR,
        "program": _spelled(os.path.realpath(venv_python(venv))),
        "locks": {name: hashlib.sha256(lock_file(root, name).read_bytes()).hexdigest() for name in scopes},
    }


def _spelled(path: str) -> str:
    """A path as text that is the same whatever locale this process has, since its bytes are."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def _stands_here(mark: Mapping[str, Any], venv: Path) -> bool:
    """True when the environment was made in this very folder, by whatever way it is reached now."""
    try:
        place = str(mark.get("place", "")).encode("utf-8", "surrogateescape")
        return os.path.samefile(place if os.name != "nt" else os.fsdecode(place), venv)
    except (OSError, ValueError):
        return False


def is_current(root: Path, venv: Path, scope: str) -> bool:
    """True when the environment was finished, here, from this lock, by this kind of Python."""
    mark = read_mark(venv)
    wanted = fresh_mark(root, venv, "run")
    digest = hashlib.sha256(lock_file(root, scope).read_bytes()).hexdigest()
    return (
        all(mark.get(key) == wanted[key] for key in ("state", "python", "program"))
        and _stands_here(mark, venv)
        and mark.get("locks", {}).get(scope) == digest
        and os.access(venv_python(venv), os.X_OK)
    )


def make(root: Path, venv: Path, scope: str, env: Mapping[str, str]) -> None:
    """Makes the environment, or brings a good one up to date, and marks it as its last act.

    Raises SetupFailed when Python's venv or pip fail, OSError when the place cannot be written.
    """
    steps = Steps()
    clean = clean_environment(env)
    _spell_as_utf8(venv, clean)
    if not _reusable(venv):
        _clear(venv, steps)
        steps.say(f"making the Python environment in {venv}")
        venv.mkdir(parents=True)
        write_mark(venv, {"state": "making"})
        # Started from within the environment that was just cleared, our own program file is gone.
        base = getattr(sys, "_base_executable", None) or sys.executable
        _run([base, "-m", "venv", str(venv)], clean, "make a Python environment")
    write_mark(venv, {"state": "making"})
    steps.say("installing the packages; the first time this takes about half a minute")
    mark = fresh_mark(root, venv, scope)
    try:
        _pip_install(venv, lock_file(root, scope), clean, steps)
    except SetupFailed:
        # pip said no and put everything back, so the next start need not begin anew.
        write_mark(venv, {**mark, "state": "incomplete", "locks": {}})
        raise
    write_mark(venv, mark)
    steps.say("ready")


def _spell_as_utf8(venv: Path, clean: dict[str, str]) -> None:
    """Lets venv, which writes its folder's name as UTF-8, read it so too, whatever the locale.

    Raises SetupFailed when neither that nor the locale can spell the name.
    """
    try:
        os.fsencode(venv).decode("utf-8")
        clean["PYTHONUTF8"] = "1"
    except UnicodeDecodeError:
        try:
            str(venv).encode("utf-8")
        except UnicodeEncodeError:
            raise SetupFailed(
                f"The name of the folder {str(venv)!a} is not UTF-8, which Python cannot work in: "
                "rename or move it, then start again."
            ) from None


def clean_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The process environment for venv and pip: sources, proxies and certificates stay, traps go."""
    clean = {name: value for name, value in env.items() if name not in DISTURBING}
    clean |= {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1", "PYTHONNOUSERSITE": "1"}
    clean["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    if not os.path.isdir(os.path.expanduser("~")):
        clean["PIP_NO_CACHE_DIR"] = "1"
    return clean


def _reusable(venv: Path) -> bool:
    """True for an environment in its place with this Python: pip can bring it up to date."""
    mark = read_mark(venv)
    if mark:
        here = mark.get("state") in ("ready", "incomplete") and _stands_here(mark, venv)
        if not here or mark.get("program") != _spelled(os.path.realpath(venv_python(venv))):
            return False
    trial = "import sys, pip; sys.exit('%d.%d' % sys.version_info[:2] != sys.argv[1])"
    try:
        done = subprocess.run([venv_python(venv), "-I", "-c", trial, MINOR], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _clear(venv: Path, steps: Steps) -> None:
    """Removes what is left of an environment, never a folder of another kind."""
    if not os.path.lexists(venv):
        return
    if venv.is_symlink() or not (
        (venv / MARK).exists() or (venv / "pyvenv.cfg").exists() or not any(venv.iterdir())
    ):
        raise SetupFailed(
            f"{venv} is in the way and is no Python environment: move it elsewhere, then start again."
        )
    with unused(venv):
        steps.say("the Python environment is unfinished, moved or for another Python: making it anew")
        # Renamed first: what a killed removal leaves must not look like somebody's own folder.
        aside = setup_lock(venv).parent / "old-environment"
        shutil.rmtree(aside, ignore_errors=True)
        venv.rename(aside)
        shutil.rmtree(aside)


def _run(command: list[str], env: Mapping[str, str], purpose: str) -> None:
    done = subprocess.run(
        command,
        env=dict(env),
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise SetupFailed(_failure(purpose, done.stdout.splitlines()))


def _pip_install(venv: Path, lock: Path, env: Mapping[str, str], steps: Steps) -> None:
    """pip with hashes, wheels only: its own bar on a terminal, else a line a package."""
    command = [str(venv_python(venv)), "-m", "pip", "install", "--require-hashes"]
    command += ["--only-binary", ":all:", "--progress-bar", "on" if sys.stderr.isatty() else "off"]
    command += ["-r", str(lock)]
    pip = subprocess.Popen(
        command,
        env=dict(env),
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr if sys.stderr.isatty() else subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    lines = []
    for line in pip.stdout or ():
        lines.append(line.rstrip())
        if line.lstrip().startswith(("Downloading ", "Installing collected", "Using cached ")):
            steps.say(line.strip()[:100])
    if pip.wait() < 0:
        raise KeyboardInterrupt  # ended by a signal, in the midst of its work
    if pip.returncode != 0:
        raise SetupFailed(_failure("install the packages", lines))


def _failure(purpose: str, lines: list[str]) -> str:
    words = "\n".join(f"  {line}" for line in lines[-8:])
    return (
        f"Python could not {purpose}. Its last words:\n{words}\n"
        "Check the network connection and the free disk space, then start again: it goes on from here."
    )
