"""The settings file: defaults, origins, unknown names, values out of range, unreadable files."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from controller.settings import ConfigError, all_sections, default_file, load, plain_fields, unit_of


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
        ("[baited]\ndecay_min = 0.5\n", "Value error, decay_min must not be larger"),
        ("[camera.tracking]\nmin_rise = -3\n", "min_rise"),
        ("[camera.tracking]\nmin_rise = 50\n", "min_rise must not be larger"),
        ("[camera]\nretry_first_s = 50\n", "retry_first_s must not be larger"),
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


@pytest.mark.parametrize(
    "content", [b"[baited\nbugs = 4", b"\xff\xfe\x00garbage\x00", "虫".encode("cp932"), b"a" * 100_000]
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
