"""`logs purge`: what is due, what is asked, what is refused, and its exit codes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from logs.importing import import_files
from logs.lock import HomeLock
from logs.questions import summary

NOW_US = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp() * 1e6)
LINE = {"type": "session", "duration": 30.0, "startX": 5, "startY": 5, "endX": 5, "endY": 5}
SETTINGS = '[log]\nzone = "Asia/Tokyo"\nshow_until = "{}"\nkeep_months = {}\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A log with three visits, of 2, 3 and 4 April 2026."""
    lines = [
        LINE
        | {"id": day, "onTime": f"2026-04-0{day}T10:00:00.000", "offTime": f"2026-04-0{day}T10:00:30.000"}
        for day in (2, 3, 4)
    ]
    given = tmp_path / "given.jsonl"
    given.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "config.toml").write_text('[log]\nzone = "Asia/Tokyo"\n', encoding="utf-8")
    list(import_files(tmp_path / "visits.db", [given], (1920.0, 1080.0), NOW_US))
    return tmp_path


@pytest.fixture
def purge(home: Path) -> Any:
    def run(*words: str, answer: str = "") -> Result:
        return CliRunner().invoke(main, ["logs", "purge", *words, "--home", str(home)], input=answer)

    return run


def kept(home: Path) -> int:
    return int(summary(home / "visits.db")["n"])


def test_a_given_day_is_purged_after_a_yes_and_the_summary_tells_it(purge: Any, home: Path) -> None:
    done = purge("--before", "2026-04-04", answer="y\n")
    assert done.exit_code == 0
    assert "2 sessions of 2 days, 2026-04-02 to 2026-04-03" in done.stderr
    assert "No trace" in done.stdout
    assert summary(home / "visits.db")["purged"] == {"days": 2, "contacts": 2, "sessions": 2, "total_s": 60.0}
    assert kept(home) == 1
    assert purge("--before", "2026-04-04").exit_code == 0


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_without_a_yes_nothing_is_deleted(answer: str, purge: Any, home: Path) -> None:
    assert purge("--before", "2026-04-04", answer=answer).exit_code == 1
    assert kept(home) == 3


def test_a_dry_run_only_tells(purge: Any, home: Path) -> None:
    assert "3 sessions of 3 days" in purge("--before", "2026-05-01", "--dry-run").stdout
    told = json.loads(purge("--before", "2026-05-01", "--dry-run", "--json").stdout)
    assert (told["sessions"], told["days"], told["copies"]) == (3, 3, [])
    assert kept(home) == 3


def test_json_tells_what_was_done_and_a_copy_is_a_problem_until_it_goes(purge: Any, home: Path) -> None:
    (home / "visits.before-migration.db").write_bytes((home / "visits.db").read_bytes())
    done = purge("--before", "2026-04-03", "--yes", "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["sessions"], len(told["problems"])) == (1, 1, 1)
    done = purge("--before", "2026-04-03", "--yes", "--copies", "--json")
    assert (done.exit_code, json.loads(done.stdout)["copies_removed"]) == (0, ["visits.before-migration.db"])


def test_a_day_that_has_not_come_is_refused_and_today_is_not(purge: Any, home: Path) -> None:
    tokyo = datetime.now(UTC) + timedelta(hours=9)
    done = purge("--before", (tokyo + timedelta(days=2)).date().isoformat(), "--yes")
    assert (done.exit_code, kept(home)) == (2, 3)
    assert "has not come" in done.stderr
    assert purge("--before", "2026-02-30", "--yes").exit_code == 2
    assert purge("--before", tokyo.date().isoformat(), "--yes").exit_code == 0
    assert kept(home) == 0


def test_without_a_day_and_a_show_that_ends_both_ways_are_told(purge: Any, home: Path) -> None:
    done = purge("--yes")
    assert (done.exit_code, kept(home)) == (2, 3)
    assert "--before" in done.stderr
    assert "show_until" in done.stderr


def test_the_visits_of_an_ended_show_are_due_after_the_months_and_not_before(purge: Any, home: Path) -> None:
    config = home / "config.toml"
    config.write_text(SETTINGS.format("2026-04-03", 1200), encoding="utf-8")
    done = purge("--yes")
    assert (done.exit_code, kept(home)) == (0, 3)
    assert "2126-04-04" in done.stdout
    assert json.loads(purge("--json").stdout)["due_from"] == "2126-04-04"
    config.write_text(SETTINGS.format("2026-04-03", 0), encoding="utf-8")
    assert purge("--yes").exit_code == 0
    assert kept(home) == 1


def test_beside_a_running_show_it_is_refused(purge: Any, home: Path) -> None:
    lock = HomeLock(home / "visits.db")
    lock.take()
    done = purge("--before", "2026-04-04", "--yes")
    assert (done.exit_code, kept(home)) == (1, 3)
    assert "stop it first" in done.stderr
    assert purge("--before", "2026-04-04", "--dry-run").exit_code == 0
    lock.release()
