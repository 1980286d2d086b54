"""Settings of the picture: where it is shown and how finely it is drawn."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class DisplaySettings(BaseModel):
    """Section `display` of the configuration; read once, when the canvas is opened."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    screen: str = Field(
        default="",
        max_length=200,
        description="Screen to show on: name or number as `devices` lists them; empty = the primary one.",
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
