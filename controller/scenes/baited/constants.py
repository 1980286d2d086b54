"""What seed 001's constants have in common: how one is declared, and the order of a pair."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Kind(NamedTuple):
    """What constants of one kind have in common: the range, the panel's step and the unit."""

    low: float
    high: float
    step: float
    unit: str = ""


def constant(default: float, kind: Kind, title: str, ja: str, description: str) -> Any:
    """A number that can change while the show runs; `title` and `ja` are its labels at the panel."""
    extra: dict[str, Any] = {"live": True, "step": kind.step, "ja": ja}
    if kind.unit:
        extra["unit"] = kind.unit
    return Field(
        default, ge=kind.low, le=kind.high, title=title, description=description, json_schema_extra=extra
    )


class Constants(BaseModel):
    """A section of constants.

    No `_min` is larger than its `_max`, nor the first of `ORDERED` than the second; the first of `APART`
    is smaller than the second.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False)

    ORDERED: ClassVar[tuple[tuple[str, str], ...]] = ()
    APART: ClassVar[tuple[tuple[str, str], ...]] = ()

    @model_validator(mode="after")
    def _in_order(self) -> Constants:
        for low, high in self.pairs():
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} must not be larger than {high}")
        for low, high in self.APART:
            if getattr(self, low) >= getattr(self, high):
                raise ValueError(f"{low} must be smaller than {high}")
        return self

    @classmethod
    def pairs(cls) -> tuple[tuple[str, str], ...]:
        """The names of each least and largest value that belong together."""
        named = ((low, low.replace("_min", "_max")) for low in cls.model_fields if "min" in low.split("_"))
        return (*named, *cls.ORDERED)
