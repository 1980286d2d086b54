"""The tick in C that the kernel's speed is held against does what the kernel does, over the same records."""

from __future__ import annotations

import math
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from controller.scenes.baited.bugs import BUG, MOVING
from controller.scenes.baited.kernel import step
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.scenes.baited.visit import VISIT
from controller.studies import swarm_cost_c as in_c
from controller.studies import swarm_cost_table as table
from controller.studies.swarm_cost_laps import CENTRE_PX, SIZE_PX, Tick, disc, kernel_arguments
from tests.behavior.pairs import random_settings, stir

TOLERANCE = 1e-9
TURN = 2 * math.pi
CIRCLES = {
    "heading": TURN,
    "milling_angle": TURN,
    "tremor_phase": TURN,
    "leg_phase": TURN,
    "noise_phase": 4096,
}
# The plain ones are for processors without AVX-512, where C goes through crowds in another way.
PLAIN = "-mno-avx512f"
FLAGS = {**in_c.FLAGS, "plain": (PLAIN,), "plain, regrouped": (*in_c.FLAGS["sums regrouped"], PLAIN)}


@pytest.fixture(scope="module")
def twins() -> dict[str, Tick]:
    if not shutil.which(in_c.COMPILER):
        pytest.skip("no compiler")
    return in_c.twins(FLAGS)


@pytest.fixture(params=FLAGS)
def twin(request: pytest.FixtureRequest, twins: dict[str, Tick]) -> Tick:
    if request.param not in twins:
        pytest.skip("flags of another processor")
    return twins[request.param]


def difference(ours: BaitedScene, theirs: BaitedScene) -> tuple[float, str]:
    """The field of a bug, of the visit, of the grid or of the draws in which two scenes differ most."""
    found = [(0.0, "")]
    for name in BUG.names or ():
        apart = np.abs(ours.bugs[name].astype(float) - theirs.bugs[name])
        period = CIRCLES.get(name, math.inf)
        found.append((float(np.minimum(apart, np.abs(period - apart)).max(initial=0.0)), name))
    for name in VISIT.names or ():
        found.append((abs(float(ours.visit[name][0]) - float(theirs.visit[name][0])), f"visit {name}"))
    for name in ("given", "used"):
        found.append((abs(float(ours.draws[name][0] - theirs.draws[name][0])), f"numbers {name}"))
    for k, (mine, other) in enumerate(zip(ours.grid, theirs.grid, strict=True)):
        found.append((float(np.abs(np.asarray(mine, float) - other).max(initial=0.0)), f"grid {k}"))
    return max((math.inf if math.isnan(apart) else apart, name) for apart, name in found)


class Two:
    """One swarm twice, for the kernel and for its twin in C."""

    def __init__(self, settings: BaitedSettings, tick: Tick, seed: int = 1) -> None:
        self.kernels, self.c = BaitedScene(settings, SIZE_PX, seed), BaitedScene(settings, SIZE_PX, seed)
        self._tick = tick

    def step(self, on: bool, x: float, y: float) -> tuple[float, str]:
        """One tick of both from the kernel's state, and where they differ most after it."""
        scene = self.kernels
        just_on = on and not scene.world["on"][0]
        scene.world["on"], scene.world["light_x"], scene.world["light_y"] = on, x, y
        for name in ("bugs", "world", "visit", "draws"):
            getattr(self.c, name)[:] = getattr(scene, name)
        scene.tick += 1
        step(*kernel_arguments(scene, just_on, scene.tick))
        self._tick(*in_c.arguments(self.c, just_on, scene.tick))
        return difference(scene, self.c)


def a_visit() -> Iterator[tuple[bool, float, float]]:
    """Dark, a light held still till the bugs mill and some are bored, dark, a light that moves."""
    for _ in range(60):
        yield False, *CENTRE_PX
    for _ in range(900):
        yield True, *CENTRE_PX
    for _ in range(60):
        yield False, *CENTRE_PX
    for tick in range(200):
        yield True, 300.0 + 6.0 * tick, 300.0 + 2.0 * tick


def test_tick_by_tick_through_a_visit(twin: Tick) -> None:
    both = Two(BaitedSettings(), twin)
    found = [both.step(*light) for light in a_visit()]
    assert max(found) <= (TOLERANCE, "~")
    measures = both.kernels.measures()
    assert measures["peak_inside"] > 100
    assert measures["grew_bored"] > 5


@pytest.mark.parametrize("on", [False, True])
def test_a_crowd(twin: Tick, on: bool) -> None:
    """All bugs in one small disc, or on one spot, anew in each tick."""
    both = Two(BaitedSettings(), twin)
    for seed in range(100):
        radius_px = (0.0, 5.0, 40.0)[seed % 3]
        both.kernels.bugs["x"], both.kernels.bugs["y"] = disc(
            both.kernels.bugs.size, radius_px, CENTRE_PX, seed
        )
        assert both.step(on, *CENTRE_PX) <= (TOLERANCE, "~")


def test_other_constants_and_every_state(twin: Tick) -> None:
    """300 worlds with all constants at random, and bugs in states that a walk seldom comes to."""
    for number in range(300):
        rng = np.random.default_rng(number)
        both = Two(random_settings(rng, bugs=30), twin, seed=number)
        stir(rng, both.kernels.bugs, both.kernels.world[0])
        assert both.step(bool(number % 3), *rng.uniform((0, 0), SIZE_PX)) <= (TOLERANCE, "~")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e12])
def test_bugs_gone_astray(twin: Tick, value: float) -> None:
    """Each field in turn holds nonsense; what a clamp or the edge does not mend is made anew."""
    both = Two(BaitedSettings(bugs=30), twin)
    fields = [name for name in MOVING if BUG[name] == np.float64]
    for field in fields:
        both.kernels.bugs["target_chosen"] = True
        both.kernels.bugs[field][7] = value
        assert both.step(True, *CENTRE_PX) <= (TOLERANCE, "~"), field
        both.kernels.bugs[7] = both.kernels.bugs[8]
    assert 5 <= both.kernels.put_back <= len(fields)


def test_numbers_given_by_hand(twin: Tick) -> None:
    both = Two(BaitedSettings(bugs=3), twin)
    for number in range(50):
        draws = both.kernels.draws
        draws["tape"], draws["given"] = np.random.default_rng(number).random(draws["tape"].shape), number % 5
        draws["noise"] = math.nan if number % 2 else 0.25
        both.kernels.bugs["gait_timer"] = 1
        assert both.step(True, *CENTRE_PX) <= (TOLERANCE, "~")
        assert both.kernels.draws["used"][0] > 0


@pytest.mark.parametrize("bugs", [0, 1, 2])
def test_hardly_any_bugs(twin: Tick, bugs: int) -> None:
    both = Two(BaitedSettings(bugs=bugs), twin)
    assert max(both.step(number % 40 > 10, *CENTRE_PX) for number in range(80)) <= (TOLERANCE, "~")


def test_the_records_in_c_follow_the_program_s(
    twins: dict[str, Tick], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field that is gone, or not where C would put it, stops the compiler: nothing is measured then."""
    fields = [(name, BUG[name].str) for name in BUG.names or () if name != "heading"]
    for bug, complaint in ((np.dtype(fields), "heading"), (np.dtype([("odd", "i4"), *BUG.descr]), "bug.x")):
        monkeypatch.setitem(in_c._RECORDS, "bug", bug)
        with pytest.raises(in_c.NoTwin, match=complaint):
            in_c.twins()


def test_without_a_compiler_or_a_checkout_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_c, "COMPILER", "no-such-compiler")
    with pytest.raises(in_c.NoTwin, match="no compiler"):
        in_c.twins()
    monkeypatch.setattr(in_c, "SOURCE", in_c.SOURCE.with_name("gone.c"))
    with pytest.raises(in_c.NoTwin, match="no checkout"):
        in_c.twins()


# What a compiler may do instead of its work, as shell scripts, and what is told of it.
BROKEN = {
    "fails without a word": ("exit 3", "it does not compile: exit code 3"),
    "fails with many": ("printf 'in a\\nb: error: c\\nd' >&2; exit 1", "it does not compile: b: error: c"),
    "makes nothing": ("exit 0", "the compiler made nothing that can be loaded"),
    "makes no library": (
        'for a; do case $a in *.so) echo no > "$a";; esac; done',
        "nothing that can be loaded",
    ),
    "hangs": ("sleep 1000", "the compiler did not end within 0.5 s"),
    "leaves a child that hangs": ("sleep 1000 & exit 0", "the compiler did not end within 0.5 s"),
}


def put_compiler(path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(in_c, "COMPILER", str(path))
    monkeypatch.setattr(in_c, "LIMIT_S", 0.5)


@pytest.mark.parametrize(("script", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_compiler_is_told_in_one_line_and_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    """Each process that it starts holds the lock; it can be had again when all have ended."""
    lock = tmp_path / "lock"
    put_compiler(tmp_path / "cc", f"#!/bin/sh\nexec 9> {lock}\nflock 9\n{script}\n", monkeypatch)
    with pytest.raises(in_c.NoTwin, match=f"{why}$"):
        in_c.twins()
    assert subprocess.run(["flock", "-w", "5", str(lock), "true"], check=False).returncode == 0


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 0\n", "#!/bin/sh\necho odd; exit 1\n", "#!/nowhere\n"])
def test_a_compiler_that_does_not_tell_its_version_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    put_compiler(tmp_path / "cc", script, monkeypatch)
    assert f"numpy {np.__version__}; " in table.conditions()


def test_a_compiler_that_cannot_be_started_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_compiler(tmp_path / "cc", "#!/nowhere\n", monkeypatch)
    with pytest.raises(in_c.NoTwin, match="cannot be started: No such file"):
        in_c.twins()
