"""Bugs and worlds at random, each twice: as records for the kernels, as plain objects for the twins.

Without the JIT the kernels are plain Python: records then need numpy's attribute access, sizes are
smaller, and numpy must not warn where unsigned numbers wrap around, as they are meant to.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controller.behavior.draws import DRAWS, MOST_GIVEN
from controller.scenes.baited.bugs import BUG, world_of
from controller.scenes.baited.constants import Constants
from controller.scenes.baited.settings import BaitedSettings
from tests.behavior.naive import Bug, World
from tests.behavior.naive_numbers import Random, unit_numbers

JIT_OFF = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
if JIT_OFF:
    np.seterr(over="ignore")

TOLERANCE = 1e-9
PERIODS = {
    **dict.fromkeys(("heading", "milling_angle", "tremor_phase", "leg_phase"), 2 * math.pi),
    "noise_phase": 4096.0,
}
GAITS = ("run", "stop", "tumble")
SIZE = (1280, 720)
# At half a turn itself, what lies straight behind may be turned to by either side: tests of their own.
ALMOST_PI = math.pi - 1e-8


def fewer(count: int) -> int:
    """So many, or a fifth of them without the JIT."""
    return math.ceil(count / 5) if JIT_OFF else count


def cases(count: int) -> range:
    """The numbers of so many random cases."""
    return range(fewer(count))


def records(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same records such that a kernel can read and write their fields, compiled or not."""
    return array.view(np.recarray) if JIT_OFF else array


def values(record: Any) -> dict[str, Any]:
    """A record's fields as plain Python numbers."""
    return dict(zip(record.dtype.names, record.item(), strict=True))


def bug_of(record: Any) -> Bug:
    """A bug's record as a plain object."""
    return Bug(**{**values(record), "gait": GAITS[int(record["gait"])]})


def difference(name: str, ours: Any, theirs: Any) -> float:
    """How far two values of a field are apart, directions and phases by the shorter way round."""
    if isinstance(theirs, str):
        return float(GAITS[int(ours)] != theirs)
    if name in PERIODS:
        return abs(math.remainder(float(ours) - theirs, PERIODS[name]))
    return abs(float(ours) - float(theirs))


def limits(field: FieldInfo) -> tuple[float, float]:
    """The least and the largest value that a setting takes."""
    low, high = (
        next(getattr(rule, end) for rule in field.metadata if hasattr(rule, end)) for end in ("ge", "le")
    )
    return float(low), float(high)


def _value(rng: np.random.Generator, field: FieldInfo) -> float:
    """Between a third of the default and three times it; one in ten at an end of the range."""
    low, high = limits(field)
    if rng.random() < 0.1:
        return float(rng.choice([low, high]))
    value = float(field.default) * 3 ** rng.uniform(-1, 1)
    return min(max(-value if low < 0 and rng.random() < 0.3 else value, low), high)


def _section(rng: np.random.Generator, model: type[Constants]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            found[name] = _section(rng, inner)  # type: ignore[arg-type]
        elif inner is int:
            found[name] = round(_value(rng, field))
        else:
            found[name] = _value(rng, field)
    for low, high in (*model.pairs(), *model.APART):
        found[low], found[high] = sorted((found[low], found[high]))
    for low, high in model.APART:
        found[low] = min(found[low], max(found[high] - 1.0, 0.0))
        found[high] = max(found[high], found[low] + 1.0)
    return found


def random_settings(rng: np.random.Generator, bugs: int = 1) -> BaitedSettings:
    """Every constant at random within its range."""
    return BaitedSettings(**{**_section(rng, BaitedSettings), "bugs": bugs})


@functools.cache
def _world(number: int) -> npt.NDArray[np.void]:
    """One of a hundred worlds; the first has the article's constants."""
    rng = np.random.default_rng((7, number))
    return world_of(random_settings(rng) if number else BaitedSettings(), SIZE)


def stir(rng: np.random.Generator, bugs: npt.NDArray[Any], world: Any) -> None:
    """Every field of the bugs at random, edges among them."""
    n = bugs.size

    def some(*edges: float, low: float, high: float) -> npt.NDArray[np.float64]:
        """Uniform, but for one in four that stands on an edge."""
        free = rng.uniform(low, high, n)
        return np.where(rng.random(n) < 0.25, rng.choice(edges, n), free) if edges else free

    _give_character(bugs, world, some)
    margin = world["size_max_px"]
    bugs["x"] = some(low=-margin, high=world["width"] + margin)
    bugs["y"] = some(low=-margin, high=world["height"] + margin)
    bugs["heading"] = some(ALMOST_PI, -ALMOST_PI, 0.0, math.pi / 2, low=-math.pi, high=math.pi)
    bugs["milling_angle"] = some(math.pi, -math.pi, low=-math.pi, high=math.pi)
    bugs["speed"] = bugs["base_speed"] * some(0.0, low=0.0, high=float(world["run_pace_max"]))
    bugs["interest"] = some(0.0, 1.0, float(world["boredom_threshold"]), low=0.0, high=1.0)
    near = 2 * world["arrived_px"] + 1
    bugs["target_x"] = bugs["x"] + rng.choice([0.02, 1.0, 10.0], n) * some(low=-near, high=near)
    bugs["target_y"] = bugs["y"] + rng.choice([0.02, 1.0, 10.0], n) * some(low=-near, high=near)
    bugs["orbit_radius"] = world["light_radius_px"] * some(low=0.1, high=0.9)
    bugs["milling_radius"] = world["light_radius_px"] * some(0.0, low=0.0, high=0.9)
    bugs["tumble_amount"] = some(0.0, low=-2.2, high=2.2)
    bugs["tremor_phase"], bugs["leg_phase"] = some(low=0, high=6.28), some(low=0, high=6.28)
    bugs["noise_phase"] = some(0.0, 4095.99, low=0.0, high=4096.0)
    bugs["gait"] = rng.choice([0, 0, 0, 1, 2], n)
    bugs["gait_timer"] = rng.choice([1, 2, 60], n)
    bugs["reaction_timer"] = rng.choice([1, 2, 100], n)
    bugs["milling_direction"] = rng.choice([-1, 1], n)
    for name in ("reacted", "target_chosen", "orbit_chosen"):
        bugs[name] = rng.random(n) < 0.8
    bugs["reached_at_ticks"] = bugs["bored_at_ticks"] = -1
    bugs["number"] = np.arange(n)


def _give_character(bugs: npt.NDArray[Any], world: Any, some: Any) -> None:
    ranges = {
        "base_speed": ("speed_min_px", "speed_max_px"),
        "base_size": ("size_min_px", "size_max_px"),
        "turn_rate": ("turn_rate_min", "turn_rate_max"),
        "antenna_spread": ("antenna_min_px", "antenna_max_px"),
        "tropotaxis_gain": ("tropotaxis_min", "tropotaxis_max"),
        "detection_multiple": ("detection_min", "detection_max"),
        "approach_multiple": ("sluggish_min", "eager_max"),
        "decay_rate": ("decay_min", "decay_max"),
        "levy_mu": ("levy_mu_min", "levy_mu_max"),
        "milling_speed": ("milling_speed_min", "milling_speed_max"),
        "tremor_frequency": ("tremor_min", "tremor_max"),
    }
    for field, ends in ranges.items():
        low, high = sorted(float(world[end]) for end in ends)
        bugs[field] = some(low, high, low=low, high=high)
    degrees = (float(world["fixation_min_deg"]), float(world["fixation_max_deg"]))
    bugs["fixation_angle"] = np.radians(some(low=degrees[0], high=degrees[1]))
    bugs["handedness"] = np.where(some(low=0.0, high=1.0) < 0.5, -1, 1)
    bugs["reaction_delay"] = np.floor(some(low=0.0, high=float(world["reaction_delay_max_ticks"])))


class Pair:
    """One bug in one world with the same next random numbers, for a kernel and for its twin."""

    def __init__(self, number: int, numbers: tuple[float, ...] = (), /, **fields: float) -> None:
        """Case `number`: a world, a bug and its place towards the light at random, but for `fields`."""
        rng = np.random.default_rng((11, number))
        worlds = _world(number % 100).copy()
        bugs = np.zeros(1, BUG)
        stir(rng, bugs, worlds[0])
        self._place_light(rng, worlds[0], bugs[0])
        for name, value in fields.items():
            holder = bugs if name in BUG.names else worlds  # type: ignore[operator]
            holder[name] = value
        self.bug, self.world = records(bugs)[0], records(worlds)[0]
        self.draws = records(np.zeros(1, DRAWS))[0]
        self.give(numbers, 1000 + number)
        self.twin, self.plain_world = bug_of(self.bug), World(**values(self.world))

    def give(self, numbers: tuple[float, ...], key: int = 1000) -> None:
        """Let both draw these numbers next, and those of the stream `key` after them."""
        self.draws["key"], self.draws["spent"], self.draws["given"] = key, 0, len(numbers)
        self.draws["tape"][: len(numbers)] = numbers
        self.random = Random([*numbers, *itertools.islice(unit_numbers(key), len(numbers), MOST_GIVEN)])

    def _place_light(self, rng: np.random.Generator, world: Any, bug: Any) -> None:
        """Lit three times of four: on the bug itself, in its circle, at its rims, or far."""
        world["on"] = rng.random() < 0.75
        radius = float(world["light_radius_px"])
        reach = radius * float(bug["detection_multiple"])
        bands = [(0.0, 0.0), (0.0, radius), (radius, reach), (reach, reach + 2000)]
        away = rng.uniform(*bands[rng.integers(4)])
        way = rng.uniform(-math.pi, math.pi)
        world["light_x"] = bug["x"] + away * math.cos(way)
        world["light_y"] = bug["y"] + away * math.sin(way)

    @property
    def distance(self) -> float:
        """From the bug to the light, px."""
        return self.twin.distance_to(self.plain_world.light_x, self.plain_world.light_y)

    def worst(self) -> tuple[float, str]:
        """The field in which bug and twin differ most, and by how much; draws count as a field."""
        twin = vars(self.twin)
        found = [(difference(name, value, twin[name]), name) for name, value in values(self.bug).items()]
        return max([*found, (float(abs(self.draws["spent"] - self.random.used)), "numbers drawn")])

    def assert_same(self, ours: float = 0.0, theirs: float = 0.0) -> None:
        """The bug is as its twin, and two results, a turn for instance, are alike."""
        worst, name = self.worst()
        assert worst <= TOLERANCE, f"{name} is off by {worst:.3g}: {self.twin} in {self.plain_world}"
        off = abs(ours - theirs)
        assert off <= TOLERANCE * max(1.0, abs(theirs)), f"{ours} for {theirs}: {self.twin}"
