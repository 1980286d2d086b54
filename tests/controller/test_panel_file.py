"""`panel.toml`: what survives in it, what it never costs, and the thread that writes it."""

from __future__ import annotations

import errno
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from controller.panel_file import FILE, HEAD, PanelSaver, panel_text, write_panel
from controller.settings import load
from display.settings import CornerSettings

HOUR_S = 3600.0


def put(home: Path, text: str | bytes) -> Path:
    path = home / FILE
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def values_of(home: Path) -> dict[str, Any]:
    return tomllib.loads((home / FILE).read_text(encoding="utf-8"))


def test_a_value_of_the_panel_wins_over_the_config_and_its_origin_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\nbugs = 40\nlight_radius_px = 100\n")
    put(tmp_path, '[baited]\nbugs = 60\n[display]\nlanguage = "ja"\n[display.corners]\ntop_left_x = 0.01\n')
    settings = load(tmp_path)
    assert (settings["baited"].bugs, settings["baited"].light_radius_px) == (60, 100)
    assert settings["display"].language == "ja"
    assert settings["display.corners"].top_left_x == 0.01
    assert settings.origins["baited.bugs"] == settings.origins["display.corners.top_left_x"] == "panel"
    assert settings.origins["baited.light_radius_px"] == "file"
    assert settings.configured_value("baited.bugs") == 40
    assert not settings.warnings


def test_what_equals_the_config_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\nbugs = 60\n")
    put(tmp_path, "[baited]\nbugs = 60\nonset_gain = 0.3\n")
    settings = load(tmp_path)
    assert settings.origins["baited.bugs"] == "file"
    assert settings.panel_values() == {"baited.onset_gain": 0.3}


@pytest.mark.parametrize(
    "line",
    [
        "[baited]\nbugs = -1",
        '[baited]\nbugs = "many"',
        "[baited]\nbugs = 1979-05-27",
        "[baited]\nlight_radius_px = nan",
        f"[baited]\nlight_radius_px = 1{'0' * 400}",
        "[baited]\nbugz = 10",
        "[bees]\nbugs = 10",
        "[display]\nscale = 2.0",
        "[display]\ncorners = 3",
        "[display.corners.top_left_x]\na = 1",
        "baited = 3",
        '[""]\n"" = 1',
    ],
)
def test_a_value_that_cannot_be_is_left_out_and_the_others_stay(tmp_path: Path, line: str) -> None:
    beside = "display.brightness" if "baited" in line else "baited.onset_gain"
    put(tmp_path, f"{beside} = 0.3\n{line}\n")
    settings = load(tmp_path)
    assert settings.panel_values() == {beside: 0.3}
    assert len(settings.warnings) == 1
    assert FILE in settings.warnings[0]
    assert "is left out" in settings.warnings[0]


def test_two_values_that_depend_on_each_other_are_taken_in_any_order(tmp_path: Path) -> None:
    put(tmp_path, "[baited]\nsize_min_px = 30\nsize_max_px = 40\nbugs = -4\n")
    settings = load(tmp_path)
    assert (settings["baited"].size_min_px, settings["baited"].size_max_px) == (30, 40)
    assert len(settings.warnings) == 1


def test_corners_that_fold_one_after_another_but_not_together_are_taken(tmp_path: Path) -> None:
    shares = (-0.2, 0.0, 0.4, 0.2, -0.4, -0.4, 0.4, -0.4)
    names = CornerSettings.model_fields
    lines = [f"{name} = {share}" for name, share in zip(names, shares, strict=True)]
    put(tmp_path, "[display.corners]\n" + "\n".join(lines))
    settings = load(tmp_path)
    assert settings["display.corners"].shares == shares
    assert not settings.warnings


def test_of_two_values_that_exclude_each_other_one_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\nsize_max_px = 20.0\n")
    put(tmp_path, "[baited]\nsize_min_px = 22\nonset_gain = 0.3\n")
    settings = load(tmp_path)
    assert settings.panel_values() == {"baited.onset_gain": 0.3}
    assert "size_min_px must not be larger" in settings.warnings[0]


@pytest.mark.parametrize(
    "content",
    [b"[baited\nbugs = 4", b"\xff\xfe\x00", "虫".encode("cp932"), b"a" * 100_000, b"[[a]]\n" + b"[" * 9000],
)
def test_a_broken_file_never_stops_the_show_and_is_kept_aside_at_the_next_change(
    tmp_path: Path, content: bytes
) -> None:
    path = put(tmp_path, content)
    settings = load(tmp_path)
    assert settings["baited"].bugs == 250
    assert "cannot be read" in settings.warnings[0]
    assert path.read_bytes() == content
    write_panel(path, panel_text({"baited.bugs": 7}))
    assert load(tmp_path)["baited"].bugs == 7
    (aside,) = tmp_path.glob("panel-unreadable-*.toml")
    assert aside.read_bytes() == content


def test_a_folder_in_the_place_of_the_file_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert "cannot be read" in load(tmp_path).warnings[0]
    write_panel(tmp_path / FILE, panel_text({"baited.bugs": 7}))
    assert load(tmp_path)["baited"].bugs == 7


def test_the_text_says_what_it_is_and_reads_back_as_it_was_written() -> None:
    values = {
        "baited.bugs": 7,
        "display.language": 'a "b" \\',
        "display.corners.top_left_x": -0.125,
        "s.on": True,
    }
    text = panel_text(values)
    assert text.startswith("# Set at the panel")
    assert tomllib.loads(text) == {
        "baited": {"bugs": 7},
        "display": {"language": 'a "b" \\', "corners": {"top_left_x": -0.125}},
        "s": {"on": True},
    }
    assert panel_text({}) == HEAD


def test_the_newest_values_are_in_the_file_at_the_end_and_few_writes_were_needed(tmp_path: Path) -> None:
    saver = PanelSaver(tmp_path, pause_s=HOUR_S)
    for bugs in range(50):
        saver.put({"baited.bugs": bugs})
        time.sleep(0.002)
    assert saver.written <= 1
    assert saver.close(60)
    assert values_of(tmp_path) == {"baited": {"bugs": 49}}
    assert saver.written <= 2
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_putting_waits_for_no_disk(tmp_path: Path) -> None:
    """The write hangs until all was put: a `put` that waited for it would never end."""
    let_go, texts = threading.Event(), []

    def hanging(path: Path, text: str) -> None:
        assert let_go.wait(60)
        texts.append(text)

    saver = PanelSaver(tmp_path, write=hanging, pause_s=0)
    for bugs in range(50):
        saver.put({"baited.bugs": bugs})
    let_go.set()
    assert saver.close(60)
    assert texts[-1] == panel_text({"baited.bugs": 49})


def test_a_full_disk_is_told_once_tried_again_and_the_old_file_stays(tmp_path: Path) -> None:
    told: list[str] = []
    tries = threading.Semaphore(0)
    full = True

    def writing(path: Path, text: str) -> None:
        tries.release()
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        write_panel(path, text)

    write_panel(tmp_path / FILE, panel_text({"baited.bugs": 1}))
    saver = PanelSaver(tmp_path, told.append, writing, retry_s=0)
    saver.put({"baited.bugs": 2})
    for _ in range(3):
        assert tries.acquire(timeout=60)
    assert values_of(tmp_path) == {"baited": {"bugs": 1}}
    assert "No space left" in saver.fault
    full = False
    assert saver.close(60)
    assert values_of(tmp_path) == {"baited": {"bugs": 2}}
    assert len(told) == 2
    assert "can be written again" in told[1]


def test_what_could_not_be_written_to_the_end_is_told(tmp_path: Path) -> None:
    told: list[str] = []

    def refusing(path: Path, text: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    saver = PanelSaver(tmp_path, told.append, refusing, retry_s=HOUR_S)
    saver.put({"baited.bugs": 2})
    assert not saver.close(60)
    assert "are lost" in told[-1]


def test_a_torn_write_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_panel(tmp_path / FILE, panel_text({"baited.bugs": 1}))

    def failing(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("logs.durable.os.fsync", failing)
    with pytest.raises(OSError, match="Input/output"):
        write_panel(tmp_path / FILE, panel_text({"baited.bugs": 2}))
    assert values_of(tmp_path) == {"baited": {"bugs": 1}}
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_try_that_was_under_way_at_the_end_and_failed_is_made_once_more(tmp_path: Path) -> None:
    under_way, ended = threading.Event(), threading.Event()

    def writing(path: Path, text: str) -> None:
        if not under_way.is_set():
            under_way.set()
            assert ended.wait(60)
            raise OSError(errno.ENOSPC, "No space left on device")
        write_panel(path, text)

    saver = PanelSaver(tmp_path, lambda text: None, writing, retry_s=HOUR_S)
    saver.put({"baited.bugs": 2})
    assert under_way.wait(60)
    assert not saver.close(0.0)
    ended.set()
    assert saver.close(60)
    assert values_of(tmp_path) == {"baited": {"bugs": 2}}
