"""The commands that print: their forms, their refusals, their exit codes."""

from __future__ import annotations

import json
import os
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller import checkup
from controller.beacon import FILE
from controller.cli import main
from controller.kernelcache import MANIFEST, OVERRIDE, place_of
from controller.settings import load
from display.sound.device import DeviceError


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    def run(*words: str) -> Result:
        return CliRunner().invoke(main, [*words, "--home", str(tmp_path)])

    return run


def test_track_gives_a_json_line_an_event_in_camera_pixels(ask: Any, cases: Path) -> None:
    truth = json.loads((cases / "tracking" / "truth.json").read_text(encoding="utf-8"))
    clip = next(clip for clip in truth["clips"] if clip["required"] and "truth_units" not in clip)
    path = str(cases / "tracking" / clip["file"])
    plain, full = ask("track", path), ask("track", path, "--spots", "--moves")
    assert plain.exit_code == full.exit_code == 0
    lines = [json.loads(line) for line in full.stdout.splitlines()]
    assert {line["kind"] for line in lines} == {"on", "off", "move", "spot"}
    assert {json.loads(line)["kind"] for line in plain.stdout.splitlines()} == {"on", "off"}
    assert all(set(line) == {"kind", "time", "x", "y"} for line in lines)


@pytest.mark.parametrize("content", [None, b"", b"plain text, no video\n" * 20, bytes(range(256)) * 40])
def test_track_of_what_is_no_video_is_one_line_and_code_1(
    ask: Any, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "clip.mp4"
    if content is not None:
        path.write_bytes(content)
    done = ask("track", str(path))
    assert done.exit_code == 1
    assert "clip.mp4" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "schedule",
    [
        "{",
        "[]",
        "{}",
        '{"frames": 10}',
        '{"frames": 0, "light": [[1, 0, 5, 5]]}',
        '{"frames": 10, "light": []}',
        '{"frames": 10, "light": [[1, 0, 5]]}',
        '{"frames": 10, "light": [[1, 0, NaN, 5]]}',
        '{"frames": 10, "light": [[5, 1, 5, 5], [2, 0, 5, 5]]}',
        '{"frames": "many", "light": [[1, 0, 5, 5]]}',
        '{"frames": 1.9, "light": [[1, 0, 5, 5]]}',
        '{"frames": true, "light": [[1, 0, 5, 5]]}',
        '{"frames": Infinity, "light": [[1, 0, 5, 5]]}',
        '{"frames": 10000000000000, "light": [[1, 0, 5, 5]]}',
        '{"frames": 10, "light": [1, 0, 5, 5]}',
        '{"frames": 10, "light": [[1, 7, 5, 5]]}',
        f'{{"frames": 10, "light": [[{10**400}, 1, 5, 5]]}}',
        '{"frames": 10, "light": [[1, 1, 1e308, 5]]}',
        '{"frames": 10, "light": [[1, 1, -5, 5]]}',
        "[" * 100_000,
        "3",
    ],
)
def test_a_schedule_that_cannot_be_is_wrong_use_and_nothing_is_written(
    ask: Any, tmp_path: Path, schedule: str
) -> None:
    path, out = tmp_path / "schedule.json", tmp_path / "out.json"
    path.write_text(schedule, encoding="utf-8")
    done = ask("simulate", "--schedule", str(path), "--out", str(out), "--runs", "1")
    assert done.exit_code == 2
    assert "schedule.json" in done.stderr
    assert not out.exists()


def test_the_printed_default_config_can_be_used_as_it_is(ask: Any, tmp_path: Path) -> None:
    text = ask("config", "default").stdout
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    assert set(load(tmp_path).origins.values()) == {"default"}


def test_config_show_tells_value_unit_and_origin(ask: Any, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\nlight_radius_px = 300\n", encoding="utf-8")
    rows = json.loads(ask("config", "show", "--json").stdout)
    assert rows["baited.light_radius_px"] == {"value": 300.0, "unit": "px", "origin": "file"}
    assert rows["baited.bugs"]["origin"] == "default"
    assert "baited.light_radius_px = 300.0 px  (file)" in ask("config", "show").stdout


@pytest.mark.parametrize("words", [("logs", "sessions"), ("logs", "summary")])
def test_questions_without_a_log_are_answered_in_one_line(ask: Any, words: tuple[str, str]) -> None:
    done = ask(*words)
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "visits.db" in done.stderr


def test_devices_names_screens_cameras_and_ports(ask: Any) -> None:
    found = json.loads(ask("devices", "--json").stdout)
    assert {"screens", "screens_reason", "cameras", "ports"} == set(found)
    assert ask("devices").exit_code == 0


def test_status_without_a_show_is_a_problem(ask: Any) -> None:
    assert ask("status").exit_code == 1
    assert json.loads(ask("status", "--json").stdout)["faults_found"]


def test_check_names_the_versions_and_finds_a_spoilt_config(ask: Any, tmp_path: Path) -> None:
    good = {finding["name"]: finding for finding in json.loads(ask("check", "--json").stdout)}
    assert not good["settings"]["fault"]
    assert "numba" in good["versions"]["state"]
    names = set(good)
    assert {
        "versions",
        "home",
        "settings",
        "database engine",
        "database",
        "screen",
        "glyph",
        "sound",
    } <= names
    (tmp_path / "config.toml").write_text("[baited]\nbug = 3\n", encoding="utf-8")
    bad = ask("check")
    assert bad.exit_code == 1
    assert "did you mean bugs" in bad.stdout


def test_check_names_the_folder_of_the_compiled_kernels(
    ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note before the first run: it makes no problem of a healthy home."""

    def row() -> tuple[str, str, str]:
        (found,) = [
            one for one in json.loads(ask("check", "--json").stdout) if one["name"] == "compiled kernels"
        ]
        return found["state"], found["fault"], found["level"]

    monkeypatch.delenv(OVERRIDE, raising=False)
    state, fault, level = row()
    assert (state, level) == ("none kept", "note")
    assert "before the first run" in fault
    assert f"{tmp_path / 'cache'} can be written" in fault
    place = place_of(tmp_path)
    place.mkdir(parents=True)
    (place / "a.nbi").write_bytes(b"compiled")
    listed = {"a.nbi": sha256(b"compiled").hexdigest()}
    (place / MANIFEST).write_text(json.dumps(listed), encoding="utf-8")
    assert row()[:2] == (str(place), "")
    (place / "a.nbi").write_bytes(b"comp")
    assert row()[0] == "none kept"


def test_check_tries_the_file_of_the_sound(ask: Any, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[sound]\nfile = "/nowhere/loop.wav"\n', encoding="utf-8")
    bad = ask("check", "--json")
    (sound,) = [finding for finding in json.loads(bad.stdout) if finding["name"] == "sound"]
    assert "No such file" in sound["fault"]
    assert bad.exit_code == 1
    (tmp_path / "config.toml").write_text("[sound]\non = false\n", encoding="utf-8")
    (quiet,) = [found for found in json.loads(ask("check", "--json").stdout) if found["name"] == "sound"]
    assert (quiet["state"], quiet["fault"]) == ("off", "")


PLAYING = {"on": True, "device": "Box 1", "file": "own loop", "file_fault": "", "fault": ""}
SPOILT = "sound.file a.wav: no sound; our own loop is played instead."
NOBODY = "No device. The show goes on silently."


def leave_status(home: Path, **facts: Any) -> None:
    """What a show leaves in its home: one that runs now, unless `facts` says otherwise."""
    told = {"state": "running", "written_monotonic_s": time.monotonic(), "pid": os.getpid(), **facts}
    (home / FILE).write_text(json.dumps(told), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "row"),
    [
        ({}, ("own loop, on Box 1", "", "problem")),
        ({"device": None, "fault": NOBODY}, ("own loop, no device", NOBODY, "note")),
        ({"file": "a.wav", "file_fault": SPOILT}, ("a.wav, on Box 1", SPOILT, "problem")),
        ({"on": False, "device": None}, ("off", "", "problem")),
    ],
)
def test_check_beside_a_show_takes_its_word_for_the_sound(
    ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], row: tuple[str, ...]
) -> None:
    """The show may hold the loudspeakers for itself; what another process could open says nothing."""

    def held(fill: object) -> None:
        raise DeviceError("the device is busy")

    monkeypatch.setattr(checkup, "open_device", held)
    leave_status(tmp_path, sound={**PLAYING, **changes})
    (sound,) = [found for found in json.loads(ask("check", "--json").stdout) if found["name"] == "sound"]
    assert (sound["state"], sound["fault"], sound["level"]) == row


@pytest.mark.parametrize(
    "facts",
    [{"state": "ended", "sound": PLAYING}, {}, {"sound": PLAYING, "written_monotonic_s": 0.0}],
)
def test_check_tries_the_device_where_no_show_can_hold_it(
    ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: dict[str, Any]
) -> None:
    """A show that ended, one without sound, one whose last sign is from long ago."""

    def none(fill: object) -> None:
        raise DeviceError("there is no device")

    monkeypatch.setattr(checkup, "open_device", none)
    leave_status(tmp_path, **facts)
    (sound,) = [found for found in json.loads(ask("check", "--json").stdout) if found["name"] == "sound"]
    assert "there is no device" in sound["fault"]


@pytest.mark.parametrize("day", ["2026-02-30", "20260402", "2026-W14-2", "2026-4-2", " 2026-04-02", ""])
@pytest.mark.parametrize(
    "words", [("sessions", "--day"), ("purge", "--yes", "--before"), ("export", "--format", "csv", "--from")]
)
def test_a_day_that_is_not_written_as_it_is_asked_for_is_wrong_use(
    ask: Any, words: tuple[str, ...], day: str
) -> None:
    done = ask("logs", *words, day)
    assert done.exit_code == 2
    assert f"{words[-1]}'" in done.stderr


def test_a_number_that_no_query_can_take_is_wrong_use(ask: Any) -> None:
    assert ask("logs", "sessions", "--limit", str(2**63)).exit_code == 2
    assert "no log yet" in ask("logs", "sessions", "--limit", str(2**63 - 1)).stderr


def test_a_camera_beside_another_source_is_wrong_use(ask: Any) -> None:
    done = ask("run", "--headless", "--source", "demo", "--camera", "clip.mp4", "--seconds", "0")
    assert done.exit_code == 2
    assert "--source camera" in done.stderr


def test_a_screen_name_that_cannot_be_is_wrong_use(ask: Any) -> None:
    done = ask("run", "--screen", "x" * 300, "--seconds", "0")
    assert done.exit_code == 2
    assert "display.screen" in done.stderr
