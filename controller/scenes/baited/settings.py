"""Settings of the scene `baited`: the original's configuration, and all its other constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, Field

from controller.scenes.baited.constants import Constants
from controller.scenes.baited.constants_life import Character, Gait
from controller.scenes.baited.constants_looks import Looks
from controller.scenes.baited.constants_steering import Approach, Avoidance, Milling, Moving, Search


def _section(model: type[Constants], title: str, ja: str, description: str) -> Any:
    return Field(default_factory=model, title=title, description=description, json_schema_extra={"ja": ja})


class BaitedSettings(Constants):
    """Seed 001's constants; times in ticks of 1/60 s."""

    bugs: int = Field(
        default=250,
        ge=0,
        le=100_000,
        title="Bugs",
        description="How many bugs live on the screen.",
        json_schema_extra={"live": True, "step": 10, "ja": "虫の数"},
    )
    light_radius_px: float = Field(
        default=220.0,
        ge=20.0,
        le=2000.0,
        title="Light radius",
        description="Within this distance of the light bugs circle it and lose interest.",
        json_schema_extra={"unit": "px", "live": True, "step": 5.0, "ja": "光の大きさ"},
    )
    boredom_threshold: float = Field(
        default=0.15,
        ge=0.0,
        le=1.0,
        title="Bored at interest",
        description="Interest at or below which a bug turns away from the light.",
        json_schema_extra={"live": True, "step": 0.01, "ja": "飽きる値"},
    )
    recovery_rate: float = Field(
        default=0.006,
        ge=0.0,
        le=1.0,
        title="Recovery in the dark",
        description="Interest that comes back in the dark.",
        json_schema_extra={"unit": "1/tick", "live": True, "step": 0.0005, "ja": "暗い時の興味の戻り"},
    )
    onset_gain: float = Field(
        default=0.2,
        ge=0.0,
        le=1.0,
        title="Gain when the light comes on",
        description="Interest that comes back at once when the light comes on.",
        json_schema_extra={"live": True, "step": 0.01, "ja": "点灯時の興味の戻り"},
    )
    decay_min: float = Field(
        default=0.0004,
        ge=0.0,
        le=1.0,
        title="Slowest habituation",
        description="Interest lost in the light by the bug that habituates slowest.",
        json_schema_extra={"unit": "1/tick", "live": True, "step": 0.0001, "ja": "飽きる速さ 最小"},
    )
    decay_max: float = Field(
        default=0.0012,
        ge=0.0,
        le=1.0,
        title="Fastest habituation",
        description="Interest lost in the light by the bug that habituates fastest.",
        json_schema_extra={"unit": "1/tick", "live": True, "step": 0.0001, "ja": "飽きる速さ 最大"},
    )
    reaction_delay_max_ticks: int = Field(
        default=300,
        ge=0,
        le=36_000,
        title="Longest reaction delay",
        description="Time after which the last bug notices that the light is on.",
        json_schema_extra={"unit": "ticks", "live": True, "step": 10, "ja": "反応の遅れ 最大"},
    )
    size_min_px: float = Field(
        default=14.0,
        ge=2.0,
        le=400.0,
        title="Smallest bug",
        description="Glyph size of the smallest bug.",
        json_schema_extra={"unit": "px", "live": True, "step": 1.0, "ja": "虫の大きさ 最小"},
    )
    size_max_px: float = Field(
        default=24.0,
        ge=2.0,
        le=400.0,
        title="Largest bug",
        description="Glyph size of the largest bug.",
        json_schema_extra={"unit": "px", "live": True, "step": 1.0, "ja": "虫の大きさ 最大"},
    )
    character: Character = _section(Character, "Character", "個性", "What a bug is given for life.")
    gait: Gait = _section(Gait, "Gait", "動き方", "Runs, stops and tumbles.")
    approach: Approach = _section(Approach, "Approach", "光に向かう", "How bugs come to the light.")
    milling: Milling = _section(Milling, "Milling", "光を回る", "How bugs circle within the light.")
    search: Search = _section(Search, "Search", "さがす", "How bugs search without a light.")
    avoidance: Avoidance = _section(Avoidance, "Avoidance", "光を離れる", "How the bored leave the light.")
    moving: Moving = _section(Moving, "Moving", "全体の動き", "The step of a bug, and those near it.")
    looks: Looks = _section(Looks, "Looks", "ゆれと明るさ", "How bugs sway, pulse and pale.")


def constants(settings: BaitedSettings) -> dict[str, float]:
    """All numbers of the settings and their sections by their own names, without the number of bugs."""
    values = dict(_numbers(settings))
    del values["bugs"]
    return values


def _numbers(section: BaseModel) -> Iterator[tuple[str, float]]:
    for name, value in section:
        if isinstance(value, BaseModel):
            yield from _numbers(value)
        else:
            yield name, value


# Their names, in the order of the file. No name is used in two sections.
CONSTANTS = tuple(constants(BaitedSettings()))
