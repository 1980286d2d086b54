"""How the swarm's cost grows: in a crowd, in number, with and without the grid."""

from __future__ import annotations

import numpy as np

from controller.studies.bench_table import Value, Values
from controller.studies.swarm_cost_laps import (
    BUGS,
    CENTRE_PX,
    CROWD_RADIUS_PX,
    MOODS,
    Effort,
    Run,
    disc,
    grown,
    in_turn,
    placed,
    stepped,
    ungridded,
    warmed,
)

FEW = (50, 100, 150, 250, 1000)


def crammed(effort: Effort) -> Values:
    """How many times a scattered tick one costs with all bugs in a small disc, put there before each."""
    places = [disc(BUGS, CROWD_RADIUS_PX, CENTRE_PX, seed) for seed in range(effort.lap_ticks)]
    found: Values = {}
    for mood, on in MOODS.items():
        runs = {
            "free": placed(warmed(on), effort.lap_ticks),
            "crowd": placed(warmed(on), effort.lap_ticks, places),
        }
        ns = {name: float(np.median(cost)) for name, cost in in_turn(runs, effort.rounds).items()}
        note = f"{ns['crowd'] / 1e3:.1f} for {ns['free'] / 1e3:.1f} us"
        found[f"crammed_{mood}"] = Value(ns["crowd"] / ns["free"], note)
    return found


def growth(effort: Effort) -> Values:
    """The exponent of a tick's cost in the number of bugs, at constant density."""
    found: Values = {}
    for mood, on in MOODS.items():
        runs: dict[str, Run] = {}
        for bugs in effort.growth:
            ticks = max(5, min(effort.lap_ticks, effort.growth_bug_ticks // bugs))
            runs[str(bugs)] = stepped(grown(on, bugs, warm_up=20), ticks)
        costs = in_turn(runs, max(3, effort.rounds // 3))
        ns = np.array([np.median(cost) for cost in costs.values()])
        exponent = np.polyfit(np.log(effort.growth), np.log(ns), 1)[0]
        each = ", ".join(f"{cost / bugs:.0f}" for cost, bugs in zip(ns, effort.growth, strict=True))
        found[f"growth_{mood}"] = Value(float(exponent), f"{each} ns a bug")
    return found


def grid(effort: Effort) -> Values:
    """From how many bugs on the grid is cheaper than looking at every pair."""
    found: Values = {}
    for mood, on in MOODS.items():
        ratios = [_grid_to_pairs(on, bugs, effort) for bugs in FEW]
        note = ", ".join(f"{bugs}: {ratio:.2f}" for bugs, ratio in zip(FEW, ratios, strict=True))
        found[f"grid_{mood}"] = Value(_where_one(ratios), f"grid to pairs at {note}")
    return found


def _grid_to_pairs(on: bool, bugs: int, effort: Effort) -> float:
    ticks = effort.lap_ticks // 3
    runs = {
        "grid": stepped(warmed(on, bugs), ticks),
        "pairs": stepped(ungridded(warmed(on, bugs)), ticks),
    }
    costs = in_turn(runs, effort.rounds)
    return float(np.median(costs["grid"] / costs["pairs"]))


def _where_one(ratios: list[float]) -> float | None:
    """The number of bugs from which on the ratios stay below 1, along straight lines in log N."""
    last = max((k for k, ratio in enumerate(ratios) if ratio >= 1.0), default=-1)
    if last == len(FEW) - 1:
        return None
    if last < 0:
        return float(FEW[0])
    part = (ratios[last] - 1.0) / (ratios[last] - ratios[last + 1])
    return float(FEW[last] * (FEW[last + 1] / FEW[last]) ** part)
