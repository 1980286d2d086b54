"""Constants of steering: to the light, around it, without and away from it, and of the step (seed 001)."""

from __future__ import annotations

from controller.scenes.baited.constants import Constants, constant
from controller.scenes.baited.constants_life import PACE, SHARE

GAIN = (-50.0, 50.0)
RADII = (0.0, 10.0)
DISTANCE = (0.0, 20_000.0)
NOISE = (0.0, 3.0)


class Approach(Constants):
    """Phototaxis: the compass and the two antennae, and the pace with which a bug comes."""

    APART = (("compass_near_px", "compass_far_px"), ("antenna_near_px", "antenna_far_px"))

    compass_gain: float = constant(
        4.0, GAIN, 0.1, "Compass gain", "コンパスの強さ", "Turn of the compass, in turn rates a rad."
    )
    compass_near: float = constant(
        1.5,
        PACE,
        0.1,
        "Compass, near",
        "コンパスの強さ 短距離",
        "Strength of the compass at the near distance.",
    )
    compass_far: float = constant(
        0.4,
        PACE,
        0.1,
        "Compass, far",
        "コンパスの強さ 長距離",
        "Strength of the compass at the far distance.",
    )
    compass_near_px: float = constant(
        10.0,
        DISTANCE,
        10.0,
        "Compass near distance",
        "コンパスの短距離",
        "Where the compass is strongest.",
        "px",
    )
    compass_far_px: float = constant(
        800.0,
        DISTANCE,
        10.0,
        "Compass far distance",
        "コンパスの長距離",
        "Where the compass is weakest.",
        "px",
    )
    antenna_gain: float = constant(
        1500.0,
        (-100_000.0, 100_000.0),
        50.0,
        "Antenna gain",
        "センサーの強さ",
        "Turn of the antennae.",
        "rad px^2",
    )
    antenna_weight_near: float = constant(
        0.6, SHARE, 0.05, "Antennae, near", "センサーの強さ 短距離", "Antennae's share of the turn when near."
    )
    antenna_weight_far: float = constant(
        0.1, SHARE, 0.05, "Antennae, far", "センサーの強さ 長距離", "Antennae's share of the turn when far."
    )
    antenna_near_px: float = constant(
        10.0,
        DISTANCE,
        10.0,
        "Antennae near distance",
        "センサーの短距離",
        "Near distance of the antennae.",
        "px",
    )
    antenna_far_px: float = constant(
        600.0,
        DISTANCE,
        10.0,
        "Antennae far distance",
        "センサーの長距離",
        "Far distance of the antennae.",
        "px",
    )
    edge_pace: float = constant(
        0.7,
        PACE,
        0.05,
        "Pace at detection's edge",
        "感知範囲の端のペース",
        "Pace where a bug notices the light.",
    )
    approach_pace_min: float = constant(
        0.9,
        PACE,
        0.05,
        "Least pace, approach",
        "光に向かうペース 最小",
        "Least chance factor of the approach.",
    )
    approach_pace_max: float = constant(
        1.1,
        PACE,
        0.05,
        "Largest pace, approach",
        "光に向かうペース 最大",
        "Largest chance factor of the approach.",
    )


class Milling(Constants):
    """Circling within the light: a pursued point on an orbit that each bug chooses."""

    milling_gain: float = constant(
        2.5, GAIN, 0.1, "Milling gain", "光を回る力", "Turn to the pursued point, in turn rates a rad."
    )
    change_of_mind: float = constant(
        0.005,
        SHARE,
        0.001,
        "Change of mind",
        "回り方の変更",
        "Chance to turn round, and of a new orbit.",
        "1/tick",
    )
    orbit_mean: float = constant(0.5, RADII, 0.05, "Mean orbit", "回る円 中央", "Mean orbit, in light radii.")
    orbit_deviation: float = constant(
        0.12,
        RADII,
        0.01,
        "Orbit deviation",
        "回る円の幅",
        "Standard deviation of the orbits, in light radii.",
    )
    orbit_min: float = constant(
        0.15, RADII, 0.05, "Smallest orbit", "回る円 最小", "Smallest orbit, in light radii."
    )
    orbit_max: float = constant(
        0.85, RADII, 0.05, "Largest orbit", "回る円 最大", "Largest orbit, in light radii."
    )
    orbit_ease: float = constant(
        0.02,
        SHARE,
        0.01,
        "Ease to the orbit",
        "円に入る速さ",
        "Part of the way to the orbit done in a tick.",
        "1/tick",
    )
    milling_pace_min: float = constant(
        0.3, PACE, 0.05, "Least pace, milling", "光を回るペース 最小", "Slowest milling, in base speeds."
    )
    milling_pace_max: float = constant(
        0.6, PACE, 0.05, "Largest pace, milling", "光を回るペース 最大", "Fastest milling, in base speeds."
    )


class Search(Constants):
    """Levy flight: targets at truncated power-law distances."""

    step_min_px: float = constant(
        20.0, (1.0, 20_000.0), 5.0, "Shortest search step", "さがす距離 最短", "Shortest Levy step.", "px"
    )
    step_max_px: float = constant(
        500.0,
        (1.0, 20_000.0),
        10.0,
        "Longest search step",
        "さがす距離 最長",
        "Where Levy steps are cut.",
        "px",
    )
    arrived_px: float = constant(
        15.0,
        (0.0, 1000.0),
        1.0,
        "Arrived within",
        "終点とみなす距離",
        "Nearer to its target a bug has arrived.",
        "px",
    )
    search_gain: float = constant(
        2.0, GAIN, 0.1, "Search gain", "さがす力", "Turn to the target, in turn rates a rad."
    )


class Avoidance(Constants):
    """The bored: away from the light while they notice it."""

    avoid_gain: float = constant(
        0.35,
        (-10.0, 10.0),
        0.05,
        "Avoidance",
        "光を離れる力",
        "Turn of phototaxis reversed, as a part of it.",
    )
    avoid_noise_rad: float = constant(
        0.06, NOISE, 0.01, "Avoidance noise", "離れる時のゆれ", "Largest chance turn of the bored.", "rad"
    )
    avoid_pace_min: float = constant(
        0.5, PACE, 0.05, "Least pace, avoidance", "離れるペース 最小", "Slowest of the bored, in base speeds."
    )
    avoid_pace_max: float = constant(
        0.9,
        PACE,
        0.05,
        "Largest pace, avoidance",
        "離れるペース 最大",
        "Fastest of the bored, in base speeds.",
    )


class Moving(Constants):
    """The step itself: separation, limits and chance."""

    ORDERED = (("pace_slowest", "pace_fastest"),)

    personal_space: float = constant(
        0.9, RADII, 0.05, "Personal space", "個体の間の距離", "Nearer ones push a bug away, in its own sizes."
    )
    separation_gain: float = constant(
        0.08,
        (-3.0, 3.0),
        0.01,
        "Separation",
        "個体を離す力",
        "Part of the way to the free side turned in a tick.",
    )
    turn_limit: float = constant(
        5.0, (0.0, 100.0), 0.5, "Turn limit", "一度の転回 最大", "Largest turn of a tick, in turn rates."
    )
    steering_noise_rad: float = constant(
        0.01, NOISE, 0.005, "Steering noise", "向きのゆれ", "Largest chance turn of a running bug.", "rad"
    )
    pace_slowest: float = constant(
        0.91,
        PACE,
        0.01,
        "Noise of pace, least",
        "ペースのゆれ 最小",
        "Least factor of the smooth noise on the pace.",
    )
    pace_fastest: float = constant(
        0.98,
        PACE,
        0.01,
        "Noise of pace, largest",
        "ペースのゆれ 最大",
        "Largest factor of the smooth noise on the pace.",
    )
