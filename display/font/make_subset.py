"""Build-time script: reduce a Shippori Mincho file to the one glyph that the show draws.

Usage: python display/font/make_subset.py SOURCE [TARGET]
SOURCE is file 92, weight 400, of the npm package @fontsource/shippori-mincho 5.3.0 (.woff or .woff2).
fontTools is needed here only; the show itself reads the result with Pillow.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

MUSHI = 0x866B
TARGET = Path(__file__).with_name("mushi.ttf")


def make_subset(source: Path, target: Path) -> int:
    """Write `target` (TrueType, U+866B and .notdef, no hints, no layout); return its size in bytes.

    Raises SystemExit when the source has no U+866B.
    """
    font = TTFont(source)
    if MUSHI not in font.getBestCmap():
        raise SystemExit(f"{source} has no U+866B; take subset file 92, weight 400")
    options = subset.Options(hinting=False, layout_features=[], name_IDs=[], notdef_outline=False)
    options.drop_tables += ["GPOS", "GSUB", "vhea", "vmtx", "gasp"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[MUSHI])
    subsetter.subset(font)
    font.flavor = None
    font.save(target)
    return target.stat().st_size


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    written = Path(sys.argv[2]) if len(sys.argv) == 3 else TARGET
    print(f"{written}: {make_subset(Path(sys.argv[1]), written)} bytes")
