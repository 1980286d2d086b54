"""Settings of the sound: what is played, how loud, how slowly it comes and goes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SoundSettings(BaseModel):
    """Section `sound` of the configuration; what is marked live changes while the show runs."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    on: bool = Field(
        default=True,
        title="Sound",
        description="Whether the loop is heard while the light is on.",
        json_schema_extra={"live": True, "ja": "音"},
    )
    file: str = Field(
        default="",
        max_length=4096,
        title="Sound file",
        description="Sound to loop, WAV, FLAC, OGG Vorbis or MP3, at most 10 minutes; empty = our own loop.",
        json_schema_extra={"ja": "音声ファイル"},
    )
    volume: float = Field(
        default=0.5,
        ge=0.0,
        le=1.0,
        title="Volume",
        description="Loudness: 1 plays the loop as it is, 0 not at all.",
        json_schema_extra={"live": True, "step": 0.05, "ja": "音量"},
    )
    fade_in_s: float = Field(
        default=1.5,
        ge=0.05,
        le=60.0,
        title="Fade in",
        description="Time from silence to full volume when the light comes on.",
        json_schema_extra={"unit": "s", "live": True, "step": 0.1, "ja": "音の立ち上がり"},
    )
    fade_out_s: float = Field(
        default=2.0,
        ge=0.05,
        le=60.0,
        title="Fade out",
        description="Time from full volume to silence when the light goes off.",
        json_schema_extra={"unit": "s", "live": True, "step": 0.1, "ja": "音の消え方"},
    )
