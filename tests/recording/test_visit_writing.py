"""The visits' recordings on the disk: streamed, packed, kept for days, and worth no picture when it fails."""

from __future__ import annotations

import gzip
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel

from controller.recording.reading import Recording
from controller.recording.rows import Head, Reading, Resize, Sample
from controller.recording.shelf import LEAST_FREE_BYTES, Shelf
from controller.recording.visit_writing import MOST_VISITS_WAITING, Begun, VisitWriting
from logs.visits import Started

HEAD = Head(format="baited recording", version=1, program="1.2.3", seed=7)
NOON_S = 1_775_300_400.0  # 2026-04-04 11:00 UTC
DAY_S = 86_400.0
NAMES = [f"{number:08d}-aaaa-5bbb-8ccc-dddddddddddd" for number in range(40)]


class Settings(BaseModel):
    bugs: int = 5


class Log:
    """Keeps what the log would be told."""

    def __init__(self) -> None:
        self.recordings: dict[str, tuple[str, int, int]] = {}
        self.gone: list[str] = []

    def name_of(self, event: Started) -> str:
        return NAMES[event.number]

    def recorded(self, session: str, file: str, ticks: int, size_bytes: int) -> None:
        self.recordings[session] = (file, ticks, size_bytes)

    def recording_gone(self, file: str) -> None:
        self.gone.append(file)


class Rig:
    """A writing with a clock to be set, on a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home, self.log, self.now_s = home, Log(), NOON_S
        self.free_bytes = 10 * LEAST_FREE_BYTES
        self.listed: list[str] = []
        self.turns = threading.Event()
        self.turns.set()
        self.writing: VisitWriting

    def start(self, days: int = 14, most_waiting: int = 1000, zone: str = "Asia/Tokyo") -> VisitWriting:
        shelf = Shelf(self.home, ZoneInfo(zone), days, lambda folder: self.free_bytes)
        self.writing = VisitWriting(
            shelf, self.log, HEAD, lambda: self.listed, self._wall, most_waiting, every_s=0.01
        )
        return self.writing

    def _wall(self) -> float:
        """Asked in each turn of the thread, which waits here while `turns` is clear."""
        self.turns.wait()
        return self.now_s

    def visit(self, number: int, ticks: int = 20, ended: bool = True) -> bool:
        if not self.writing.begin(begun(number, self.now_s)):
            return False
        for tick in range(1, ticks + 1):
            self.writing.put(reading(tick))
        return ended and self.writing.close(ticks, b"a swarm")

    def files(self) -> list[str]:
        folder = self.home / "recordings"
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def begun(number: int, at_s: float = NOON_S) -> Begun:
    event = Started(number, "mouse", False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Begun(event, at_s, b"a snapshot", Settings(), (640, 480))


def reading(tick: int, x: float = 3.0) -> Reading:
    return Reading(tick, True, x + tick, 1.0, "mouse", True, "", None)


def wait_for(wanted: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 60
    while not wanted():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


def in_a_process(program: str, home: Path, checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, str(home)],
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path / "画廊 home")
    rig.home.mkdir()
    yield rig
    rig.writing.stop()


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
from tests.recording.test_visit_writing import NOON_S, Rig, wait_for

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


def test_a_kill_between_packing_and_the_logs_writing_has_it_packed_and_told_again(rig: Rig) -> None:
    """Both files stand there: the plain one goes only when the log has had its time."""
    rig.start().begin(begun(1))
    rig.visit(2)
    rig.writing.stop()
    packed = next((rig.home / "recordings").rglob(f"{NAMES[2]}*"))
    plain = packed.with_suffix("")
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    rig.log = Log()
    rig.start().stop()
    assert rig.log.recordings[NAMES[2]][1] == 20
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


def fill_with_days(home: Path) -> None:
    for number, day in enumerate(("2025-01-01", "2026-03-20", "2026-03-21", "2026-04-04")):
        folder = home / "recordings" / day
        folder.mkdir(parents=True)
        (folder / f"{NAMES[number]}.jsonl.gz").write_bytes(b"packed")


def test_recordings_are_kept_for_the_days_of_the_setting_at_start_and_at_each_midnight(rig: Rig) -> None:
    fill_with_days(rig.home)
    (rig.home / "recordings" / "2025-01-01" / "notes.txt").write_text("the curator's")
    (rig.home / "recordings" / "2025-01-01" / f".baited-{'0' * 16}.new").write_bytes(b"of a killed one")
    (rig.home / "recordings" / "best of").mkdir()
    rig.start(days=14)
    rig.visit(9, ended=False)
    wait_for(lambda: f"2026-04-04/{NAMES[9]}.jsonl" in rig.files())
    kept = [f"2026-03-21/{NAMES[2]}.jsonl.gz", f"2026-04-04/{NAMES[3]}.jsonl.gz"]
    assert set(rig.files()) == {*kept, f"2026-04-04/{NAMES[9]}.jsonl", "2025-01-01/notes.txt"}
    assert not (rig.home / "recordings" / "2026-03-20").exists()
    gone = [f"recordings/2025-01-01/{NAMES[0]}.jsonl.gz", f"recordings/2026-03-20/{NAMES[1]}.jsonl.gz"]
    assert set(gone) <= set(rig.log.gone)
    assert not set(rig.log.gone) & {f"recordings/{name}" for name in kept}
    rig.now_s += DAY_S
    wait_for(lambda: kept[0] not in rig.files())
    draft = rig.home / "recordings" / "2026-04-04" / f"{NAMES[9]}.jsonl"
    rig.writing.put(reading(21))
    wait_for(lambda: draft.read_bytes().count(b"\n") == 22)
    assert rig.log.recordings == {}, "a visit that lasts over midnight is left alone"
    assert rig.writing.close(21, b"a swarm")
    rig.writing.stop()
    assert Recording(rig.home / rig.log.recordings[NAMES[9]][0]).digest


def test_with_0_days_what_is_there_goes(rig: Rig) -> None:
    fill_with_days(rig.home)
    (rig.home / "recordings" / "2026-04-04" / f"{NAMES[7]}.jsonl").write_bytes(HEAD.as_line())
    rig.start(days=0).stop()
    assert rig.files() == []
    assert len(set(rig.log.gone)) == 5


def test_the_log_forgets_a_recording_that_somebody_removed_but_none_of_a_disk_that_is_away(rig: Rig) -> None:
    fill_with_days(rig.home)
    there = f"recordings/2026-04-04/{NAMES[3]}.jsonl.gz"
    rig.listed = [there, f"recordings/2026-04-04/{NAMES[5]}.jsonl.gz"]
    rig.start().stop()
    assert rig.listed[1] in rig.log.gone
    assert there not in rig.log.gone
    (rig.home / "recordings").rename(rig.home / "elsewhere")
    rig.log = Log()
    rig.start().stop()
    assert rig.log.gone == []


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
from tests.recording.test_visit_writing import Rig, wait_for

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
