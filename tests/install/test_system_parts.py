"""The table of system packages: found by trying, installed by root, else one command to type."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from controller.install import system
from controller.install.progress import SetupFailed
from controller.install.system import SYSTEM_PARTS, SystemPart, missing, parts_for, provide

# Stands in for apt-get alone: it notes how it was called, and "installs" by making a file.
APT_GET = """#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> {folder}/calls
case "$*" in *install*) {act} ;; esac
"""


def part(folder: Path, name: str = "lamp") -> SystemPart:
    """A part that works once a file is there."""
    return SystemPart(name, "to see", "all", (f"lib{name}1", f"{name}-data"), (folder / name).exists)


@pytest.fixture
def apt_get(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fake_apt_get(tmp_path, monkeypatch, f"touch {tmp_path}/lamp")


def fake_apt_get(folder: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> Path:
    program = folder / "apt-get"
    program.write_text(APT_GET.format(folder=folder, act=act), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder / "calls"


def test_every_part_works_where_the_suite_runs() -> None:
    assert [row.name for row in missing()] == []


def test_parts_are_found_by_trying_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not system._loads("libnosuchlamp.so.9")()
    assert not system._imports("no_such_lamp")()
    assert not system._runs("no-such-lamp")()
    # Libraries without a driver are not enough.
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent")
    assert [row.name for row in missing() if row.scope == "picture"] == ["egl"]


def test_without_root_the_one_command_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "there").touch()
    with pytest.raises(SetupFailed) as refused:
        provide([part(tmp_path), part(tmp_path, "there")], may_install=False)
    last = str(refused.value).splitlines()[-1]
    assert last == "sudo apt-get install --no-install-recommends liblamp1 lamp-data"
    assert "to see" in capsys.readouterr().err


def test_root_installs_after_saying_so(
    tmp_path: Path, apt_get: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    provide([part(tmp_path)], may_install=True)
    update, install = apt_get.read_text("utf-8").splitlines()
    assert update.startswith("noninteractive")
    assert update.endswith("update")
    assert install.startswith("noninteractive")
    assert install.endswith("install -y --no-install-recommends liblamp1 lamp-data")
    assert "installing them as root" in capsys.readouterr().err


def test_what_works_is_left_alone(tmp_path: Path, apt_get: Path) -> None:
    (tmp_path / "lamp").touch()
    provide([part(tmp_path)], may_install=True)
    assert not apt_get.exists()


@pytest.mark.parametrize(
    ("act", "words"),
    [("echo E: no such package; exit 100", "E: no such package"), ("true", "still not working: lamp")],
)
def test_a_failed_installation_says_what_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, words: str
) -> None:
    fake_apt_get(tmp_path, monkeypatch, act)
    with pytest.raises(SetupFailed, match=words) as failed:
        provide([part(tmp_path)], may_install=True)
    assert "liblamp1" in str(failed.value)


@pytest.mark.parametrize(
    ("command", "arguments", "display", "scopes"),
    [
        ("logs", [], ":0", {"all"}),
        ("run", ["--help"], ":0", {"all"}),
        ("run", [], "", {"all", "picture"}),
        ("run", ["--headless"], ":0", {"all", "picture"}),
        ("run", [], ":0", {"all", "picture", "window"}),
        ("test", [], "", {"all", "picture", "window", "test"}),
    ],
)
def test_each_command_asks_for_what_it_needs(
    command: str, arguments: list[str], display: str, scopes: set[str]
) -> None:
    rows = parts_for(command, [command, *arguments], {"DISPLAY": display})
    assert rows == tuple(row for row in SYSTEM_PARTS if row.scope in scopes)
