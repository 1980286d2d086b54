"""Compiled kernels: kept, checked, never a stall after the start, whatever happened to their folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.kernelcache import OVERRIDE

# One start: load, freeze, then run with inputs of every numeric type; tells what it said and compiled.
START = """
import json, sys
from pathlib import Path
import numpy as np
from controller.kernelcache import freeze, load_kernels
from controller.scenes import open_scene
from controller.scenes.baited.settings import BaitedSettings
said = []
load_kernels(Path(sys.argv[1]), "baited", BaitedSettings(), said.append)
freeze()
from controller.scenes.baited.scene import KERNELS
before = [len(kernel.signatures) for kernel in KERNELS]
scene = open_scene("baited", BaitedSettings(), (640, 480), 1)
for x in (3, 3.0, np.float32(3), np.int64(3), np.float64(3)):
    scene.step(1, x, x); scene.step(np.bool_(False), x, x); scene.frame(1); scene.frame(np.float32(0.5))
scene.configure("bugs", 300); scene.configure("light_radius_px", 100); scene.resize((800, 600))
scene.step(True, 5, 5.0); scene.frame(0.25)
hits = sum(sum(kernel.stats.cache_hits.values()) for kernel in KERNELS)
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in KERNELS)
after = [len(kernel.signatures) for kernel in KERNELS]
print(json.dumps({"said": said, "hits": hits, "misses": misses, "new": after != before}))
"""


@pytest.fixture
def start(checkout: Path) -> Callable[..., dict[str, object]]:
    def run(home: Path, **environment: str) -> dict[str, object]:
        env = {name: value for name, value in os.environ.items() if name != OVERRIDE}
        done = subprocess.run(
            [sys.executable, "-c", START, str(home)],
            env={**env, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1", **environment},
            check=True,
            timeout=300,
            capture_output=True,
            text=True,
        )
        return dict(json.loads(done.stdout.splitlines()[-1]))

    return run


@pytest.fixture(scope="module")
def kept(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose kernels were compiled by one start."""
    home = tmp_path_factory.mktemp("kept")
    source = Path(os.environ[OVERRIDE])
    (home / "cache").mkdir()
    for folder in source.glob("kernels-*"):
        subprocess.run(["cp", "-r", str(folder), str(home / "cache")], check=True)
    return home


def kernel_files(home: Path) -> list[Path]:
    return sorted(path for path in (home / "cache").rglob("*.nb*") if path.is_file())


def test_a_second_start_compiles_nothing_and_nothing_compiles_after_ready(
    kept: Path, start: Callable[..., dict[str, object]]
) -> None:
    seen = start(kept)
    assert kernel_files(kept)
    assert (seen["misses"], seen["new"]) == (0, False)
    assert seen["hits"]
    assert seen["said"] == []


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda home: [cut(path) for path in kernel_files(home)], id="all cut"),
        pytest.param(lambda home: garble(kernel_files(home)[3]), id="one random", marks=pytest.mark.full),
    ],
)
def test_a_damaged_cache_is_thrown_away_and_made_anew(
    kept: Path, tmp_path: Path, start: Callable[..., dict[str, object]], harm: Callable[[Path], object]
) -> None:
    subprocess.run(["cp", "-r", str(kept / "cache"), str(tmp_path)], check=True)
    harm(tmp_path)
    first = start(tmp_path)
    assert first["misses"]
    assert "not as they were written" in str(first["said"])
    second = start(tmp_path)
    assert (second["misses"], second["said"]) == (0, [])


def test_impossible_cache_places_do_not_stop_the_start(
    tmp_path: Path, start: Callable[..., dict[str, object]], kept: Path
) -> None:
    """No home that can be written, a cache variable that points nowhere: compiled for this start."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    seen = start(blocked / "home", NUMBA_CACHE_DIR=str(blocked / "nowhere"))
    assert seen["misses"]
    assert "cannot be kept" in str(seen["said"])
