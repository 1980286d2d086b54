"""Recordings as files: written and read back alike, written by hand, cut short, wrong."""

from __future__ import annotations

import base64
import gzip
import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from controller.recording.reading import Recording, RecordingError
from controller.recording.rows import (
    End,
    Head,
    NewScene,
    Resize,
    Restored,
    Row,
    Sample,
    Setting,
    Visit,
    read_head,
    read_row,
)
from controller.scenes import open_scene
from controller.scenes.baited.settings import BaitedSettings

HEAD = b'{"format": "baited recording", "version": 1}\n'
ON = b'{"tick": 61, "on": true, "x": 960, "y": 540.5}\n'
OFF = b'{"tick": 121, "on": false, "x": 960, "y": 540.5}\n'
END = b'{"tick": 240, "end": true}\n'

places = st.floats(allow_nan=False, allow_infinity=False)
samples = st.builds(
    Sample,
    tick=st.integers(0, 10**12),
    on=st.booleans(),
    x=places,
    y=places,
    source=st.sampled_from(["mouse", "demo", "camera", "replay"]),
    alive=st.booleans(),
    reason=st.sampled_from(["", "off", "camera_lost"]),
    at_s=st.none() | places,
)
settings = st.builds(
    Setting,
    tick=st.just(3),
    setting=st.text(),
    value=st.booleans() | st.integers(-99, 99) | places | st.text(),
)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "虫 one.jsonl"


@tried(deadline=None)
@given(samples | settings)
def test_a_row_comes_back_as_it_was_to_the_last_bit(row: Sample | Setting) -> None:
    found = read_row(row.as_line())
    assert found == row
    if isinstance(row, Setting) and isinstance(found, Setting):
        assert type(found.value) is type(row.value)


@pytest.mark.parametrize(
    "row",
    [
        Resize(tick=5, size=(1280, 720)),
        Visit(tick=5, visit=True),
        NewScene(tick=5, scene="baited", settings={"bugs": 3, "gait": {"run_min_ticks": 4}}),
        Restored(tick=5, snapshot="QlQ="),
        End(tick=5, end=True, sha256="ab" * 32),
    ],
)
def test_every_other_kind_of_row_comes_back_too(row: Row) -> None:
    assert read_row(row.as_line()) == row


def test_a_head_comes_back_as_it_was() -> None:
    head = Head(format="baited recording", version=1, seed=2**63 - 1, size=(5, 6), settings={"a": {"b": 0.1}})
    assert read_head(head.as_line()) == head


def test_a_file_by_hand_needs_little(written: Path) -> None:
    """A mark of the byte order, blank lines and a last line without its end are no faults."""
    written.write_bytes(b"\xef\xbb\xbf" + HEAD + b"\n" + ON + b"  \n" + END.strip())
    recording = Recording(written)
    assert (recording.head.scene, recording.head.seed, recording.head.size) == ("baited", 1, (1920, 1080))
    assert list(recording.rows()) == [Sample(tick=61, on=True, x=960, y=540.5)]
    assert (recording.ticks, recording.digest, recording.notes) == (240, "", [])


@pytest.mark.parametrize(
    "tail", [b'{"tick": 130, "on": tr', b"\x00" * 500, b'{"tick": 130, "on": true, "x": 3']
)
def test_a_file_that_was_cut_goes_to_its_last_whole_row_and_says_so(written: Path, tail: bytes) -> None:
    written.write_bytes(HEAD + ON + OFF + tail)
    recording = Recording(written)
    assert recording.ticks == 121
    assert len(list(recording.rows())) == 2
    half, no_end = recording.notes
    assert "Line 4" in half
    assert "121" in no_end


def test_what_is_written_after_the_first_look_does_not_count(written: Path) -> None:
    written.write_bytes(HEAD + ON)
    recording = Recording(written)
    with written.open("ab") as file:
        file.write(OFF)
    assert len(list(recording.rows())) == 1


def test_what_happened_after_the_last_step_stands_before_the_end(written: Path) -> None:
    written.write_bytes(HEAD + ON + b'{"tick": 241, "size": [640, 480]}\n' + END)
    recording = Recording(written)
    assert recording.ticks == 240
    assert list(recording.rows())[-1] == Resize(tick=241, size=(640, 480))


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"", 1, ["no recording"]),
        (b"\x00\x00\x00\x18ftypisom" + bytes(range(256)) * 20, 1, ["no recording"]),
        (b'{"frames": 3, "light": []}\n', 1, ["no recording"]),
        (HEAD.replace(b"1", b"7"), 1, ["version 7", "reads 1", "program that recorded"]),
        (HEAD.replace(b"1}", b'1, "scene": "moths"}'), 1, ["'moths'", "baited"]),
        (HEAD.replace(b"1}", b'1, "size": [0, 480]}'), 1, ["size.0"]),
        (HEAD.replace(b"1}", b'1, "sed": 4}'), 1, ["sed", "no such entry"]),
        (HEAD + b'{"tick": 1, "on": true, "x": 5}\n', 2, ["y", "required"]),
        (HEAD + b'{"tick": 1, "on": true, "x": NaN, "y": 5}\n', 2, ["x", "finite"]),
        (HEAD + b'{"tick": -1, "on": true, "x": 5, "y": 5}\n', 2, ["tick"]),
        (HEAD + b'{"tick": 1, "on": 1, "x": 5, "y": 5}\n', 2, ["on", "boolean"]),
        (HEAD + b'{"tick": 1, "on": true, "x": 5, "y": 5, "size": [5, 5]}\n', 2, ["one of", "setting"]),
        (HEAD + b'{"tick": 1, "x": 5, "y": 5}\n', 2, ["one of", "setting"]),
        (HEAD + b"[1, true, 5, 5]\n", 2, ["one of"]),
        (HEAD + b'{"tick": 1, "on": tr\n' + OFF, 2, ["JSON"]),
        (HEAD + ON + b'{"tick": 90, "scene": "moths"}\n', 3, ["'moths'", "baited"]),
        (HEAD + OFF + ON, 3, ["tick 61", "121", "order"]),
        (HEAD + ON + b'{"tick": 30, "end": true}\n', 3, ["tick 30", "61"]),
        (HEAD + END + ON, 3, ["after the end"]),
    ],
)
def test_a_wrong_file_is_refused_with_its_line_and_the_fault(
    written: Path, content: bytes, line: int, words: list[str]
) -> None:
    written.write_bytes(content)
    with pytest.raises(RecordingError) as found:
        Recording(written)
    assert f"{written}, line {line}: " in str(found.value)
    for word in words:
        assert word in str(found.value)


def test_a_line_that_no_row_can_be_is_refused_before_it_is_read(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with holes: it is far larger than the machine's memory, and takes no room on the disk."""
    written.write_bytes(HEAD + ON)
    with written.open("r+b") as file:
        file.truncate(10**12)
    with pytest.raises(RecordingError, match="line 3: longer than 64 MB"):
        Recording(written)
    written.write_bytes(b"")
    with written.open("r+b") as file:
        file.truncate(10**12)
    with pytest.raises(RecordingError, match="line 1: longer than 64 MB"):
        Recording(written)


def test_a_snapshot_of_the_largest_swarm_is_no_line_too_long(written: Path) -> None:
    largest = BaitedSettings.model_fields["bugs"].metadata
    assert any(getattr(limit, "le", None) == 100_000 for limit in largest)
    saved = open_scene("baited", BaitedSettings(bugs=100_000), (640, 480), 1).snapshot()
    row = Restored(tick=1, snapshot=base64.b64encode(saved).decode())
    written.write_bytes(HEAD + row.as_line())
    assert list(Recording(written).rows()) == [row]


@pytest.mark.parametrize(
    ("first", "last", "taken"),
    [
        (0, 366 * 24 * 3600 * 60, True),
        (10**12, 10**12 + 366 * 24 * 3600 * 60, True),
        (0, 366 * 24 * 3600 * 60 + 1, False),
        (0, 10**15, False),
    ],
)
def test_a_recording_of_more_than_a_year_is_a_wrong_tick(
    written: Path, first: int, last: int, taken: bool
) -> None:
    """The end of one that would be replayed for ever."""
    content = HEAD.replace(b"1}", b'1, "tick": %d}' % first) + b'{"tick": %d, "end": true}\n' % last
    written.write_bytes(content)
    if taken:
        assert Recording(written).ticks == last - first
        return
    with pytest.raises(RecordingError, match=f"line 2: tick {last} comes more than 366 days"):
        Recording(written)


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    """A pipe would be waited for, a device never ends."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", Path("/dev/zero"), tmp_path):
        with pytest.raises(RecordingError, match="no regular file"):
            Recording(path)
    with pytest.raises(FileNotFoundError):
        Recording(tmp_path / "none.jsonl")


def test_the_example_in_the_readme_is_a_recording(checkout: Path, written: Path) -> None:
    readme = (checkout / "controller" / "README.md").read_text(encoding="utf-8")
    written.write_text(readme.split("```json\n")[1].split("```")[0], encoding="utf-8")
    recording = Recording(written)
    assert recording.ticks == 600
    lit = [row.tick for row in recording.rows() if isinstance(row, Sample) and row.on]
    assert math.isclose((lit[0] - 1) / 60, 2.0)


def test_a_packed_file_is_read_as_what_is_in_it_under_any_name(written: Path) -> None:
    written.write_bytes(gzip.compress(HEAD + ON + OFF + END))
    recording = Recording(written)
    assert (recording.ticks, recording.notes) == (240, [])
    assert list(recording.rows()) == [read_row(ON), read_row(OFF)]
    assert list(recording.rows()) == [read_row(ON), read_row(OFF)]


def test_a_packed_file_that_is_cut_anywhere_is_one_without_an_end(written: Path) -> None:
    rows = [b'{"tick": %d, "on": true, "x": %r, "y": 5}\n' % (n, math.sin(n)) for n in range(1, 500)]
    whole = gzip.compress(HEAD + b"".join(rows) + b'{"tick": 500, "end": true}\n')
    found = []
    for length in range(200, len(whole) - 8, 97):
        written.write_bytes(whole[:length])
        recording = Recording(written)
        assert [row.tick for row in recording.rows()] == list(range(1, recording.ticks + 1))
        assert "packed file is cut" in recording.notes[0]
        assert "no end" in recording.notes[-1]
        found.append(recording.ticks)
    assert found == sorted(found)
    assert found[0] < 50 < 450 < found[-1]


@pytest.mark.parametrize("place", [40, -6])
def test_a_packed_file_that_is_damaged_is_refused(written: Path, place: int) -> None:
    """In what was packed, and in its sum at the end."""
    content = bytearray(gzip.compress(HEAD + ON * 50 + OFF))
    content[place] ^= 0xFF
    written.write_bytes(content)
    with pytest.raises(RecordingError, match=r"one\.jsonl.*"):
        Recording(written)


def test_a_packed_file_that_is_cut_before_its_first_line_is_none(written: Path) -> None:
    written.write_bytes(gzip.compress(HEAD + ON)[:12])
    with pytest.raises(RecordingError, match="no recording"):
        Recording(written)
