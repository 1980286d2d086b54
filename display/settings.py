"""Settings of the picture: where it is shown, how finely it is drawn, how it lies on a projector."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from display.corners import Corners, to_picture

# As shares of the picture's width and height; farther in than this nothing useful is left.
MOST_SHARE = 0.4


def _offset(side: Literal["width", "height"], corner: str, ja: str) -> Any:
    way, to = ("x", "right") if side == "width" else ("y", "down")
    return Field(
        default=0.0,
        ge=-MOST_SHARE,
        le=MOST_SHARE,
        title=f"Corner {corner}, {way}",
        description=f"How far the {corner} corner moves {to}, as a share of the {side}.",
        json_schema_extra={"live": True, "step": 0.001, "ja": f"{ja} {way}"},
    )


class CornerSettings(BaseModel):
    """Where the four corners of the picture go, for a projector that stands at an angle."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    top_left_x: float = _offset("width", "top left", "左上")
    top_left_y: float = _offset("height", "top left", "左上")
    top_right_x: float = _offset("width", "top right", "右上")
    top_right_y: float = _offset("height", "top right", "右上")
    bottom_right_x: float = _offset("width", "bottom right", "右下")
    bottom_right_y: float = _offset("height", "bottom right", "右下")
    bottom_left_x: float = _offset("width", "bottom left", "左下")
    bottom_left_y: float = _offset("height", "bottom left", "左下")

    @model_validator(mode="after")
    def _not_folded(self) -> CornerSettings:
        to_picture(self.shares, (1, 1))
        return self

    @property
    def shares(self) -> Corners:
        """The eight offsets in the order of `display.corners`."""
        return (
            self.top_left_x,
            self.top_left_y,
            self.top_right_x,
            self.top_right_y,
            self.bottom_right_x,
            self.bottom_right_y,
            self.bottom_left_x,
            self.bottom_left_y,
        )


class DisplaySettings(BaseModel):
    """Section `display` of the configuration; what is marked live can change while the canvas is open."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    screen: str = Field(
        default="",
        max_length=200,
        description="Name or number of `devices`, left, right, top, bottom or 1280,0; empty = primary.",
    )
    quality: Literal["normal", "high"] = Field(
        default="normal",
        description="Glyph sampling per pixel: normal = 2x2, high = 4x4 (about four times the filling work).",
    )
    font_path: str = Field(
        default="",
        max_length=4096,
        description="Font file that has the insect character; empty = the shipped Shippori Mincho glyph.",
    )
    scale: float = Field(
        default=1.0,
        ge=0.1,
        le=8.0,
        description="Picture px in one framebuffer px; 0.5 draws everything twice as large.",
        json_schema_extra={"unit": "px/px"},
    )
    headless_width: int = Field(
        default=1920,
        ge=16,
        le=8192,
        description="Width of the picture when there is no screen.",
        json_schema_extra={"unit": "px"},
    )
    headless_height: int = Field(
        default=1080,
        ge=16,
        le=8192,
        description="Height of the picture when there is no screen.",
        json_schema_extra={"unit": "px"},
    )
    brightness: float = Field(
        default=1.0,
        ge=0.05,
        le=1.0,
        title="Brightness",
        description="Brightness of the whole picture, for a projector that is too bright for the room.",
        json_schema_extra={"live": True, "step": 0.05, "ja": "明るさ"},
    )
    language: Literal["en", "ja"] = Field(
        default="en",
        title="Language",
        description="Language of the panel and its help.",
        json_schema_extra={"live": True, "ja": "言語"},
    )
    corners: CornerSettings = Field(
        default_factory=CornerSettings, description="Where the corners of the picture go."
    )
