"""A camera's calibration as it is kept on disk: which camera, which screen, and the map between them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from calibration.geometry import apply_homography, is_usable, scaling
from logs.durable import replace_text

ASPECT_TOLERANCE = 0.01
GONE = "is gone"


class CameraProfile(BaseModel):
    """Camera px -> screen px by a 3x3 homography (row by row); sizes are (width, height) in px."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    camera: str = Field(description="Stable identity of the camera.")
    picture_size: tuple[int, int] = Field(description="Size of the camera pictures in px.")
    screen_size: tuple[int, int] = Field(description="Size of the screen in px.")
    homography: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
    made_at: datetime = Field(default_factory=lambda: datetime.now(UTC), description="When, UTC.")
    verdict: Literal["accepted", "refused"] = "refused"

    @field_validator("picture_size", "screen_size")
    @classmethod
    def _has_area(cls, size: tuple[int, int]) -> tuple[int, int]:
        if min(size) < 1:
            raise ValueError(f"a size must be at least 1 x 1 px, not {size[0]} x {size[1]}")
        return size

    @field_validator("homography")
    @classmethod
    def _is_a_map(cls, rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
        if not is_usable(np.array(rows)):
            raise ValueError("the homography is not finite or folds the picture onto a line")
        return rows

    @property
    def matrix(self) -> np.ndarray:
        """The homography as float64 (3, 3)."""
        return np.array(self.homography, np.float64)

    def to_screen(self, x_px: float, y_px: float) -> tuple[float, float]:
        """One camera point in screen px; (nan, nan) on the horizon of the map."""
        x, y = apply_homography(self.matrix, np.array([[x_px, y_px]]))[0]
        return float(x), float(y)

    def rescaled(self, size: tuple[int, int]) -> CameraProfile:
        """The same calibration for pictures of another size but the same shape.

        ValueError when the shapes differ: the camera then shows another part of the scene.
        """
        if tuple(size) == self.picture_size:
            return self
        made, given = self.picture_size[0] / self.picture_size[1], size[0] / size[1]
        if abs(made / given - 1.0) > ASPECT_TOLERANCE:
            raise ValueError(
                f"calibration was made with {self.picture_size[0]}x{self.picture_size[1]} pictures, the"
                f" camera now gives {size[0]}x{size[1]} of another shape: set the size back or recalibrate"
            )
        matrix = self.matrix @ scaling(size, self.picture_size)
        rows = tuple(tuple(float(value) for value in row) for row in matrix)
        return self.model_copy(update={"picture_size": (size[0], size[1]), "homography": rows})

    def save(self, path: Path) -> None:
        """Write aside, then replace at once; a second copy follows when the first is safe.

        OSError when the folder cannot be written; the files are then as they were.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        for target in (path, last_good(path)):
            replace_text(target, self.model_dump_json(indent=2))


def load(path: Path) -> tuple[CameraProfile | None, str]:
    """The profile and a warning ("" when all is well); a broken or lost file gives the last good copy.

    (None, "") when there never was a calibration, (None, warning) when nothing usable is left or
    may be read.
    """
    profile = _read(path)
    if profile is not None:
        return profile, ""
    fallback = _read(last_good(path))
    state = _trouble(path)
    if fallback is not None:
        made = fallback.made_at.strftime("%Y-%m-%d %H:%M UTC")
        return fallback, (
            f"CALIBRATION: {path} {state}; using the last good copy {last_good(path).name} made {made}."
            " Run `calibrate camera` soon."
        )
    if state == GONE and _trouble(last_good(path)) == GONE:
        return None, ""
    return None, f"CALIBRATION: {path} {state} and no good copy is left. Run `calibrate camera`."


def last_good(path: Path) -> Path:
    """Where the second copy is kept."""
    return path.with_name(path.name + ".last-good")


def _read(path: Path) -> CameraProfile | None:
    try:
        return CameraProfile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _trouble(path: Path) -> str:
    """Why a file gave no profile, in words."""
    try:
        path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return GONE
    except PermissionError:
        return "may not be read by this user"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return "is broken"
