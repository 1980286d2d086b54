"""The recording's way to the disk: in order, soon, and never in the show's way, whatever the disk does."""

from __future__ import annotations

import hashlib
import logging
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.recording.reading import Recording
from controller.recording.rows import Head, Sample
from controller.recording.writing import RecordingWriter

HEAD = Head(format="baited recording", version=1)
EVERY_S = 0.02


def fault_of(writer: RecordingWriter) -> str:
    """What the status would say."""
    return str(writer.state()["fault"])


def sample(tick: int) -> Sample:
    return Sample(tick=tick, on=True, x=tick / 7, y=1.0)


def end(tick: int) -> tuple[int, bytes]:
    return tick, b"a swarm"


def wait_for(wanted: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 60
    while not wanted():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def test_rows_stand_in_their_order_between_head_and_end(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("what was there before, and longer than the head\n" * 1000)
    writer = RecordingWriter(path, HEAD, every_s=EVERY_S)
    rows = [sample(tick) for tick in range(1, 5001)]
    for row in rows:
        writer.put(row)
    assert writer.close(*end(5000))
    recording = Recording(path)
    assert list(recording.rows()) == rows
    assert (recording.notes, recording.digest) == ([], hashlib.sha256(b"a swarm").hexdigest())


def test_rows_are_on_their_way_to_the_disk_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    writer = RecordingWriter(path, HEAD, every_s=EVERY_S)
    writer.put(sample(3))
    wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") == 2)
    writer.put(sample(4))
    wait_for(lambda: path.read_bytes().count(b"\n") == 3)
    assert writer.close(*end(4))


def test_a_disk_that_hangs_holds_nobody_up_and_what_is_lost_is_counted_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A pipe that nobody reads: whoever opens it waits for ever."""
    pipe = tmp_path / "x.jsonl"
    os.mkfifo(pipe)
    writer = RecordingWriter(pipe, HEAD, most_waiting=100, every_s=EVERY_S)
    for tick in range(1, 5001):
        writer.put(sample(tick))
    assert writer._waiting.qsize() <= 100
    assert writer.lost >= 4900
    assert "ended early (the disk does not keep up)" in fault_of(writer)
    assert not writer.close(*end(5000), patience_s=0.1)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert str(pipe) in caplog.text
    assert "5002 rows" in caplog.text
    with pipe.open("rb") as reader:
        reader.read()


def test_a_disk_that_comes_back_gets_all_that_waited(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder that is not there yet stands for a stick that is not mounted."""
    path = tmp_path / "stick" / "x.jsonl"
    writer = RecordingWriter(path, HEAD, every_s=EVERY_S)
    writer.put(sample(1))
    wait_for(lambda: writer.fault)
    path.parent.mkdir()
    writer.put(sample(2))
    assert writer.close(*end(2))
    assert list(Recording(path).rows()) == [sample(1), sample(2)]
    assert len(caplog.records) == 1
    assert "waits, the show goes on" in caplog.text


def test_after_a_lost_row_none_is_written_so_that_there_is_no_gap(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "stick" / "x.jsonl"
    writer = RecordingWriter(path, HEAD, most_waiting=10, every_s=EVERY_S)
    for tick in range(1, 21):
        writer.put(sample(tick))
    path.parent.mkdir()
    wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") == 10)
    wait_for(lambda: "ends here, the show goes on" in caplog.text)
    assert {record.threadName for record in caplog.records} == {"recording"}, "the picture waits for no word"
    assert caplog.text.count("ends here") == 1
    writer.put(sample(21))
    assert "it ended early (" in fault_of(writer)
    assert not writer.close(*end(21))
    recording = Recording(path)
    assert list(recording.rows()) == [sample(tick) for tick in range(1, 10)]
    assert "no end" in recording.notes[0]
    assert "13 rows" in caplog.text


def test_a_row_that_could_not_be_read_again_ends_the_recording_before_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not a number in JSON, and what JSON has no word for; later rows would leave a gap."""
    for wrong in (math.nan, object()):
        path = tmp_path / "x.jsonl"
        writer = RecordingWriter(path, HEAD, every_s=EVERY_S)
        writer.put(sample(1))
        writer.put(Sample.model_construct(tick=2, on=True, x=wrong, y=1.0))
        writer.put(sample(3))
        assert not writer.close(*end(3))
        assert list(Recording(path).rows()) == [sample(1)]
        assert "ends here, the show goes on: a row cannot be written" in caplog.text
        assert "3 rows could not" in caplog.text
        caplog.clear()


def test_a_disk_that_hangs_is_told_of_before_a_row_is_lost(tmp_path: Path) -> None:
    pipe = tmp_path / "x.jsonl"
    os.mkfifo(pipe)
    writer = RecordingWriter(pipe, HEAD, every_s=EVERY_S)
    for tick in range(1, 500):
        writer.put(sample(tick))
    assert fault_of(writer) == ""
    for tick in range(500, 2000):
        writer.put(sample(tick))
    assert "its rows wait (the disk does not keep up)" in fault_of(writer)
    assert writer.lost == 0
    with pipe.open("rb") as reader:
        reader.read()


def test_the_second_of_two_writers_of_a_file_loses_its_rows_and_harms_none_of_the_first(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even later, when the first has ended and the second could have the file."""
    path = tmp_path / "x.jsonl"
    first = RecordingWriter(path, HEAD, every_s=EVERY_S)
    first.put(sample(1))
    wait_for(lambda: first.written == 2)
    second = RecordingWriter(path, HEAD, every_s=EVERY_S)
    for tick in range(50, 60):
        second.put(sample(tick))
    wait_for(lambda: fault_of(second))
    assert "ended early (another program writes this file" in fault_of(second)
    first.put(sample(2))
    assert first.close(*end(2))
    assert not second.close(*end(60))
    assert list(Recording(path).rows()) == [sample(1), sample(2)]
    assert Recording(path).notes == []
    assert "12 rows could not be written (another program writes this file" in caplog.text


FULL = """
import resource, signal, sys
from pathlib import Path
from tests_sample import EVERY_S, HEAD, end, fault_of, sample, wait_for, RecordingWriter

path = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
writer = RecordingWriter(path, HEAD, every_s=EVERY_S)
for tick in range(1, 101):
    writer.put(sample(tick))
wait_for(lambda: fault_of(writer))
assert "its rows wait (File too large); look at the disk" in fault_of(writer), writer.state()
assert path.stat().st_size == 1000, path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
wait_for(lambda: not fault_of(writer))
told = {"path": str(path), "rows": 101, "waiting": 0, "lost": 0, "fault": ""}
assert writer.state() == told, writer.state()
assert writer.close(*end(100))
"""


def test_a_disk_that_is_full_for_a_while_within_a_line_leaves_the_file_whole(
    tmp_path: Path, checkout: Path
) -> None:
    """A limit on the size of files, which the system holds a process to, stands for the full disk."""
    (tmp_path / "tests_sample.py").write_bytes(Path(__file__).read_bytes())
    path = tmp_path / "x.jsonl"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(checkout), str(tmp_path)))}
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stderr
    assert list(Recording(path).rows()) == [sample(tick) for tick in range(1, 101)]
