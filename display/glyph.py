"""The insect, or another character, as a coverage mip chain with the point that rows are anchored at.

The anchor is half the advance wide and half-way between the OS/2 typographic ascender and
descender (0.38 em above the baseline in the shipped font), as the canvas of the web original has it.
"""

from __future__ import annotations

import logging
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from display.picture import Pixels

MUSHI = "虫"
SHIPPED_FONT = Path(__file__).with_name("font") / "shippori.ttf"
# Large enough for the 200 px glyph of the reference; bugs (13-25 px) use levels 3 to 5.
EM_TEXELS = 512
ATLAS_TEXELS = 768
OVERSAMPLING = 2
# The browser hints upright text, which lifts large glyphs a little: without this the 200 px glyph of
# the reference scores .969 on ink, with it .977. Rows of 13-25 px move by 0.02 px and score the same.
LIFT_EM = 0.001
# Noncharacters: no font may map them, so each draws the .notdef of the font.
UNMAPPED = ("\ufdd0", "\U0010fffe")

# The largest collection of Japanese fonts known to us has 120 MB; what is larger is no font.
LARGEST_FONT_BYTES = 300_000_000

log = logging.getLogger(__name__)


class FontRefusedError(ValueError):
    """The font cannot draw the character; the message says why."""


@dataclass(frozen=True)
class Glyph:
    """`mips`: uint8 coverage, square, halved from level to level; `anchor_uv`: the anchor in the
    texture (0..1, v down); `em_uv`: one em in texture units; `reach_em`: how far ink lies from the anchor."""

    mips: tuple[Pixels, ...]
    anchor_uv: tuple[float, float]
    em_uv: float
    reach_em: float
    source: Path


def load_glyph(font_path: str | Path = "", character: str = MUSHI) -> Glyph:
    """The character as `font_path` has it, or ours (with a warning) when that font cannot draw it.

    Raises FontRefusedError when our own font lacks the character: font/characters.txt lists those it has.
    """
    if font_path:
        try:
            return read_glyph(Path(font_path), character)
        except (OSError, ValueError) as fault:
            log.warning("font_path %s: %s; the shipped glyph is used instead", font_path, fault)
    return read_glyph(SHIPPED_FONT, character)


def read_glyph(path: Path, character: str = MUSHI) -> Glyph:
    """Rasterise one character.

    Raises OSError (no font file) or FontRefusedError (the character is missing, blank, a box or too large).
    """
    middle_em = typographic_middle_em(_font_bytes(path))
    font = ImageFont.truetype(str(path), EM_TEXELS * OVERSAMPLING, layout_engine=ImageFont.Layout.BASIC)
    side = ATLAS_TEXELS * OVERSAMPLING
    half_advance = font.getlength(character) / 2
    baseline = round(side / 2 + middle_em * EM_TEXELS * OVERSAMPLING)
    left = round(side / 2 - half_advance)
    _refuse_too_large(font, character, left, baseline, side)
    fine = _ink(font, character, left, baseline, side)
    _refuse_unusable(font, character, fine, left, baseline)
    above_baseline = (middle_em - LIFT_EM) * EM_TEXELS * OVERSAMPLING
    anchor = np.array([left + half_advance, baseline - above_baseline])
    return Glyph(
        mips=_mip_chain(fine),
        anchor_uv=(float(anchor[0]) / side, float(anchor[1]) / side),
        em_uv=EM_TEXELS / ATLAS_TEXELS,
        reach_em=_reach(fine, anchor) / (EM_TEXELS * OVERSAMPLING),
        source=path,
    )


def typographic_middle_em(data: bytes) -> float:
    """(sTypoAscender + sTypoDescender) / 2 over unitsPerEm, from the bytes of a font or collection file.

    Raises FontRefusedError when the tables are not there (OpenType specification, `OS/2` and `head`).
    """
    try:
        start = struct.unpack_from(">I", data, 12)[0] if data[:4] == b"ttcf" else 0
        tables = {}
        for index in range(struct.unpack_from(">H", data, start + 4)[0]):
            tag, _, offset, _ = struct.unpack_from(">4sIII", data, start + 12 + 16 * index)
            tables[tag] = offset
        units_per_em = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
        ascender, descender = struct.unpack_from(">hh", data, tables[b"OS/2"] + 68)
    except (struct.error, KeyError) as fault:
        raise FontRefusedError("not a TrueType or OpenType file with the tables head and OS/2") from fault
    if not units_per_em:
        raise FontRefusedError("its table head says that an em has no units")
    return (ascender + descender) / 2 / units_per_em


def _font_bytes(path: Path) -> bytes:
    """The file, unless it is a pipe, a device or larger than any font: reading those may never end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FontRefusedError("not a file")
    if status.st_size > LARGEST_FONT_BYTES:
        raise FontRefusedError(f"{status.st_size} bytes are too many for a font")
    return path.read_bytes()


def _ink(font: ImageFont.FreeTypeFont, text: str, left: int, baseline: int, side: int) -> Pixels:
    image = Image.new("L", (side, side), 0)
    ImageDraw.Draw(image).text((left, baseline), text, fill=255, font=font, anchor="ls")
    return np.asarray(image, np.uint8)


def _refuse_too_large(
    font: ImageFont.FreeTypeFont, character: str, left: int, baseline: int, side: int
) -> None:
    """Measured before it is drawn: a damaged outline may want more memory than there is."""
    box = font.getbbox(character, anchor="ls")
    if min(left + box[0], baseline + box[1]) < 0 or max(left + box[2], baseline + box[3]) > side:
        raise FontRefusedError(f"{_named(character)} is too large or too far from its middle in it")


def _refuse_unusable(
    font: ImageFont.FreeTypeFont, character: str, fine: Pixels, left: int, baseline: int
) -> None:
    if not fine.any():
        raise FontRefusedError(f"{_named(character)} is blank in it")
    for unmapped in UNMAPPED:
        if np.array_equal(fine, _ink(font, unmapped, left, baseline, len(fine))):
            raise FontRefusedError(f"{_named(character)} is missing in it (a box would be drawn)")


def _named(character: str) -> str:
    return f"the character {character} (U+{ord(character):04X})"


def _reach(fine: Pixels, anchor: np.ndarray) -> float:
    """Largest horizontal or vertical distance of inked texels from the anchor, in fine texels."""
    ys, xs = np.nonzero(fine)
    edges = np.array([[xs.min(), ys.min()], [xs.max() + 1, ys.max() + 1]])
    return float(np.abs(edges - anchor).max())


def _mip_chain(fine: Pixels) -> tuple[Pixels, ...]:
    """Box-filtered levels, each made from the fine picture: 768, 384, ... 3, 1 texels a side."""
    levels = []
    side = ATLAS_TEXELS
    while side >= 3:
        step = len(fine) // side
        blocks = fine.reshape(side, step, side, step).mean(axis=(1, 3))
        levels.append(np.ascontiguousarray(np.rint(blocks), np.uint8))
        side //= 2
    levels.append(np.full((1, 1), round(float(fine.mean())), np.uint8))
    return tuple(levels)
