"""The swarm's tick by hand in C: compiled where there is a compiler, called as the kernel is."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from controller.behavior.draws import DRAWS
from controller.scenes.baited.bugs import BUG, WORLD
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.visit import VISIT
from controller.studies.swarm_cost_laps import Tick

SOURCE = Path(__file__).resolve().parents[2] / "tests" / "studies" / "swarm.c"
COMPILER = "cc"
LIMIT_S = 60.0
_ALWAYS = ("-std=gnu11", "-O3", "-march=native", "-fno-math-errno", "-Wall", "-Wextra", "-shared", "-fPIC")
_FUSED = ("-fno-signed-zeros", "-fno-trapping-math", "-freciprocal-math", "-ffp-contract=fast")
# By their names in the bench. Regrouped is what the kernels are compiled with, in the compiler's words; it
# undoes sums in pairs. A compiler older than the processor does better when told of one like it.
FLAGS = {
    "-O3": (),
    "sums regrouped": (*_FUSED, "-fassociative-math"),
    "fused and tuned": (*_FUSED, "-mtune=skylake-avx512"),
}
_KINDS = {"f8": "double", "i4": "int32_t", "i8": "int64_t", "u8": "uint64_t"}
_RECORDS = {"bug": BUG, "world": WORLD, "visit": VISIT, "draws": DRAWS}


class NoTwin(Exception):
    """There is no tick in C here; the message is why, in a few words."""


def twins(flags: dict[str, tuple[str, ...]] = FLAGS) -> dict[str, Tick]:
    """The tick in C by the names of the flags; left out are those that this compiler does not know.

    Raises NoTwin without the source (in a wheel), without a compiler, when the first flags fail, when
    the compiler takes more than LIMIT_S or what it makes cannot be loaded.
    """
    if not SOURCE.is_file():
        raise NoTwin("no checkout")
    if not shutil.which(COMPILER):
        raise NoTwin("no compiler")
    found: dict[str, Tick] = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "records.h").write_text(header(), "ascii")
        for name, further in flags.items():
            library = Path(folder) / f"swarm{len(found)}.so"
            fault = _compile(library, further)
            if fault and not found:
                raise NoTwin(f"it does not compile: {fault}")
            if not fault:
                found[name] = _loaded(library)
    return found


def compiler() -> str:
    """The compiler's name and version, empty when it does not tell them."""
    try:
        code, told, _ = _run(COMPILER, "--version")
    except NoTwin:
        return ""
    return "" if code else re.sub(r"\s*\(.*\)", "", told.partition("\n")[0]).strip()


def _run(*command: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of the compiler.

    NoTwin when it cannot be started, or has not ended after LIMIT_S and was killed with its children.
    """
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise NoTwin(f"the compiler cannot be started: {error.strerror}") from error
    with process:
        try:
            out, complaints = process.communicate(timeout=LIMIT_S)
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as end:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(end, KeyboardInterrupt):
                raise
            raise NoTwin(f"the compiler did not end within {LIMIT_S:g} s") from end
    return process.returncode, out, complaints


def _loaded(library: Path) -> Tick:
    try:
        tick = ctypes.CDLL(str(library)).swarm_tick
    except (OSError, AttributeError) as error:
        raise NoTwin("the compiler made nothing that can be loaded") from error
    tick.restype = None
    return tick  # type: ignore[no-any-return]


def header() -> str:
    """The program's record types as C structs; a field that is not where C puts it stops the compiler."""
    lines = ["#pragma once", "#include <stddef.h>", "#include <stdint.h>"]
    for name, record in _RECORDS.items():
        lines += [f"struct {name} {{", *map(_declared, _fields(record)), "};"]
        lines += [
            f'_Static_assert(offsetof(struct {name}, {field}) == {place}, "{name}.{field}");'
            for field, _, place in _fields(record)
        ]
        lines += [f'_Static_assert(sizeof(struct {name}) == {record.itemsize}, "{name}");']
    return "\n".join([*lines, ""])


def arguments(scene: BaitedScene, just_on: bool, tick: int) -> tuple[Any, ...]:
    """What the tick in C takes for this scene's tick: its arrays are used where they are."""
    starts, cells, places, xs, ys = scene.grid
    return (
        *(_place(scene.bugs), ctypes.c_int64(scene.bugs.size)),
        *(_place(scene.world), _place(scene.visit), _place(scene.draws)),
        *(ctypes.c_int64(just_on), ctypes.c_uint64(int(scene.seed)), ctypes.c_uint64(tick)),
        *(_place(starts), ctypes.c_int64(starts.size), _place(cells), _place(places)),
        *(_place(xs), _place(ys), _place(scene.levels)),
    )


def _place(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _fields(record: np.dtype[np.void]) -> list[tuple[str, np.dtype[Any], int]]:
    assert record.fields is not None
    return [(name, kind, place) for name, (kind, place, *_) in record.fields.items()]


def _declared(field: tuple[str, np.dtype[Any], int]) -> str:
    name, kind, _ = field
    counts = "".join(f"[{count}]" for count in kind.shape)
    return f"    {_KINDS[kind.base.str[1:]]} {name}{counts};"


def _compile(library: Path, further: tuple[str, ...]) -> str:
    """The compiler's first complaint in one line, empty when it succeeds."""
    places = ("-I", str(library.parent), str(SOURCE), "-o", str(library), "-lm")
    code, _, complaints = _run(COMPILER, *_ALWAYS, *further, *places)
    lines = [line.strip() for line in complaints.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line]
    return (errors or lines or [f"exit code {code}"])[0] if code else ""
