"""How a bug is drawn by the article's display(), and the way between two ticks, spelt out plainly."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from tests.behavior.naive import TWO_PI, Bug, World
from tests.behavior.naive_numbers import BITS_64, angle_to, key_of, lerp, p5_map, unit_numbers

LOOKS = 0x100C5


class Look(NamedTuple):
    """One bug's row before it is drawn: px, rad, opacity 0..1, and the twitch of this tick."""

    x: float
    y: float
    angle: float
    size: float
    alpha: float
    twitch: float


def display(bug: Bug, world: World, seed: int, frame: int) -> Look:
    """After the frame's update; of the looks' own numbers the first decides, the second is the twitch."""
    chance, share = itertools.islice(unit_numbers(key_of(seed ^ LOOKS, frame, bug.number)), 2)
    twitch = 0.0
    if bug.gait == "stop" and chance < world.twitch_share:
        twitch = p5_map(share, 0, 1, -world.twitch_rad, world.twitch_rad)
    if bug.gait == "tumble":
        twitch = p5_map(share, 0, 1, -world.shake_rad, world.shake_rad)
    angle = bug.heading + math.pi / 2
    angle += math.sin(bug.tremor_phase) * world.tremor_swing_rad
    angle += math.sin(bug.leg_phase) * world.leg_swing_rad * bug.speed
    pulse = math.sin(frame * world.pulse_rate + bug.tremor_phase)
    size = max(0, bug.base_size + world.pulse_px * pulse)
    alpha = p5_map(bug.interest, 0, 1, world.bored_alpha, world.keen_alpha) / 255
    return Look(bug.x, bug.y, angle, size, alpha, twitch)


def between(before: Look, after: Look, part: float, jumped: bool) -> Look:
    """Part of the straight way and of the shorter turn; who came round the edge is drawn where it is."""
    if jumped:
        part = 1.0
    turn = angle_to(after.angle, before.angle)
    plain = [lerp(start, end, part) for start, end in zip(before, after, strict=True)]
    angle = before.angle + turn * part + after.twitch
    return Look(plain[0], plain[1], angle, plain[3], plain[4], 0.0)


def dust(seed: int, frame: int, x: float, y: float, reach: float, grains: int) -> list[tuple[float, ...]]:
    """Grains (x, y, diameter, alpha): even over the disc of `reach` px, 1.5-4 px, fainter to the rim."""
    found: list[tuple[float, ...]] = []
    for number in range(grains):
        numbers = unit_numbers(key_of(seed ^ LOOKS, ~frame & BITS_64, number))
        way, area, size = itertools.islice(numbers, 3)
        away = math.sqrt(area)
        place = (x + math.cos(way * TWO_PI) * away * reach, y + math.sin(way * TWO_PI) * away * reach)
        found.append((*place, p5_map(size, 0, 1, 1.5, 4.0), p5_map(away, 0, 1, 12, 2) / 255))
    return found
