"""Build-time script: the README's short loop from a film of the show.

Usage: python controller/film/make_loop.py FILM.mp4 [TARGET.webp] [START_S END_S]
The film comes from `python3 -m controller run --headless --source demo --record FILM.mp4 --seconds 12`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import av
from PIL import Image

TARGET = Path(__file__).parents[2] / "display" / "pictures" / "loop.webp"
WIDTH_PX = 560
RATE_HZ = 12
QUALITY = 45


def pictures(film: Path, start_s: float, end_s: float) -> list[Image.Image]:
    """The film's pictures between two times, 12 a second, 560 px wide."""
    found: list[Image.Image] = []
    with av.open(str(film)) as opened:
        for frame in opened.decode(video=0):
            at_s = float(frame.time or 0.0)
            if start_s + len(found) / RATE_HZ <= at_s < end_s:
                height_px = round(WIDTH_PX * frame.height / frame.width)
                found.append(frame.to_image().resize((WIDTH_PX, height_px), Image.Resampling.LANCZOS))
    return found


def make_loop(film: Path, target: Path, start_s: float, end_s: float) -> int:
    """Write an animated WebP that repeats for ever; returns its size in bytes."""
    first, *others = pictures(film, start_s, end_s)
    first.save(
        target,
        save_all=True,
        append_images=others,
        duration=round(1000 / RATE_HZ),
        loop=0,
        quality=QUALITY,
        method=6,
    )
    return target.stat().st_size


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 5):
        raise SystemExit(__doc__)
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else TARGET
    start_s, end_s = (float(sys.argv[3]), float(sys.argv[4])) if len(sys.argv) == 5 else (0.0, 12.0)
    print(f"{target}: {make_loop(Path(sys.argv[1]), target, start_s, end_s)} bytes")
