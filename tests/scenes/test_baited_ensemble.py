"""Whole runs of the shipped swarm against the original's ensembles, by the rule of the cases' index."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from controller.scenes.baited.settings import BaitedSettings
from controller.studies.ensemble import SERIES, read_schedule, simulate

SEEDS = 64
FLOORS = {"meanInterest": 0.005, "meanSpeed": 0.01, "nn": 0.3}
FLOOR_BUGS, FLOOR_FRAMES = 0.5, 2.0
QUANTILES = (0.10, 0.25, 0.50, 0.75, 0.90)
# Samples of a phase follow the same bugs, so the deviates spread a little wider than normal ones;
# a light that trails by one tick gives 9.
DEVIATE_LIMIT = 5

Numbers = npt.NDArray[np.float64]


def schedules(cases: Path) -> list[tuple[Path, Path]]:
    found = []
    for ensemble in sorted((cases / "swarm").glob("ensemble-*.json")):
        schedule = ensemble.with_name(ensemble.name.replace("ensemble-", "schedule-"))
        found.append((ensemble, schedule))
    return found


def standard_errors(ours: Numbers, theirs: Numbers, floor: float) -> Numbers:
    """|difference of the means| less the floor, in standard errors; rows are runs."""
    apart = np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) - floor
    spread = np.sqrt(ours.var(axis=0, ddof=1) / len(ours) + theirs.var(axis=0, ddof=1) / len(theirs))
    return np.where(apart <= 0, 0.0, apart / np.maximum(spread, 1e-12))


def table(runs: list[dict[str, Any]], name: str) -> Numbers:
    return np.array([run[name] for run in runs], np.float64)


def quantiles(runs: list[dict[str, Any]], name: str, frames: int) -> Numbers:
    """Quantiles a run; bugs for which it never happened count as one frame after the end."""
    values = table(runs, name)
    return np.quantile(np.where(values < 0, frames + 1, values), QUANTILES, axis=1).T


def phases(schedule: dict[str, Any], count: int, every: int) -> Numbers:
    """The phase of the schedule in which each spread sample falls (light changes counted so far)."""
    switches = [
        row[0] for k, row in enumerate(schedule["light"]) if k and row[1] != schedule["light"][k - 1][1]
    ]
    return np.searchsorted(switches, every * np.arange(1, count + 1), side="right")


def pooled_chi_square(ours: Numbers, theirs: Numbers) -> tuple[float, int]:
    """Two-sample chi-square of pooled radial counts and its degrees of freedom."""
    a, b = ours.sum(axis=0), theirs.sum(axis=0)
    used = a + b >= 10
    a, b = a[used], b[used]
    share = math.sqrt(b.sum() / a.sum())
    return float((((a * share - b / share) ** 2) / (a + b)).sum()), int(used.sum()) - 1


def wilson_hilferty(chi: float, freedom: int) -> float:
    """The standard normal deviate of a chi-square."""
    return ((chi / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))


def start(schedule: Path, size: str, first: int, home: Path, checkout: Path) -> subprocess.Popen[bytes]:
    """`simulate` for half of the seeds, so that two processors share the work."""
    command = [sys.executable, "-m", "controller.cli", "simulate", "--home", str(home), "--size", size]
    command += ["--schedule", str(schedule), "--runs", str(SEEDS // 2), "--seed", str(first)]
    command += ["--out", str(home / f"{first}.json")]
    return subprocess.Popen(command, cwd=checkout, stderr=subprocess.DEVNULL)


def simulated(schedule: Path, theirs: dict[str, Any], home: Path, checkout: Path) -> dict[str, Any]:
    """Our ensemble on a schedule, with as many bugs and the radius of theirs, by the command."""
    home.mkdir()
    settings = f"[baited]\nbugs = {theirs['bugs']}\nlight_radius_px = {theirs['radius']}\n"
    (home / "config.toml").write_text(settings, encoding="utf-8")
    size, firsts = f"{theirs['width']}x{theirs['height']}", (1, 1 + SEEDS // 2)
    running = [start(schedule, size, first, home, checkout) for first in firsts]
    assert [process.wait(1200) for process in running] == [0, 0]
    halves = [json.loads((home / f"{first}.json").read_text(encoding="utf-8")) for first in firsts]
    return {**halves[0], "runs": [*halves[0]["runs"], *halves[1]["runs"]]}


@pytest.fixture(scope="module")
def pairs(cases: Path, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """(name, the original's ensemble, ours on the same schedule, the schedule) for each case."""
    place = tmp_path_factory.mktemp("ensembles")
    found = []
    for ensemble_path, schedule_path in schedules(cases):
        theirs = json.loads(ensemble_path.read_text(encoding="utf-8"))
        ours = simulated(schedule_path, theirs, place / ensemble_path.stem, checkout)
        schedule = json.loads(schedule_path.read_text(encoding="utf-8"))
        found.append((ensemble_path.stem, theirs, ours, schedule))
    assert found, f"no ensembles in {cases / 'swarm'}"
    return found


def all_deviations(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, Numbers]:
    """Standard errors beyond the floor for each compared series and quantile list."""
    found = {}
    for name in (*SERIES, "nn"):
        floor = FLOORS.get(name, FLOOR_BUGS)
        found[name] = standard_errors(table(ours["runs"], name), table(theirs["runs"], name), floor)
    for name in ("firstInsideFrame", "firstBoredFrame"):
        frames = theirs["frames"]
        found[name] = standard_errors(
            quantiles(ours["runs"], name, frames), quantiles(theirs["runs"], name, frames), FLOOR_FRAMES
        )
    return found


def test_ensemble_every_series_stays_within_the_rule(pairs: list[Any]) -> None:
    """Within 4 standard errors for 99 % of a schedule's samples, within 8 for all."""
    for case, theirs, ours, _ in pairs:
        deviations = all_deviations(theirs, ours)
        for name, errors in deviations.items():
            assert errors.max() <= 8, f"{case} {name}: {errors.max():.1f} standard errors"
        pooled = np.concatenate(list(deviations.values()), axis=None)
        assert (pooled <= 4).mean() >= 0.99, f"{case}: {(pooled > 4).sum()} of {pooled.size} beyond 4"


def radial_deviates(theirs: dict[str, Any], ours: dict[str, Any], schedule: dict[str, Any]) -> list[float]:
    a, b = table(ours["runs"], "radial"), table(theirs["runs"], "radial")
    phase = phases(schedule, a.shape[1], 150)
    found = []
    for k in np.unique(phase):
        chosen = phase == k
        chi, freedom = pooled_chi_square(a[:, chosen].sum(axis=1), b[:, chosen].sum(axis=1))
        found.append(wilson_hilferty(chi, freedom))
    return found


def test_ensemble_distances_to_the_light_are_distributed_alike(pairs: list[Any]) -> None:
    for case, theirs, ours, schedule in pairs:
        deviates = radial_deviates(theirs, ours, schedule)
        assert max(deviates) < DEVIATE_LIMIT, (
            f"{case}: a phase's radial counts are {max(deviates):.1f} deviates off"
        )


def test_ensemble_a_wrong_swarm_would_be_seen(cases: Path) -> None:
    """The rule itself: bugs that habituate 10 % faster break it."""
    for ensemble_path, schedule_path in schedules(cases)[:1]:
        theirs = json.loads(ensemble_path.read_text(encoding="utf-8"))
        settings = BaitedSettings(bugs=theirs["bugs"], decay_min=0.00044, decay_max=0.00132)
        size = (theirs["width"], theirs["height"])
        ours = simulate("baited", settings, read_schedule(schedule_path), size, 16, seed=1)
        worst = max(errors.max() for errors in all_deviations(theirs, ours).values())
        assert worst > 8
