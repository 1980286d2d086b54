"""The settings file: defaults, origins, unknown names, values out of range, unreadable files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from controller.panel_file import panel_text, write_panel
from controller.scenes.baited.settings import BaitedSettings
from controller.settings import (
    ConfigError,
    all_sections,
    default_file,
    limits_of,
    live_settings,
    load,
    plain_fields,
    unit_of,
)

BAITED = {name: model for name, model in all_sections() if name.split(".")[0] == "baited"}
# Where two constants of a section must be in order.
PAIRS = [
    (section, key, key.replace("_min", "_max"))
    for section, model in BAITED.items()
    for key in plain_fields(model)
    if "min" in key.split("_")
]
PAIRS += [("baited.moving", "pace_slowest", "pace_fastest")]
APART = [
    ("baited.approach", "compass_near_px", "compass_far_px"),
    ("baited.approach", "antenna_near_px", "antenna_far_px"),
]
GRAMMAR = {"a", "an", "the", "of", "in", "on", "to", "is", "are", "there", "that", "not", "one"}


def write(home: Path, text: str | bytes) -> Path:
    path = home / "config.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_without_a_file_all_is_default(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings["baited"].bugs == 250
    assert settings["baited"].light_radius_px == 220
    assert set(settings.origins.values()) == {"default"}
    assert not settings.warnings


def test_a_value_of_the_file_wins_and_its_origin_is_told(tmp_path: Path) -> None:
    write(tmp_path, "[baited]\nbugs = 40\n[camera.tracking]\nmin_rise = 20\n")
    settings = load(tmp_path)
    assert settings["baited"].bugs == 40
    assert settings["camera.tracking"].min_rise == 20
    assert settings.origins["baited.bugs"] == settings.origins["camera.tracking.min_rise"] == "file"
    assert settings.origins["baited.decay_min"] == "default"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("[baited]\nbug = 40\n", "bugs"),
        ("[bated]\nbugs = 40\n", "baited"),
        ("[camera.tracking]\nmin_rize = 4\n", "min_rise"),
        ("[log]\nheartbeats = 1.0\n", "heartbeat_s"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest_known_one(tmp_path: Path, text: str, near: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError, match=f"did you mean {near}"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[baited]\nbugs = -1\n", "bugs = -1"),
        ("[baited]\nlight_radius_px = 1e9\n", r"light_radius_px \(px\)"),
        ("[baited]\nlight_radius_px = nan\n", r"light_radius_px \(px\)"),
        ('[baited]\nbugs = "many"\n', "bugs = 'many'"),
        ("[baited]\ndecay_min = 0.5\n", r": \[baited\] decay_min must not be larger"),
        ("[camera.tracking]\nmin_rise = -3\n", r": \[camera.tracking\] min_rise .levels of 255. = -3: "),
        ("[camera.tracking]\nmin_rise = 50\n", r": \[camera.tracking\] min_rise must not be larger"),
        ("[camera]\nretry_first_s = 50\n", r": \[camera\] retry_first_s must not be larger"),
        ("[camera]\ntracking = 3\n", r": \[camera\] tracking = 3: "),
        (
            "[camera]\nlost_s = -1.0\n[camera.tracking]\nmin_rise = -3\n",
            r": \[camera\] lost_s \(s\) = -1.0: .*; \[camera.tracking\] min_rise .levels of 255. = -3: ",
        ),
        ('[show]\nscene = "bees"\n', "scene = 'bees'"),
        ("baited = 3\n", "must be a section"),
        ('[baited]\nbugs = "250"\n', "bugs = '250'"),
        ("[baited]\nbugs = true\n", "bugs = True"),
        ("[log]\nshort_s = true\n", "short_s"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name_and_unit(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError, match=words):
        load(tmp_path)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    ("section", "key"),
    [
        (section, key)
        for section, model in all_sections()
        for key in plain_fields(model)
        if model.model_fields[key].annotation is float
    ],
)
def test_what_is_no_finite_number_is_called_so(tmp_path: Path, section: str, key: str, value: str) -> None:
    """Rather than too large or too small."""
    write(tmp_path, f"[{section}]\n{key} = {value}\n")
    with pytest.raises(ConfigError, match=f" {key} .*= {value}: Input should be a finite number$"):
        load(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"[baited\nbugs = 4",
        b"\xff\xfe\x00garbage\x00",
        "虫".encode("cp932"),
        b"a" * 100_000,
        b"a = " + b"[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_read_is_left_as_it_is_and_defaults_are_used(
    tmp_path: Path, content: bytes
) -> None:
    path = write(tmp_path, content)
    settings = load(tmp_path)
    assert settings["baited"].bugs == 250
    assert "cannot be read" in settings.warnings[0]
    assert path.read_bytes() == content


def test_a_byte_order_mark_and_whole_numbers_for_lengths_are_no_fault(tmp_path: Path) -> None:
    write(tmp_path, "\ufeff[baited]\nlight_radius_px = 100\n")
    assert load(tmp_path)["baited"].light_radius_px == 100


def test_an_empty_file_means_defaults(tmp_path: Path) -> None:
    write(tmp_path, b"")
    assert not load(tmp_path).warnings


def test_the_default_file_says_every_setting_and_is_itself_valid(tmp_path: Path) -> None:
    """With the comment signs taken off, the file loads and gives the defaults."""
    text = default_file()
    values = "\n".join(
        line.removeprefix("#") if not line.startswith("# ") else line for line in text.splitlines()
    )
    assert tomllib.loads(text).keys() == tomllib.loads(values).keys()
    write(tmp_path, values)
    settings, defaults = load(tmp_path), load(tmp_path / "none")
    assert settings.sections == defaults.sections
    assert set(settings.origins.values()) == {"file"}


def test_every_setting_has_words_and_a_unit_where_its_name_says_one() -> None:
    for section, model in all_sections():
        for key in plain_fields(model):
            assert model.model_fields[key].description, f"{section}.{key} has no description"
            if key.endswith(("_s", "_px", "_ticks")):
                assert unit_of(model, key), f"{section}.{key} has no unit"


@pytest.mark.parametrize("section", BAITED)
def test_the_words_of_a_constant_say_more_than_its_title(section: str) -> None:
    """At least one word that is neither in the title nor in the setting's name nor of grammar."""
    for key in plain_fields(BAITED[section]):
        info = BAITED[section].model_fields[key]
        known = words(f"{info.title} {key.replace('_', ' ')}") | GRAMMAR
        assert words(info.description or "") - known, f"{section}.{key}: {info.description}"


def words(text: str) -> set[str]:
    return set(re.findall("[a-z]+", text.lower()))


@pytest.mark.parametrize("section", BAITED)
def test_every_constant_of_the_scene_is_live_in_a_range_around_its_default(section: str) -> None:
    model = BAITED[section]
    for key in plain_fields(model):
        default = model.model_fields[key].default
        low, high = limits_of(model, key)
        assert low is not None
        assert high is not None
        assert low <= default <= high, key
        assert low < high, key
        assert type(default) is model.model_fields[key].annotation, key
        assert f"{section}.{key}" in live_settings()


def test_a_constant_in_a_section_of_the_scene_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        "[baited]\nbugs = 40\n[baited.gait]\nrun_min_ticks = 40\n[baited.milling]\norbit_mean = 0.4\n",
    )
    settings = load(tmp_path)
    assert (settings["baited.gait"].run_min_ticks, settings["baited"].milling.orbit_mean) == (40, 0.4)
    assert settings.origins["baited.gait.run_min_ticks"] == "file"
    assert settings.origins["baited.gait.run_max_ticks"] == "default"


@pytest.mark.parametrize(("section", "low", "high"), [*PAIRS, *APART])
def test_a_least_value_above_its_largest_is_refused_by_name(
    section: str, low: str, high: str, tmp_path: Path
) -> None:
    least, most = limits_of(BAITED[section], low)
    write(tmp_path, f"[{section}]\n{low} = {most}\n{high} = {least}\n")
    words = f"config.toml: \\[{section}\\] {low} must (not be larger|be smaller) than {high}$"
    with pytest.raises(ConfigError, match=words):
        load(tmp_path)
    write(tmp_path, f"[{section}]\n{low} = {least}\n{high} = {most}\n")
    assert getattr(load(tmp_path)[section], high) == most


@pytest.mark.parametrize(("section", "low", "high"), [*PAIRS, *APART])
def test_a_pair_may_be_one_value_but_for_two_distances(
    section: str, low: str, high: str, tmp_path: Path
) -> None:
    """A distance between them is divided by."""
    default = BAITED[section].model_fields[high].default
    write(tmp_path, f"[{section}]\n{low} = {default}\n{high} = {default}\n")
    if (section, low, high) in APART:
        with pytest.raises(ConfigError, match=f"{low} must be smaller than {high}$"):
            load(tmp_path)
    else:
        assert getattr(load(tmp_path)[section], low) == default


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[baited.gait]\nrun_min_tick = 4\n", "did you mean run_min_ticks"),
        ("[baited.gate]\nrun_min_ticks = 4\n", "did you mean gait"),
        ("[baited.gait]\nrun_min_ticks = 4.5\n", r"\[baited.gait\] run_min_ticks \(ticks\) = 4.5"),
        ("[baited.gait]\nrun_pace_min = nan\n", r"\[baited.gait\] run_pace_min \(base speeds\)"),
        ("[baited.character]\nlevy_mu_min = 1.0\n", r"\[baited.character\] levy_mu_min = 1.0"),
        (
            "[baited.character]\ndetection_min = 0.9\n",
            r"\[baited.character\] detection_min \(light radii\) = 0.9",
        ),
        ("[baited.gait]\ntumble_spread_ticks = 0\n", r"\[baited.gait\] tumble_spread_ticks \(ticks\) = 0"),
    ],
)
def test_a_constant_that_cannot_be_is_refused_by_name_and_unit(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError, match=words):
        load(tmp_path)


@pytest.mark.parametrize("value", [200, 0, 30.5])
def test_a_constant_cannot_be_set_to_what_the_file_may_not_say(value: float) -> None:
    gait = BaitedSettings().gait
    with pytest.raises(ValidationError, match="run_min_ticks"):
        gait.run_min_ticks = value
    gait.run_min_ticks = 40
    assert gait.run_min_ticks == 40


def test_what_the_panel_changed_of_the_constants_is_kept(tmp_path: Path) -> None:
    """Both of a pair beyond the old largest value; one as in the file is not kept."""
    write(tmp_path, "[baited.gait]\nstop_max_ticks = 50\n")
    settings = load(tmp_path)
    changes = {"run_min_ticks": 200, "run_max_ticks": 300, "stop_max_ticks": 50}
    settings.accept(settings.changed({f"baited.gait.{key}": value for key, value in changes.items()}))
    write_panel(tmp_path / "panel.toml", panel_text(settings.panel_values()))
    again = load(tmp_path)
    assert again.panel_values() == {"baited.gait.run_min_ticks": 200, "baited.gait.run_max_ticks": 300}
    assert again["baited.gait"] == settings["baited.gait"]
    assert again.origins["baited.gait.run_min_ticks"] == "panel"
    assert not again.warnings


def test_of_the_panels_constants_only_what_cannot_be_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "panel.toml").write_text(
        "[baited.gait]\nrun_max_ticks = 20\nrun_pace_max = 1.5\n[baited.milling]\norbit_ease = 2.0\n"
    )
    settings = load(tmp_path)
    assert settings.panel_values() == {"baited.gait.run_pace_max": 1.5}
    assert len(settings.warnings) == 2
