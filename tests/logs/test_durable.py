"""Files that are replaced in one step, on disks that refuse at one moment or another."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from logs.durable import replace_text


def test_a_folder_that_cannot_be_flushed_does_not_unmake_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems refuse it; the file is in its place all the same."""
    flush = os.fsync

    def files_only(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        flush(handle)

    monkeypatch.setattr("logs.durable.os.fsync", files_only)
    replace_text(tmp_path / "kept.toml", "虫 = 250\n")
    assert (tmp_path / "kept.toml").read_text(encoding="utf-8") == "虫 = 250\n"


def test_text_and_folder_are_flushed_before_the_call_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []

    def noting(handle: int) -> None:
        flushed.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")

    monkeypatch.setattr("logs.durable.os.fsync", noting)
    replace_text(tmp_path / "kept.toml", "a = 1\n")
    assert flushed == ["file", "folder"]


def test_a_refused_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.toml"
    replace_text(path, "old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("logs.durable.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_text(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["kept.toml"]
