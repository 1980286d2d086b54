"""The visits' recordings on the disk: streamed, packed, and worth no picture when it fails."""

from __future__ import annotations

import gzip
import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from controller.recording.reading import Recording
from controller.recording.rows import Reading, Resize, Sample
from controller.recording.shelf import LEAST_FREE_BYTES
from controller.recording.visit_writing import MOST_VISITS_WAITING
from tests.recording.visit_rig import HEAD, NAMES, NOON_S, Log, Rig, reading, wait_for


def in_a_process(program: str, home: Path, checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, str(home)],
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_visit_becomes_one_packed_file_in_the_folder_of_its_local_day(rig: Rig) -> None:
    """At 23:30 and half past midnight in Tokyo, which are one day in UTC."""
    rig.start()
    rig.now_s = NOON_S + 3.5 * 3600
    assert rig.visit(1)
    rig.now_s += 3600
    assert rig.visit(2)
    rig.writing.stop()
    assert rig.files() == [f"2026-04-04/{NAMES[1]}.jsonl.gz", f"2026-04-05/{NAMES[2]}.jsonl.gz"]
    file, ticks, size_bytes = rig.log.recordings[NAMES[1]]
    assert (file, ticks) == (f"recordings/2026-04-04/{NAMES[1]}.jsonl.gz", 20)
    assert size_bytes == (rig.home / file).stat().st_size
    recording = Recording(rig.home / file)
    assert (recording.notes, recording.ticks, len(recording.digest)) == ([], 20, 64)
    assert recording.head.settings == {"bugs": 5}
    assert (recording.head.seed, recording.head.size, recording.head.program) == (7, (640, 480), "1.2.3")
    assert next(recording.rows()) == Sample(tick=1, on=True, x=4.0, y=1.0, source="mouse")
    assert b"at_s" not in gzip.decompress((rig.home / file).read_bytes())


def test_rows_are_in_a_plain_file_while_the_visit_lasts(rig: Rig) -> None:
    rig.start()
    rig.visit(1, ended=False)
    wait_for(rig.files)
    path = rig.home / "recordings" / rig.files()[0]
    wait_for(lambda: path.read_bytes().count(b"\n") == 21)
    assert path.suffix == ".jsonl"
    assert Recording(path).ticks == 20


KILLED = """
import os, signal, sys, time
from pathlib import Path
from tests.recording.visit_rig import NOON_S, Rig, wait_for

rig = Rig(Path(sys.argv[1]))
rig.start()
rig.visit(1, ended=False)
path = rig.home / "recordings" / "2026-04-04"
wait_for(lambda: path.exists() and any(file.stat().st_size > 1000 for file in path.iterdir()))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_kill_left_can_be_read_and_is_packed_at_the_next_start(rig: Rig, checkout: Path) -> None:
    done = in_a_process(KILLED, rig.home, checkout)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = rig.files()
    assert left == f"2026-04-04/{NAMES[1]}.jsonl"
    with (rig.home / "recordings" / left).open("ab") as file:
        file.write(b'{"tick":21,"on":tr')
    rig.start().stop()
    assert rig.files() == [f"{left}.gz"]
    file_name, ticks, _ = rig.log.recordings[NAMES[1]]
    recording = Recording(rig.home / file_name)
    assert recording.ticks == ticks == 20
    assert "half written" in recording.notes[0]
    assert "no end" in recording.notes[1]


def test_a_kill_before_the_plain_file_went_has_it_packed_and_told_again(rig: Rig) -> None:
    rig.start()
    rig.visit(2)
    rig.writing.stop()
    packed = next((rig.home / "recordings").rglob(f"{NAMES[2]}*"))
    plain = packed.with_suffix("")
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    told, rig.log = rig.log.recordings, Log()
    rig.start().stop()
    assert rig.log.recordings == told
    assert not plain.exists()


def test_what_has_no_row_is_no_recording(rig: Rig) -> None:
    """Killed in the first second, or a head that was half written."""
    folder = rig.home / "recordings" / "2026-04-04"
    folder.mkdir(parents=True)
    for number, content in ((1, b""), (2, HEAD.as_line()), (3, HEAD.as_line()[:20])):
        (folder / f"{NAMES[number]}.jsonl").write_bytes(content)
    rig.start().stop()
    assert (rig.files(), rig.log.recordings) == ([], {})
    assert rig.writing.fault == ""


def test_a_disk_with_little_space_has_no_recordings_until_there_is_more(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    """At the ON of two visits and in the midst of a third; told once."""
    rig.free_bytes = LEAST_FREE_BYTES - 1
    rig.start()
    rig.visit(1)
    wait_for(lambda: rig.writing.lost == 1)
    rig.visit(2)
    wait_for(lambda: rig.writing.lost == 2)
    assert "less than 200 MB are free" in rig.writing.state()["fault"]
    rig.free_bytes = LEAST_FREE_BYTES
    rig.visit(3, ended=False)
    wait_for(rig.files)
    rig.free_bytes = 0
    wait_for(lambda: rig.writing.lost == 3)
    assert rig.files() == []
    rig.writing.put(reading(21))
    rig.writing.close(21, b"a swarm")
    rig.free_bytes = LEAST_FREE_BYTES
    rig.visit(4)
    wait_for(lambda: rig.writing.made == 1)
    state = rig.writing.state()
    assert (state["made"], state["lost"], state["waiting"], state["fault"]) == (1, 3, 0, "")
    assert state["path"] == str(rig.home / "recordings")
    assert list(rig.log.recordings) == [NAMES[4]]
    assert len(caplog.records) == 1


def test_a_place_that_is_no_folder_costs_the_recordings_only(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    (rig.home / "recordings").write_text("in the way")
    rig.start()
    assert rig.visit(1)
    assert rig.visit(2)
    wait_for(lambda: rig.writing.lost == 2)
    assert "directory" in rig.writing.state()["fault"]
    assert len(caplog.records) == 1
    assert str(rig.home / "recordings") in caplog.text
    (rig.home / "recordings").unlink()
    rig.visit(3)
    wait_for(lambda: rig.writing.made == 1)
    assert rig.writing.fault == ""


FULL = """
import resource, signal, sys
from pathlib import Path
from tests.recording.visit_rig import Rig, wait_for

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY))
rig = Rig(Path(sys.argv[1]))
rig.start()
rig.visit(1)
wait_for(lambda: rig.writing.lost)
assert rig.writing.fault == "File too large", rig.writing.state()
assert rig.files() == [], rig.files()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
rig.visit(2)
wait_for(lambda: rig.writing.made)
assert rig.writing.state()["fault"] == "", rig.writing.state()
rig.writing.stop()
"""


def test_a_full_disk_leaves_no_half_and_the_next_visit_is_recorded(tmp_path: Path, checkout: Path) -> None:
    """A limit on the size of files, which the system holds a process to, stands for it."""
    done = in_a_process(FULL, tmp_path, checkout)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("A visit has no recording") == 1
    assert Recording(next(tmp_path.rglob("*.gz"))).ticks == 20


def test_a_disk_that_hangs_holds_nobody_up_and_is_told(rig: Rig) -> None:
    """A pipe that nobody reads stands for it: whoever opens it waits."""
    folder = rig.home / "recordings" / "2026-04-04"
    folder.mkdir(parents=True)
    pipe = folder / f"{NAMES[2]}.jsonl"
    os.mkfifo(pipe)
    rig.start(most_waiting=2000)
    rig.visit(2, ticks=1500)
    wait_for(lambda: rig.writing._taken == 1)
    assert "does not keep up" in rig.writing.state()["fault"]
    assert [rig.visit(number, ticks=1) for number in range(3, 30)].count(True) == MOST_VISITS_WAITING
    assert rig.writing.lost == 27 - MOST_VISITS_WAITING
    for tick in range(5000):
        rig.writing.put(reading(tick))
    assert rig.writing.state()["waiting"] <= 2000
    pipe.rename(pipe.with_name("a pipe"))
    with (folder / "a pipe").open("rb") as reader:
        threading.Thread(target=reader.read).start()
        wait_for(lambda: rig.writing.made == MOST_VISITS_WAITING)


def test_a_visit_without_room_is_counted_at_once_and_told_by_the_thread(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    """The terminal that the word goes to may hang, and the picture must not wait for it."""
    rig.turns.clear()
    rig.start(most_waiting=5)
    rig.visit(1)
    assert not rig.visit(2)
    assert (rig.writing.lost, caplog.records) == (1, [])
    assert "does not keep up" in rig.writing.state()["fault"]
    rig.turns.set()
    wait_for(lambda: caplog.records)
    assert [record.threadName for record in caplog.records] == ["visit-recordings"]
    assert (rig.writing.lost, rig.writing.made) == (1, 1)
    assert "does not keep up" in rig.writing.state()["fault"], "until a later one is made"
    rig.visit(3, ticks=2)
    wait_for(lambda: rig.writing.made == 2)
    assert rig.writing.state()["fault"] == ""


def test_after_a_row_without_room_none_is_kept_so_that_there_is_no_gap(rig: Rig) -> None:
    folder = rig.home / "recordings" / "2026-04-04"
    rig.turns.clear()
    rig.start(most_waiting=11)
    assert not rig.visit(1, ticks=20)
    rig.turns.set()
    rig.writing.stop()
    recording = Recording(folder / f"{NAMES[1]}.jsonl.gz")
    assert [row.tick for row in recording.rows()] == list(range(1, 11))
    assert "no end" in recording.notes[0]


@pytest.mark.parametrize(
    "row", [reading(6, math.nan), Resize.model_construct(tick=6, size=(10**9, 1)), object()]
)
def test_a_row_that_could_not_be_read_again_ends_the_recording_before_it(
    rig: Rig, row: Reading, caplog: pytest.LogCaptureFixture
) -> None:
    rig.start()
    rig.visit(1, ticks=5, ended=False)
    rig.writing.put(row)
    rig.writing.put(reading(7))
    rig.writing.close(7, b"a swarm")
    rig.visit(2)
    rig.writing.stop()
    assert rig.log.recordings[NAMES[2]][1] == 20
    if isinstance(row, Reading | Resize):
        assert rig.log.recordings[NAMES[1]][1] == 5
        assert "ends early: a row cannot be written" in caplog.text
    else:
        assert rig.writing.lost == 1


def test_a_visit_that_nobody_ended_is_kept_without_an_end(rig: Rig) -> None:
    """As when the show ends by a fault of its own, and when the next one begins all the same."""
    rig.start()
    rig.visit(1, ended=False)
    rig.visit(2, ended=False)
    rig.writing.stop()
    for number in (1, 2):
        recording = Recording(rig.home / rig.log.recordings[NAMES[number]][0])
        assert (recording.ticks, recording.digest) == (20, "")
