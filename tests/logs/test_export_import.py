"""What one log gives out and another takes in: true times, whatever the clock said."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from logs import questions
from logs.exporting import Choice, export_jsonl
from logs.importing import import_files

ENDS = ("onTime", "offTime")


def test_true_times_are_given_out_and_taken_in_with_the_clocks_step_beside_them(
    begin: Any, visit: Any, clock: Any, ask: Any, tmp_path: Path
) -> None:
    """One visit before a step of two days back, one open across it, one after."""
    other, back = tmp_path / "other" / "visits.db", tmp_path / "back" / "visits.db"
    writing = begin(other, zone="Asia/Tokyo", **clock.clocks())
    true_us = clock.wall_ns // 1000 - 2 * 86_400_000_000
    for number, step_s in ((1, 0.0), (2, -2 * 86_400.0), (3, 0.0)):
        on, off = visit(number, clock.at_s, clock.at_s + 10.5)
        writing.write(on)
        clock.step_wall(step_s)
        clock.advance(10.5)
        writing.write(off)
        clock.advance(49.5)
    assert writing.log.stop(5.0)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert export_jsonl(other, first, Choice()) == 3
    given = [json.loads(text) for text in first.read_text().splitlines()]
    assert [one["clockStepMs"] for one in given] == [-172_800_000, -172_800_000, 0]
    for number, one in enumerate(given):
        on_us, off_us = (round(datetime.fromisoformat(one[name]).timestamp() * 1e6) for name in ENDS)
        assert on_us == pytest.approx(true_us + number * 60_000_000, abs=2)
        assert off_us == pytest.approx(on_us + 10_500_000, abs=2)
    (told,) = import_files(back, [first], (1000.0, 500.0), 4_000_000_000_000_000)
    assert (told.taken, told.bad_lines) == (3, [])
    export_jsonl(back, second, Choice())
    assert second.read_bytes() == first.read_bytes()
    names = "on_at_us, clock_step_ms, local_date, local_hour, utc_offset_min"
    assert ask(back, f"SELECT {names} FROM session") == ask(other, f"SELECT {names} FROM session")
    assert questions.sessions(back) == questions.sessions(other)
    (run,) = ask(back, "SELECT started_at_us, ended_at_us FROM run")
    assert list(run.values()) == pytest.approx([true_us, true_us + 130_500_000], abs=2)
