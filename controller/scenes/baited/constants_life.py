"""Constants of a bug's life: the character it is given once, and its runs, stops and tumbles (seed 001)."""

from __future__ import annotations

from controller.scenes.baited.constants import Constants, Kind, constant

SPEED = Kind(0.0, 50.0, 0.1, "px/tick")
TURN_RATE = Kind(0.0, 3.0, 0.005, "rad/tick")
FIXATION = Kind(0.0, 180.0, 1.0, "deg")
SHARE = Kind(0.0, 1.0, 0.01)
ANTENNA = Kind(0.0, 400.0, 0.5, "px")
TROPOTAXIS = Kind(0.0, 1.0, 0.005)
DETECTION = Kind(1.0, 50.0, 0.1, "light radii")
LEVY_MU = Kind(1.1, 6.0, 0.1)
MILLING_SPEED = Kind(0.0, 3.0, 0.001, "rad/tick")
TREMOR = Kind(0.0, 3.0, 0.01, "rad/tick")
PACE = Kind(0.0, 10.0, 0.05, "base speeds")
TICKS = Kind(1, 36_000, 1, "ticks")
FACTOR = Kind(0.0, 10.0, 0.01)
TUMBLE = Kind(0.0, 720.0, 2.0, "deg")


class Character(Constants):
    """What a bug is given for life, each number drawn uniformly from its least to its largest."""

    speed_min_px: float = constant(
        1.8, SPEED, "Slowest base speed", "速さ 最小", "How far the slowest bug goes in a tick at pace 1."
    )
    speed_max_px: float = constant(
        4.5, SPEED, "Fastest base speed", "速さ 最大", "How far the fastest bug goes in a tick at pace 1."
    )
    turn_rate_min: float = constant(
        0.03,
        TURN_RATE,
        "Least turn rate",
        "転回の速さ 最小",
        "Turn of the stiffest bug at gain 1 for each radian off its aim.",
    )
    turn_rate_max: float = constant(
        0.08,
        TURN_RATE,
        "Largest turn rate",
        "転回の速さ 最大",
        "Turn of the nimblest bug at gain 1 for each radian off its aim.",
    )
    fixation_min_deg: float = constant(
        10.0,
        FIXATION,
        "Least fixation angle",
        "光との角度 最小",
        "Least angle at which a bug keeps the light to its side.",
    )
    fixation_max_deg: float = constant(
        40.0,
        FIXATION,
        "Largest fixation angle",
        "光との角度 最大",
        "Largest angle at which a bug keeps the light to its side.",
    )
    right_handed_share: float = constant(
        0.5,
        SHARE,
        "Share of right-handed",
        "右ききの虫のわりあい",
        "Share that keeps the light to the right.",
    )
    antenna_min_px: float = constant(
        6.0,
        ANTENNA,
        "Shortest antennae",
        "センサーの長さ 最短",
        "From a bug to the tips of the shortest antennae.",
    )
    antenna_max_px: float = constant(
        14.0,
        ANTENNA,
        "Longest antennae",
        "センサーの長さ 最長",
        "From a bug to the tips of the longest antennae.",
    )
    tropotaxis_min: float = constant(
        0.02,
        TROPOTAXIS,
        "Least tropotaxis",
        "センサーの効き 最小",
        "How strongly the least responsive bug follows its antennae.",
    )
    tropotaxis_max: float = constant(
        0.06,
        TROPOTAXIS,
        "Largest tropotaxis",
        "センサーの効き 最大",
        "How strongly the most responsive bug follows its antennae.",
    )
    detection_min: float = constant(
        1.5,
        DETECTION,
        "Shortest detection range",
        "感知距離 最短",
        "Least distance at which light is noticed.",
    )
    detection_max: float = constant(
        4.0,
        DETECTION,
        "Longest detection range",
        "感知距離 最長",
        "Largest distance at which light is noticed.",
    )
    levy_mu_min: float = constant(
        1.8, LEVY_MU, "Least Levy mu", "レビー mu 最小", "The smaller, the more far steps."
    )
    levy_mu_max: float = constant(
        2.2, LEVY_MU, "Largest Levy mu", "レビー mu 最大", "The larger, the fewer far steps."
    )
    milling_speed_min: float = constant(
        0.008, MILLING_SPEED, "Slowest milling", "光を回る速さ 最小", "Slowest circling of the pursued point."
    )
    milling_speed_max: float = constant(
        0.03, MILLING_SPEED, "Fastest milling", "光を回る速さ 最大", "Fastest circling of the pursued point."
    )
    tremor_min: float = constant(
        0.06,
        TREMOR,
        "Slowest tremor",
        "ふるえの速さ 最小",
        "How fast the phase of the slowest trembling goes on.",
    )
    tremor_max: float = constant(
        0.15,
        TREMOR,
        "Fastest tremor",
        "ふるえの速さ 最大",
        "How fast the phase of the fastest trembling goes on.",
    )
    eager_share: float = constant(
        0.15,
        SHARE,
        "Share of eager",
        "速い虫のわりあい",
        "Share of bugs that come to the light faster than usual.",
    )
    eager_min: float = constant(
        1.2, PACE, "Least pace, eager", "速い虫のペース 最小", "Slowest approach of the eager."
    )
    eager_max: float = constant(
        1.5, PACE, "Largest pace, eager", "速い虫のペース 最大", "Fastest approach of the eager."
    )
    sluggish_share: float = constant(
        0.15,
        SHARE,
        "Share of sluggish",
        "遅い虫のわりあい",
        "Share of the others that come to the light slower than usual.",
    )
    sluggish_min: float = constant(
        0.5, PACE, "Least pace, sluggish", "遅い虫のペース 最小", "Slowest approach of the sluggish."
    )
    sluggish_max: float = constant(
        0.7, PACE, "Largest pace, sluggish", "遅い虫のペース 最大", "Fastest approach of the sluggish."
    )
    usual_min: float = constant(
        0.8, PACE, "Least pace, usual", "ふつうの虫のペース 最小", "Slowest approach of all others."
    )
    usual_max: float = constant(
        1.1, PACE, "Largest pace, usual", "ふつうの虫のペース 最大", "Fastest approach of all others."
    )


class Gait(Constants):
    """Intermittent motion: how long and how fast the runs, stops and tumbles are, and what follows them."""

    run_min_ticks: int = constant(30, TICKS, "Shortest run", "ラン 最短", "A run lasts at least this.")
    run_max_ticks: int = constant(
        150, TICKS, "Longest run", "ラン 最長", "A run lasts at most this, unless it is one of the long ones."
    )
    long_run_share: float = constant(
        0.15,
        SHARE,
        "Share of long runs",
        "長いランのわりあい",
        "Share of runs that `long_run_factor` makes longer.",
    )
    long_run_factor: float = constant(
        2.0, FACTOR, "Length of long runs", "長いランの長さ", "How many times longer a long run is."
    )
    run_pace_min: float = constant(
        0.8, PACE, "Least pace, run", "ランのペース 最小", "Speed of the slowest run of a search."
    )
    run_pace_max: float = constant(
        1.1, PACE, "Largest pace, run", "ランのペース 最大", "Speed of the fastest run of a search."
    )
    stop_min_ticks: int = constant(
        5, TICKS, "Shortest stop", "停止 最短", "A stop lasts at least this, unless on the way to the light."
    )
    stop_max_ticks: int = constant(
        25, TICKS, "Longest stop", "停止 最長", "A stop lasts at most this, unless on the way to the light."
    )
    tumble_min_ticks: int = constant(
        3, TICKS, "Shortest tumble", "転回 最短", "A tumble lasts at least this."
    )
    tumble_max_ticks: int = constant(10, TICKS, "Longest tumble", "転回 最長", "A tumble lasts at most this.")
    tumble_reach_deg: float = constant(
        126.0,
        TUMBLE,
        "Largest tumble",
        "転回の角度 最大",
        "Largest angle drawn for a tumble, to either side.",
    )
    tumble_spread_ticks: int = constant(
        8,
        TICKS,
        "Tumble spread over",
        "転回を分ける時間",
        "Each tick of a tumble turns its angle divided by this.",
    )
    tumble_pace: float = constant(0.15, PACE, "Pace, tumble", "転回のペース", "Speed while tumbling.")
    attracted_stop_share: float = constant(
        0.1,
        SHARE,
        "Attracted: stops after runs",
        "光に向かう虫の停止のわりあい",
        "Runs to the light that end in a stop.",
    )
    attracted_stop_min_ticks: int = constant(
        3,
        TICKS,
        "Attracted: shortest stop",
        "光に向かう虫の停止 最短",
        "Shortest stop on the way to the light.",
    )
    attracted_stop_max_ticks: int = constant(
        10,
        TICKS,
        "Attracted: longest stop",
        "光に向かう虫の停止 最長",
        "Longest stop on the way to the light.",
    )
    search_stop_share: float = constant(
        0.6,
        SHARE,
        "Search: stops after runs",
        "ラン→停止のわりあい",
        "Runs of a search that end in a stop, the others in a tumble.",
    )
    stop_tumble_share: float = constant(
        0.7,
        SHARE,
        "Search: tumbles after stops",
        "停止→転回のわりあい",
        "Stops of a search that end in a tumble, the others in a run.",
    )
