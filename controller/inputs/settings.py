"""Settings of the simulated visitor."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DemoSettings(BaseModel):
    """How the simulated visitor holds the light and rests; each length is drawn from 0.5..1.5 of its mean."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    hold_s: float = Field(
        8.0, ge=0.5, le=600.0, description="Mean time the light is held.", json_schema_extra={"unit": "s"}
    )
    rest_s: float = Field(
        3.0, ge=0.2, le=600.0, description="Mean time between two lights.", json_schema_extra={"unit": "s"}
    )
