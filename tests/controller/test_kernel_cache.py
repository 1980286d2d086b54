"""The folder of compiled kernels: whatever happened to it, each start works, says so, and the next is warm.

Most trials are made with a small program: the real cache and real processes around two kernels of one line,
which compile in half a second. The kernels of the show come last.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
import pytest

from controller.kernelcache import COPY_PREFIX, MANIFEST, OVERRIDE
from tests.controller.cache_harms import HARMS, files

NOBODY = 65534
SCENE = """
import numba
from controller.behavior.rule import gain

@numba.njit(cache=True)
def step(x):
    return gain(x) + 1.0

class Scene:
    def step(self, on, x, y):
        return step(x)
    def __getattr__(self, name):
        return lambda *told: None

def open_scene(settings, size, seed):
    return Scene()
"""
RULE = "import numba\n\n@numba.njit(cache=True)\ndef gain(x):\n    return 2.0 * x\n"

# One start. Files limited to FILE_LIMIT bytes; as user USER_ID; with signal SIGNAL at the audit event MOMENT
# of a cache that is being sealed. All that numba brings in late is loaded first: the user may not see where
# it lies.
START = """
import json, os, resource, signal, sys
from pathlib import Path
import numba
from controller.kernelcache import COMPILATIONS, load_kernels
from controller.scenes import open_scene
numba.njit(lambda x: 2.0 * x)(1.0)
compiled_before = COMPILATIONS.count
asked = os.environ.get
seen = []
def struck(event, told):
    if event == asked("MOMENT") and "/new-" in str(told[0]):
        seen.append(told)
        if len(seen) == 2 or event == "os.rename":
            os.kill(os.getpid(), int(asked("SIGNAL")))
sys.addaudithook(struck)
if asked("USER_ID"):
    os.setgroups([])
    os.setgid(int(asked("USER_ID")))
    os.setuid(int(asked("USER_ID")))
if asked("FILE_LIMIT"):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(asked("FILE_LIMIT")), resource.RLIM_INFINITY))
said = []
load_kernels(Path(sys.argv[1]), "baited", None, said.append)
value = open_scene("baited", None, (1, 1), 1).step(True, 3.0, 3.0)
print(json.dumps({"said": said, "compiled": COMPILATIONS.count - compiled_before, "value": value}))
"""
COMPILES = "Compiling the kernels, once: this takes about ten seconds."


# A start whose compiled code takes 1 MB, where files on the disk of its home can only be half of that.
FILLED = """
import json, resource, sys
from pathlib import Path
import numba
from controller.kernelcache import KernelCache
said = []
cache = KernelCache(Path(sys.argv[1]), said.append)
cache.prepare()
Path(numba.config.CACHE_DIR, "big.1.nbc").write_bytes(bytes(1_000_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))
cache.seal()
print(json.dumps({"said": said}))
"""


def begin(root: Path, script: str, home: Path, **environment: str) -> subprocess.Popen[str]:
    """A start of the program in `root`, not waited for."""
    env = {name: value for name, value in os.environ.items() if name != OVERRIDE}
    env |= {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", script, str(home)],
        cwd=root,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a start told, which must have gone well."""
    out, faults = process.communicate(timeout=300)
    assert process.returncode == 0, faults
    return dict(json.loads(out.splitlines()[-1]))


class Program:
    """A checkout of its own with the real cache and two small kernels; the answer is 2 x 3 + 1."""

    def __init__(self, root: Path, checkout: Path) -> None:
        self.root, self.home = root, root / "home"
        for name in ("kernelcache.py", "scenes/__init__.py"):
            self.write(f"controller/{name}", (checkout / "controller" / name).read_text(encoding="utf-8"))
        for name in ("", "behavior/", "scenes/baited/"):
            self.write(f"controller/{name}__init__.py", "")
        self.write("controller/behavior/rule.py", RULE)
        self.write("controller/scenes/baited/scene.py", SCENE)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def begin(self, **environment: str) -> subprocess.Popen[str]:
        return begin(self.root, START, self.home, **environment)

    def start(self, **environment: str) -> dict[str, Any]:
        return end(self.begin(**environment))

    def is_warm(self) -> bool:
        """A start that has nothing to compile and nothing to say."""
        return self.start() == {"said": [], "compiled": 0, "value": 7.0}

    @property
    def place(self) -> Path:
        (place,) = (self.home / "cache").iterdir()
        return place


@pytest.fixture(scope="module")
def sealed(checkout: Path) -> Iterator[Program]:
    """The small program after its first start, where every user can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="baited-cache-"))
    folder.chmod(0o755)
    program = Program(folder / "small", checkout)
    assert program.start() == {"said": [COMPILES], "compiled": 2, "value": 7.0}
    yield program
    shutil.rmtree(folder)


@pytest.fixture
def small(sealed: Program) -> Iterator[Program]:
    """The small program with its cache as it was sealed."""
    kept = sealed.root / "kept"
    shutil.copytree(sealed.home, kept)
    yield sealed
    shutil.rmtree(sealed.home, ignore_errors=True)
    kept.rename(sealed.home)


@pytest.mark.parametrize(
    "name",
    [
        "emptied files",
        *(pytest.param(name, marks=pytest.mark.full) for name in HARMS if name != "emptied files"),
    ],
)
def test_a_damaged_cache_is_told_compiled_anew_and_the_next_start_is_warm(small: Program, name: str) -> None:
    place = small.place
    HARMS[name](place)
    seen = small.start()
    assert (seen["compiled"], seen["value"]) == (2, 7.0)
    assert len(seen["said"]) == 1
    assert str(place) in seen["said"][0]
    assert seen["said"][0].endswith(COMPILES)
    assert small.is_warm()


def test_what_was_compiled_for_another_processor_is_not_taken(small: Program) -> None:
    """Another one by name: its start compiles for itself, and leaves what was compiled here."""
    assert small.start(NUMBA_CPU_NAME="generic") == {"said": [COMPILES], "compiled": 2, "value": 7.0}
    assert small.is_warm()


def test_kernels_kept_by_another_numba_are_left_and_told(small: Program) -> None:
    """As if it had the same name: whole by its manifest, but numba itself finds nothing that it can use."""
    listed = json.loads((small.place / MANIFEST).read_bytes())
    for path in files(small.place, "*.nbi"):
        rest = path.read_bytes()[len(pickle.dumps(numba.__version__, protocol=-1)) :]
        path.write_bytes(pickle.dumps("0.1.0", protocol=-1) + rest)
        listed[str(path.relative_to(small.place))] = sha256(path.read_bytes()).hexdigest()
    (small.place / MANIFEST).write_text(json.dumps(listed), encoding="utf-8")
    seen = small.start()
    assert (seen["compiled"], seen["value"]) == (2, 7.0)
    assert "2 kernels were missing" in seen["said"][0]
    assert small.is_warm()


@pytest.mark.parametrize(
    "name",
    [
        "controller/behavior/rule.py",
        pytest.param("controller/scenes/baited/scene.py", marks=pytest.mark.full),
    ],
)
def test_an_edited_source_is_never_answered_by_old_code(small: Program, name: str) -> None:
    """Also a callee in another file, and with the size and the time of the file as before."""
    path = small.root / name
    before, stamp = path.read_text(encoding="utf-8"), path.stat()
    small.write(name, before.replace("2.0", "4.0").replace("1.0", "7.0"))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    seen = small.start()
    small.write(name, before)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert seen == {"said": [COMPILES], "compiled": 2, "value": 13.0}
    assert small.is_warm()


def other_user() -> dict[str, str]:
    return {"USER_ID": str(NOBODY)} if os.geteuid() == 0 else {}


def test_a_cache_that_cannot_be_written_is_told_and_the_start_goes_on(small: Program) -> None:
    shutil.rmtree(small.home)
    small.home.mkdir(mode=0o555)
    seen = small.start(**other_user())
    small.home.chmod(0o755)
    assert (seen["compiled"], seen["value"]) == (2, 7.0)
    assert seen["said"][0] == COMPILES
    assert "cannot be kept" in seen["said"][1]
    assert "Permission denied" in seen["said"][1]
    assert len(seen["said"]) == 2


def test_a_whole_cache_that_only_its_owner_can_write_serves_everybody(small: Program) -> None:
    folders = [small.home, *(path for path in small.home.rglob("*") if path.is_dir())]
    for path in files(small.home, "*"):
        path.chmod(path.stat().st_mode & 0o444)
    for folder in folders:
        folder.chmod(folder.stat().st_mode & 0o555)
    seen = small.start(**other_user())
    for folder in folders:
        folder.chmod(0o755)
    assert seen == {"said": [], "compiled": 0, "value": 7.0}


@pytest.mark.parametrize(
    ("limit", "why"),
    [(0, "no temporary folder"), (1000, "cannot be written (File too large)")],
)
def test_no_room_for_temporary_files_costs_the_cache_and_not_the_show(
    small: Program, limit: int, why: str
) -> None:
    """Files can be no longer than this: at 0 none can be written, at 1000 it shows while compiling."""
    shutil.rmtree(small.home)
    seen = small.start(FILE_LIMIT=str(limit))
    assert (seen["compiled"] >= 2, seen["value"]) == (True, 7.0)
    assert [why in line and "next start is slow" in line for line in seen["said"]].count(True) == 1
    assert len(seen["said"]) == 2
    assert not small.home.exists()


def test_no_room_to_copy_what_is_kept_costs_a_compilation_and_harms_nothing(small: Program) -> None:
    seen = small.start(FILE_LIMIT="1000")
    assert seen["value"] == 7.0
    assert "the temporary folder" in seen["said"][0]
    assert "cannot be written (File too large)" in seen["said"][0]
    assert str(small.place) not in seen["said"][0]
    assert "next start is slow" in seen["said"][1]
    assert len(seen["said"]) == 2
    assert small.is_warm()


def test_a_disk_that_fills_while_sealing_is_told_and_leaves_nothing_half(small: Program) -> None:
    shutil.rmtree(small.home)
    places = small.home / "cache"
    places.mkdir(parents=True)
    full = end(begin(small.root, FILLED, small.home))
    assert "File too large" in full["said"][0]
    assert "next start is slow" in full["said"][0]
    assert list(places.iterdir()) == []
    assert small.start()["compiled"] == 2
    assert small.is_warm()


def test_two_starts_at_once_both_run_and_leave_one_whole_cache(small: Program) -> None:
    """The first one is held up just before its cache is put in place, until the other has put its own."""
    shutil.rmtree(small.home)
    first = small.begin(MOMENT="os.rename", SIGNAL=str(int(signal.SIGSTOP)))
    os.waitid(os.P_PID, first.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    fresh = {"said": [COMPILES], "compiled": 2, "value": 7.0}
    assert small.start() == fresh
    first.send_signal(signal.SIGCONT)
    assert end(first) == fresh
    assert small.place.name.startswith("kernels-")
    assert small.is_warm()


@pytest.mark.parametrize("moment", ["open", pytest.param("os.rename", marks=pytest.mark.full)])
def test_a_start_killed_while_sealing_harms_no_later_one_and_its_leavings_go(
    small: Program, moment: str, tmp_path: Path
) -> None:
    """Within the second file, and with all written but not yet in place."""
    shutil.rmtree(small.home)
    process = small.begin(MOMENT=moment, SIGNAL=str(int(signal.SIGKILL)), TMPDIR=str(tmp_path))
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    assert [path.name[:4] for path in (small.home / "cache").iterdir()] == ["new-"]
    assert [path.name.startswith(COPY_PREFIX) for path in tmp_path.iterdir()] == [True]
    assert small.start(TMPDIR=str(tmp_path)) == {"said": [COMPILES], "compiled": 2, "value": 7.0}
    assert list(tmp_path.iterdir()) == []
    assert small.place.name.startswith("kernels-")
    assert small.is_warm()
