"""Settings of the log: the gallery's zone, the holds, the limits of a visit."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator


def _zone_or_none(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zone_named(name: str) -> tzinfo:
    """The time zone with this IANA name, or this machine's zone for an empty name.

    Raises ValueError for a name that no time zone has.
    """
    if not name:
        return machine_zone()
    zone = _zone_or_none(name)
    if zone is None:
        raise ValueError(
            f"zone: no time zone is named {name!r}; give an IANA name such as 'Asia/Tokyo', "
            "or leave it empty for this machine's zone"
        )
    return zone


def machine_zone() -> tzinfo:
    """This machine's zone: from TZ, /etc/localtime or /etc/timezone, else its present offset."""
    names = [os.environ.get("TZ", "").lstrip(":")]
    with suppress(OSError):
        names.append(os.readlink("/etc/localtime").rpartition("zoneinfo/")[2])
    with suppress(OSError, UnicodeDecodeError):
        names.append(Path("/etc/timezone").read_text(encoding="utf-8").strip())
    for name in filter(None, names):
        zone = _zone_or_none(name)
        if zone is not None:
            return zone
    return datetime.now().astimezone().tzinfo or UTC


class LogSettings(BaseModel):
    """The `log` section."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    zone: str = Field(
        default="", description="The gallery's time zone, an IANA name; empty means this machine's zone."
    )
    hold_camera_s: float = Field(
        default=0.4,
        ge=0,
        le=10,
        description="Gaps of a camera light shorter than this stay within one session.",
        json_schema_extra={"unit": "s"},
    )
    hold_torch_s: float = Field(
        default=0.25,
        ge=0,
        le=10,
        description="Gaps of a torch light shorter than this stay within one session.",
        json_schema_extra={"unit": "s"},
    )
    stuck_s: float = Field(
        default=900.0,
        ge=1,
        le=86400,
        description="A light that has not moved for this long is stuck: its session ends.",
        json_schema_extra={"unit": "s"},
    )
    stuck_move_px: float = Field(
        default=40.0,
        ge=0,
        le=10000,
        description="How far from its place the light must go to count as moved.",
        json_schema_extra={"unit": "px"},
    )
    closes_at: str = Field(
        default="",
        pattern=r"^(([01]\d|2[0-3]):[0-5]\d)?$",
        description="Local time of closing, HH:MM: a light still on then ends its session. Empty: none.",
    )
    short_s: float = Field(
        default=5.0,
        ge=0,
        le=600,
        description="Shorter contacts are kept, but reports leave them out of their figures.",
        json_schema_extra={"unit": "s"},
    )
    heartbeat_s: float = Field(
        default=1.0,
        ge=0.1,
        le=60,
        description="How often an open session is marked as still seen.",
        json_schema_extra={"unit": "s"},
    )
    show_until: str = Field(
        default="",
        description="The last local date of the show, YYYY-MM-DD; `logs purge` counts from it.",
    )
    keep_months: int = Field(
        default=12,
        ge=0,
        le=1200,
        description="So long after `show_until` the visits are kept; then `logs purge` may delete them.",
        json_schema_extra={"unit": "months"},
    )

    recordings_days: int = Field(
        default=14,
        ge=0,
        le=3650,
        description="How long a visit's recording, for `replay`, is kept; 0: none are made, and none stay.",
        json_schema_extra={"unit": "d"},
    )

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, name: str) -> str:
        if name:
            zone_named(name)
        return name

    @field_validator("show_until")
    @classmethod
    def _show_until_is_a_date(cls, day: str) -> str:
        if day and not (date.fromisoformat(day).isoformat() == day and "1970" < day < "3000"):
            raise ValueError(f"{day!r} is no date of a show; give it as 2026-04-05")
        return day

    def hold_s(self, source: str) -> float:
        """Seconds of darkness that the log bridges for this source; none for mouse, demo, replay."""
        return {"camera": self.hold_camera_s, "torch": self.hold_torch_s}.get(source, 0.0)
