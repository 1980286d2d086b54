"""The one table of system packages: what each is for, how it is tried, how it is installed.

Standard library only: the set-up runs it before anything is installed.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from controller.install.progress import SetupFailed, Steps, say


class SystemPart(NamedTuple):
    """One row: `works` tries the thing itself, `packages` are Debian's names for it.

    `scope` tells who needs it: "all" commands, those that draw a "picture", those that
    open a "window", or the "test" suite.
    """

    name: str
    purpose: str
    scope: str
    packages: tuple[str, ...]
    works: Callable[[], bool]


def _imports(*names: str) -> Callable[[], bool]:
    def works() -> bool:
        importlib.invalidate_caches()
        try:
            for name in names:
                importlib.import_module(name)
        except ImportError:
            return False
        return True

    return works


def _loads(*libraries: str) -> Callable[[], bool]:
    def works() -> bool:
        try:
            for library in libraries:
                ctypes.CDLL(library)
        except OSError:
            return False
        return True

    return works


def _runs(*programs: str) -> Callable[[], bool]:
    return lambda: all(shutil.which(program) for program in programs)


def _egl_starts() -> bool:
    """Starts EGL in a process of its own: a broken driver may end the process that tries it."""
    command = [sys.executable, "-I", "-c", _EGL_TRY]
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


# A driver is missing when no EGL device can be initialised, though the libraries load.
_EGL_TRY = """
import ctypes, sys
egl = ctypes.CDLL("libEGL.so.1")
egl.eglGetProcAddress.restype = ctypes.c_void_p
egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
    egl.eglGetProcAddress(b"eglQueryDevicesEXT"))
display_of = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(
    egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT"))
devices, count = (ctypes.c_void_p * 8)(), ctypes.c_int()
egl.eglInitialize.argtypes = [ctypes.c_void_p] * 3
query(8, devices, ctypes.byref(count))
PLATFORM_DEVICE_EXT = 0x313F
started = [egl.eglInitialize(display_of(PLATFORM_DEVICE_EXT, device, None), None, None)
           for device in devices[:count.value]]
sys.exit(0 if any(started) else 1)
"""

_X_CLIENT = ("libX11.so.6", "libXext.so.6", "libXi.so.6", "libXrandr.so.2", "libXinerama.so.1")
_X_PACKAGES = ("libx11-6", "libxext6", "libxi6", "libxrandr2", "libxinerama1", "libxcursor1", "libxrender1")

SYSTEM_PARTS = (
    SystemPart(
        "venv", "to make the Python environment", "all", ("python3-venv",), _imports("ensurepip", "venv")
    ),
    SystemPart("gl", "to draw the picture", "picture", ("libgl1",), _loads("libGL.so.1")),
    SystemPart("egl", "to draw without a screen", "picture", ("libegl1", "libgl1-mesa-dri"), _egl_starts),
    SystemPart(
        "x11",
        "to open the window",
        "window",
        _X_PACKAGES,
        _loads(*_X_CLIENT, "libXcursor.so.1", "libXrender.so.1"),
    ),
    SystemPart("xvfb", "a screen for the tests", "test", ("xvfb", "xauth"), _runs("Xvfb", "xauth")),
    SystemPart("xdotool", "a hand for the tests", "test", ("xdotool",), _runs("xdotool")),
    SystemPart("strace", "power cuts in the tests", "test", ("strace",), _runs("strace")),
    SystemPart("git", "to list the project's files in the tests", "test", ("git",), _runs("git")),
)

_DRAWING = frozenset({"run", "test", "replay", "calibrate", "figures", "bench"})


def parts_for(command: str, arguments: Sequence[str], env: Mapping[str, str]) -> tuple[SystemPart, ...]:
    """The rows of the table that this command needs; none on systems other than Linux."""
    if not sys.platform.startswith("linux"):
        return ()
    scopes = {"all"}
    if command in _DRAWING and "--help" not in arguments:
        scopes.add("picture")
        if env.get("DISPLAY") and "--headless" not in arguments:
            scopes.add("window")
    if command == "test":
        scopes |= {"window", "test"}
    return tuple(part for part in SYSTEM_PARTS if part.scope in scopes)


def missing(parts: Iterable[SystemPart] = SYSTEM_PARTS) -> list[SystemPart]:
    """The parts that do not work here, each found by trying it."""
    return [part for part in parts if not part.works()]


def install_command(parts: Iterable[SystemPart]) -> str:
    """The one command to type that installs these parts on Debian."""
    return "sudo apt-get install --no-install-recommends " + " ".join(_packages(parts))


def provide(parts: Sequence[SystemPart], may_install: bool | None = None) -> None:
    """Makes the parts work: installs what is missing as root with apt-get, after saying so.

    Raises SetupFailed with the command to type when it may not, or when apt-get fails.
    """
    absent = missing(parts)
    if not absent:
        return
    for part in absent:
        say(f"missing on this system: {', '.join(part.packages)} ({part.purpose})")
    if may_install is None:
        may_install = hasattr(os, "geteuid") and os.geteuid() == 0 and bool(shutil.which("apt-get"))
    if not may_install:
        raise SetupFailed(
            f"Install the missing system packages, then start again:\n{install_command(absent)}"
        )
    _install(_packages(absent))
    left = missing(absent)
    if left:
        names = ", ".join(part.name for part in left)
        raise SetupFailed(
            f"Installed, but still not working: {names}. Reinstall by hand:\n{install_command(left)}"
        )


def _packages(parts: Iterable[SystemPart]) -> list[str]:
    return list(dict.fromkeys(package for part in parts for package in part.packages))


def _install(packages: Sequence[str]) -> None:
    say(f"installing them as root with apt-get: {' '.join(packages)}")
    steps = Steps()
    apt_get = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-q"]
    # An outdated list is no reason to stop: the install says whether it was good enough.
    _apt([*apt_get, "update"], steps)
    failure = _apt([*apt_get, "install", "-y", "--no-install-recommends", *packages], steps)
    if failure is not None:
        raise SetupFailed(
            f"apt-get could not install the system packages. Its last words:\n{failure}\n"
            f"Check the network and the package sources, then type:\napt-get install {' '.join(packages)}"
        )


def _apt(command: Sequence[str], steps: Steps) -> str | None:
    """Runs apt-get with nobody to ask; its last lines when it failed, else None."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    for name in ("PYTHONPATH", "PYTHONHOME"):
        env.pop(name, None)
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    apt = subprocess.Popen(command, env=env, stderr=subprocess.STDOUT, text=True, errors="replace", **pipes)
    lines = []
    for line in apt.stdout or ():
        lines.append(line.rstrip())
        if line.startswith(("Reading package lists", "Need to get", "Setting up")):
            steps.say(line.strip())
    return None if apt.wait() == 0 else "\n".join(lines[-8:])
