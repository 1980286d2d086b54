"""A packed recording that is empty, cut or no packed file at all is told as that, not as another format."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from controller.recording.reading import Recording, RecordingError

HEAD = b'{"format": "baited recording", "version": 1, "scene": "baited", "seed": 4}\n'
END = b'{"tick": 240, "end": true}\n'
PACKED = gzip.compress(HEAD + END, mtime=0)
NOISE = random.Random(4).randbytes(2000)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (gzip.compress(b"", mtime=0), "empty"),
        (gzip.compress(b"\n \n", mtime=0), "empty"),
        *((PACKED[:length], "cut") for length in range(2, 30, 3)),
        (NOISE, "damaged"),
        (bytes(4096), "damaged"),
        (PACKED[:2] + NOISE, "damaged"),
        (PACKED[:10] + NOISE, "damaged"),
        (PACKED[5:], "damaged"),
    ],
)
def test_what_is_wrong_with_the_file_is_told(tmp_path: Path, content: bytes, word: str) -> None:
    file = tmp_path / "1.jsonl.gz"
    file.write_bytes(content)
    with pytest.raises(RecordingError, match=word) as found:
        Recording(file)
    assert str(file) in str(found.value)
    assert "format" not in str(found.value)


def test_a_packed_file_of_another_kind_and_a_plain_one_under_that_name_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "1.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"frames": 3}\n'))
    with pytest.raises(RecordingError, match="format"):
        Recording(file)
    file.write_bytes(HEAD + END)
    assert Recording(file).ticks == 240
    file.write_bytes(HEAD.replace(b"1,", b"7,") + END)
    with pytest.raises(RecordingError, match="version 7"):
        Recording(file)
