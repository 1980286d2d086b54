"""What test patterns are made of: an image, solid rectangles that move over it, and the pens to draw both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from display.picture import Pixels
from display.text import MIDDLE_EM, drawable, text_font

Size: TypeAlias = tuple[int, int]
WHITE, GREY, DIM = 255, 128, 64
LINE_EM, SMALLEST_EM_PX = 1.3, 6


class Fill(NamedTuple):
    """A solid rectangle in whole px of the picture, top left first; `level` is a grey level 0..255."""

    x: int
    y: int
    width: int
    height: int
    level: int


def _nothing_moves(time_s: float, size_px: Size) -> list[Fill]:
    return []


@dataclass(frozen=True)
class Pattern:
    """A test pattern. `title` and `warning` (what may disturb people, empty if nothing) by language."""

    name: str
    title: Mapping[str, str]
    draw: Callable[[Size, str, int], Pixels]
    move: Callable[[float, Size], list[Fill]] = _nothing_moves
    warning: Mapping[str, str] = field(default_factory=dict)

    def image(self, size_px: Size, screen_name: str = "", screen_index: int = 0) -> Pixels:
        """The part that stands still: uint8 grey levels, (height, width), for any (width, height)."""
        return self.draw(size_px, screen_name, screen_index)

    def fills(self, time_s: float, size_px: Size) -> list[Fill]:
        """What is drawn over the image at that time, in this order, inside the picture."""
        return self.move(time_s, size_px)

    def heading(self, language: str = "en") -> str:
        """The title in "en" or "ja", with the warning if there is one."""
        texts = (source.get(language, source.get("en", "")) for source in (self.title, self.warning))
        return " – ".join(text for text in texts if text)


def black(size_px: Size) -> Pixels:
    """A black image of (width, height)."""
    return np.zeros((size_px[1], size_px[0]), np.uint8)


def clipped(size_px: Size, x: int, y: int, width: int, height: int, level: int) -> list[Fill]:
    """The part of a rectangle that lies in the picture: one fill or none."""
    left, top = max(0, x), max(0, y)
    right, bottom = min(size_px[0], x + width), min(size_px[1], y + height)
    return [Fill(left, top, right - left, bottom - top, level)] if left < right and top < bottom else []


def middle(length_px: int) -> slice:
    """The middle px of a length: one when it is odd, two when it is even."""
    return slice((length_px - 1) // 2, length_px // 2 + 1)


def write(image: Pixels, place_px: tuple[float, float], text: str, em_px: int, level: int) -> None:
    """Write a text into the image, its middle at (x, y); an em of 0 writes nothing."""
    if not em_px:
        return
    font = text_font(em_px)
    shown = drawable(text)
    width, height = int(font.getlength(shown)) + em_px // 2, round(LINE_EM * em_px)
    left, top = round(place_px[0] - width / 2), round(place_px[1] - height / 2)
    target = image[max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)]
    if not target.size:
        return
    picture = Image.fromarray(target)
    offset = left - max(0, left), top - max(0, top)
    anchor = offset[0] + em_px // 4, offset[1] + round(height / 2 + MIDDLE_EM * em_px)
    ImageDraw.Draw(picture).text(anchor, shown, fill=level, font=font, anchor="ls")
    target[:] = np.asarray(picture)


def fitting_em(text: str, width_px: float, height_px: float) -> int:
    """The largest em in px with which the text keeps within that width and height; 0 for under 6 px."""
    width_em = text_font(100).getlength(drawable(text)) / 100 + 0.5
    em_px = int(min(width_px / width_em, height_px / LINE_EM))
    return em_px if em_px >= SMALLEST_EM_PX else 0
