"""Files handed in that are no files, or of an encoding that is not read: told as what they are."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from logs.importing import Imported, import_files
from logs.recovery import recover

NOW_US = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp() * 1e6)
SCREEN_PX = (1000.0, 500.0)
PLACES = {"startX": 500, "startY": 300, "endX": 480, "endY": 320}
TIMES = {"onTime": "2026-04-02T10:23:45.123", "offTime": "2026-04-02T10:24:12.456", "duration": 27.3}
LINE = json.dumps({"type": "session", "id": 1, **TIMES, **PLACES})


@pytest.fixture
def hand_in(database: Path, tmp_path: Path) -> Callable[[bytes], Imported]:
    """hand_in(bytes): a file of these taken in; what became of it."""

    def give(content: bytes) -> Imported:
        file = tmp_path / "given.jsonl"
        file.write_bytes(content)
        (told,) = import_files(database, [file], SCREEN_PX, NOW_US)
        return told

    return give


def test_what_is_there_and_no_file_is_told_as_what_it_is(database: Path, tmp_path: Path) -> None:
    """Nothing of it is opened: a pipe would be waited for."""
    folder, pipe, link = tmp_path / "folder", tmp_path / "pipe", tmp_path / "link"
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to("nowhere")
    files = {
        folder: "it is a folder",
        pipe: "it is a pipe",
        Path("/dev/null"): "it is a device",
        link: "a link that leads nowhere",
        tmp_path / "none": "there is no such file",
        tmp_path / ("n" * 300): "File name too long",
    }
    told = list(import_files(database, list(files), SCREEN_PX, NOW_US))
    found = recover(database, list(files), [], lambda: NOW_US).problems
    for (file, words), one, problem in zip(files.items(), told, found, strict=True):
        assert words in one.problem
        assert problem.startswith(f"{file}: ")
        assert words in problem


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        *((name, "UTF-16 text without a byte-order mark") for name in ("utf-16-le", "utf-16-be")),
        *((name, "UTF-32 text") for name in ("utf-32", "utf-32-le", "utf-32-be")),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_encoding_that_is_not_read_is_named(
    pack: Any, encoding: str, word: str, hand_in: Callable[[bytes], Imported]
) -> None:
    told = hand_in(pack(f"{LINE}\n{LINE}\n".encode(encoding)))
    assert (told.taken, told.bad) == (0, 0)
    assert word in told.problem
    assert "save it as UTF-8" in told.problem


def test_zeros_of_a_power_cut_are_no_encoding(hand_in: Callable[[bytes], Imported]) -> None:
    assert hand_in(b"\0" * 4096 + f"\n{LINE}\n".encode()).taken == 1


def test_no_reason_speaks_of_python(hand_in: Callable[[bytes], Imported]) -> None:
    told = hand_in("\n".join(["9" * 6000, "[" * 60_000, LINE.replace("27.3", "9" * 6000)]).encode())
    assert len(told.bad_lines) == 3
    assert not [why for _, why in told.bad_lines if "sys." in why or "recursion" in why]
