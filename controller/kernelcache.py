"""The compiled kernels' folder: keyed by what they were made of, checked before use, sealed after."""

from __future__ import annotations

import atexit
import errno
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import llvmlite.binding
import numba
import numpy
from numba.core import event
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher
from pydantic import BaseModel

from controller.scenes import rehearse

PACKAGE = Path(__file__).resolve().parent
KERNEL_FOLDERS = ("behavior", "scenes")
MANIFEST = "manifest.json"
OVERRIDE = "BAITED_CACHE"
COPY_PREFIX = "baited-kernels-"
ASIDE_PREFIX = "new-"
# Checkouts and Python environments that share a home have a set each.
MOST_SETS = 4
# What of numba's own configuration changes the code that it makes.
NUMBA_SWITCHES = (
    *("CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE"),
    *("BOUNDSCHECK", "DISABLE_JIT"),
)


class Compilations(event.Listener):
    """Counts what numba compiles in this process; what it loads from a folder does not count."""

    def __init__(self) -> None:
        self.count = 0
        self._until_ready = 0

    def on_start(self, event: event.Event) -> None:
        """Numba begins to compile a function for types that it has not had before."""
        self.count += 1

    def on_end(self, event: event.Event) -> None:
        """Numba is done with it."""

    def ready(self) -> None:
        """From here on each one is a stall that a visitor sees."""
        self._until_ready = self.count

    @property
    def since_ready(self) -> int:
        """How many there were since `ready`."""
        return self.count - self._until_ready


COMPILATIONS = Compilations()
event.register("numba:compile", COMPILATIONS)


class KernelCache:
    """One start's use of the cache.

    A process works on a copy of its own, and `seal` puts the copy in place once everything is
    compiled: what stands there is whole or absent. A kept cache that was cut, emptied or
    changed is thrown away, for numba would stop at it, or run it. `warm` tells that a whole
    one was found; `fault`, in a sentence, why the one that stands there is not used.
    """

    def __init__(self, home: Path, say: Callable[[str], None]) -> None:
        self._say = say
        self._place = place_of(home)
        self._copy: Path | None = None
        self.warm, self.fault = False, ""

    def prepare(self) -> None:
        """Point numba at this process's copy; to be called before any kernel is imported."""
        try:
            temporary = Path(tempfile.gettempdir())
            _drop_dead(temporary, COPY_PREFIX)
            self._copy = Path(tempfile.mkdtemp(prefix=f"{COPY_PREFIX}{os.getpid()}-", dir=temporary))
        except OSError as error:
            self.give_up(f"no temporary folder can be written ({_reason(error)})")
            return
        atexit.register(shutil.rmtree, self._copy, ignore_errors=True)
        numba.config.CACHE_DIR = str(self._copy)  # type: ignore[attr-defined]
        self.warm = self._take(self._copy)

    def give_up(self, why: str) -> None:
        """Keep nothing: left to itself numba would end the start, or use folders that nobody checks."""
        self._copy, self.warm = None, False
        Dispatcher.enable_caching = lambda kernel: None  # type: ignore[assignment]
        for kernel in imported_kernels():
            kernel._cache = NullCache()  # type: ignore[attr-defined]
        self._say(f"The kernels cannot be kept, for {why}: the next start is slow.")

    def _take(self, copy: Path) -> bool:
        """Copy the kept cache; False when there is none, it is not whole, or there is no room for it."""
        try:
            if not (self._place.exists() or self._place.is_symlink()):
                return False
            files = _kept(self._place)
        except (OSError, ValueError) as error:
            self.fault = f"The compiled kernels in {self._place} cannot be used: {_reason(error)}. "
            return False
        try:
            _write(copy, files)
        except OSError as error:
            self.fault = f"The kept kernels cannot be copied, for {_no_room(error)}: make room there. "
            for path in copy.iterdir():
                _remove(path)
            return False
        with suppress(OSError):  # in a read-only cache nothing is removed either
            os.utime(self._place)
        return True

    def seal(self) -> None:
        """After the last compilation: keep this process's copy for the next starts."""
        if self._copy is None:
            return
        aside = self._place.parent / f"{ASIDE_PREFIX}{os.getpid()}"
        try:
            _remove(aside)
            aside.mkdir(parents=True)
            _drop_dead(aside.parent, ASIDE_PREFIX)
            files = _files(self._copy)
            digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
            _write(aside, {**files, MANIFEST: json.dumps(digests).encode()})
            self._put_in_place(aside)
        except OSError as error:
            why = f"{self._place} cannot be written ({_reason(error)})"
            self._say(f"The kernels cannot be kept, for {why}: the next start is slow.")
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _put_in_place(self, aside: Path) -> None:
        """The first of two starts at once wins; the oldest sets go, and a whole one that lacked something."""
        others = [path for path in _folders(self._place.parent, "kernels-*") if path != self._place]
        for other in sorted(others, key=_used_at, reverse=True)[MOST_SETS - 1 :]:
            _remove(other)
        if not self.warm and is_whole(self._place):
            return
        _remove(self._place)
        try:
            aside.rename(self._place)
        except OSError:
            if not is_whole(self._place):  # else another start did it meanwhile
                raise


def place_of(home: Path) -> Path:
    """The folder in which the kernels of these sources on this machine are kept, there or not."""
    return Path(os.environ.get(OVERRIDE) or home / "cache") / f"kernels-{digest()}"


def is_whole(place: Path) -> bool:
    """Whether the folder holds all that was sealed in it, as it was."""
    try:
        return bool(_kept(place))
    except (OSError, ValueError):
        return False


def _kept(place: Path) -> dict[str, bytes]:
    """The files of a sealed cache by their names; ValueError or OSError when it is not whole."""
    listed = _listed(place)
    files = {name: (place / name).read_bytes() for name in listed}
    changed = [name for name in files if hashlib.sha256(files[name]).hexdigest() != listed[name]]
    if changed:
        raise ValueError(f"{changed[0]} is not as it was written")
    return files


def _listed(place: Path) -> dict[str, str]:
    """The digests in the manifest by the names of the files, all of which lie in the folder."""
    try:
        listed = json.loads((place / MANIFEST).read_bytes())
    except RecursionError as error:
        raise ValueError(f"{MANIFEST} is nested too deeply") from error
    if not isinstance(listed, dict) or not listed:
        raise ValueError(f"{MANIFEST} lists nothing")
    inside = place.resolve()
    for name in listed:
        if not (place / name).resolve().is_relative_to(inside):
            raise ValueError(f"{MANIFEST} lists {name}, which is not in the folder")
    return listed


def _files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """With rights of their own, for those of a read-only cache would stop numba."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _no_room(error: OSError) -> str:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    why = "is full" if full else f"cannot be written ({_reason(error)})"
    return f"the temporary folder {tempfile.gettempdir()} {why}"


def _folders(folder: Path, pattern: str) -> list[Path]:
    return [path for path in folder.glob(pattern) if path.is_dir() and not path.is_symlink()]


def _used_at(place: Path) -> int:
    """When it was sealed or last taken, in ns; 0 when another start has removed it."""
    try:
        return place.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _remove(path: Path) -> None:
    """Whatever it is: what cannot be removed shows where its place is wanted."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _drop_dead(folder: Path, prefix: str) -> None:
    """Remove what processes that were killed have left: their numbers follow the prefix."""
    for left in folder.glob(f"{prefix}*"):
        pid = left.name.removeprefix(prefix).split("-")[0]
        if pid.isdigit() and not Path("/proc", pid).exists() and Path("/proc").is_dir():
            _remove(left)


def load_kernels(home: Path, scene: str, settings: BaseModel, say: Callable[[str], None]) -> None:
    """Compile or load every kernel of a scene, before any of them is imported.

    scene: its name, settings: its section. `say` gets a line where something took long or failed.
    """
    cache = KernelCache(home, say)
    cache.prepare()
    if not cache.warm:
        say(f"{cache.fault}Compiling the kernels, once: this takes about ten seconds.")
    before = COMPILATIONS.count
    try:
        rehearse(scene, settings)
    except OSError as error:
        cache.give_up(_no_room(error))
        rehearse(scene, settings)
    compiled = COMPILATIONS.count - before
    if compiled and cache.warm:
        say(f"{compiled} kernels were missing among those kept: they are compiled now.")
    if compiled:
        cache.seal()


def digest() -> str:
    """What the compiled code depends on: sources and their place, numba, numpy, Python, processor."""
    found = hashlib.sha256()
    facts = [sys.version, numba.__version__, numpy.__version__, llvmlite.__version__, str(PACKAGE)]
    facts += [llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()]
    facts += [repr(getattr(numba.config, name, None)) for name in NUMBA_SWITCHES]
    found.update("\n".join(facts).encode())
    for folder in KERNEL_FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            stamp = path.stat()
            found.update(f"{path.name} {stamp.st_mtime_ns}".encode() + path.read_bytes())
    return found.hexdigest()[:24]


def imported_kernels() -> Iterator[Dispatcher]:
    """All compiled functions of rules and scenes that this process has."""
    for name, module in list(sys.modules.items()):
        if name.startswith(tuple(f"controller.{folder}." for folder in KERNEL_FOLDERS)):
            yield from (value for value in vars(module).values() if isinstance(value, Dispatcher))


def freeze() -> None:
    """From here on no kernel compiles: an argument of another type is converted or refused."""
    for kernel in imported_kernels():
        if kernel.signatures:
            kernel.disable_compile()
    COMPILATIONS.ready()
