"""Settings of the scene `baited`: the constants that the original keeps in its configuration."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator


class BaitedSettings(BaseModel):
    """Seed 001's constants; times in ticks of 1/60 s."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    bugs: int = Field(
        250,
        ge=0,
        le=100_000,
        title="Bugs",
        description="How many bugs there are.",
        json_schema_extra={"live": True, "step": 10, "ja": "虫の数"},
    )
    light_radius_px: float = Field(
        220.0,
        ge=20.0,
        le=2000.0,
        title="Light radius",
        description="Radius of the light's circle.",
        json_schema_extra={"unit": "px", "live": True, "step": 5.0, "ja": "光の大きさ"},
    )
    boredom_threshold: float = Field(
        0.15,
        ge=0.0,
        le=1.0,
        title="Bored at interest",
        description="Interest at or below which a bug turns away from the light.",
        json_schema_extra={"live": True, "step": 0.01, "ja": "飽きる値"},
    )
    recovery_rate: float = Field(
        0.006,
        ge=0.0,
        le=1.0,
        title="Recovery in the dark",
        description="Interest that comes back in the dark.",
        json_schema_extra={"unit": "1/tick", "live": True, "step": 0.0005, "ja": "暗い時の興味の戻り"},
    )
    onset_gain: float = Field(
        0.2,
        ge=0.0,
        le=1.0,
        title="Gain when the light comes on",
        description="Interest gained when the light comes on.",
        json_schema_extra={"live": True, "step": 0.01, "ja": "点灯時の興味の戻り"},
    )
    decay_min: float = Field(
        0.0004,
        ge=0.0,
        le=1.0,
        title="Slowest habituation",
        description="Slowest habituation.",
        json_schema_extra={"unit": "1/tick", "live": True, "step": 0.0001, "ja": "飽きる速さ 最小"},
    )
    decay_max: float = Field(
        0.0012,
        ge=0.0,
        le=1.0,
        title="Fastest habituation",
        description="Fastest habituation.",
        json_schema_extra={"unit": "1/tick", "live": True, "step": 0.0001, "ja": "飽きる速さ 最大"},
    )
    reaction_delay_max_ticks: int = Field(
        300,
        ge=0,
        le=36_000,
        title="Longest reaction delay",
        description="Longest delay before a bug notices.",
        json_schema_extra={"unit": "ticks", "live": True, "step": 10, "ja": "反応の遅れ 最大"},
    )
    size_min_px: float = Field(
        14.0,
        ge=2.0,
        le=400.0,
        title="Smallest bug",
        description="Smallest bug.",
        json_schema_extra={"unit": "px", "live": True, "step": 1.0, "ja": "虫の大きさ 最小"},
    )
    size_max_px: float = Field(
        24.0,
        ge=2.0,
        le=400.0,
        title="Largest bug",
        description="Largest bug.",
        json_schema_extra={"unit": "px", "live": True, "step": 1.0, "ja": "虫の大きさ 最大"},
    )

    @model_validator(mode="after")
    def _ordered(self) -> BaitedSettings:
        for low, high in (("decay_min", "decay_max"), ("size_min_px", "size_max_px")):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} must not be larger than {high}")
        return self
