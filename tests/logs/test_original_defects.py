"""The twelve defects that were found in the original's server, each as a case of this log.

Where another test tries it already, `SHOWN_BY` names that one; the tests here try what is left. The
attacks on the original's web page (5, 6) are tried on what there is to attack today, the commands and files;
the live page comes with tests of its own.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from logs import engine, schema
from logs.questions import sessions, summary
from logs.settings import LogSettings
from logs.visits import Ended, Visits

CROWD = 130_000
SHOWN_BY = {
    1: ["test_log_kill.py::test_killed_at_30_random_moments_no_acknowledged_row_is_lost"],
    2: ["test_log_store.py::test_ids_go_on_after_a_restart_even_when_rows_were_deleted"],
    3: ["test_original_defects.py::test_03_an_input_that_is_lost_while_on_ends_the_visit_at_its_last_light"],
    4: [
        "test_log_faults.py::test_a_read_only_log_waits_until_it_may_be_written",
        "test_log_faults.py::test_a_disk_that_hangs_holds_up_neither_frame_nor_stop",
    ],
    5: ["test_log_store.py::test_a_second_show_on_the_same_home_is_refused_by_name"],
    6: [
        "test_original_defects.py::test_06_a_day_is_a_date_and_never_a_path",
        "test_original_defects.py::test_06_text_of_a_page_or_a_terminal_comes_out_as_text",
        "test_export.py::test_no_cell_of_text_can_run_as_a_formula_and_numbers_stay",
    ],
    7: [
        "test_import.py::test_the_originals_times_are_tokyos_whatever_this_machines_zone",
        "test_log_days.py::test_a_day_with_a_change_of_clocks_has_its_hours_and_loses_no_visit",
    ],
    8: ["test_log_clock.py::test_a_clock_that_jumps_during_a_session_changes_no_duration"],
    9: [
        "test_log_days.py::test_f44_a_tokyo_visit_over_midnight_on_a_machine_of_any_zone_is_one_of_the_first_day"
    ],
    10: ["test_original_defects.py::test_10_a_day_of_130000_sessions_is_answered"],
    11: [
        "test_original_defects.py::test_11_gaps_are_told_and_a_visitor_who_is_there_is_seen",
        "test_views.py::test_gaps_and_visits_are_those_of_a_plain_loop",
    ],
    12: [
        "test_log_store.py::test_a_session_stands_as_it_was",
        "test_measures.py::test_a_file_of_any_version_is_read_and_brought_up_to_date",
    ],
}


def test_each_of_the_twelve_is_shown_by_a_test_that_is_there() -> None:
    assert sorted(SHOWN_BY) == list(range(1, 13))
    for file, _, name in (test.partition("::") for tests in SHOWN_BY.values() for test in tests):
        assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")


def ask_command(home: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["logs", *words, "--home", str(home)])


def test_03_an_input_that_is_lost_while_on_ends_the_visit_at_its_last_light(begin: Any, clock: Any) -> None:
    """Lit for 0.3 s, then nothing comes, and 1.5 s later the input says that it is lost."""
    writing, visits = begin(**clock.clocks()), Visits(LogSettings())
    ended = None
    for tick in range(200):
        now_s = tick / 60
        lit = tick < 18 or now_s < 1.8  # the last word of the input stands until it is known to be lost
        event = visits.step(
            tick, min(now_s, 0.3) if lit else 0.3, lit, 5, 5, "camera", "" if lit else "camera_lost"
        )
        writing.log.put(event)
        ended = event if isinstance(event, Ended) else ended
    assert ended is not None, "without a reconnection too it has an end"
    assert writing.log.stop(10.0)
    (row,) = sessions(writing.path)
    assert (row["duration_s"], row["reason"]) == (pytest.approx(0.3), "camera_lost")


PATHS = (
    "../../secret",
    "/etc/passwd",
    "2026-04-02/../../secret",
    "2026-04-02\x00",
    "' OR 1=1 --",
    "%2e%2e/secret",
)


@pytest.mark.parametrize("day", PATHS)
def test_06_a_day_is_a_date_and_never_a_path(day: str, begin: Any, visit: Any, tmp_path: Path) -> None:
    """Refused as wrong use; nothing is read, nothing is made."""
    home = tmp_path / "a" / "b" / "home"
    writing = begin(path=home / "visits.db")
    writing.write(visit(1, 10.0, 20.0)[1])
    (tmp_path / "a" / "secret").write_text("the secret text")
    out = tmp_path / "out.csv"
    for words in (
        ("sessions", "--day", day),
        ("export", "--format", "csv", "--out", str(out), "--day", day),
        ("export", "--format", "csv", "--out", str(out), "--from", day),
    ):
        done = ask_command(home, *words)
        assert done.exit_code == 2, done.output
        assert "secret text" not in done.output
        assert "is no date" in done.output
    assert not out.exists()


SCRIPT = "<script>alert(1)</script>"
TERMINAL = "\x1b]0;owned\x07\x1b[2J"


def test_06_text_of_a_page_or_a_terminal_comes_out_as_text(begin: Any, visit: Any, tmp_path: Path) -> None:
    """Handed in as a source; a page's script stays a value of its field, a terminal's orders are refused."""
    writing = begin(path=tmp_path / "one" / "visits.db")
    writing.write(visit(1, 10.0, 20.0)[1])
    assert writing.log.stop(5.0)
    given = tmp_path / "given.jsonl"
    assert ask_command(tmp_path / "one", "export", "--format", "jsonl", "--out", str(given)).exit_code == 0
    honest = json.loads(given.read_text(encoding="utf-8"))
    lines = [honest | {"source": SCRIPT}, honest | {"source": TERMINAL, "uuid": "5" * 32}]
    given.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    home = tmp_path / "other"
    told = ask_command(home, "import", str(given), "--screen", "100x100")
    assert "1 sessions taken" in told.output
    assert "\x1b" not in told.output
    (row,) = json.loads(ask_command(home, "sessions", "--json").output)
    assert row["source"] == SCRIPT
    table = tmp_path / "out.csv"
    assert ask_command(home, "export", "--format", "csv", "--out", str(table)).exit_code == 0
    with table.open(encoding="utf-8", newline="") as file:
        assert [line["source"] for line in csv.DictReader(file)] == [SCRIPT]


FILL = """
WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
INSERT INTO session SELECT i + 1, 'u' || i, 1, 'camera', 0, 1775001600000000 + i * 600000,
    1775001600000000 + i * 600000 + 1, i + 1, 1 + i % 60, 'UTC', 0, '2026-04-01', i / 6000,
    0, 0, 0, 0, 0, 1775001600000000, 1, 0, 'off' FROM n
"""


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A home whose log has 130,000 sessions of one day, of 1 to 60 s."""
    path = tmp_path / "crowded" / "visits.db"
    path.parent.mkdir()
    connection = engine.connect(engine.choose(), path)
    connection.execute("PRAGMA synchronous = OFF")
    schema.migrate(connection)
    connection.execute("BEGIN")
    connection.execute("INSERT INTO run VALUES (1, 'r', 0, 0, '', 'UTC', '', '', '{}', 0, 9, 'clean')")
    connection.execute(FILL, [CROWD])
    connection.execute("COMMIT")
    connection.close()
    return path.parent


def test_10_a_day_of_130000_sessions_is_answered(crowded: Path) -> None:
    found = json.loads(ask_command(crowded, "summary", "--json").output)
    assert found["n"] == CROWD - found["short_contacts"] == found["per_day"]["2026-04-01"]
    assert (found["min_s"], found["max_s"]) == (5.0, 60.0)
    last = ask_command(crowded, "sessions", "--day", "2026-04-01", "--limit", "3", "--json")
    assert [row["id"] for row in json.loads(last.output)] == [CROWD - 2, CROWD - 1, CROWD]


@pytest.mark.full
def test_10_each_session_of_such_a_day_is_listed_and_exported(crowded: Path, tmp_path: Path) -> None:
    rows = json.loads(ask_command(crowded, "sessions", "--day", "2026-04-01", "--json").output)
    assert [row["id"] for row in rows] == list(range(1, CROWD + 1))
    table = tmp_path / "out.csv"
    done = ask_command(crowded, "export", "--day", "2026-04-01", "--format", "csv", "--out", str(table))
    assert done.output == f"{CROWD} sessions in {table}\n"
    with table.open("rb") as file:
        assert sum(1 for _ in file) == CROWD + 1


def test_11_gaps_are_told_and_a_visitor_who_is_there_is_seen(
    begin: Any, visit: Any, clock: Any, ask: Any
) -> None:
    writing = begin(zone="UTC", **clock.clocks())
    for number, (on_s, off_s) in enumerate([(10.0, 20.0), (50.0, 57.5), (60.0, 70.0)], start=1):
        writing.write(visit(number, on_s, off_s)[1])
    writing.write(visit(4, 100.0, 130.0)[0])
    assert [row["gap_s"] for row in ask(writing.path, "SELECT gap_s FROM gap ORDER BY session")] == [
        None,
        30.0,
        2.5,
    ]
    assert summary(writing.path)["open"] == 1
    last = sessions(writing.path)[-1]
    assert (last["reason"], last["off"]) == ("open", None)
