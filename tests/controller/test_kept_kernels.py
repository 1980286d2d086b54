"""The judgement on kept kernels alone, without a compilation: what is taken, left, told and thrown away."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from controller import kernelcache
from controller.kernelcache import OVERRIDE, KernelCache
from tests.controller.cache_harms import HARMS, files


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home for caches without a compilation, with a temporary folder of its own."""
    monkeypatch.delenv(OVERRIDE, raising=False)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def seal_one(home: Path) -> None:
    """As a start does that has compiled two files."""
    maker = KernelCache(home, print)
    maker.prepare()
    for name in ("a.1.nbc", "a.nbi"):
        Path(numba.config.CACHE_DIR, name).write_bytes(name.encode() * 100)
    maker.seal()


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS.keys())
def test_no_file_of_a_damaged_cache_reaches_numba_and_what_is_wrong_is_told(
    alone: Path, harm: Callable[[Path], None]
) -> None:
    """A whole cache is taken, a harmed one is left; the next one is sealed in its place."""
    seal_one(alone)
    (place,) = (alone / "cache").iterdir()
    for harmed in (False, True):
        if harmed:
            harm(place)
        taker = KernelCache(alone, print)
        taker.prepare()
        assert taker.warm is not harmed
        assert bool(files(Path(numba.config.CACHE_DIR))) is not harmed
        assert not Path(tempfile.gettempdir(), "outside.nbc").exists()
        assert (str(place) in taker.fault) is harmed
    seal_one(alone)
    assert kernelcache.is_whole(place)
    assert not place.is_symlink()


def test_the_four_sets_used_last_are_kept(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five checkouts with one home; the first was started once more after the fourth."""
    monkeypatch.setattr(kernelcache, "_used_at", lambda place: seen.index(place.name))
    (alone / "cache").mkdir()
    beside = alone / "cache" / "kernels-notes.txt"
    beside.write_text("mine", encoding="utf-8")
    seen = [f"kernels-{letter}" for letter in "bcdae"]
    for letter in "abcde":
        monkeypatch.setattr(kernelcache, "digest", lambda letter=letter: letter)
        seal_one(alone)
    assert {path.name for path in (alone / "cache").iterdir()} == {*seen[1:], beside.name}


def test_a_set_that_is_taken_counts_as_new(alone: Path) -> None:
    seal_one(alone)
    (place,) = (alone / "cache").iterdir()
    os.utime(place, (1.0, 1.0))
    KernelCache(alone, print).prepare()
    assert kernelcache._used_at(place) > 2e9


def test_a_full_temporary_folder_is_named_and_the_kept_cache_is_not_blamed(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal_one(alone)

    def full(folder: Path, files: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kernelcache, "_write", full)
    taker = KernelCache(alone, print)
    taker.prepare()
    assert not taker.warm
    assert f"the temporary folder {alone / 'temporary'} is full" in taker.fault
    assert str(alone / "cache") not in taker.fault
