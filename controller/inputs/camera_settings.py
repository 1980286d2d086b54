"""Settings of the camera: how it is opened, and when it counts as lost."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from controller.tracking.settings import TrackingSettings


class CameraSettings(BaseModel):
    """The camera device and its supervision; detection has its own section."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    device: str = Field(
        default="auto",
        min_length=1,
        description="auto, a number, a /dev path, a name below /dev/v4l/by-id, or a video file.",
    )
    picture_width_px: int = Field(
        default=640,
        ge=160,
        le=4096,
        description="Picture width asked of the camera.",
        json_schema_extra={"unit": "px"},
    )
    picture_height_px: int = Field(
        default=480,
        ge=120,
        le=2160,
        description="Picture height asked of the camera.",
        json_schema_extra={"unit": "px"},
    )
    lost_s: float = Field(
        default=1.5,
        ge=0.3,
        le=30,
        description="Without a new picture for so long the camera is lost.",
        json_schema_extra={"unit": "s"},
    )
    opening_s: float = Field(
        default=15.0,
        ge=2,
        le=120,
        description="Time a camera may take from start to its first picture.",
        json_schema_extra={"unit": "s"},
    )
    retry_first_s: float = Field(
        default=0.5,
        ge=0.1,
        le=60,
        description="First pause before a lost camera is opened again.",
        json_schema_extra={"unit": "s"},
    )
    retry_most_s: float = Field(
        default=5.0,
        ge=0.5,
        le=600,
        description="Longest pause between two attempts.",
        json_schema_extra={"unit": "s"},
    )
    dark_level: int = Field(
        default=16,
        ge=0,
        le=100,
        description="A picture nowhere brighter than this may repeat itself: the room is dark.",
        json_schema_extra={"unit": "levels of 255"},
    )
    tracking: TrackingSettings = Field(
        default_factory=TrackingSettings, description="How the light is found in the pictures."
    )

    @model_validator(mode="after")
    def _ordered(self) -> CameraSettings:
        for low, high in (("retry_first_s", "retry_most_s"),):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} must not be larger than {high}")
        return self
