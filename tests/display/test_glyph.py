"""The insect is never a box: our own glyph, its licence, and fonts that cannot draw it."""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import logging
import os
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.recordingPen import RecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from display.canvas import Canvas
from display.glyph import MUSHI, SHIPPED_FONT, FontRefusedError, load_glyph, read_glyph, typographic_middle_em
from display.picture import NO_BEAM

NO_DUST = np.empty((0, 4), np.float32)
UNITS = 1000
INSECT_STROKES = "14b59550909c5d88"


def subset_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_subset", SHIPPED_FONT.with_name("make_subset.py"))
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def outline(*boxes: tuple[int, int, int, int]) -> object:
    pen = TTGlyphPen(None)
    for left, bottom, right, top in boxes:
        pen.moveTo((left, bottom))
        pen.lineTo((left, top))
        pen.lineTo((right, top))
        pen.lineTo((right, bottom))
        pen.closePath()
    return pen.glyph()


BOX = outline((100, 0, 900, 700))
CROSS = outline((450, -50, 550, 850), (50, 350, 950, 450))
BLANK = outline()


def make_font(path: Path, characters: dict[str, object], ascender: int = 880, descender: int = -120) -> Path:
    glyphs = {".notdef": BOX} | {f"u{ord(c):X}": drawn for c, drawn in characters.items()}
    builder = FontBuilder(UNITS, isTTF=True)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap({ord(c): f"u{ord(c):X}" for c in characters})
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (1000, 0)))
    builder.setupHorizontalHeader(ascent=1160, descent=-288)
    builder.setupNameTable({"familyName": "Test", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=ascender, sTypoDescender=descender)
    builder.setupPost()
    builder.save(path)
    return path


@pytest.mark.parametrize("characters", [{"A": CROSS}, {"A": CROSS, MUSHI: BOX}, {"A": CROSS, MUSHI: BLANK}])
def test_a_font_without_the_insect_is_refused_and_ours_drawn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, characters: dict[str, object]
) -> None:
    path = make_font(tmp_path / "latin.ttf", characters)
    with caplog.at_level(logging.WARNING):
        glyph = load_glyph(path)
    assert glyph.source == SHIPPED_FONT
    assert "latin.ttf" in caplog.text
    assert "shipped glyph is used" in caplog.text


@pytest.mark.parametrize("content", [None, b"", b"not a font", b"ttcf" + bytes(4)])
def test_no_font_file_is_no_reason_to_stop(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    path = tmp_path / "broken.ttf"
    if content is not None:
        path.write_bytes(content)
    assert load_glyph(path).source == SHIPPED_FONT
    assert "broken.ttf" in caplog.text


def test_a_font_with_the_insect_is_taken_with_its_own_middle(tmp_path: Path) -> None:
    folder = tmp_path / "虫 fonts"
    folder.mkdir()
    path = make_font(folder / "own.ttf", {MUSHI: CROSS}, ascender=900, descender=-300)
    glyph = load_glyph(path)
    assert glyph.source == path
    # The cross has its centre 0.4 em above the baseline; the middle of this font is 0.3 em.
    inked = np.nonzero(glyph.mips[0].any(axis=1))[0]
    centre_v = (inked.min() + inked.max() + 1) / 2 / len(glyph.mips[0])
    assert (glyph.anchor_uv[1] - centre_v) / glyph.em_uv == pytest.approx(0.4 - 0.3, abs=0.005)


def test_the_middle_is_the_typographic_one() -> None:
    assert typographic_middle_em(SHIPPED_FONT.read_bytes()) == pytest.approx(0.38)


def test_a_collection_is_read_too(tmp_path: Path) -> None:
    from fontTools.ttLib import TTCollection

    collection = TTCollection()
    collection.fonts = [TTFont(make_font(tmp_path / "own.ttf", {MUSHI: CROSS}, 700, -100))]
    collection.save(tmp_path / "own.ttc")
    assert typographic_middle_em((tmp_path / "own.ttc").read_bytes()) == pytest.approx(0.3)
    assert load_glyph(tmp_path / "own.ttc").source.suffix == ".ttc"


def test_the_drawn_insect_has_the_strokes_of_the_character(headless: Callable[..., Canvas]) -> None:
    canvas = headless(201, 201)
    canvas.draw(np.array([[100, 100, 0, 150, 1]], np.float32), NO_BEAM, NO_DUST)
    lit = canvas.read_pixels()[..., 0] > 120
    # Across the upper half: left wall, stem, right wall. A box of a missing glyph has two.
    assert np.count_nonzero(np.diff(lit[86].astype(int)) == 1) == 3
    # Down the middle: the stem, unbroken, from top to bottom stroke.
    column = lit[:, 100]
    assert np.count_nonzero(np.diff(column.astype(int)) == 1) == 1
    assert 110 <= column.sum() <= 140


@pytest.mark.parametrize("character", ["鳥", "馬", "A", "あ"])
def test_other_characters_are_drawn_and_fall_back_the_same_way(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, character: str
) -> None:
    only_insects = make_font(tmp_path / "insects.ttf", {MUSHI: CROSS})
    glyph = load_glyph(only_insects, character)
    assert glyph.source == SHIPPED_FONT
    assert character in caplog.text
    assert not np.array_equal(glyph.mips[2], load_glyph().mips[2])
    own = make_font(tmp_path / "own.ttf", {character: CROSS})
    assert load_glyph(own, character).source == own


def test_a_character_that_our_font_lacks_is_refused_not_drawn_as_a_box() -> None:
    with pytest.raises(FontRefusedError, match=r"龍 \(U\+9F8D\) is blank"):
        load_glyph(character="龍")


def test_an_outline_too_large_to_be_drawn_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    far = make_font(tmp_path / "far.ttf", {MUSHI: outline((0, 0, 30_000, 30_000))})
    assert load_glyph(far).source == SHIPPED_FONT
    assert "too large" in caplog.text


def test_pipes_and_folders_are_refused_without_waiting_for_them(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ttf")
    for path in (tmp_path / "pipe.ttf", tmp_path, Path("/dev/zero"), "nul\0.ttf"):
        assert load_glyph(path).source == SHIPPED_FONT


def test_a_font_whose_em_has_no_units_is_refused(tmp_path: Path) -> None:
    path = make_font(tmp_path / "unitless.ttf", {MUSHI: CROSS})
    data = bytearray(path.read_bytes())
    head = data.index(b"head")
    start = int.from_bytes(data[head + 8 : head + 12], "big")
    data[start + 18 : start + 20] = bytes(2)
    path.write_bytes(data)
    with pytest.raises(FontRefusedError, match="no units"):
        read_glyph(path)
    assert load_glyph(path).source == SHIPPED_FONT


def test_damaged_copies_of_our_font_are_drawn_or_refused(tmp_path: Path) -> None:
    whole, chance = SHIPPED_FONT.read_bytes(), random.Random(3)
    path, outcomes = tmp_path / "damaged.ttf", set()
    for _ in range(10):
        damaged = bytearray(whole)
        for _ in range(6):
            damaged[chance.randrange(6000)] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice((len(whole), chance.randrange(len(whole))))])
        outcomes.add(load_glyph(path).source)
    assert outcomes == {SHIPPED_FONT, path}


def test_mips_keep_the_amount_of_ink() -> None:
    glyph = read_glyph(SHIPPED_FONT)
    sides = [len(level) for level in glyph.mips]
    assert sides[-1] == 1
    assert all(low == high // 2 for high, low in itertools.pairwise(sides))
    means = [level.mean() for level in glyph.mips]
    assert means == pytest.approx([means[0]] * len(means), abs=0.6)


def drawing(path: Path, character: str) -> list[object]:
    """Pen strokes and advance of a character, as the font file has them."""
    font = TTFont(path)
    name, pen = font.getBestCmap()[ord(character)], RecordingPen()
    font.getGlyphSet()[name].draw(pen)
    return [pen.value, font["hmtx"][name]]


def test_the_insect_is_drawn_as_in_the_font_that_the_look_was_measured_with() -> None:
    strokes, metrics = drawing(SHIPPED_FONT, MUSHI)
    assert metrics == (1000, 90)
    assert hashlib.sha256(repr(strokes).encode()).hexdigest()[:16] == INSECT_STROKES


def test_the_subset_script_keeps_outlines_and_gathers_from_several_files(tmp_path: Path) -> None:
    script = subset_script()
    arrow = make_font(tmp_path / "arrow.ttf", {"→": CROSS, MUSHI: BOX})
    listed = script.listed_characters("# Scenes\n虫鳥\n→\n")
    assert listed == [*range(0x20, 0x7F), ord("→"), ord("虫"), ord("鳥")]
    wanted = [ord("虫"), ord("A"), ord("⇒")]
    double = make_font(tmp_path / "double.ttf", {"⇒": CROSS, MUSHI: BOX})
    script.make_subset([SHIPPED_FONT, arrow, double], tmp_path / "again.ttf", wanted)
    assert sorted(TTFont(tmp_path / "again.ttf").getBestCmap()) == sorted(wanted)
    for character in "虫A":
        assert drawing(tmp_path / "again.ttf", character) == drawing(SHIPPED_FONT, character)
    assert drawing(tmp_path / "again.ttf", "⇒") == drawing(double, "⇒")
    assert typographic_middle_em((tmp_path / "again.ttf").read_bytes()) == pytest.approx(0.38)
    with pytest.raises(SystemExit, match="U\\+866B"):
        script.make_subset([make_font(tmp_path / "latin.ttf", {"A": CROSS})], tmp_path / "none.ttf", wanted)


def test_the_shipped_font_is_what_the_list_asks_for_and_small() -> None:
    script = subset_script()
    listed = script.listed_characters(script.CHARACTERS.read_text(encoding="utf-8"))
    font = TTFont(SHIPPED_FONT)
    assert sorted(font.getBestCmap()) == listed
    assert {"fpgm", "prep", "GSUB", "GPOS"}.isdisjoint(font.keys())
    assert SHIPPED_FONT.stat().st_size < 150_000


def test_the_licence_stands_beside_the_font() -> None:
    licence = SHIPPED_FONT.with_name("OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert "Shippori Mincho Project Authors" in licence
