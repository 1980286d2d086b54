"""Test patterns that stand still: border, grid, cross, grey steps, the number of the screen."""

from __future__ import annotations

import numpy as np

from display.pattern_parts import DIM, GREY, WHITE, Pattern, Size, black, fitting_em, middle, write
from display.picture import Pixels
from display.text import text_font

GRID_PX, GRID_EM_PX = 100, 14
RINGS_PX = (0, 10, 20)
RAMP_LEVELS = tuple(round(255 * step / 10) for step in range(11))
NEAR_BLACK_LEVELS = tuple(range(17))
LABEL_LEVEL = 90


def border(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    """The outermost px white, dim frames 10 and 20 px inside, the size in words.

    Each corner has an angle and its number, in the order of the setting `corners`: clockwise from top left.
    """
    image = black(size_px)
    width, height = size_px
    for inset in RINGS_PX[1:]:
        if min(size_px) > 2 * inset + 2:
            frame(image, inset, 1, DIM)
    frame(image, 0, 1, WHITE)
    arm, thickness = max(1, min(size_px) // 8), max(1, min(size_px) // 180)
    for rows in (slice(0, arm), slice(height - arm, None)):
        for columns in (slice(0, thickness), slice(width - thickness, None)):
            image[rows, columns] = WHITE
    for rows in (slice(0, thickness), slice(height - thickness, None)):
        for columns in (slice(0, arm), slice(width - arm, None)):
            image[rows, columns] = WHITE
    for name, place in zip(
        "1243", ((x, y) for y in (arm, height - arm) for x in (arm, width - arm)), strict=True
    ):
        write(image, place, name, arm // 2 if arm >= 12 else 0, GREY)
    text = f"{width} × {height}"
    write(image, (width / 2, height / 2), text, fitting_em(text, width / 3, height / 12), GREY)
    return image


def frame(image: Pixels, inset_px: int, thickness_px: int, level: int) -> None:
    """Draw the edge of the picture, that many px inside it."""
    height, width = image.shape
    inside = image[inset_px : height - inset_px, inset_px : width - inset_px]
    inside[:thickness_px] = inside[-thickness_px:] = level
    inside[:, :thickness_px] = inside[:, -thickness_px:] = level


def grid(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    """Lines of one px at every 100 px from the top left, brighter at every 500; x, y at each crossing."""
    image = black(size_px)
    width, height = size_px
    for every, level in ((GRID_PX, DIM), (5 * GRID_PX, GREY)):
        image[::every] = np.maximum(image[::every], level)
        image[:, ::every] = np.maximum(image[:, ::every], level)
    for y in range(0, height, GRID_PX):
        for x in range(0, width, GRID_PX):
            _write_coordinates(image, x, y)
    return image


def _write_coordinates(image: Pixels, x: int, y: int) -> None:
    """Name a crossing in the square to its lower right, where there is room for that."""
    text = f"{x}, {y}"
    half_width, half_height = 0.5 * text_font(GRID_EM_PX).getlength(text) + 4, 0.65 * GRID_EM_PX
    middle_px = x + 1 + half_width, y + 1 + half_height
    if middle_px[0] + half_width <= image.shape[1] and middle_px[1] + half_height <= image.shape[0]:
        write(image, middle_px, text, GRID_EM_PX, GREY + DIM)


def cross(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    """The two middle lines (two px thick on an even length), the diagonals, and circles about the middle."""
    image = black(size_px)
    width, height = size_px
    along = np.linspace(0, 1, 2 * max(size_px))
    image[np.rint(along * (height - 1)).astype(int), np.rint(along * (width - 1)).astype(int)] = DIM
    np.maximum(image, image[:, ::-1], out=image)
    for share in (0.125, 0.25, 0.375, 0.5):
        circle(image, share * min(size_px) - 0.5, GREY)
        circle(image.T, share * min(size_px) - 0.5, GREY)
    image[:, middle(width)] = WHITE
    image[middle(height)] = WHITE
    return image


def circle(image: Pixels, radius_px: float, level: int) -> None:
    """Set the two px of each row that a circle about the middle passes; on image.T, those of each column."""
    height, width = image.shape
    y = np.arange(height) - (height - 1) / 2
    rows = np.nonzero(np.abs(y) <= radius_px)[0]
    away = np.sqrt(radius_px**2 - y[rows] ** 2)
    left = np.ceil((width - 1) / 2 - away - 0.5).astype(int)
    image[rows, left] = image[rows, width - 1 - left] = level


def steps(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    """Eleven steps from black to white, and the levels 0 to 16 side by side, each with its level.

    On a tall picture the steps follow each other downwards. The outer half of the beam lies at levels 1 to 9.
    """
    image = black(size_px)
    _band(image, RAMP_LEVELS, 0.0, 0.42, 0.46)
    _band(image, NEAR_BLACK_LEVELS, 0.58, 1.0, 0.54)
    return image


def _band(image: Pixels, levels: tuple[int, ...], start: float, end: float, labels_at: float) -> None:
    """One row of steps between two shares of the shorter way, its labels beside it."""
    tall = image.shape[0] > image.shape[1]
    turned = image.T if tall else image
    across, along = turned.shape
    band = turned[round(start * across) : round(end * across)]
    edges = [round(along * place / len(levels)) for place in range(len(levels) + 1)]
    em = fitting_em("255", *((0.07 * across, along / 17) if tall else (along / 17, 0.07 * across)))
    for level, low, high in zip(levels, edges[:-1], edges[1:], strict=True):
        band[:, low:high] = level
        place = ((low + high) / 2, labels_at * across)
        write(image, place[::-1] if tall else place, str(level), em, LABEL_LEVEL)


def number(size_px: Size, screen_name: str, screen_index: int) -> Pixels:
    """The number of the screen as large as it fits, with its name and size under it."""
    image = black(size_px)
    width, height = size_px
    text = str(screen_index)
    write(image, (width / 2, 0.42 * height), text, fitting_em(text, 0.9 * width, 1.15 * height), WHITE)
    label = f"{screen_name}  {width} × {height}".strip()
    write(image, (width / 2, 0.88 * height), label, fitting_em(label, 0.9 * width, 0.08 * height), GREY)
    return image


STILL = (
    Pattern("border", {"en": "Border and corners: all four edges must show", "ja": "端と四隅"}, border),
    Pattern("grid", {"en": "Grid, a line every 100 px", "ja": "格子、100 px"}, grid),
    Pattern("cross", {"en": "Centre: the circles must be round", "ja": "中央の十字と円"}, cross),
    Pattern("steps", {"en": "Grey steps, and levels 0 to 16", "ja": "灰色の段階"}, steps),
    Pattern("number", {"en": "Number of this screen", "ja": "画面番号"}, number),
)
