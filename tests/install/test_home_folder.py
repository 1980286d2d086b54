"""Where the home folder is, for users with and without one of their own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from controller.install import home as home_module
from controller.install.home import fallback_folders, home_folder, is_temporary


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temp folder of this test; no user of these tests has a passwd entry with a home."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    return tmp_path


def test_the_argument_goes_before_the_variable_before_the_users_folder(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "BAITED_HOME": str(tmp_path / "b")}
    assert home_folder(str(tmp_path / "a"), env) == tmp_path / "a"
    assert home_folder(None, env) == tmp_path / "b"
    del env["BAITED_HOME"]
    assert home_folder(None, env) == tmp_path / "data" / "baited"
    del env["XDG_DATA_HOME"]
    assert home_folder(None, env) == tmp_path / ".local" / "share" / "baited"


def test_a_relative_argument_is_made_absolute() -> None:
    assert home_folder("data", {}) == Path.cwd() / "data"


@pytest.mark.parametrize("env", [{}, {"HOME": "/nonexistent"}, {"HOME": ""}, {"XDG_DATA_HOME": "relative"}])
def test_without_a_home_the_temp_folder_serves(env: dict[str, str], tmp_path: Path) -> None:
    home = home_folder(None, env)
    assert home == tmp_path / f"baited-{os.getuid()}"
    assert is_temporary(home)
    assert not home.exists()


def test_a_home_of_the_users_own_is_not_temporary(tmp_path: Path) -> None:
    assert not is_temporary(home_folder(None, {"HOME": str(tmp_path)}))


def test_somebody_elses_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: stranger)
    (tmp_path / f"baited-{stranger}").mkdir()
    with pytest.raises(PermissionError, match="--home"):
        home_folder(None, {})


def test_a_link_laid_by_somebody_is_refused(tmp_path: Path) -> None:
    (tmp_path / f"baited-{os.getuid()}").symlink_to(tmp_path)
    with pytest.raises(PermissionError, match="--home"):
        home_folder(None, {})


def test_what_the_home_does_not_take_goes_where_it_outlives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lasting, short = tmp_path / "var", tmp_path / "tmp"
    lasting.mkdir()
    short.mkdir()
    monkeypatch.setattr(home_module, "LASTING", str(lasting))
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    monkeypatch.delenv("TMPDIR", raising=False)
    assert [folder.parent for folder in fallback_folders()] == [lasting, short]
    (lasting / fallback_folders()[0].name).symlink_to(tmp_path)
    assert [folder.parent for folder in fallback_folders()] == [short]
    monkeypatch.setenv("TMPDIR", str(short))
    assert [folder.parent for folder in fallback_folders()] == [short]
