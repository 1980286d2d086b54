"""Build-time script: reduce Shippori Mincho to the characters of characters.txt.

Usage: python display/font/make_subset.py FOLDER [TARGET]
FOLDER is `files` of the npm package @fontsource/shippori-mincho 5.3.0 (`npm pack`, then unpack it). Its
weight 400 is cut into many files by character range; the wide ones are tried first.
fontTools is needed here only; the show itself reads the result with Pillow.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from fontTools.merge import Merger
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent
TARGET = HERE / "shippori.ttf"
CHARACTERS = HERE / "characters.txt"
SOURCES = "shippori-mincho-*-400-normal.woff"
ASCII = range(0x20, 0x7F)


def listed_characters(text: str) -> list[int]:
    """Code points asked for by the text of a characters file, ascending; ASCII is always among them."""
    lines = [line for line in text.splitlines() if not line.startswith("# ")]
    return sorted(set(ASCII) | {ord(character) for character in "".join(lines)})


def make_subset(sources: Iterable[Path], target: Path, characters: Iterable[int]) -> int:
    """Write `target` (TrueType, no hints, no layout, metrics of the first source); return its bytes.

    Each character is taken from the first source that has it. Raises SystemExit when none has it.
    """
    missing = set(characters)
    with tempfile.TemporaryDirectory() as folder:
        parts: list[Path] = []
        for source in sources:
            if found := missing & TTFont(source, lazy=True).getBestCmap().keys():
                parts.append(_cut(source, found, Path(folder) / f"{len(parts)}.ttf"))
                missing -= found
        if missing:
            raise SystemExit(
                f"no source has {' '.join(f'U+{point:04X} {point:c}' for point in sorted(missing))}"
            )
        _merged(parts).save(target)
    return target.stat().st_size


def _cut(source: Path, characters: set[int], target: Path) -> Path:
    font = TTFont(source)
    options = subset.Options(hinting=False, layout_features=[], name_IDs=[], notdef_outline=False)
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "BASE", "vhea", "vmtx", "gasp", "DSIG"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    font.flavor = None
    font.save(target)
    return target


def _merged(parts: list[Path]) -> TTFont:
    font = TTFont(parts[0]) if len(parts) == 1 else Merger().merge([str(part) for part in parts])
    font["post"].formatType = 3.0
    return font


def _by_width(folder: Path) -> list[Path]:
    """The font files, those with the most characters first."""
    found = sorted(folder.glob(SOURCES))
    if not found:
        raise SystemExit(f"{folder} holds no {SOURCES}: give the folder `files` of the unpacked package")
    return sorted(found, key=lambda path: -len(TTFont(path, lazy=True).getBestCmap()))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    written = Path(sys.argv[2]) if len(sys.argv) == 3 else TARGET
    wanted = listed_characters(CHARACTERS.read_text(encoding="utf-8"))
    size_bytes = make_subset(_by_width(Path(sys.argv[1])), written, wanted)
    print(f"{written}: {size_bytes} bytes, {len(wanted)} characters")
