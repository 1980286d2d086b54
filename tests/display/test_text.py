"""Lines of text: legible, in the box, never cut without a sign, and in the font whatever a label says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from display.text import (
    DARK,
    LIGHT,
    Line,
    columns_px,
    drawable,
    em_px,
    in_font,
    line_height_px,
    paint_line,
    text_font,
)

JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
# What the folders' own messages may hold and the picture never shows: only texts with Japanese are labels.
PACKAGES = ("calibration", "controller", "display")
TEXTS = ("Light radius", "光の半径", "gypqj|({[", "虫鳥馬", "240 px")


def ink_box(pixels: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what is brighter than the ground."""
    ys, xs = np.nonzero(pixels > DARK + 40)
    return int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1


@pytest.mark.parametrize("height_px", [16, 20, 30, 60])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_lies_whole_in_its_box(text: str, height_px: int) -> None:
    width_px = columns_px([Line(text)], height_px)
    pixels = paint_line(Line(text), width_px, height_px)
    assert pixels.shape == (height_px, width_px)
    assert pixels.dtype == np.uint8
    left, top, right, bottom = ink_box(pixels)
    assert left >= 1
    assert top >= 1
    assert right <= width_px - 1
    assert bottom <= height_px
    # In the middle as well: letters are spread about it by less than a fifth of the line.
    assert abs(top + bottom - height_px) <= 0.4 * height_px
    # The same letters with room on every side have the same ink: nothing was cut.
    roomy = Image.new("L", (3 * width_px, 3 * height_px), DARK)
    place = (width_px, 2 * height_px)
    ImageDraw.Draw(roomy).text(place, text, fill=LIGHT, font=text_font(em_px(height_px)), anchor="ls")
    assert ink(pixels) == pytest.approx(ink(np.asarray(roomy)), rel=0.002)


def ink(pixels: np.ndarray) -> int:
    """Sum of the levels above the ground."""
    return int((pixels.astype(int) - DARK).sum())


def test_a_selected_line_is_the_other_way_round() -> None:
    plain, selected = (paint_line(Line("光 240", chosen), 160, 24) for chosen in (False, True))
    assert plain[0, 0] == DARK
    assert selected[0, 0] == LIGHT
    assert (plain.astype(int) + selected == DARK + LIGHT).mean() > 0.99
    # Contrast by WCAG 2: at least 7 to 1.
    light, dark = (((level / 255 + 0.055) / 1.055) ** 2.4 for level in (LIGHT, DARK))
    assert (light + 0.05) / (dark + 0.05) > 7


def test_what_follows_a_tab_stands_at_the_right_edge_and_is_kept() -> None:
    width_px, height_px = 300, 24
    value_alone = paint_line(Line("\t240 px"), width_px, height_px)
    both = paint_line(Line("Light radius\t240 px"), width_px, height_px)
    assert ink_box(value_alone)[2] > width_px - height_px
    assert np.array_equal(both[:, 200:], value_alone[:, 200:])
    crowded = paint_line(Line("Light radius " * 9 + "\t240 px"), width_px, height_px)
    start_px = ink_box(value_alone)[0]
    assert np.array_equal(crowded[:, start_px:], value_alone[:, start_px:])
    assert not (crowded[:, start_px - 8 : start_px] > DARK + 40).any()


def test_a_text_too_long_ends_in_dots_inside_the_box() -> None:
    width_px = columns_px([Line("Light radius")], 24)
    cut = paint_line(Line("Light radius of the lamp"), width_px, 24)
    assert ink_box(cut)[2] <= width_px - 4
    assert not np.array_equal(cut, paint_line(Line("Light radius"), width_px, 24))
    for tiny_px in (1, 3, 9):
        assert paint_line(Line("Light radius\t240", True), tiny_px, 16).shape == (16, tiny_px)


@pytest.mark.parametrize("character", ["龍", "𠮷", "é", "☃", "\x07", "\ufdd0"])
def test_a_character_that_the_font_lacks_is_a_question_mark(character: str) -> None:
    assert drawable(f"a{character}b") == "a?b"
    assert np.array_equal(paint_line(Line(character), 40, 24), paint_line(Line("?"), 40, 24))


def test_line_ends_and_blanks_are_blanks() -> None:
    assert drawable("a\nb c\u3000d") == "a b c\u3000d"


def test_lines_grow_with_the_picture_and_stay_legible() -> None:
    assert line_height_px(1080) == 30
    assert line_height_px(2160) == 60
    assert line_height_px(240) == line_height_px(16) == 16
    assert columns_px([], 30) == 0
    assert columns_px([Line("a"), Line("aaaa\tbb")], 30) == columns_px([Line("aaaa\tbb")], 30)


def labels(checkout: Path) -> dict[str, set[str]]:
    """Every string with Japanese in it that is no docstring, by the file that has it."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in sorted((checkout / package).rglob("*.py")):
            found[str(path.relative_to(checkout))] = japanese_strings(path.read_text(encoding="utf-8"))
    return {name: texts for name, texts in found.items() if texts}


def japanese_strings(source: str) -> set[str]:
    """String constants with kana or kanji, without those that are statements (docstrings)."""
    nodes = list(ast.walk(ast.parse(source)))
    remarks = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in remarks
        and JAPANESE.search(node.value)
    }


def test_every_japanese_label_can_be_written_with_the_shipped_font() -> None:
    found = labels(Path(__file__).resolve().parents[2])
    assert {"display/pattern_stills.py", "controller/scenes/baited/settings.py"} <= found.keys()
    lacking = {
        name: "".join(sorted({character for text in texts for character in text if not in_font(character)}))
        for name, texts in found.items()
    }
    assert {name: missing for name, missing in lacking.items() if missing} == {}, (
        "add these to display/font/characters.txt and run make_subset.py, or choose other words"
    )


def test_a_label_is_found_wherever_it_stands() -> None:
    source = '"""虫"""\nA = {"ja": "光の半径"}\n\n\ndef label():\n    "鳥"\n    return f"馬 {A}" + "plain"\n'
    assert japanese_strings(source) == {"光の半径", "馬 "}
