"""Logs handed in: the original's lines, broken lines and files, twice the same, round trip, many rows."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from logs import identity, questions
from logs.closed_log import CannotWrite
from logs.exporting import Choice, export_jsonl
from logs.importing import Imported, import_files
from logs.lock import AlreadyRunning, HomeLock
from logs.original import from_line

NOW_US = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp() * 1e6)
SCREEN_PX = (1000.0, 500.0)
EVERYTHING = Choice(include_demo=True)


def line(**changes: Any) -> str:
    """A line as the original writes it, with Tokyo's wall time; None takes a field out."""
    fields = {
        "type": "session",
        "id": 1,
        "onTime": "2026-04-02T10:23:45.123",
        "offTime": "2026-04-02T10:24:12.456",
        "duration": 27.3,
        "startX": 500,
        "startY": 300,
        "endX": 480,
        "endY": 320,
    } | changes
    return json.dumps({name: value for name, value in fields.items() if value is not None})


GOOD = line(id=2, onTime="2026-04-02T11:00:00.000", offTime="2026-04-02T11:00:05.000", duration=5.0)


def take(database: Path, *files: Path) -> list[Imported]:
    return list(import_files(database, files, SCREEN_PX, NOW_US))


@pytest.fixture
def hand_in(database: Path, tmp_path: Path) -> Callable[..., Imported]:
    """hand_in(bytes or text, name): that file taken in; what became of it."""

    def give(content: bytes | str, name: str = "2026-04-02.jsonl") -> Imported:
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return take(database, file)[0]

    return give


@pytest.mark.parametrize(
    ("on", "off"),
    [
        ("2026-04-02T10:23:45.123", "2026-04-02T10:24:12.456"),
        ("2026-04-02T01:23:45.123Z", "2026-04-02T01:24:12.456Z"),
        ("2026-04-02 10:23:45.123", "2026-04-02 10:24:12.456"),
    ],
)
def test_the_originals_times_are_tokyos_whatever_this_machines_zone(
    on: str, off: str, hand_in: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    assert hand_in(line(onTime=on, offTime=off)).taken == 1
    (row,) = questions.sessions(database)
    assert (row["on"], row["off"]) == ("2026-04-02T01:23:45.123Z", "2026-04-02T01:24:12.423Z")
    assert (row["local_date"], row["local_hour"], row["zone"]) == ("2026-04-02", 10, "Asia/Tokyo")
    assert row["duration_s"] == 27.3
    assert (row["start"], row["end"]) == ([0.5, 0.6], [0.48, 0.64])
    assert (row["reason"], row["source"], row["demo"]) == ("off", "mouse", False)


def test_a_visit_over_midnight_counts_on_the_day_it_began(hand_in: Any, database: Path) -> None:
    hand_in(line(onTime="2026-04-02T23:59:30.000", offTime="2026-04-03T00:01:00.000", duration=90.0))
    assert questions.summary(database)["per_day"] == {"2026-04-02": 1}


def test_ids_that_begin_again_are_different_sessions_and_get_new_ids(hand_in: Any, database: Path) -> None:
    again = line(onTime="2026-04-02T12:00:00.000", offTime="2026-04-02T12:00:27.300")
    assert hand_in(f"{line()}\n{again}\n").taken == 2
    assert [row["id"] for row in questions.sessions(database)] == [1, 2]


def test_the_same_file_twice_or_under_another_name_changes_nothing(
    hand_in: Any, database: Path, ask: Any
) -> None:
    first = hand_in(f"{line()}\n{GOOD}\n")
    assert (first.taken, first.known) == (2, 0)
    tables = ("session", "run", "event", "session_metric", "sqlite_sequence")
    before = [ask(database, f"SELECT * FROM {table}") for table in tables]
    for name in ("2026-04-02.jsonl", "copy.jsonl"):
        again = hand_in(f"{GOOD}\n{line()}\n", name)
        assert (again.taken, again.known, again.is_well) == (0, 2, True)
    assert [ask(database, f"SELECT * FROM {table}") for table in tables] == before
    assert len(before[0]) == 2
    assert before[1][0]["end_reason"] == "imported"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("id,onTime,offTime,duration", "no JSON"),
        ('{"type": "session", "id": 1, "onTi', "no JSON"),
        ("[" * 60_000, "no JSON"),
        ("9" * 6000, "too many digits"),
        (line().replace("27.3", "9" * 6000), "too many digits"),
        ("[1, 2]", "no JSON object"),
        (line(duration=float("nan")), "NaN is no number"),
        (line().replace("27.3", "1e999"), "cannot be"),
        (line(type="state"), "type is 'state'"),
        (line(type=None), "type is None"),
        (line(onTime=None), "no onTime"),
        (line(startX=None), "no startX"),
        (line(onTime="2026-02-30T10:00:00.000"), "no date and time that can be"),
        (line(onTime="2026-04-02"), "no date and time that can be"),
        (line(onTime=1775092625123), "no date and time that can be"),
        (line(onTime="0001-01-01T00:00:00.000"), "no date and time that can be"),
        (line(onTime="2031-04-02T10:23:45", offTime="2031-04-02T10:24:12"), "future"),
        (line(offTime="9999-12-31T23:59:59.999-23:59"), "no date and time that can be"),
        (line(duration=-1.8), "negative"),
        (line(duration="27.3"), "no number"),
        (line(duration=True), "no number"),
        (line(duration=270), "does not fit"),
        (line(offTime="2026-04-02T10:23:44.000", duration=0.5), "ends before it begins"),
        (line(id="one"), "no whole number"),
        (line(endX=10**30), "cannot be"),
        (line(endX=10**6), "beside any screen"),
        (line(uuid="x"), "no UUID"),
        ("x" * 200_000, "longer than"),
        (b"\x81\xff\xff{", "neither UTF-8 nor cp932"),
    ],
)
def test_a_bad_line_is_told_with_file_line_and_reason_and_the_good_ones_are_taken(
    bad: str | bytes, reason: str, hand_in: Any, database: Path
) -> None:
    raw = bad.encode() if isinstance(bad, str) else bad
    told = hand_in(line().encode() + b"\n\n" + raw + b"\n" + GOOD.encode())
    assert (told.taken, told.bad, told.is_well) == (2, 1, False)
    ((number, why),) = told.bad_lines
    assert number == 3
    assert reason in why
    assert len(why) < 300
    assert told.file.endswith("2026-04-02.jsonl")
    assert len(questions.sessions(database)) == 2


OURS = {
    "positions": "share",
    "uuid": "3f1f7c8e-0000-4000-8000-000000000001",
    "source": "camera",
    "reason": "off",
    "joins": 0,
    "demo": False,
    "zone": "Asia/Tokyo",
    "clockStepMs": 0,
    "measures": {"reached": 3},
}


@pytest.mark.parametrize(
    "change",
    [
        {"positions": "px"},
        {"source": ""},
        {"source": "\ud800"},
        {"reason": "open"},
        {"joins": -1},
        {"joins": 2**70},
        {"demo": 1},
        {"zone": "x" * 65},
        {"clockStepMs": 0.5},
        {"clockStepMs": 2**50},
        {"clockStepMs": -(2**53)},
        {"measures": []},
        {"measures": {"a": "3"}},
        {"measures": {"\ud800": 3}},
        {"measures": {"a": 10**400}},
    ],
)
def test_a_line_of_ours_with_a_wrong_field_is_refused(change: dict[str, Any], hand_in: Any) -> None:
    assert hand_in(line(**OURS)).taken == 1
    other = {"uuid": "3f1f7c8e-0000-4000-8000-000000000002"}
    assert hand_in(line(**(OURS | other | change))).bad == 1


@pytest.mark.parametrize("wild", [-5, 0, 1, 2**40, 2**52])
def test_an_id_of_ours_that_is_taken_or_wild_is_replaced(wild: int, hand_in: Any, database: Path) -> None:
    hand_in(line())
    hand_in(line(**OURS, id=wild))
    assert [row["id"] for row in questions.sessions(database)] == [1, 2]
    known = identity.read(database)
    assert known is not None
    assert known.session == 2


@pytest.mark.parametrize(
    ("encoding", "word"), [("utf-8", ""), ("utf-8-sig", ""), ("cp932", "cp932"), ("utf-16", "UTF-16")]
)
def test_other_encodings_are_read_with_a_word(encoding: str, word: str, hand_in: Any) -> None:
    text = f'{line()}\r\n{GOOD[:-1]}, "note": "墨"}}\r\n'
    told = hand_in(text.encode(encoding))
    assert (told.taken, told.bad) == (2, 0)
    assert word in told.note
    assert bool(told.note) == bool(word)


def test_packed_files_are_read_and_of_cut_ones_what_came_before(hand_in: Any, database: Path) -> None:
    times = [f"2026-04-02T10:{i // 60:02}:{i % 60:02}.{i * 7919 % 1000:03}" for i in range(3000)]
    many = "".join(line(onTime=at, offTime=at, duration=0) + "\n" for at in times)
    packed = gzip.compress(many.encode())
    cut = hand_in(packed[: len(packed) // 2], "cut.jsonl.gz")
    assert 100 < cut.taken < 3000
    assert "cut off" in cut.bad_lines[-1][1]
    assert len(questions.sessions(database)) == cut.taken
    whole = hand_in(packed, "whole.jsonl.gz")
    assert (whole.taken + whole.known, whole.bad, whole.known) == (3000, 0, cut.taken)
    broken = hand_in(packed[:-8] + b"\0" * 8, "sum.jsonl.gz")
    assert (broken.known, broken.bad) == (3000, 1)
    assert hand_in(b"\x1f\x8b", "stub.gz").problem


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_an_empty_file_says_so(content: bytes, hand_in: Any) -> None:
    assert hand_in(content).problem == "it is empty"


def test_files_that_are_none_do_not_keep_the_others_out(database: Path, tmp_path: Path) -> None:
    good = tmp_path / "good.jsonl"
    good.write_text(GOOD)
    none, folder, csv = tmp_path / "none.jsonl", tmp_path / "folder", tmp_path / "a.csv"
    folder.mkdir()
    csv.write_text("a,b\n1,2\n")
    told = take(database, none, folder, csv, good)
    assert [bool(one.problem) for one in told] == [True, True, True, False]
    assert len(questions.sessions(database)) == 1


def test_nothing_of_a_file_is_in_when_the_log_fails_in_its_middle(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text(line())
    second.write_text(f"{GOOD}\n{line(id=9, endX=1)}\n")

    def fail_late(text: str, *others: Any) -> Any:
        if json.loads(text)["id"] == 9:
            raise MemoryError
        return from_line(text, *others)

    monkeypatch.setattr("logs.importing.from_line", fail_late)
    with pytest.raises(MemoryError):
        take(database, first, second)
    assert len(ask(database, "SELECT * FROM session")) == len(ask(database, "SELECT * FROM run")) == 1
    monkeypatch.undo()
    assert [one.taken for one in take(database, first, second)] == [0, 2]


def test_it_is_refused_while_a_show_writes_and_the_show_goes_on_after_it(
    begin: Any, visit: Any, hand_in: Any, database: Path
) -> None:
    writing = begin()
    writing.write(visit(1, 10.0, 20.0)[1])
    with pytest.raises(AlreadyRunning, match="stop it first"):
        hand_in(line())
    writing.log.stop(5.0)
    assert hand_in(line()).taken == 1
    later = begin()
    later.write(visit(1, 10.0, 20.0)[1])
    assert later.log.state().warning == ""
    assert [row["id"] for row in questions.sessions(database)] == [1, 2, 3]


def test_the_lock_is_free_again_even_when_nobody_reads_to_the_end(database: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(line())
    given = import_files(database, [tmp_path / "a", tmp_path / "a"], SCREEN_PX, NOW_US)
    next(given)
    with pytest.raises(AlreadyRunning):
        HomeLock(database).take()
    given.close()
    lock = HomeLock(database)
    lock.take()
    lock.release()


def test_a_log_that_the_show_would_move_aside_is_left_as_it_is(
    hand_in: Any, database: Path, ask: Any, old_file: Any
) -> None:
    for content in (b"", b"no database at all, only text" * 40):
        database.write_bytes(content)
        with pytest.raises(CannotWrite):
            hand_in(line())
        assert database.read_bytes() == content
    database.unlink()
    sqlite3.connect(database).execute("CREATE TABLE other (a)").connection.close()
    with pytest.raises(CannotWrite, match="another program"):
        hand_in(line())
    database.unlink()
    identity.keep(database, identity.Identity("x", 5, 1))
    with pytest.raises(CannotWrite, match="gone"):
        hand_in(line())
    identity.beside(database).unlink()
    old_file(database, 2)
    assert hand_in(line()).taken == 1
    assert database.with_name("visits.before-migration.db").exists()


def test_an_older_copy_in_the_place_of_the_log_is_not_added_to(hand_in: Any, database: Path) -> None:
    hand_in(line())
    older = database.read_bytes()
    hand_in(GOOD)
    database.write_bytes(older)
    with pytest.raises(CannotWrite, match="older copy"):
        hand_in(GOOD)
    assert len(questions.sessions(database)) == 1


NOT_IN_A_FILE = ("run", "on_mono_s", "off_at_us", "seen_at_us", "seen_mono_s")


def test_export_import_export_is_equal(begin: Any, visit: Any, ask: Any, tmp_path: Path) -> None:
    other = tmp_path / "other" / "visits.db"
    writing = begin(other, zone="America/St_Johns", size_px=lambda: (1919.0, 1079.0))
    for number, source in ((1, "camera"), (2, "torch"), (3, "demo"), (4, "mouse")):
        ended = visit(number, number * 10.0, number * 10.0 + 1 / 3, source, "torch_lost")[1]
        writing.log.put(ended, {"reached": number / 7, "mean_interest": 0.1 + 0.2})
        writing.acks.get(timeout=30)
        writing.log.note("nothing")
    writing.log.stop(5.0)
    of_the_original = tmp_path / "2026-04-02.jsonl"
    of_the_original.write_text(f"{line()}\n{GOOD}\n")
    now_us = 4_000_000_000_000_000
    list(import_files(other, [of_the_original], (1920.0, 1080.0), now_us))
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert export_jsonl(other, first, EVERYTHING) == 6
    (told,) = import_files(tmp_path / "empty" / "visits.db", [first], SCREEN_PX, now_us)
    assert (told.taken, told.bad_lines) == (6, [])
    export_jsonl(tmp_path / "empty" / "visits.db", second, EVERYTHING)
    assert second.read_bytes() == first.read_bytes()
    assert questions.summary(tmp_path / "empty" / "visits.db") == questions.summary(other)
    kept = [ask(log, "SELECT * FROM session") for log in (other, tmp_path / "empty" / "visits.db")]
    for row in kept[0] + kept[1]:
        for name in NOT_IN_A_FILE:
            del row[name]
    assert kept[0] == kept[1]


@pytest.mark.parametrize("count", [8_000, pytest.param(130_000, marks=pytest.mark.full)])
def test_a_crowded_day_is_never_held_in_memory(count: int, database: Path, tmp_path: Path) -> None:
    file = tmp_path / "crowded.jsonl"
    with file.open("w") as out:
        for number in range(count):
            at = f"2026-04-02T{number // 6000:02}:{number // 100 % 60:02}:{number % 100 * 0.6:06.3f}"
            out.write(line(id=number, onTime=at, offTime=at, duration=0) + "\n")
    tracemalloc.start()
    told = take(database, file)[0]
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (told.taken, told.bad_lines) == (count, [])
    assert peak_bytes < file.stat().st_size / 8


def test_of_many_bad_lines_the_first_thousand_are_told_and_all_are_counted(hand_in: Any) -> None:
    told = hand_in("x\n" * 5000 + GOOD)
    assert (told.taken, told.bad, len(told.bad_lines)) == (1, 5000, 1000)
