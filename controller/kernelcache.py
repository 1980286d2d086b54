"""The compiled kernels' folder: keyed by what they were made of, checked before use, sealed after."""

from __future__ import annotations

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

PACKAGE = Path(__file__).resolve().parent
KERNEL_FOLDERS = ("behavior", "scenes")
MANIFEST = "manifest.json"
OVERRIDE = "BAITED_CACHE"


class KernelCache:
    """One start's use of the cache.

    A sealed folder is used as it is; else the kernels are compiled into a folder of this
    process and put in place by `seal`. A folder that was cut, emptied or changed is thrown
    away: numba would stop at it, or run it. `folder` is None when nothing can be written.
    """

    def __init__(self, home: Path, say: Callable[[str], None]) -> None:
        self._say = say
        root = Path(os.environ.get(OVERRIDE) or home / "cache")
        self._place = root / f"kernels-{digest()}"
        self.folder: Path | None = None
        self.warm = False

    def prepare(self) -> None:
        """Point numba at the folder; to be called before any kernel is imported."""
        fault = _fault(self._place)
        if fault is None:
            self.folder, self.warm = self._place, True
        else:
            if fault:
                self._say(f"The compiled kernels in {self._place} {fault}: they are compiled anew.")
            self.folder = self._fresh()
        numba.config.CACHE_DIR = str(self.folder or "")  # type: ignore[attr-defined]

    def _fresh(self) -> Path | None:
        for parent in (self._place.parent, Path(tempfile.gettempdir())):
            try:
                parent.mkdir(parents=True, exist_ok=True)
                return Path(tempfile.mkdtemp(prefix="kernels-new-", dir=parent))
            except OSError as error:
                self._say(f"Compiled kernels cannot be kept in {parent} ({error.strerror}).")
        return None

    def seal(self) -> None:
        """After the last compilation: list the files with their digests and put the folder in place."""
        if self.warm or self.folder is None:
            return
        try:
            (self.folder / MANIFEST).write_text(json.dumps(_digests(self.folder)), encoding="utf-8")
            if self.folder.parent != self._place.parent:
                return
            if self._place.exists():
                shutil.rmtree(self._place)
            self.folder.rename(self._place)
            self._drop_old()
        except OSError as error:
            self._say(
                f"The compiled kernels could not be kept in {self._place}: {error}. The next start is slow."
            )

    def _drop_old(self) -> None:
        for other in self._place.parent.glob("kernels-*"):
            if other != self._place:
                shutil.rmtree(other, ignore_errors=True)


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
