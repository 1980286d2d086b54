"""The visits' recordings after they were made: kept for days, removed, told to the log, forgotten."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from controller.recording.reading import Recording
from tests.recording.visit_rig import DAY_S, HEAD, NAMES, NOON_S, Log, Rig, reading, wait_for


def test_what_was_packed_after_the_end_of_the_log_is_told_at_the_next_start(rig: Rig) -> None:
    """A slow disk, which the end of the show did not wait for; or a kill before the log wrote."""
    late = rig.log
    rig.turns.clear()
    rig.start()
    rig.visit(1)
    rig.visit(2)
    rig.writing.stop(patience_s=0.01)
    assert late.recordings == {}, "the show and its log have ended"
    rig.turns.set()
    wait_for(lambda: len(late.recordings) == 2)
    rig.listed = [late.recordings[NAMES[1]][0]]
    rig.log = Log()
    rig.start().stop()
    assert rig.log.recordings == {NAMES[2]: late.recordings[NAMES[2]]}
    assert rig.log.gone == []
    assert rig.writing.made == 0


def test_the_log_is_told_of_all_that_it_does_not_know_once_it_can_be_read_and_of_nothing_broken(
    rig: Rig,
) -> None:
    rig.start()
    for number in range(30):
        rig.visit(number)
        wait_for(lambda: not rig.writing.state()["waiting"])
    rig.writing.stop()
    told, rig.log, rig.listed = rig.log.recordings, Log(), None
    broken = rig.home / told[NAMES[7]][0]
    broken.write_bytes(broken.read_bytes()[:-20])
    empty = rig.home / told[NAMES[8]][0]
    empty.write_bytes(gzip.compress(HEAD.as_line()))
    rig.start()
    rig.visit(39)
    wait_for(lambda: rig.writing.made == 1)
    assert list(rig.log.recordings) == [NAMES[39]]
    rig.listed = []
    wait_for(lambda: len(rig.log.recordings) == 29)
    told.pop(NAMES[7])
    told.pop(NAMES[8])
    assert {name: row for name, row in rig.log.recordings.items() if name != NAMES[39]} == told
    assert (rig.writing.fault, rig.writing.made) == ("", 1)


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


def days_on_the_shelf(rig: Rig) -> list[str]:
    return sorted({name.split("/")[0] for name in rig.files()})


def show_on(rig: Rig, day: int, number: int, days: int = 14) -> None:
    """A show with one visit, so many days after NOON_S."""
    rig.now_s = NOON_S + day * DAY_S
    rig.start(days=days)
    rig.visit(number)
    rig.writing.stop()


@pytest.mark.parametrize("synchronised", [False, None])
def test_a_clock_years_ahead_that_no_network_sets_costs_no_recording(
    rig: Rig, synchronised: bool | None
) -> None:
    """Nor at a second start, when the newest recording is of the wrong year itself."""
    rig.synchronised = synchronised
    show_on(rig, 0, 1)
    for day in (3653, 3654):
        show_on(rig, day, day - 3650)
    assert days_on_the_shelf(rig) == ["2026-04-04", "2036-04-04", "2036-04-05"]
    assert rig.log.gone == []
    show_on(rig, 1, 2)
    assert "2026-04-04" in days_on_the_shelf(rig)


def test_a_clock_that_the_network_sets_is_believed_after_any_pause(rig: Rig) -> None:
    show_on(rig, 0, 1)
    show_on(rig, 400, 2)
    assert days_on_the_shelf(rig) == ["2027-05-09"]


def test_after_a_long_pause_without_a_network_old_recordings_go_with_the_days_of_the_show(rig: Rig) -> None:
    """Three days are kept. The gallery opens each fourth day, is closed for two months, and goes on."""
    rig.synchronised = False
    for number, day in enumerate((0, 4, 8)):
        show_on(rig, day, number, days=3)
    assert days_on_the_shelf(rig) == ["2026-04-12"], "no pause: by the date alone"
    counts = []
    for number, day in enumerate((70, 71, 72, 73)):
        show_on(rig, day, 10 + number, days=3)
        counts.append("2026-04-12" in days_on_the_shelf(rig))
    assert counts == [True, True, True, False]
    assert days_on_the_shelf(rig) == ["2026-06-13", "2026-06-14", "2026-06-15", "2026-06-16"]


def test_with_0_days_what_is_there_goes(rig: Rig) -> None:
    """Whatever the clock says."""
    rig.synchronised = False
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


@pytest.mark.parametrize("days", [14, 0])
def test_what_lies_behind_a_link_in_the_place_of_a_day_is_never_touched(rig: Rig, days: int) -> None:
    elsewhere = rig.home.with_name("elsewhere")
    elsewhere.mkdir()
    names = [f"{NAMES[0]}.jsonl.gz", f"{NAMES[1]}.jsonl", f".baited-{'0' * 16}.new"]
    for name in names:
        (elsewhere / name).write_bytes(HEAD.as_line() + reading(4).as_line())
    fill_with_days(rig.home)
    link = rig.home / "recordings" / "2025-03-03"
    link.symlink_to(elsewhere)
    rig.start(days=days).stop()
    assert link.is_symlink()
    assert sorted(file.name for file in elsewhere.iterdir()) == sorted(names)
    assert not [file for file in (*rig.log.gone, *rig.log.recordings) if "2025-03-03" in file]
    assert "2025-01-01" not in days_on_the_shelf(rig)


def test_no_visit_is_recorded_behind_a_link_where_it_would_stay_for_ever(rig: Rig) -> None:
    elsewhere = rig.home.with_name("elsewhere")
    elsewhere.mkdir()
    (rig.home / "recordings").mkdir()
    (rig.home / "recordings" / "2026-04-04").symlink_to(elsewhere)
    rig.start()
    rig.visit(1)
    wait_for(lambda: rig.writing.fault)
    assert "a link is no folder" in rig.writing.fault
    assert list(elsewhere.iterdir()) == []


def test_the_folder_of_all_recordings_may_be_a_link_to_another_disk(rig: Rig) -> None:
    disk = rig.home.with_name("disk")
    disk.mkdir()
    (rig.home / "recordings").symlink_to(disk)
    fill_with_days(rig.home)
    rig.start().stop()
    assert days_on_the_shelf(rig) == ["2026-03-21", "2026-04-04"]
