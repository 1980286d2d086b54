"""The compiled kernels' folder: keyed by what they were made of, checked before use, sealed after."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding
import numba
import numpy
from numba.core.dispatcher import Dispatcher
from pydantic import BaseModel

from controller.scenes import rehearse

PACKAGE = Path(__file__).resolve().parent
KERNEL_FOLDERS = ("behavior", "scenes")
MANIFEST = "manifest.json"
OVERRIDE = "BAITED_CACHE"
COPY_PREFIX = "baited-kernels-"


class KernelCache:
    """One start's use of the cache.

    A process works on a copy of its own, and `seal` puts the copy in place once everything is
    compiled: what stands there is whole or absent. A kept cache that was cut, emptied or
    changed is thrown away, for numba would stop at it, or run it. `warm` tells that nothing
    needs to be compiled.
    """

    def __init__(self, home: Path, say: Callable[[str], None]) -> None:
        self._say = say
        self._place = Path(os.environ.get(OVERRIDE) or home / "cache") / f"kernels-{digest()}"
        self._copy = Path()
        self.warm = False

    def prepare(self) -> None:
        """Point numba at this process's copy; to be called before any kernel is imported."""
        _drop_dead_copies()
        try:
            self._copy = Path(tempfile.mkdtemp(prefix=f"{COPY_PREFIX}{os.getpid()}-"))
        except OSError as error:
            self._say(f"No temporary folder can be written ({error}): the kernels are not kept.")
            return
        atexit.register(shutil.rmtree, self._copy, ignore_errors=True)
        numba.config.CACHE_DIR = str(self._copy)  # type: ignore[attr-defined]
        self.warm = self._take()

    def _take(self) -> bool:
        """Copy the kept cache; False when there is none, or it is not whole."""
        try:
            fault = _fault(self._place)
            if fault is None:
                shutil.copytree(self._place, self._copy, dirs_exist_ok=True)
                return True
        except OSError as error:  # also shutil.Error: gone, or no room, while it was copied
            fault = f"cannot be copied ({error})"
            shutil.rmtree(self._copy, ignore_errors=True)
            self._copy.mkdir(exist_ok=True)
        if fault:
            self._say(f"The compiled kernels in {self._place} {fault}: they are compiled anew.")
        return False

    def seal(self) -> None:
        """After the last compilation: keep this process's copy for the next starts."""
        if self.warm or not self._copy.name:
            return
        aside = None
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            aside = Path(tempfile.mkdtemp(prefix="new-", dir=self._place.parent))
            shutil.copytree(self._copy, aside, dirs_exist_ok=True)
            (aside / MANIFEST).write_text(json.dumps(_digests(aside)), encoding="utf-8")
            self._put_in_place(aside)
        except OSError as error:  # also shutil.Error, whose words are a list of all files
            if aside is not None:
                shutil.rmtree(aside, ignore_errors=True)
            why = error.strerror or "not all files could be copied"
            self._say(f"The kernels cannot be kept in {self._place} ({why}): the next start is slow.")

    def _put_in_place(self, aside: Path) -> None:
        """The first of two starts at once wins; older sets go."""
        for other in self._place.parent.glob("kernels-*"):
            if other != self._place:
                shutil.rmtree(other, ignore_errors=True)
        if _fault(self._place) is None:
            shutil.rmtree(aside)
            return
        shutil.rmtree(self._place, ignore_errors=True)
        aside.rename(self._place)


def _drop_dead_copies() -> None:
    """Copies of processes that were killed."""
    for copy in Path(tempfile.gettempdir()).glob(f"{COPY_PREFIX}*"):
        pid = copy.name.removeprefix(COPY_PREFIX).split("-")[0]
        if pid.isdigit() and not Path("/proc", pid).exists() and Path("/proc").is_dir():
            shutil.rmtree(copy, ignore_errors=True)


def load_kernels(home: Path, scene: str, settings: BaseModel, say: Callable[[str], None]) -> None:
    """Compile or load every kernel of a scene, before any of them is imported.

    scene: its name, settings: its section. `say` gets a line where something took long or failed.
    """
    cache = KernelCache(home, say)
    cache.prepare()
    if not cache.warm:
        say("Compiling the kernels, once: this takes about ten seconds.")
    rehearse(scene, settings)
    cache.seal()


def digest() -> str:
    """What the compiled code depends on: sources and their place, numba, numpy, Python, processor."""
    found = hashlib.sha256()
    facts = [sys.version, numba.__version__, numpy.__version__, llvmlite.__version__, str(PACKAGE)]
    facts += [llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()]
    found.update("\n".join(facts).encode())
    for folder in KERNEL_FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            stamp = path.stat()
            found.update(f"{path.name} {stamp.st_mtime_ns}".encode() + path.read_bytes())
    return found.hexdigest()[:24]


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def _fault(place: Path) -> str | None:
    """None for a folder fit for use, "" when there is none, else what is wrong with it."""
    if not place.is_dir():
        return ""
    try:
        listed = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
        return None if listed == _digests(place) else "are not as they were written"
    except (OSError, ValueError) as error:
        return f"cannot be read ({error})"


def freeze() -> None:
    """From here on no kernel compiles: an argument of another type is converted or refused."""
    for name, module in list(sys.modules.items()):
        if name.startswith(tuple(f"controller.{folder}." for folder in KERNEL_FOLDERS)):
            for kernel in vars(module).values():
                if isinstance(kernel, Dispatcher) and kernel.signatures:
                    kernel.disable_compile()
