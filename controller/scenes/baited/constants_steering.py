"""Constants of steering: to the light, around it, without and away from it, and of the step (seed 001)."""

from __future__ import annotations

from controller.scenes.baited.constants import Constants, Kind, constant
from controller.scenes.baited.constants_life import FACTOR, PACE, SHARE

GAIN = Kind(-50.0, 50.0, 0.1, "turn rates/rad")
DISTANCE = Kind(0.0, 20_000.0, 10.0, "px")
ANTENNA_GAIN = Kind(-100_000.0, 100_000.0, 50.0, "rad px^2")
EACH_TICK = Kind(0.0, 1.0, 0.001, "1/tick")
RADII = Kind(0.0, 10.0, 0.01, "light radii")
STEP = Kind(1.0, 20_000.0, 5.0, "px")
ARRIVAL = Kind(0.0, 1_000.0, 1.0, "px")
NOISE_RATE = Kind(0.0, 3.0, 0.01, "1/tick")
AVOID = Kind(-10.0, 10.0, 0.05)
NOISE = Kind(0.0, 3.0, 0.005, "rad")
SPACE = Kind(0.0, 10.0, 0.01, "own sizes")
SEPARATION = Kind(-3.0, 3.0, 0.01)
LIMIT = Kind(0.0, 100.0, 0.5, "turn rates")


class Approach(Constants):
    """Phototaxis: the compass and the two antennae, and the pace with which a bug comes."""

    APART = (("compass_near_px", "compass_far_px"), ("antenna_near_px", "antenna_far_px"))

    compass_gain: float = constant(
        4.0, GAIN, "Compass gain", "コンパスの強さ", "Turn of the compass; below 0 it leads away."
    )
    compass_near: float = constant(
        1.5,
        FACTOR,
        "Compass strength, near",
        "コンパスの強さ 短距離",
        "Factor of the compass turn at `compass_near_px` and nearer.",
    )
    compass_far: float = constant(
        0.4,
        FACTOR,
        "Compass strength, far",
        "コンパスの強さ 長距離",
        "Factor of the compass turn at `compass_far_px` and farther.",
    )
    compass_near_px: float = constant(
        10.0, DISTANCE, "Compass near distance", "コンパスの短距離", "Nearer, the compass grows no stronger."
    )
    compass_far_px: float = constant(
        800.0, DISTANCE, "Compass far distance", "コンパスの長距離", "Farther, the compass grows no weaker."
    )
    antenna_gain: float = constant(
        1500.0, ANTENNA_GAIN, "Antenna gain", "センサーの強さ", "Turn of the antennae; below 0 away."
    )
    antenna_side: float = constant(
        0.5, FACTOR, "Antennae apart", "センサーの左右の間", "Of its length, how far an antenna stands aside."
    )
    antenna_weight_near: float = constant(
        0.6,
        SHARE,
        "Weight of antennae, near",
        "センサーのおもみ 短距離",
        "Share of the antennae in the turn at `antenna_near_px` and nearer.",
    )
    antenna_weight_far: float = constant(
        0.1,
        SHARE,
        "Weight of antennae, far",
        "センサーのおもみ 長距離",
        "Share of the antennae in the turn at `antenna_far_px` and farther.",
    )
    antenna_near_px: float = constant(
        10.0, DISTANCE, "Antennae near distance", "センサーの短距離", "Nearer, their weight grows no more."
    )
    antenna_far_px: float = constant(
        600.0, DISTANCE, "Antennae far distance", "センサーの長距離", "Farther, their weight shrinks no more."
    )
    edge_pace: float = constant(
        0.7,
        FACTOR,
        "Pace at the edge of detection",
        "感知範囲の端のペース",
        "Pace where the light is just detected; at the circle it is 1.",
    )
    approach_pace_min: float = constant(
        0.9, FACTOR, "Least pace, approach", "光に向かうペース 最小", "Least chance factor, drawn each tick."
    )
    approach_pace_max: float = constant(
        1.1,
        FACTOR,
        "Largest pace, approach",
        "光に向かうペース 最大",
        "Largest chance factor, drawn each tick.",
    )


class Milling(Constants):
    """Circling within the light: a pursued point on an orbit that each bug chooses."""

    milling_gain: float = constant(2.5, GAIN, "Milling gain", "光を回る力", "Turn towards the pursued point.")
    change_of_mind: float = constant(
        0.005,
        EACH_TICK,
        "Change of mind",
        "回り方の変更",
        "Chance to turn round, and to choose another orbit.",
    )
    orbit_mean: float = constant(0.5, RADII, "Mean orbit", "回る円 中央", "Mean radius of the orbits.")
    orbit_deviation: float = constant(
        0.12, RADII, "Orbit deviation", "回る円の幅", "Standard deviation of the orbits."
    )
    orbit_min: float = constant(
        0.15, RADII, "Smallest orbit", "回る円 最小", "An orbit that would be smaller gets this radius."
    )
    orbit_max: float = constant(
        0.85, RADII, "Largest orbit", "回る円 最大", "An orbit that would be larger gets this radius."
    )
    orbit_ease: float = constant(
        0.02,
        EACH_TICK,
        "Ease to the orbit",
        "円に入る速さ",
        "Part of the way to a newly chosen orbit that is made each tick.",
    )
    milling_pace_min: float = constant(
        0.3,
        PACE,
        "Least pace, milling",
        "光を回るペース 最小",
        "Least speed around the light, drawn each tick.",
    )
    milling_pace_max: float = constant(
        0.6,
        PACE,
        "Largest pace, milling",
        "光を回るペース 最大",
        "Largest speed around the light, drawn each tick.",
    )


class Search(Constants):
    """Levy flight: targets at truncated power-law distances."""

    step_min_px: float = constant(
        20.0, STEP, "Shortest search step", "さがす距離 最短", "Levy steps are drawn from this length up."
    )
    step_max_px: float = constant(
        500.0, STEP, "Longest search step", "さがす距離 最長", "Longer Levy steps are cut to this."
    )
    arrived_px: float = constant(
        15.0,
        ARRIVAL,
        "Arrived within",
        "終点とみなす距離",
        "So near to its target a bug chooses the next one.",
    )
    search_gain: float = constant(2.0, GAIN, "Search gain", "さがす力", "Turn towards the target.")


class Avoidance(Constants):
    """The bored: away from the light while they notice it."""

    avoid_gain: float = constant(
        0.35, AVOID, "Avoidance", "光を離れる力", "Part of the turn to the light, reversed."
    )
    avoid_noise_rad: float = constant(
        0.06, NOISE, "Avoidance noise", "離れる時のゆれ", "Largest chance turn of the bored."
    )
    avoid_pace_min: float = constant(
        0.5, PACE, "Least pace, avoidance", "離れるペース 最小", "Least speed of the bored, drawn each tick."
    )
    avoid_pace_max: float = constant(
        0.9,
        PACE,
        "Largest pace, avoidance",
        "離れるペース 最大",
        "Largest speed of the bored, drawn each tick.",
    )


class Moving(Constants):
    """The step itself: separation, limits and chance."""

    ORDERED = (("pace_slowest", "pace_fastest"),)

    personal_space: float = constant(
        0.9, SPACE, "Personal space", "個体の間の距離", "Distance within which others repel."
    )
    separation_gain: float = constant(
        0.08, SEPARATION, "Separation", "個体を離す力", "Part of the turn away from others."
    )
    turn_limit: float = constant(
        5.0, LIMIT, "Turn limit", "一度の転回 最大", "In a tick no bug turns farther than this."
    )
    steering_noise_rad: float = constant(
        0.01, NOISE, "Steering noise", "向きのゆれ", "Largest chance turn of a running bug."
    )
    pace_slowest: float = constant(
        0.91,
        FACTOR,
        "Noise of pace, least",
        "ペースのゆれ 最小",
        "Share of its speed that a bug keeps at least; smooth noise varies it.",
    )
    pace_fastest: float = constant(
        0.98,
        FACTOR,
        "Noise of pace, largest",
        "ペースのゆれ 最大",
        "Share of its speed that a bug keeps at most; smooth noise varies it.",
    )
    noise_rate: float = constant(
        0.03, NOISE_RATE, "Noise of pace, rate", "ペースのゆれの速さ", "How fast the smooth noise goes on."
    )
    noise_per_tremor: float = constant(
        0.3,
        FACTOR,
        "Noise of pace, with tremor",
        "ペースのゆれとふるえ",
        "How much a bug's tremor adds to `noise_rate`.",
    )
