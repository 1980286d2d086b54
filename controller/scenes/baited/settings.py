"""Settings of the scene `baited`: the constants that the original keeps in its configuration."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator


class BaitedSettings(BaseModel):
    """Seed 001's constants; times in ticks of 1/60 s."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    bugs: int = Field(250, ge=0, le=100_000, description="How many bugs there are.")
    light_radius_px: float = Field(
        220.0,
        ge=20.0,
        le=2000.0,
        description="Radius of the light's circle.",
        json_schema_extra={"unit": "px"},
    )
    boredom_threshold: float = Field(
        0.15, ge=0.0, le=1.0, description="Interest at or below which a bug turns away from the light."
    )
    recovery_rate: float = Field(
        0.006,
        ge=0.0,
        le=1.0,
        description="Interest that comes back in the dark.",
        json_schema_extra={"unit": "1/tick"},
    )
    onset_gain: float = Field(0.2, ge=0.0, le=1.0, description="Interest gained when the light comes on.")
    decay_min: float = Field(
        0.0004, ge=0.0, le=1.0, description="Slowest habituation.", json_schema_extra={"unit": "1/tick"}
    )
    decay_max: float = Field(
        0.0012, ge=0.0, le=1.0, description="Fastest habituation.", json_schema_extra={"unit": "1/tick"}
    )
    reaction_delay_max_ticks: int = Field(
        300,
        ge=0,
        le=36_000,
        description="Longest delay before a bug notices.",
        json_schema_extra={"unit": "ticks"},
    )
    size_min_px: float = Field(
        14.0, ge=2.0, le=400.0, description="Smallest bug.", json_schema_extra={"unit": "px"}
    )
    size_max_px: float = Field(
        24.0, ge=2.0, le=400.0, description="Largest bug.", json_schema_extra={"unit": "px"}
    )

    @model_validator(mode="after")
    def _ordered(self) -> BaitedSettings:
        for low, high in (("decay_min", "decay_max"), ("size_min_px", "size_max_px")):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} must not be larger than {high}")
        return self
