"""The picture against what the original drew, as the index of cases/reference-look scores it.

Greyscale is Pillow's mode L (ITU-R 601 luma); `full` is the mean structural similarity of the whole
picture, `ink` its mean where reference or picture is brighter than 24.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from skimage.metrics import structural_similarity

from display import gpu
from display.canvas import Canvas
from display.picture import Pixels, Rows
from display.renderer import Renderer

NO_ROWS = np.empty((0, 5), np.float32)
NO_DUST = np.empty((0, 4), np.float32)


# rows, beam, dust, pixels: see conftest.py
Reference = Any
FULL, INK = 0.990, 0.975
CASES = Path(os.environ.get("BAITED_CASES", Path(__file__).resolve().parents[3] / "shared" / "cases"))
PAIRS = sorted(
    path for path in (CASES / "reference-look").glob("*.json") if path.with_suffix(".png").exists()
)


def grey(pixels: Pixels) -> Pixels:
    return np.asarray(Image.fromarray(pixels).convert("L"))


def score(reference: Pixels, pixels: Pixels) -> tuple[float, float]:
    ours, theirs = grey(pixels), grey(reference)
    full, similarity = structural_similarity(theirs, ours, data_range=255, full=True)
    return float(full), float(similarity[np.maximum(ours, theirs) > 24].mean())


def drawn(canvas: Canvas, state: Reference) -> Pixels:
    canvas.draw(state.rows, state.beam, state.dust)
    return canvas.read_pixels()


def canvas_like(headless: Callable[..., Canvas], state: Reference, **settings: str) -> Canvas:
    height, width = state.pixels.shape[:2]
    return headless(width, height, **settings)


def test_look_has_reference_pictures() -> None:
    assert PAIRS, f"no pairs of json and png in {CASES / 'reference-look'}; set BAITED_CASES"


@pytest.mark.parametrize("quality", ["normal", "high"])
@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.stem)
def test_look_of_each_pair(
    headless: Callable[..., Canvas], read_pair: Callable[[Path], Reference], path: Path, quality: str
) -> None:
    state = read_pair(path)
    full, ink = score(state.pixels, drawn(canvas_like(headless, state, quality=quality), state))
    assert full >= FULL
    assert ink >= INK


def test_look_of_the_beam_in_levels(
    headless: Callable[..., Canvas], reference: Callable[[str], Reference]
) -> None:
    state = reference("beam-only")
    error = np.abs(drawn(canvas_like(headless, state), state).astype(int) - state.pixels)
    assert error.mean() <= 0.35
    assert error.max() <= 6


def test_look_of_the_dust(headless: Callable[..., Canvas], reference: Callable[[str], Reference]) -> None:
    state = reference("beam-only")
    ours = _dust_contrasts(drawn(canvas_like(headless, state), state), state)
    theirs = _dust_contrasts(state.pixels, state)
    assert np.corrcoef(ours, theirs)[0, 1] >= 0.9
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.4)


def _dust_contrasts(pixels: Pixels, state: Reference) -> np.ndarray:
    """Levels by which each disc's brightest pixel stands over the median of the ring around it."""
    ys, xs = np.mgrid[-5:6, -5:6] + 0.5
    contrasts = []
    for x, y, diameter, _ in state.dust:
        box = pixels[int(y) - 5 : int(y) + 6, int(x) - 5 : int(x) + 6, 0].astype(float)
        distance = np.hypot(xs - x % 1, ys - y % 1)
        core, ring = distance < diameter / 2 + 0.7, distance > 3.2
        contrasts.append(box[core].max() - np.median(box[ring]))
    return np.array(contrasts)


def _half_px(rows: Rows) -> Rows:
    return rows + np.array([0.5, 0, 0, 0, 0], np.float32)


def _whole_px(rows: Rows) -> Rows:
    return np.concatenate([np.rint(rows[:, :2]), rows[:, 2:]], axis=1)


def _turned_the_other_way(rows: Rows) -> Rows:
    return rows * np.array([1, 1, -1, 1, 1], np.float32)


@pytest.mark.parametrize("spoil", [_half_px, _whole_px, _turned_the_other_way])
def test_look_score_sees_wrong_rows(
    headless: Callable[..., Canvas], reference: Callable[[str], Reference], spoil: Callable[[Rows], Rows]
) -> None:
    state = reference("on-300")
    wrong = state._replace(rows=np.ascontiguousarray(spoil(state.rows)))
    _, ink = score(state.pixels, drawn(canvas_like(headless, state), wrong))
    assert ink < INK - 0.05


def test_look_score_sees_the_middle_of_hhea(
    headless: Callable[..., Canvas], reference: Callable[[str], Reference]
) -> None:
    state = reference("off-300")
    canvas = canvas_like(headless, state)
    canvas.draw(NO_ROWS, state.beam, NO_DUST)
    u, v = canvas.glyph.anchor_uv
    # hhea's middle lies 0.436 em above the baseline, 0.056 em over the typographic one.
    wrong = Renderer(replace(canvas.glyph, anchor_uv=(u, v - 0.056 * canvas.glyph.em_uv)))
    _, ink = score(state.pixels, drawn_by(wrong, state))
    assert ink < 0.7


def test_look_score_sees_a_missing_beam(
    headless: Callable[..., Canvas], reference: Callable[[str], Reference]
) -> None:
    state = reference("on-300")
    dark = state._replace(beam=(*state.beam[:3], 0.0))
    full, ink = score(state.pixels, drawn(canvas_like(headless, state), dark))
    assert full < 0.9
    assert ink < 0.9


def test_look_score_sees_premultiplied_gradients(
    headless: Callable[..., Canvas],
    reference: Callable[[str], Reference],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    state = reference("on-300")
    canvas = canvas_like(headless, state)
    canvas.draw(NO_ROWS, state.beam, NO_DUST)
    for shader in gpu.SHADERS.iterdir():
        (tmp_path / shader.name).write_text(_premultiplied(shader.read_text()))
    monkeypatch.setattr(gpu, "SHADERS", tmp_path)
    wrong = Renderer(canvas.glyph)
    full, _ = score(state.pixels, drawn_by(wrong, state))
    assert full < FULL - 0.02


def drawn_by(renderer: Renderer, state: Reference) -> Pixels:
    """The state as another renderer paints it, in the context that is current."""
    size_px = (state.pixels.shape[1], state.pixels.shape[0])
    renderer.load(state.rows, state.beam, state.dust)
    with gpu.Target(size_px):
        renderer.paint(size_px)
        return gpu.read_pixels(size_px)


def _premultiplied(source: str) -> str:
    """Stops multiplied before they are mixed, as the beam's shader must not do."""
    source = source.replace(
        "return vec4(vec3(r, g, b) / 255.0, a);", "return vec4(vec3(r, g, b) / 255.0 * a, a);"
    )
    return source.replace("vec4(top.rgb * a, a)", "vec4(top.rgb * beam.w, a)")
