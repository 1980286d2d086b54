"""Figures 1-3 of seed 001, read off real scenes of the swarm under the settings in force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from controller.behavior.gait import RUN
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.stepper import TICKS_PER_S

SEED, FIRST_SEEDS = 1, (100, 200, 300)
STEPS = 200_000
FLOCK = 100_000
# So wide that the many bugs of figure 1 are not in each other's way.
WIDE_PX = (16_384, 16_384)
SIZE_PX = (1280, 720)
# A step's length comes from its target's place, which is rounded.
ROUNDING_PX = 1e-6
LIT_S, DARK_S, LIT_AGAIN_S = 20.0, 1.5, 18.5
MOST_LIT_S = 600.0
DIGITS = 10

Numbers = npt.NDArray[np.float64]


class Steps(NamedTuple):
    """Lengths of search steps of one exponent, px (n,), and which share was cut at the longest."""

    mu: float
    lengths_px: Numbers
    cut_share: float


class Curve(NamedTuple):
    """A bug's interest after 0, 1, 2 ... ticks, and the tick from which on it is bored (None: never)."""

    decay_rate: float
    interest: Numbers
    bored_tick: int | None


class OnOffOn(NamedTuple):
    """A bug in a light that goes on, off and on: its interest by tick, and when the light changed."""

    decay_rate: float
    interest: Numbers
    off_tick: int
    on_tick: int
    bored_ticks: tuple[int, ...]

    @property
    def corners(self) -> list[tuple[int, float]]:
        """(tick, interest) at the start, after the last lit tick, the last dark one and the next lit one."""
        ticks = (0, self.off_tick, self.on_tick, self.on_tick + 1)
        return [(tick, float(self.interest[tick])) for tick in ticks]


class Figures(NamedTuple):
    """What the three figures show, with the settings that they were made with."""

    settings: BaitedSettings
    steps: list[Steps]
    habituation: list[Curve]
    on_off_on: OnOffOn

    def readings(self) -> dict[str, Any]:
        """The numbers that a reader takes from the figures, for printing."""
        search, again = self.settings.search, self.on_off_on
        return {
            "step_lengths": {
                "shortest_px": search.step_min_px,
                "longest_px": search.step_max_px,
                "curves": [_step_readings(steps) for steps in self.steps],
            },
            "habituation": {
                "boredom_threshold": self.settings.boredom_threshold,
                "curves": [
                    {"decay_rate": curve.decay_rate, "bored_after_s": seconds(curve.bored_tick)}
                    for curve in self.habituation
                ],
            },
            "on_off_on": {
                "decay_rate": again.decay_rate,
                "off_at_s": seconds(again.off_tick),
                "on_again_at_s": seconds(again.on_tick),
                "interest": [interest for _, interest in again.corners],
                "bored_at_s": [seconds(tick) for tick in again.bored_ticks],
            },
        }


def make(settings: BaitedSettings, samples: int = STEPS) -> Figures:
    """The figures under these settings, `samples` steps a curve: their slowest, middle and fastest rates."""
    character = settings.character
    rates = _three(settings.decay_min, settings.decay_max)
    exponents = _three(character.levy_mu_min, character.levy_mu_max)
    return Figures(
        settings,
        [step_lengths(settings, mu, samples, FIRST_SEEDS[k]) for k, mu in enumerate(exponents)],
        habituation(settings, rates),
        on_off_on(settings, rates[1]),
    )


def step_lengths(settings: BaitedSettings, mu: float, samples: int, seed: int) -> Steps:
    """The first steps of as many bugs that begin to search in the dark with the exponent `mu`."""
    lengths_px = np.concatenate(
        [
            _first_steps(settings, mu, min(FLOCK, samples - done), seed + number)
            for number, done in enumerate(range(0, samples, FLOCK))
        ]
    )
    longest_px = settings.search.step_max_px
    cut = lengths_px > longest_px - ROUNDING_PX
    lengths_px[cut] = longest_px
    return Steps(mu, lengths_px, float(cut.mean()))


def _first_steps(settings: BaitedSettings, mu: float, count: int, seed: int) -> Numbers:
    scene = BaitedScene(settings.model_copy(update={"bugs": count}), WIDE_PX, seed)
    scene.bugs["levy_mu"] = mu
    # However short runs are set, none may end before the step is chosen.
    scene.bugs["gait"], scene.bugs["gait_timer"] = RUN, 9
    x, y = scene.bugs["x"].copy(), scene.bugs["y"].copy()
    scene.advance(False, 0.0, 0.0)
    return np.hypot(scene.bugs["target_x"] - x, scene.bugs["target_y"] - y)


def habituation(settings: BaitedSettings, decay_rates: tuple[float, ...]) -> list[Curve]:
    """Interest of bugs that stay in the light until the last has none left, at most ten minutes."""
    most = round(MOST_LIT_S * TICKS_PER_S)
    rows = []
    for row in _held(settings, decay_rates, np.ones(most, bool)):
        rows.append(row)
        if not row.any():
            break
    interest = np.array(rows)
    falls = [_falls(column, settings.boredom_threshold) for column in interest.T]
    return [
        Curve(rate, column, fall[0] if fall else None)
        for rate, column, fall in zip(decay_rates, interest.T, falls, strict=True)
    ]


def on_off_on(settings: BaitedSettings, decay_rate: float) -> OnOffOn:
    """Interest of a bug held where the light is on for 20 s, off for 1.5 s, then on again."""
    spans = [round(span_s * TICKS_PER_S) for span_s in (LIT_S, DARK_S, LIT_AGAIN_S)]
    interest = np.array(list(_held(settings, (decay_rate,), np.repeat([True, False, True], spans))))[:, 0]
    bored = tuple(_falls(interest, settings.boredom_threshold))
    return OnOffOn(decay_rate, interest, spans[0], spans[0] + spans[1], bored)


def _held(
    settings: BaitedSettings, decay_rates: tuple[float, ...], lit: npt.NDArray[np.bool_]
) -> Iterator[Numbers]:
    """The interest (n,) of bugs with these rates before and after each tick, kept within the light."""
    scene = BaitedScene(settings.model_copy(update={"bugs": len(decay_rates)}), SIZE_PX, SEED)
    scene.bugs["decay_rate"] = decay_rates
    x, y = SIZE_PX[0] / 2, SIZE_PX[1] / 2
    yield scene.bugs["interest"].copy()
    for on in lit.tolist():
        scene.bugs["x"], scene.bugs["y"] = x, y
        scene.advance(on, x, y)
        yield scene.bugs["interest"].copy()


def _falls(interest: Numbers, threshold: float) -> list[int]:
    """The ticks at which interest comes to the threshold or below it."""
    bored = interest <= threshold
    return [int(tick) for tick in np.flatnonzero(bored & ~np.concatenate(([False], bored[:-1])))]


def _three(least: float, most: float) -> tuple[float, float, float]:
    # Halves of decimal fractions are not exact, and these are shown.
    return least, round((least + most) / 2, DIGITS), most


def seconds(tick: int | None) -> float | None:
    """The time of a tick, s."""
    return None if tick is None else tick / TICKS_PER_S


def _step_readings(steps: Steps) -> dict[str, float]:
    return {
        "mu": steps.mu,
        "samples": len(steps.lengths_px),
        "median_px": float(np.median(steps.lengths_px)),
        "at_longest_share": steps.cut_share,
    }
