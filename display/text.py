"""Lines of the text box as grey pictures: what the panel, the help and the patterns write.

Pure Pillow with the font we ship. A character that the font lacks is drawn as a question mark, never
as a box or as nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from display.picture import Pixels

FONT = Path(__file__).with_name("font") / "shippori.ttf"
LIGHT, DARK = 225, 12
LINES_IN_A_PICTURE = 36
SMALLEST_LINE_PX = 16
EM_OF_LINE = 0.74
# Half-way between the typographic ascender and descender of our font, above the baseline.
MIDDLE_EM = 0.38
PADDING_EM = 0.5
GAP_EM = 1.5
SUBSTITUTE, ELLIPSIS = "?", "…"


@dataclass(frozen=True)
class Line:
    """One line of the text box. What follows the first tab stands at the right edge of the box."""

    text: str
    selected: bool = False


def line_height_px(picture_height_px: int) -> int:
    """Height of one line of text in a picture of that height."""
    return max(SMALLEST_LINE_PX, round(picture_height_px / LINES_IN_A_PICTURE))


def columns_px(lines: Iterable[Line], height_px: int) -> int:
    """Width of the narrowest box of lines `height_px` high in which no text is cut."""
    return max((_needed_px(line.text, em_px(height_px)) for line in lines), default=0)


def paint_line(line: Line, width_px: int, height_px: int) -> Pixels:
    """The line as grey levels, (height, width): light on near-black, or the reverse when selected.

    A text too long for the width ends in an ellipsis; the part after a tab is kept whole as long as it fits.
    """
    ink, ground = (DARK, LIGHT) if line.selected else (LIGHT, DARK)
    image = Image.new("L", (width_px, height_px), ground)
    font = text_font(em_px(height_px))
    padding = PADDING_EM * font.size
    room = width_px - 2 * padding
    left, right = parts(line.text)
    right = fitted(right, room, font)
    if right:
        left = fitted(left, room - font.getlength(right) - GAP_EM * font.size, font)
    else:
        left = fitted(left, room, font)
    draw = ImageDraw.Draw(image)
    baseline = round(height_px / 2 + MIDDLE_EM * font.size)
    draw.text((round(padding), baseline), left, fill=ink, font=font, anchor="ls")
    draw.text((width_px - round(padding), baseline), right, fill=ink, font=font, anchor="rs")
    return np.asarray(image, np.uint8)


def parts(text: str) -> tuple[str, str]:
    """The text before and after its first tab, each with only characters that the font can draw."""
    left, _, right = text.partition("\t")
    return drawable(left), drawable(right)


def drawable(text: str) -> str:
    """The text with a question mark for each character that our font lacks and a blank for each line end."""
    return "".join(_as_drawn(character) for character in text)


def fitted(text: str, room_px: float, font: ImageFont.FreeTypeFont) -> str:
    """The text, or as much of its start as fits the room with an ellipsis; empty when nothing fits."""
    if font.getlength(text) <= room_px:
        return text
    short, long = 0, len(text)
    while short < long:
        middle = (short + long + 1) // 2
        if font.getlength(text[:middle].rstrip() + ELLIPSIS) <= room_px:
            short = middle
        else:
            long = middle - 1
    return text[:short].rstrip() + ELLIPSIS if short else ""


@lru_cache(maxsize=4096)
def in_font(character: str) -> bool:
    """Whether our font draws the character itself; blanks count as drawn."""
    return character.isspace() or text_font(32).getmask(character).getbbox() is not None


@lru_cache(maxsize=64)
def text_font(size_px: int) -> ImageFont.FreeTypeFont:
    """Our font with an em of that many px."""
    return ImageFont.truetype(str(FONT), size_px, layout_engine=ImageFont.Layout.BASIC)


def em_px(height_px: int) -> int:
    """The em that suits a line of that height."""
    return max(1, round(EM_OF_LINE * height_px))


def _as_drawn(character: str) -> str:
    if character.isspace() and character != "\u3000":
        return " "
    return character if in_font(character) else SUBSTITUTE


@lru_cache(maxsize=1024)
def _needed_px(text: str, em_size_px: int) -> int:
    font = text_font(em_size_px)
    left, right = parts(text)
    gap = GAP_EM * font.size if left and right else 0
    return math.ceil(font.getlength(left) + gap + font.getlength(right) + 2 * PADDING_EM * font.size) + 1
