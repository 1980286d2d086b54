"""Constants of a bug's life: the character it is given once, and its runs, stops and tumbles (seed 001)."""

from __future__ import annotations

from controller.scenes.baited.constants import Constants, constant

SHARE = (0.0, 1.0)
PACE = (0.0, 10.0)
TICKS = (1, 36_000)
SPEED = (0.0, 50.0)
TURN = (0.0, 3.0)


class Character(Constants):
    """What a bug is given for life, each number drawn uniformly from its least to its largest."""

    speed_min_px: float = constant(
        1.8, SPEED, 0.1, "Slowest base speed", "速さ 最小", "Base speed of the slowest bug.", "px/tick"
    )
    speed_max_px: float = constant(
        4.5, SPEED, 0.1, "Fastest base speed", "速さ 最大", "Base speed of the fastest bug.", "px/tick"
    )
    turn_rate_min: float = constant(
        0.03, TURN, 0.005, "Least turn rate", "転回の速さ 最小", "Turn rate of the stiffest bug.", "rad/tick"
    )
    turn_rate_max: float = constant(
        0.08,
        TURN,
        0.005,
        "Largest turn rate",
        "転回の速さ 最大",
        "Turn rate of the nimblest bug.",
        "rad/tick",
    )
    fixation_min_deg: float = constant(
        10.0,
        (0.0, 180.0),
        1.0,
        "Least fixation angle",
        "光との角度 最小",
        "Least angle to one side at which a bug keeps the light ahead.",
        "deg",
    )
    fixation_max_deg: float = constant(
        40.0,
        (0.0, 180.0),
        1.0,
        "Largest fixation angle",
        "光との角度 最大",
        "Largest angle to one side at which a bug keeps the light ahead.",
        "deg",
    )
    right_handed_share: float = constant(
        0.5, SHARE, 0.05, "Right-handed bugs", "右向きの虫", "Share of the bugs that are right-handed."
    )
    antenna_min_px: float = constant(
        6.0,
        (0.0, 400.0),
        0.5,
        "Shortest antennae",
        "センサーの長さ 最短",
        "Reach of the shortest antennae.",
        "px",
    )
    antenna_max_px: float = constant(
        14.0,
        (0.0, 400.0),
        0.5,
        "Longest antennae",
        "センサーの長さ 最長",
        "Reach of the longest antennae.",
        "px",
    )
    tropotaxis_min: float = constant(
        0.02, SHARE, 0.005, "Least tropotaxis", "センサーの効き 最小", "Least response to the antennae."
    )
    tropotaxis_max: float = constant(
        0.06, SHARE, 0.005, "Largest tropotaxis", "センサーの効き 最大", "Largest response to the antennae."
    )
    detection_min: float = constant(
        1.5,
        (1.0, 50.0),
        0.1,
        "Shortest detection range",
        "感知距離 最短",
        "Shortest distance at which a bug notices the light, in light radii.",
    )
    detection_max: float = constant(
        4.0,
        (1.0, 50.0),
        0.1,
        "Longest detection range",
        "感知距離 最長",
        "Longest distance at which a bug notices the light, in light radii.",
    )
    levy_mu_min: float = constant(
        1.8, (1.1, 6.0), 0.1, "Least Levy mu", "レビー mu 最小", "Least mu: the smaller, the more far steps."
    )
    levy_mu_max: float = constant(
        2.2,
        (1.1, 6.0),
        0.1,
        "Largest Levy mu",
        "レビー mu 最大",
        "Largest mu: the larger, the fewer far steps.",
    )
    milling_speed_min: float = constant(
        0.008,
        TURN,
        0.001,
        "Slowest milling",
        "光を回る速さ 最小",
        "Least speed at which the pursued point circles the light.",
        "rad/tick",
    )
    milling_speed_max: float = constant(
        0.03,
        TURN,
        0.001,
        "Fastest milling",
        "光を回る速さ 最大",
        "Largest speed at which the pursued point circles the light.",
        "rad/tick",
    )
    tremor_min: float = constant(
        0.06, TURN, 0.01, "Slowest tremor", "ふるえの速さ 最小", "Slowest tremor of the body.", "rad/tick"
    )
    tremor_max: float = constant(
        0.15, TURN, 0.01, "Fastest tremor", "ふるえの速さ 最大", "Fastest tremor of the body.", "rad/tick"
    )
    eager_share: float = constant(
        0.15, SHARE, 0.01, "Eager bugs", "速い虫", "Share of the bugs that are eager for the light."
    )
    eager_min: float = constant(
        1.2,
        PACE,
        0.05,
        "Least pace, eager",
        "速い虫のペース 最小",
        "Least approach of the eager, in base speeds.",
    )
    eager_max: float = constant(
        1.5,
        PACE,
        0.05,
        "Largest pace, eager",
        "速い虫のペース 最大",
        "Largest approach of the eager, in base speeds.",
    )
    sluggish_share: float = constant(
        0.15, SHARE, 0.01, "Sluggish bugs", "遅い虫", "Share of those not eager that are sluggish."
    )
    sluggish_min: float = constant(
        0.5,
        PACE,
        0.05,
        "Least pace, sluggish",
        "遅い虫のペース 最小",
        "Least approach of the sluggish, in base speeds.",
    )
    sluggish_max: float = constant(
        0.7,
        PACE,
        0.05,
        "Largest pace, sluggish",
        "遅い虫のペース 最大",
        "Largest approach of the sluggish, in base speeds.",
    )
    usual_min: float = constant(
        0.8,
        PACE,
        0.05,
        "Least pace, usual",
        "ふつうの虫のペース 最小",
        "Least approach of all others, in base speeds.",
    )
    usual_max: float = constant(
        1.1,
        PACE,
        0.05,
        "Largest pace, usual",
        "ふつうの虫のペース 最大",
        "Largest approach of all others, in base speeds.",
    )


class Gait(Constants):
    """Intermittent motion: how long and how fast the runs, stops and tumbles are, and what follows them."""

    run_min_ticks: int = constant(30, TICKS, 5, "Shortest run", "ラン 最短", "Shortest run.", "ticks")
    run_max_ticks: int = constant(150, TICKS, 5, "Longest run", "ラン 最長", "Longest usual run.", "ticks")
    long_run_share: float = constant(
        0.15, SHARE, 0.01, "Long runs", "長いラン", "Share of the runs that are long ones."
    )
    long_run_factor: float = constant(
        2.0, PACE, 0.1, "Length of long runs", "長いランの長さ", "What a long run lasts, in usual runs."
    )
    run_pace_min: float = constant(
        0.8, PACE, 0.05, "Least pace, run", "ランのペース 最小", "Slowest run, in base speeds."
    )
    run_pace_max: float = constant(
        1.1, PACE, 0.05, "Largest pace, run", "ランのペース 最大", "Fastest run, in base speeds."
    )
    stop_min_ticks: int = constant(5, TICKS, 1, "Shortest stop", "停止 最短", "Shortest stop.", "ticks")
    stop_max_ticks: int = constant(25, TICKS, 1, "Longest stop", "停止 最長", "Longest stop.", "ticks")
    tumble_min_ticks: int = constant(3, TICKS, 1, "Shortest tumble", "転回 最短", "Shortest tumble.", "ticks")
    tumble_max_ticks: int = constant(10, TICKS, 1, "Longest tumble", "転回 最長", "Longest tumble.", "ticks")
    tumble_reach_deg: float = constant(
        126.0, (0.0, 720.0), 2.0, "Largest tumble", "転回の角度 最大", "Largest tumble to either side.", "deg"
    )
    tumble_spread_ticks: int = constant(
        8, TICKS, 1, "Tumble spread over", "転回を分ける時間", "A tick turns this part of a tumble.", "ticks"
    )
    tumble_pace: float = constant(
        0.15, PACE, 0.05, "Pace, tumble", "転回のペース", "Pace of a tumble, in base speeds."
    )
    attracted_stop_share: float = constant(
        0.1,
        SHARE,
        0.05,
        "Attracted: stops",
        "光に向かう虫の停止",
        "Share of the attracted's runs that end in a stop.",
    )
    attracted_stop_min_ticks: int = constant(
        3,
        TICKS,
        1,
        "Attracted: shortest stop",
        "光に向かう虫の停止 最短",
        "Shortest stop of the attracted.",
        "ticks",
    )
    attracted_stop_max_ticks: int = constant(
        10,
        TICKS,
        1,
        "Attracted: longest stop",
        "光に向かう虫の停止 最長",
        "Longest stop of the attracted.",
        "ticks",
    )
    search_stop_share: float = constant(
        0.6,
        SHARE,
        0.05,
        "Search: stops",
        "ランの次に停止",
        "Share of a search's runs that end in a stop, not a tumble.",
    )
    stop_tumble_share: float = constant(
        0.7,
        SHARE,
        0.05,
        "Search: tumbles",
        "停止の次に転回",
        "Share of a search's stops that end in a tumble, not a run.",
    )
