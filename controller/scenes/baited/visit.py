"""What a visit did to the bugs: who reached the circle, who got bored there, how long they were lit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from controller.behavior.compiling import rule
from controller.scenes.baited.bugs import NOT_YET
from controller.stepper import TICKS_PER_S

# `inside` counts in the tick under way; `interest_at_off` is the mean when the light last went off.
VISIT = np.dtype(
    [(name, "i8") for name in ("ticks", "lit_ticks", "inside", "exposure_ticks", "peak_inside", "put_back")]
    + [("interest_at_off", "f8")]
)


@rule
def note_in_visit(bug, world, visit, distance, interest_before):
    """The bug's part in the tick: when it first was inside for the light, and when the light bored it.

    It has reached the circle once it is inside, has noticed the light and is not bored (seed 001's `ins`).
    """
    if not (world.on and distance < world.light_radius_px):
        return
    visit.inside += 1
    if bug.reached_at_ticks < 0 and bug.reacted and bug.interest > world.boredom_threshold:
        bug.reached_at_ticks = visit.ticks
    if bug.bored_at_ticks < 0 and bug.interest <= world.boredom_threshold < interest_before:
        bug.bored_at_ticks = visit.ticks


@rule
def close_tick(bugs, world, visit):
    """Sum the tick up."""
    if world.on and bugs.size:
        visit.lit_ticks += 1
        visit.exposure_ticks += visit.inside
        visit.peak_inside = max(visit.peak_inside, visit.inside)
    visit.inside = 0
    visit.ticks += 1


def begin(visits: npt.NDArray[np.void], bugs: npt.NDArray[np.void]) -> None:
    """Count anew from the next tick on; `put_back` goes on."""
    kept = visits["put_back"].copy()
    visits[:] = 0
    visits["put_back"] = kept
    bugs["reached_at_ticks"] = bugs["bored_at_ticks"] = NOT_YET


def measures_of(
    visits: npt.NDArray[np.void], bugs: npt.NDArray[np.void], mean_interest_lit: float | None
) -> dict[str, float]:
    """The visit's measures until now: counts of bugs, times since its begin in s, exposure in bug-seconds.

    `half_..._s` is when half of all bugs had; a time that never came is left out. `put_back` counts
    since the scene was opened. `mean_interest_lit` is the mean of now, None while the light is off.
    """
    visit = visits[0]
    found = {
        "exposure_bug_s": float(visit["exposure_ticks"]) / TICKS_PER_S,
        "peak_inside": float(visit["peak_inside"]),
        "put_back": float(visit["put_back"]),
    }
    if visit["lit_ticks"]:
        at_off = visit["interest_at_off"] if mean_interest_lit is None else mean_interest_lit
        found["mean_interest_at_off"] = float(at_off)
    for name, field in (("reached", "reached_at_ticks"), ("grew_bored", "bored_at_ticks")):
        times = np.sort(bugs[field][bugs[field] >= 0])
        found[name] = float(times.size)
        half = (bugs.size + 1) // 2
        for word, count in (("first", 1), ("half", half)):
            if 0 < count <= times.size:
                found[f"{word}_{name}_s"] = float(times[count - 1]) / TICKS_PER_S
    return found
