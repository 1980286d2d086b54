"""Constants of how a bug looks: its swaying, its pulse, its twitches and how it pales (seed 001)."""

from __future__ import annotations

from controller.scenes.baited.constants import Constants, Kind, constant
from controller.scenes.baited.constants_life import SHARE

SWING = Kind(0.0, 3.0, 0.01, "rad")
SWING_AT_SPEED = Kind(0.0, 3.0, 0.01, "rad a px/tick")
PER_PX = Kind(0.0, 3.0, 0.01, "rad/px")
PER_TICK = Kind(0.0, 3.0, 0.01, "rad/tick")
PX = Kind(0.0, 100.0, 0.5, "px")
LEVEL = Kind(0.0, 255.0, 5.0, "levels of 255")


class Looks(Constants):
    """What is drawn of a bug beside its place and heading; none of it changes where it goes."""

    tremor_swing_rad: float = constant(
        0.08, SWING, "Tremor, to either side", "ふるえの角度", "How far the tremor turns the glyph."
    )
    leg_swing_rad: float = constant(
        0.04, SWING_AT_SPEED, "Gait, to either side", "あしのゆれの角度", "How far walking turns the glyph."
    )
    leg_rate: float = constant(
        0.15, PER_PX, "Gait, for a px", "あしのゆれの速さ", "How fast the glyph sways with each px walked."
    )
    pulse_px: float = constant(1.0, PX, "Pulse", "大きさのゆれ", "How much the glyph grows and shrinks.")
    pulse_rate: float = constant(
        0.03,
        PER_TICK,
        "Pulse, rate",
        "大きさのゆれの速さ",
        "How fast the pulse goes, apart from the tremor's part in it.",
    )
    twitch_share: float = constant(
        0.15, SHARE, "Twitches", "停止中のふるえのわりあい", "Share of ticks in which a bug at rest twitches."
    )
    twitch_rad: float = constant(
        0.25, SWING, "Twitch, largest", "停止中のふるえの角度", "How far a twitch turns the glyph at most."
    )
    shake_rad: float = constant(
        0.12, SWING, "Shake, largest", "転回中のふるえの角度", "How far a tumbling bug shakes at most."
    )
    bored_alpha: float = constant(
        80.0, LEVEL, "Opacity without interest", "興味なしの明るさ", "Opacity of a bug without any interest."
    )
    keen_alpha: float = constant(
        240.0,
        LEVEL,
        "Opacity with all interest",
        "興味ありの明るさ",
        "Opacity of a bug with all its interest.",
    )
