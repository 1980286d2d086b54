"""p5's small functions, splitmix64 and the smooth noise, spelt out plainly from their definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator

BITS_64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
NOISE_PERIOD, NOISE_OCTAVES = 4096, 4


def p5_map(value: float, low: float, high: float, to_low: float, to_high: float) -> float:
    return (value - low) / (high - low) * (to_high - to_low) + to_low


def constrain(value: float, low: float, high: float) -> float:
    return max(min(value, high), low)


def lerp(start: float, stop: float, part: float) -> float:
    return start + (stop - start) * part


def angle_to(direction: float, heading: float) -> float:
    """The way from a heading to a direction within -pi..pi, as the article writes it."""
    return math.atan2(math.sin(direction - heading), math.cos(direction - heading))


def splitmix64(state: int) -> Iterator[int]:
    """The published generator: the state grows by the golden number, each output is its finalizer."""
    while True:
        state = (state + GOLDEN) & BITS_64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & BITS_64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & BITS_64
        yield z ^ (z >> 31)


def after(state: int, number: int) -> int:
    """The output of splitmix64 that comes after `number` others, from a `state` one step back."""
    return next(splitmix64((state + (number - 1) * GOLDEN) & BITS_64))


def key_of(seed: int, tick: int, agent: int) -> int:
    """The key of one agent's numbers in one tick: a walk of splitmix64 for each."""
    return after(after(after(seed, 0), tick), agent)


def unit_numbers(key: int) -> Iterator[float]:
    """The numbers in [0, 1) of a stream: the upper 53 bits of each output."""
    for output in splitmix64((key - GOLDEN) & BITS_64):
        yield (output >> 11) / 2**53


class Random:
    """p5's random(): `random()` in [0, 1), `random(low, high)`; counts what it gave."""

    def __init__(self, numbers: Iterable[float]) -> None:
        self._numbers = iter(numbers)
        self.used = 0

    def __call__(self, low: float = 0.0, high: float = 1.0) -> float:
        self.used += 1
        return low + next(self._numbers) * (high - low)


def noise_of(seed: int) -> Callable[[float], float]:
    """The smooth noise of one seed: four octaves of cosine-blended levels, double rate, half weight."""
    levels = list(itertools.islice(unit_numbers(seed), NOISE_PERIOD))

    def noise(at: float) -> float:
        total = 0.0
        for octave in range(NOISE_OCTAVES):
            place = at * 2**octave
            cell = math.floor(place)
            blend = 0.5 * (1.0 - math.cos((place - cell) * math.pi))
            low, high = levels[cell % NOISE_PERIOD], levels[(cell + 1) % NOISE_PERIOD]
            total += 0.5 ** (octave + 1) * lerp(low, high, blend)
        return total

    return noise
