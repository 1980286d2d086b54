"""Settings of the camera tracker: what counts as a light, and when it counts as on."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class TrackingSettings(BaseModel):
    """Thresholds of detection and switch; sizes are for a picture 640 px wide."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    light: Literal["white", "coloured"] = Field(
        default="white",
        description="white: its core fills all three colours (torches, lasers); coloured: it never does.",
    )
    width_px: int = Field(
        default=640,
        ge=160,
        le=1920,
        description="Wider pictures are reduced to this width.",
        json_schema_extra={"unit": "px"},
    )
    min_rise: float = Field(
        default=18.0,
        ge=4,
        le=200,
        description="Least rise over the background of a pixel that belongs to a light.",
        json_schema_extra={"unit": "levels of 255"},
    )
    on_rise: float = Field(
        default=30.0,
        ge=5,
        le=250,
        description="Peak rise over the background from which a light counts as on.",
        json_schema_extra={"unit": "levels of 255"},
    )
    off_ratio: float = Field(
        default=0.6,
        ge=0.1,
        le=1.0,
        description="A lit light goes off below this share of `on_rise`.",
    )
    min_peak: float = Field(
        default=120.0,
        ge=0,
        le=254,
        description="Least peak brightness of a light: the screen itself must stay below it.",
        json_schema_extra={"unit": "levels of 255"},
    )
    noise_sigmas: float = Field(
        default=5.0,
        ge=2,
        le=20,
        description="A pixel must rise over its own noise by this many standard deviations.",
    )
    background_s: float = Field(
        default=3.0,
        ge=0.2,
        le=120,
        description="Time constant with which the background follows the scene.",
        json_schema_extra={"unit": "s"},
    )
    min_area_px: int = Field(
        default=3, ge=1, le=500, description="Smallest light.", json_schema_extra={"unit": "px of area"}
    )
    max_area_px: int = Field(
        default=5000,
        ge=20,
        le=50000,
        description="Largest light; what is larger is a window or a lamp.",
        json_schema_extra={"unit": "px of area"},
    )
    max_aspect: float = Field(
        default=4.0,
        ge=1,
        le=50,
        description="Longest a new light may be against its width (a held one twice that).",
    )
    min_density: float = Field(
        default=0.4,
        ge=0,
        le=1,
        description="Least share of its upright box that a light fills.",
    )
    motion_share: float = Field(
        default=0.002,
        ge=0.0001,
        le=0.5,
        description="Share of the picture that may change before new lights are refused.",
    )
    scene_share: float = Field(
        default=0.25,
        ge=0.01,
        le=1,
        description="Share of the picture whose change means a new scene: learn it afresh.",
    )
    warm_up_frames: int = Field(
        default=6,
        ge=2,
        le=600,
        description="Steady frames wanted before anything is tracked.",
        json_schema_extra={"unit": "frames"},
    )
    hold_radius_px: float = Field(
        default=60.0,
        ge=2,
        le=2000,
        description="A held light is looked for within this distance between two frames.",
        json_schema_extra={"unit": "px"},
    )
    on_frames: int = Field(
        default=2,
        ge=1,
        le=30,
        description="Frames with light before the switch goes on.",
        json_schema_extra={"unit": "frames"},
    )
    off_frames: int = Field(
        default=3,
        ge=1,
        le=60,
        description="Frames without light before the switch goes off.",
        json_schema_extra={"unit": "frames"},
    )
    slow_frame_s: float = Field(
        default=0.04,
        ge=0.01,
        le=2,
        description="Frames farther apart than this switch on at one clear frame.",
        json_schema_extra={"unit": "s"},
    )
    off_limit_s: float = Field(
        default=0.25,
        ge=0.02,
        le=5,
        description="With slow frames, off comes after this time without light at the latest.",
        json_schema_extra={"unit": "s"},
    )

    @model_validator(mode="after")
    def _ordered(self) -> TrackingSettings:
        for low, high in (("min_area_px", "max_area_px"), ("min_rise", "on_rise")):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} must not be larger than {high}")
        return self
