"""What a picture is made of: glyph rows, one beam, dust. The conventions all other parts rely on.

All lengths are picture px: framebuffer px times the setting `scale` (1 by default, so they are
framebuffer px). Origin top left, y down, sub-pixel positions count.

rows  float32, C-contiguous, (n, 5): x px, y px, angle rad (clockwise on screen), size px (the em),
      alpha 0..1. Drawn in the order of the rows, the last one on top.
beam  (x px, y px, radius px, strength 0..1). Strength 0 draws no light; it multiplies every alpha.
dust  float32, C-contiguous, (m, 4): x px, y px, diameter px, alpha 0..1.

Order: black, beam, dust, glyphs. Plain source-over on 8-bit sRGB values, no linear light.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

ROW_FIELDS = ("x", "y", "angle", "size", "alpha")
DUST_FIELDS = ("x", "y", "diameter", "alpha")

Rows: TypeAlias = npt.NDArray[np.float32]
Dust: TypeAlias = npt.NDArray[np.float32]
Beam: TypeAlias = tuple[float, float, float, float]
Pixels: TypeAlias = npt.NDArray[np.uint8]

NO_BEAM: Beam = (0.0, 0.0, 1.0, 0.0)

GLYPH_RGB = (245, 245, 245)
DUST_RGB = (255, 255, 245)


def check_instances(array: npt.NDArray[np.float32], columns: int, what: str) -> None:
    """Raise ValueError unless `array` is float32, C-contiguous and (n, `columns`)."""
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{what}: shape {array.shape}, wanted (n, {columns})")
    if array.dtype != np.float32 or not array.flags.c_contiguous:
        raise ValueError(f"{what}: {array.dtype}, wanted C-contiguous float32; use np.ascontiguousarray")
