"""Files that are replaced in one step, on disks that refuse at one moment or another."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from logs.durable import ASIDE_PATTERN, file_aside, replace_text


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


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "link to a pipe": link_to_pipe,
    "link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_regular_file_is_refused_and_left(tmp_path: Path, kind: str) -> None:
    """A device, for one: to replace /dev/null would be the end of it."""
    path = tmp_path / "out"
    KINDS[kind](path)
    before = kinds(tmp_path)
    with pytest.raises(OSError, match=r"not a regular file|symbolic links"):
        replace_text(path, "new")
    assert kinds(tmp_path) == before


def kinds(folder: Path) -> dict[str, tuple[int, int]]:
    """Number and mode of each thing in the folder."""
    return {one.name: (one.lstat().st_ino, one.lstat().st_mode) for one in folder.iterdir()}


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    """In the folder of that, also where it is not there yet."""
    (tmp_path / "far").mkdir()
    link = tmp_path / "panel.toml"
    link.symlink_to(Path("far", "kept.toml"))
    for text in ("first", "second"):
        replace_text(link, text)
        assert link.is_symlink()
        assert (tmp_path / "far" / "kept.toml").read_text(encoding="utf-8") == text
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["far", "kept.toml", "panel.toml"]


def test_no_file_beside_it_is_touched(tmp_path: Path) -> None:
    beside = tmp_path / "out.json.new"
    beside.write_text("mine", encoding="utf-8")
    replace_text(tmp_path / "out.json", "new")
    assert beside.read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    replace_text(tmp_path / ("n" * 255), "new")
    assert (tmp_path / ("n" * 255)).read_text(encoding="utf-8") == "new"


def test_rights_are_those_of_the_file_replaced_or_of_any_new_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = tmp_path / "kept.toml"
        replace_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        replace_text(path, "newer")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


@pytest.mark.skipif(
    os.geteuid() != 0, reason="giving files to another user needs root: run the suite as root"
)
def test_a_file_of_another_user_stays_theirs(tmp_path: Path) -> None:
    path = tmp_path / "kept.toml"
    path.write_text("old", encoding="utf-8")
    os.chown(path, 65534, 65534)
    replace_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


WRITER = """
import os, sys
from pathlib import Path
from logs import durable
flush = os.fsync
def wait(handle):
    if not sys.stdin.closed:
        print("in the middle", flush=True)
        sys.stdin.readline()
        sys.stdin.close()
    flush(handle)
durable.os.fsync = wait
durable.replace_text(Path(sys.argv[1]), sys.argv[2])
"""


@pytest.fixture
def writer(checkout: Path) -> Iterator[Callable[[Path, str], subprocess.Popen[str]]]:
    """writer(path, text): a process that has written the text, but not yet put it in its place."""
    started: list[subprocess.Popen[str]] = []

    def start(path: Path, text: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WRITER, str(path), text]
        started.append(subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=checkout))
        assert started[-1].stdout is not None
        assert started[-1].stdout.readline() == "in the middle\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_what_a_killed_writer_left_goes_at_the_next_write_and_nobody_elses_does(
    tmp_path: Path, writer: Callable[[Path, str], subprocess.Popen[str]]
) -> None:
    """Two writers in the middle of their writing, one of them killed; then a third one writes."""
    path = tmp_path / "kept.toml"
    replace_text(path, "old")
    dead, alive = writer(path, "never seen"), writer(path, "of the living")
    assert len(list(tmp_path.glob(ASIDE_PATTERN))) == 2
    dead.kill()
    dead.wait()
    replace_text(path, "of the third")
    (left,) = tmp_path.glob(ASIDE_PATTERN)
    assert left.read_text(encoding="utf-8") == "of the living"
    assert path.read_text(encoding="utf-8") == "of the third"
    alive.communicate("\n")
    assert alive.returncode == 0
    assert path.read_text(encoding="utf-8") == "of the living"
    assert [one.name for one in tmp_path.iterdir()] == ["kept.toml"]


def test_a_writer_whose_new_file_was_taken_for_a_left_one_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between making a file and locking it, in which another writer comes by."""
    lock, waiting = fcntl.flock, [tmp_path]

    def late(handle: int, how: int) -> None:
        if waiting and how == fcntl.LOCK_EX:
            replace_text(waiting.pop() / "other.toml", "other")
        lock(handle, how)

    monkeypatch.setattr("logs.durable.fcntl.flock", late)
    replace_text(tmp_path / "kept.toml", "new")
    assert not waiting
    assert sorted(one.name for one in tmp_path.iterdir()) == ["kept.toml", "other.toml"]


def test_where_nothing_can_be_locked_nothing_is_taken_for_a_left_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("logs.durable.fcntl.flock", refuse)
    with file_aside(tmp_path) as aside:
        replace_text(tmp_path / "kept.toml", "new")
        assert aside.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["kept.toml"]


def test_many_writers_at_once_never_take_each_others_files(tmp_path: Path) -> None:
    faults: list[OSError] = []

    def write_often(name: str) -> None:
        try:
            for number in range(60):
                replace_text(tmp_path / name, str(number))
        except OSError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=write_often, args=(name,)) for name in ("a", "a", "b", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"a": "59", "b": "59"}
