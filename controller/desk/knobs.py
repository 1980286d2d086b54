"""The panel's knobs, made from what the sections declare of their live settings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from controller.scenes import SCENES
from controller.settings import Settings, all_sections, declared, limits_of, live_settings, unit_of
from display.panel import Knob, Value, Words

STEPS_OF_A_RANGE = 100


class BadDeclaration(TypeError):
    """A live setting lacks what a knob needs; to be mended in its section."""


def knobs_of(settings: Settings, scene: str, left_out: frozenset[str] = frozenset()) -> list[Knob]:
    """The knobs of this show: the scene's own settings first, then the others, sections within sections last.

    Sections of other scenes and those in `left_out` have none. Raises BadDeclaration.
    """
    hidden = (SCENES.keys() - {scene}) | left_out
    found = [
        knob(model, section, key, settings)
        for section, model, key in _live()
        if section.split(".")[0] not in hidden
    ]
    return sorted(found, key=lambda knob: (knob.section != scene, "." in knob.section))


def _live() -> Iterator[tuple[str, type[BaseModel], str]]:
    models = dict(all_sections())
    for full_name in live_settings():
        section, _, key = full_name.rpartition(".")
        yield section, models[section], key


def knob(model: type[BaseModel], section: str, key: str, settings: Settings) -> Knob:
    """The knob of one live setting. Raises BadDeclaration."""
    info, said = model.model_fields[key], declared(model, key)
    label = {"en": info.title, "ja": said.get("ja")}
    if not all(label.values()):
        raise BadDeclaration(f"{section}.{key} is live: give it a title and a Japanese label (ja)")
    words = {language: str(text) for language, text in label.items()}
    value = getattr(settings[section], key)
    default = settings.configured_value(f"{section}.{key}")
    unit = unit_of(model, key)
    if choices := _choices(info.annotation):
        return Knob(section, key, words, unit, value, default, choices=choices)
    low, high = limits_of(model, key)
    if low is None or high is None or info.annotation not in (int, float):
        raise BadDeclaration(f"{section}.{key} is live: it must be a number with a range, or a choice")
    step = said.get("step") or step_of(low, high, info.annotation is int)
    return Knob(section, key, words, unit, value, default, low, high, step, group=_group(section))


def _group(section: str) -> Words:
    """The names of a section within a section, {} when it has none."""
    models = dict(all_sections())
    above, _, key = section.rpartition(".")
    if not above:
        return {}
    title, ja = models[above].model_fields[key].title, declared(models[above], key).get("ja")
    return {"en": title, "ja": str(ja)} if title and ja else {}


def _choices(kind: Any) -> tuple[Value, ...]:
    if kind is bool:
        return False, True
    return get_args(kind) if get_origin(kind) is Literal else ()


def step_of(low: float, high: float, whole: bool) -> float:
    """1, 2 or 5 times a power of ten, at most a hundredth of the range; at least 1 for whole numbers."""
    least = (high - low) / STEPS_OF_A_RANGE
    size = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    step = max(size * factor for factor in (1, 2, 5) if size * factor <= least or factor == 1)
    step = float(f"{step:.0e}")
    return max(1, round(step)) if whole else step
