"""Knobs come from the sections: each live setting has one, and each one changes the show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import event
from pydantic import BaseModel, Field

from controller.desk.knobs import BadDeclaration, knob, knobs_of, step_of
from controller.desk.live_settings import configure
from controller.scenes.baited.constants import Constants
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import CONSTANTS, constants
from controller.settings import SECTIONS, ConfigError, Settings, all_sections, load, plain_fields
from display.panel import Knob, Panel
from display.text import in_font

SIZE = (640, 480)
# What two settings refuse of each other.
ORDER = re.compile("must (not be larger|be smaller) than")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load(tmp_path)


def baited_knobs() -> list[Knob]:
    knobs = knobs_of(load(Path("/nowhere")), "baited")
    return [one for one in knobs if one.section.split(".")[0] == "baited"]


def test_every_setting_of_the_scene_has_a_knob_and_the_scene_comes_first(settings: Settings) -> None:
    knobs = knobs_of(settings, "baited")
    own = [one.name for one in knobs if one.section == "baited"]
    assert own == plain_fields(SECTIONS["baited"])
    assert [one.name for one in knobs[: len(own)]] == own
    others = {one.full_name for one in knobs if one.section != "baited"}
    assert {"display.brightness", "display.language", "display.corners.top_left_x", "sound.volume"} <= others
    assert not others & {"display.scale", "display.screen", "log.zone", "show.scene"}


def test_another_scene_leaves_these_knobs_out_and_so_does_a_show_without_sound(settings: Settings) -> None:
    assert {one.section for one in knobs_of(settings, "race", frozenset({"sound"}))} == {
        "display",
        "display.corners",
    }


def test_the_knob_goes_back_to_the_configured_value_not_to_the_panels(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\nbugs = 40\n")
    (tmp_path / "panel.toml").write_text("[baited]\nbugs = 60\n")
    first = knobs_of(load(tmp_path), "baited")[0]
    assert (first.value, first.default) == (60, 40)


def test_every_knob_has_words_in_both_languages_that_can_be_drawn(settings: Settings) -> None:
    for one in knobs_of(settings, "baited"):
        for language in ("en", "ja"):
            assert one.label[language]
            assert all(in_font(character) for character in one.label[language]), one.label
    for language in ("en", "ja"):
        labels = [one.label[language] for one in knobs_of(settings, "baited")]
        assert len(set(labels)) == len(labels)


def test_every_section_of_the_scene_is_a_group_with_a_name_that_can_be_drawn(settings: Settings) -> None:
    groups = {one.section: one.group for one in knobs_of(settings, "baited")}
    assert groups["baited"] == groups["display.corners"] == {}
    named = {section: group for section, group in groups.items() if group}
    assert list(named) == [section for section, _ in all_sections() if section.startswith("baited.")]
    for language in ("en", "ja"):
        assert len({group[language] for group in named.values()}) == len(named) == 8
        assert all(in_font(character) for group in named.values() for character in group[language])


def test_no_two_constants_of_the_scene_share_a_name(settings: Settings) -> None:
    """The kernels know them by the last part of their names."""
    own = baited_knobs()
    assert {one.name for one in own} == {"bugs", *CONSTANTS}
    assert len(own) == len(CONSTANTS) + 1
    values = constants(settings["baited"])
    assert tuple(values) == CONSTANTS
    assert values == {one.name: one.value for one in own if one.name != "bugs"}


@pytest.mark.parametrize("key", ["left", "right", "shift+left", "shift+right"])
def test_every_value_that_a_knob_comes_to_is_one_the_section_takes(key: str, settings: Settings) -> None:
    """From the configured value; only rules between two settings may refuse it."""
    refusals = []
    panel = Panel(knobs_of(settings, "baited"))
    for place in range(len(panel.knobs)):
        panel.selected = place
        for change in panel.press(key):
            try:
                settings.changed({change.full_name: change.value})
            except ConfigError as error:
                refusals.append(str(error))
    assert [why for why in refusals if not ORDER.search(why)] == []


@pytest.mark.parametrize(
    ("low", "high", "whole", "step"),
    [
        (0, 1, False, 0.01),
        (0, 100_000, True, 1000),
        (0, 5, True, 1),
        (20, 2000, False, 10),
        (0, 0.05, False, 0.0005),
        (3, 3, False, 1),
    ],
)
def test_a_step_that_is_not_declared_fits_the_range(
    low: float, high: float, whole: bool, step: float
) -> None:
    assert step_of(low, high, whole) == step


class _Odd(BaseModel):
    """Live settings that lack what a knob needs."""

    unnamed: int = Field(1, ge=0, le=9, json_schema_extra={"live": True, "ja": "虫"})
    no_japanese: int = Field(1, ge=0, le=9, title="N", json_schema_extra={"live": True})
    boundless: float = Field(1.0, ge=0, title="N", json_schema_extra={"live": True, "ja": "虫"})
    text: str = Field("", title="N", json_schema_extra={"live": True, "ja": "虫"})


@pytest.mark.parametrize("key", list(_Odd.model_fields))
def test_a_live_setting_that_can_have_no_knob_is_a_fault_of_its_section(key: str, settings: Settings) -> None:
    settings.sections["odd"] = settings.configured["odd"] = _Odd()
    with pytest.raises(BadDeclaration, match=f"odd.{key}"):
        knob(_Odd, "odd", key, settings)


def world(scene: BaitedScene) -> dict[str, Any]:
    """What the compiled steps are given."""
    return {name: scene.world[name][0] for name in scene.world.dtype.names}


@pytest.mark.parametrize("one", baited_knobs(), ids=lambda one: one.name)
def test_a_turn_of_each_knob_reaches_what_the_kernels_work_with(one: Knob) -> None:
    settings = load(Path("/nowhere"))["baited"]
    scene, other = BaitedScene(settings, SIZE, 1), BaitedScene(settings, SIZE, 1)
    for each in (scene, other):
        each.step(True, 320.0, 240.0)
    with event.install_recorder("numba:compile") as compilations:
        scene.configure(one.full_name.removeprefix("baited."), one.stepped(1))
        for each in (scene, other):
            each.step(True, 320.0, 240.0)
    for own, value in ((scene.settings, one.stepped(1)), (settings, one.value)):
        assert getattr(Settings({"baited": own}, {}, Path())[one.section], one.name) == value
    assert world(scene) != world(other) or scene.bugs.size != other.bugs.size
    assert compilations.buffer == []


@pytest.mark.parametrize("end", ["least", "largest"])
@pytest.mark.parametrize(
    "one", [one for one in baited_knobs() if one.name != "bugs"], ids=lambda one: one.name
)
def test_wherever_a_constant_is_turned_to_the_bugs_stay_at_places_that_are_numbers(
    one: Knob, end: str, settings: Settings
) -> None:
    """Those that must stay above or below it give way. 15 seconds of light, in which all react at once."""
    quick = {"bugs": 40, "reaction_delay_max_ticks": 0}
    scene = BaitedScene(settings["baited"].model_copy(update=quick), SIZE, 1)
    configure(scene, at_its_end(one, end))
    for _ in range(900):
        scene.advance(True, 320.0, 240.0)
    scene.step(False, 320.0, 240.0)
    rows = scene.frame(0.5)[0]
    assert np.isfinite(rows).all()
    assert (np.abs(rows[:, :2] - np.array(SIZE) / 2) < 10_000).all()
    assert scene.put_back == 0


def at_its_end(one: Knob, end: str) -> dict[str, Any]:
    """The constant at its least or largest; its partner at the same or, where they are apart, a step off."""
    model = dict(all_sections())[one.section]
    assert issubclass(model, Constants)
    value, step = (one.low, one.step) if end == "least" else (one.high, -one.step)
    values = {one.name: value}
    for low, high in model.pairs():
        if one.name in (low, high):
            values = {low: value, high: value}
    for low, high in model.APART:
        if one.name in (low, high):
            values = {low: min(value, value + step), high: max(value, value + step)}
    return {f"{one.section}.{key}".removeprefix("baited."): wanted for key, wanted in values.items()}


@pytest.mark.parametrize(
    ("name", "value"),
    [("light_radius_px", 120.0), ("boredom_threshold", 1.0), ("recovery_rate", 0.1), ("onset_gain", 0.9)],
)
def test_while_it_runs_the_swarm_goes_another_way_with_another_value(name: str, value: float) -> None:
    """Two swarms of one seed, alike until one is configured: 10 ticks of dark and 190 of light later."""
    settings = load(Path("/nowhere"))["baited"].model_copy()
    settings.reaction_delay_max_ticks, settings.boredom_threshold = 10, 0.5
    scene, other = BaitedScene(settings, SIZE, 1), BaitedScene(settings, SIZE, 1)
    for each in (scene, other):
        each.bugs["interest"] = np.linspace(0.1, 0.7, each.bugs.size)
        each.step(False, 320.0, 240.0)
    assert (scene.bugs == other.bugs).all()
    scene.configure(name, value)
    for tick in range(200):
        for each in (scene, other):
            each.advance(tick >= 10, 320.0, 240.0)
    assert (scene.bugs["x"] != other.bugs["x"]).mean() > 0.1
