"""Pictures to PNG files: encoded in memory, then put in place in one step."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

from PIL import Image

from display.picture import Pixels


def write_png(path: str | Path, pixels: Pixels) -> Path:
    """Write uint8 (height, width, 3) pixels to `path`, making its folder; nobody ever sees half a file.

    Raises OSError when the folder cannot be written.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "is no regular file", str(target))
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(buffer.getvalue())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target
