"""`bench log`: its laps and its made-up log, its table and the one in the README."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.studies import log_cost, log_cost_datasette
from controller.studies import log_cost_table as table
from controller.studies.bench_table import Value, Values
from controller.studies.log_cost_reading import DATASETTE, OURS, SESSIONS_A_DAY, ask_all, build, day_of
from controller.studies.log_cost_writing import MEASURES, lap
from logs.questions import sessions, summary

BEGIN, END = "<!-- bench log -->\n", "\n<!-- end of bench log -->"


def made_up(**changed: float | None) -> Values:
    """Every figure just at its goal, but for some."""
    at_goal = {figure.key: 1.0 if figure.most is None else figure.most for figure in table.FIGURES}
    return {key: Value(value) for key, value in {**at_goal, **changed}.items()}


def bench(home: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["bench", "log", "--home", str(home), *words])


def test_a_made_up_log_is_one_that_the_questions_can_read(tmp_path: Path) -> None:
    path, count = tmp_path / "a.db", 60 * SESSIONS_A_DAY
    build(path, count)
    figures = summary(path, min_s=0.0)
    assert figures["n"] == count
    assert figures["mean_s"] == pytest.approx(40.0, rel=0.05)
    assert set(figures["per_day"].values()) == {SESSIONS_A_DAY}
    last, first = (sessions(path, day=day_of(number)) for number in (count - 1, 0))
    assert {len(visit["measures"]) for visit in last} == {len(MEASURES)}
    assert {len(visit["measures"]) for visit in first} == {0}
    found = ask_all(path, count, 2)
    assert {len(times_ms) for times_ms in found.values()} == {2}


def test_a_lap_tells_of_every_event_and_all_of_them_are_in_the_log(tmp_path: Path) -> None:
    done = lap(tmp_path / "a.db", 30)
    assert len(done.wall_us) == len(done.cpu_us) == 30
    assert 0 < len(done.durable_ms) <= 30
    assert min(done.durable_ms) > 0
    assert done.problems == []
    assert {len(visit["measures"]) for visit in sessions(tmp_path / "a.db")} == {len(MEASURES)}


@pytest.fixture
def no_datasette(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a second to start; tests/logs/test_readers.py has it."""
    monkeypatch.setattr(log_cost_datasette, "version", lambda: "")


@pytest.mark.parametrize(
    ("programs", "words"),
    [
        ((OURS, OURS), "6 questions asked, none by Datasette: it is not installed"),
        ((OURS, DATASETTE), f"6 questions asked, 3 of them by Datasette {log_cost_datasette.version()}"),
    ],
)
def test_it_is_told_whether_datasette_was_among_the_readers(
    programs: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [{"program": program, "asked": 3, "errors": []} for program in programs]
    monkeypatch.setattr(log_cost, "readers", lambda path: nullcontext(found))
    told = log_cost.written(log_cost.Effort(6, 1, 500, 500, 1), tmp_path / "a.db")["reader_errors"]
    assert told == Value(0.0, words)


@pytest.mark.usefixtures("no_datasette")
def test_a_problem_of_the_log_counts_as_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = log_cost.Effort(12, 1, 500, 500, 1)
    assert log_cost.written(small, tmp_path / "a.db")["reader_errors"].value == 0
    whole = log_cost.lap
    monkeypatch.setattr(log_cost, "lap", lambda *words: whole(*words)._replace(problems=["disk is full"]))
    assert log_cost.written(small, tmp_path / "b.db")["reader_errors"] == Value(2.0, "disk is full")


@pytest.mark.usefixtures("no_datasette")
def test_nothing_is_left_in_the_home_and_every_figure_is_there(tmp_path: Path) -> None:
    found = log_cost.measured(log_cost.Effort(12, 1, 500, 1000, 2), tmp_path / "home")
    assert set(found) == {figure.key for figure in table.FIGURES}
    assert list((tmp_path / "home").iterdir()) == []


def test_only_a_goal_that_must_be_reached_gives_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[dict[str, float | None], int]] = [
        ({}, 0),
        ({"put_cpu_p99": 20.1}, 1),
        ({"reader_errors": 1.0}, 1),
        ({"put_wall_p99": 5000.0}, 0),
        ({"durable_p50": 5000.0}, 0),
        ({"today": None}, 0),
    ]
    for changed, code in cases:
        found = made_up(**changed)
        monkeypatch.setattr(log_cost, "measured", lambda effort, home, found=found: found)
        assert bench(tmp_path, "--json").exit_code == code


def test_table_markdown_and_json_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(log_cost, "measured", lambda effort, home: asked.append(effort) or made_up(today=3.2))
    printed, markdown = bench(tmp_path).stdout, bench(tmp_path, "--markdown", "--quick").stdout
    data = json.loads(bench(tmp_path, "--json", "--sessions", "700").stdout)
    assert asked == [log_cost.FULL, log_cost.QUICK, log_cost.FULL._replace(sessions=700)]
    assert len(data["figures"]) == len(table.FIGURES)
    for text in (printed, markdown):
        assert "3.2 ms" in text
        assert data["conditions"] in text
    assert all(f"| {row['title']} |" in markdown for row in data["figures"])


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = bench(tmp_path / "file" / "home", "--quick")
    assert done.exit_code == 1
    assert isinstance(done.exception, SystemExit)


def test_the_readme_has_the_table_of_the_bench(checkout: Path) -> None:
    """The rows and their goals, and a verdict that follows from them; the figures are those of the day."""
    text = (checkout / "logs" / "README.md").read_text(encoding="utf-8")
    written, made = (_cells(block) for block in (_between(text), table.told(made_up()).markdown()))
    assert [(row[0], row[2]) for row in written] == [(row[0], row[2]) for row in made]
    for row, figure in zip(written, table.FIGURES, strict=True):
        assert row[3] == figure.verdict(float(row[1].split()[0])), row


def _between(text: str) -> str:
    return text.partition(BEGIN)[2].partition(END)[0]


def _cells(markdown: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
