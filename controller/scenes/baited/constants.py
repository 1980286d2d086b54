"""What seed 001's constants have in common: how one is declared, and the order of a pair."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator


def constant(
    default: float,
    limits: tuple[float, float],
    step: float,
    title: str,
    ja: str,
    description: str,
    unit: str = "",
) -> Any:
    """A number that can change while the show runs; `title` and `ja` are its labels at the panel."""
    extra: dict[str, Any] = {"unit": unit} if unit else {}
    extra |= {"live": True, "step": step, "ja": ja}
    low, high = limits
    return Field(default, ge=low, le=high, title=title, description=description, json_schema_extra=extra)


class Constants(BaseModel):
    """A section of constants.

    No `_min` is larger than its `_max`, nor the first of `ORDERED` than the second; the first of `APART`
    is smaller than the second.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

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
        known = cls.model_fields
        named = ((low, low.replace("_min", "_max")) for low in known if "_min" in low)
        return (*((low, high) for low, high in named if high in known), *cls.ORDERED)
