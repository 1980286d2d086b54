"""What the swarm's ticks cost: against C, in a frame, over an hour, with the first light.

Times are those of the processor in this process, medians of laps taken in turn, so that they hold on a
machine that does other work too; what is compared stands in one run.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from controller.behavior.compiling import rule
from controller.scenes.baited import kernel
from controller.scenes.baited.drawing import POSE_FIELDS, interpolate, pose
from controller.scenes.baited.kernel import step
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.stepper import TICKS_PER_S
from controller.studies import swarm_cost_c as in_c
from controller.studies.bench_table import Value, Values
from controller.studies.swarm_cost_laps import (
    BUGS,
    CENTRE_PX,
    CPU_NS,
    HOUR_TICKS,
    MOODS,
    NS_A_TICK,
    SEED,
    SIZE_PX,
    Effort,
    Tick,
    in_turn,
    kernel_arguments,
    lap,
    stepped,
    warmed,
)
from controller.studies.swarm_cost_scale import crammed, grid, growth

SHORTEST_STAY_S, LONGEST_STAY_S = 4, 60
# Farther in one tick is a way round the edge.
FAR_PX = 20.0


def measured(effort: Effort) -> Values:
    """All figures by their keys in swarm_cost_table."""
    found: Values = {}
    for part in (first_lit, against_c, share_of_frame, crammed, growth, grid, hour, measures):
        found |= part(effort)
    return found


def against_c(effort: Effort) -> Values:
    """ns a bug of the kernel, and how many times the fastest tick in C that is; the call is in both."""
    try:
        twins, why = in_c.twins(), ""
    except in_c.NoTwin as missing:
        twins, why = {}, str(missing)
    found: Values = {}
    for mood, on in MOODS.items():
        scene = warmed(on)
        runs = {"kernel": stepped(scene, effort.lap_ticks)}
        for name, tick in twins.items():
            runs[name] = stepped(scene, effort.lap_ticks, tick, in_c.arguments)
        costs = in_turn(runs, effort.rounds)
        ns_a_bug = {name: float(np.median(cost)) / BUGS for name, cost in costs.items()}
        found[f"{mood}_ns"] = Value(ns_a_bug.pop("kernel"))
        found[f"{mood}_c"] = _times(found[f"{mood}_ns"], ns_a_bug, why)
    found["call_us"] = Value(*_calls(twins, effort))
    return found


def _times(kernel: Value, ns_a_bug: dict[str, float], why: str) -> Value:
    if not ns_a_bug or kernel.value is None:
        return Value(None, why)
    note = ", ".join(f"{name} {ns:.1f}" for name, ns in ns_a_bug.items())
    return Value(kernel.value / min(ns_a_bug.values()), f"C: {note} ns")


def _calls(twins: dict[str, Tick], effort: Effort) -> tuple[float, str]:
    """us of a call that has nothing to do, of the kernel and in a note of C."""
    empty = BaitedScene(BaitedSettings(bugs=0), (40, 40), SEED)
    runs = {"kernel": stepped(empty, effort.lap_ticks)}
    for tick in list(twins.values())[:1]:
        runs["C"] = stepped(empty, effort.lap_ticks, tick, in_c.arguments)
    us = {name: float(np.median(cost)) / 1e3 for name, cost in in_turn(runs, effort.rounds).items()}
    return us["kernel"], f"C: {us['C']:.2f} us" if "C" in us else ""


def share_of_frame(effort: Effort) -> Values:
    """The percentage of a frame's 16.7 ms that a tick takes and its way to the drawn rows."""
    scene, ticks = warmed(True), effort.lap_ticks
    calls = [kernel_arguments(scene, False, scene.tick + 1 + number) for number in range(ticks)]
    poses, drawn = np.zeros((2, BUGS, POSE_FIELDS)), np.zeros((BUGS, 5), np.float32)

    def kernels() -> None:
        for number, call in enumerate(calls):
            before, after = poses[number % 2], poses[1 - number % 2]
            step(*call)
            pose(scene.bugs, scene.world, scene.seed, np.uint64(scene.tick + 1 + number), after)
            interpolate(before, after, 0.5, FAR_PX, FAR_PX, drawn)

    def whole() -> None:
        for _ in range(ticks):
            scene.step(True, *CENTRE_PX)
            scene.frame(0.5)

    runs = {"kernels": lap(scene, ticks, kernels), "scene": lap(scene, ticks, whole)}
    costs = in_turn(runs, effort.rounds)
    ns = {name: float(np.median(cost)) for name, cost in costs.items()}
    return {
        f"share_{name}": Value(100.0 * cost / NS_A_TICK, f"{cost / 1e3:.1f} us") for name, cost in ns.items()
    }


def hour(effort: Effort) -> Values:
    """s of CPU for an hour of exhibition, visitors coming and going; worked out from less when quick."""
    scene = BaitedScene(BaitedSettings(), SIZE_PX, SEED)
    light = visitors(effort.hour_ticks)
    before = CPU_NS()
    for on, x, y in light:
        scene.advance(on, x, y)
    spent_s = (CPU_NS() - before) / 1e9 * HOUR_TICKS / effort.hour_ticks
    note = "" if effort.hour_ticks == HOUR_TICKS else f"from {effort.hour_ticks / TICKS_PER_S / 60:.1f} min"
    return {"hour_s": Value(spent_s, note)}


def visitors(ticks: int) -> list[tuple[bool, float, float]]:
    """The light at each tick: held in a place for some time, then dark for some time."""
    random = np.random.default_rng(SEED)

    def stays() -> Iterator[tuple[bool, float, float]]:
        while True:
            x, y = random.uniform((0, 0), SIZE_PX)
            for on in (True, False):
                for _ in range(int(random.integers(SHORTEST_STAY_S, LONGEST_STAY_S) * TICKS_PER_S)):
                    yield on, float(x), float(y)

    return [light for _, light in zip(range(ticks), stays(), strict=False)]


def measures(effort: Effort) -> Values:
    """The percentage of a tick that the visit's measures take: the kernel against itself without them."""
    if not effort.compiles:
        return {f"measures_{mood}": Value(None, "not when quick: it compiles a kernel") for mood in MOODS}
    bare = _without_measures()
    found: Values = {}
    ticks = effort.lap_ticks // 3
    for mood, on in MOODS.items():
        scene = warmed(on)
        runs = {"whole": stepped(scene, ticks), "bare": stepped(scene, ticks, bare)}
        costs = in_turn(runs, 4 * effort.rounds)
        found[f"measures_{mood}"] = Value(100.0 * float(np.median(costs["whole"] / costs["bare"]) - 1.0))
    return found


@rule
def _no_note(bug, world, visit, distance, interest_before):
    pass


@rule
def _no_close(bugs, world, visit):
    pass


def _without_measures() -> Tick:
    """The kernel's source compiled once more, with nothing where it counts for the visit."""
    assert kernel.__file__ is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bare_kernel.py"
        path.write_bytes(Path(kernel.__file__).read_bytes())
        spec = importlib.util.spec_from_file_location("bare_kernel", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _replace(module)
        tick: Tick = module.step
        scene = warmed(False)
        stepped(scene, 1, tick)()
    return tick


def _replace(module: ModuleType) -> None:
    for name, nothing in (("note_in_visit", _no_note), ("close_tick", _no_close)):
        if not hasattr(module, name):
            raise LookupError(f"the kernel has no {name} to leave out; see swarm_cost.py")
        setattr(module, name, nothing)


def first_lit(effort: Effort) -> Values:
    """How many times the median lit tick the first one costs, with its way to the drawn rows."""
    ratios: list[float] = []
    for seed in range(max(5, effort.rounds)):
        scene = BaitedScene(BaitedSettings(), SIZE_PX, seed)
        for _ in range(effort.lap_ticks):
            scene.step(False, *CENTRE_PX)
            scene.frame(0.5)
        lit: list[int] = []
        for _ in range(100):
            before = CPU_NS()
            scene.step(True, *CENTRE_PX)
            scene.frame(0.5)
            lit.append(CPU_NS() - before)
        ratios.append(lit[0] / float(np.median(lit[1:])))
    note = f"the first of all: {ratios[0]:.2f}"
    return {"first_lit": Value(float(np.median(ratios)), note)}
