"""The swarm's tick by hand in C: compiled where there is a compiler, called as the kernel is."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
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

    Raises NoTwin without the source (in a wheel), without a compiler, and when the first flags fail.
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
                found[name] = ctypes.CDLL(str(library)).swarm_tick
                found[name].restype = None  # type: ignore[attr-defined]
    return found


def compiler() -> str:
    """The compiler's name and version."""
    asked = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=False)
    return re.sub(r"\s*\(.*\)", "", asked.stdout.partition("\n")[0])


def header() -> str:
    """The program's record types as C structs; a field that is not where C puts it stops the compiler."""
    lines = ["#pragma once", "#include <stddef.h>", "#include <stdint.h>"]
    for name, record in _RECORDS.items():
        lines += [f"struct {name} {{", *map(_declared, _fields(record)), "};"]
        lines += [f'_Static_assert(sizeof(struct {name}) == {record.itemsize}, "{name}");']
        lines += [
            f'_Static_assert(offsetof(struct {name}, {field}) == {place}, "{name}.{field}");'
            for field, _, place in _fields(record)
        ]
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
    """The compiler's complaint, empty when it has none."""
    command = [
        COMPILER,
        *_ALWAYS,
        *further,
        "-I",
        str(library.parent),
        str(SOURCE),
        "-o",
        str(library),
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""
