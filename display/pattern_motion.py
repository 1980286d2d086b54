"""Test patterns that change: a bar that shows tearing, patches for a photodiode.

Both follow the time alone, so what is on the screen at a moment can be worked out afterwards.
"""

from __future__ import annotations

from display.pattern_parts import DIM, GREY, WHITE, Fill, Pattern, Size, black, clipped, fitting_em, write
from display.picture import Pixels

CROSSING_S = 2.0
PICTURES_PER_S = 60
BAR_SHARE = 1 / 24
# White for half a second, black for half a second: one flash a second.
PATCH_HALF_PERIOD_S = 0.5
PATCH_SHARE = 0.2


def bar_speed_px_per_s(length_px: int) -> float:
    """About one crossing in two seconds, and the same whole step each picture at 60 pictures a second.

    Across fewer than 120 px it is one px every few pictures.
    """
    step_px = length_px / (CROSSING_S * PICTURES_PER_S)
    return PICTURES_PER_S * (round(step_px) if step_px >= 1 else 1 / round(1 / step_px))


def bar_fills(time_s: float, size_px: Size) -> list[Fill]:
    """An upright bar that goes right and, dimmer, a level one that goes down; both come back at the start.

    Two, because a screen that hangs in portrait is often refreshed from side to side.
    """
    width, height = size_px
    x, y = (_place(time_s, length) for length in size_px)
    tall, wide = (max(2, round(BAR_SHARE * length)) for length in size_px)
    fills = []
    for shift in (0, -height):
        fills += clipped(size_px, 0, y + shift, width, wide, GREY)
    for shift in (0, -width):
        fills += clipped(size_px, x + shift, 0, tall, height, WHITE)
    return fills


def _place(time_s: float, length_px: int) -> int:
    return round(bar_speed_px_per_s(length_px) * time_s) % length_px


def patch_is_lit(time_s: float) -> bool:
    """Whether the patches are white at that time; they turn white at every whole second."""
    return time_s % (2 * PATCH_HALF_PERIOD_S) < PATCH_HALF_PERIOD_S


def patches(size_px: Size) -> list[Fill]:
    """The white squares: at the start, in the middle and at the end of the way the screen is refreshed."""
    side = max(1, round(PATCH_SHARE * min(size_px)))
    x, y = size_px[0] - side, size_px[1] - side
    return [Fill(*place, side, side, WHITE) for place in ((0, 0), (x // 2, y // 2), (x, y))]


def patch_fills(time_s: float, size_px: Size) -> list[Fill]:
    """The patches while they are lit, nothing while they are dark."""
    return patches(size_px) if patch_is_lit(time_s) else []


def patch_frames(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    """A grey frame round each place where a photodiode goes, and the timing in words."""
    image = black(size_px)
    for x, y, width, height, _ in patches(size_px):
        image[max(0, y - 1) : y + height + 1, max(0, x - 1) : x + width + 1] = DIM
        image[y : y + height, x : x + width] = 0
    text = "1 Hz, 0.5 s + 0.5 s"
    em = fitting_em(text, size_px[0] / 3, size_px[1] / 20)
    write(image, (size_px[0] / 2, 0.75 * size_px[1]), text, em, GREY)
    return image


def _black(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    return black(size_px)


MOVING = (
    Pattern(
        "bar",
        {"en": "Moving bars: an edge that breaks or jumps shows tearing or lost pictures", "ja": "動く線"},
        _black,
        bar_fills,
        {"en": "moving", "ja": "動きます"},
    ),
    Pattern(
        "patch",
        {"en": "White patches for a photodiode", "ja": "白い四角の点滅"},
        patch_frames,
        patch_fills,
        {"en": "blinks once a second", "ja": "注意、一秒に一度点滅します"},
    ),
)
