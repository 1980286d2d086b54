"""Text out of files and databases never orders the terminal about: no control code reaches it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.cli_options import printable
from logs.engine import choose
from logs.importing import import_files

EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\r墨"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
LINE = {"type": "session", "id": 1, "duration": 9.0, "startX": 5, "startY": 5, "endX": 5, "endY": 5}
LINE |= {"onTime": "2026-04-02T10:00:00.000", "offTime": "2026-04-02T10:00:09.000"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A log whose one visit has a source and an end that were never the program's."""
    given = tmp_path / "given.jsonl"
    given.write_text(json.dumps(LINE), encoding="utf-8")
    list(import_files(tmp_path / "visits.db", [given], (1920.0, 1080.0), 2 * 10**15))
    connection = choose().module.connect(tmp_path / "visits.db", isolation_level=None)
    connection.execute("UPDATE session SET source = ?, end_reason = ?", [EVIL, EVIL])
    connection.close()
    (tmp_path / f"bad {EVIL}.jsonl").write_text("no session\n", encoding="utf-8")
    (tmp_path / f"visits.damaged-{EVIL}.db").write_bytes(b"junk" * 4096)
    return tmp_path


@pytest.fixture
def call(home: Path) -> Any:
    """call("sessions"): a command as on a terminal, where nothing strips its colours."""

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, [*words, "--home", str(home)], color=True)

    return run


COMMANDS = (
    "logs sessions",
    "logs summary",
    "logs import BAD",
    "logs recover BAD",
    "logs export --format csv --out OUT",
    "logs purge --before 2026-04-03 --dry-run",
    "logs purge --before 2026-04-03 --yes",
    "logs purge --before 2026-04-03 --copies",
    "replay --check BAD",
)


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("text", COMMANDS)
def test_a_command_writes_control_codes_out(text: str, as_json: bool, call: Any, home: Path) -> None:
    places = {"BAD": str(home / f"bad {EVIL}.jsonl"), "OUT": str(home / f"out {EVIL}.csv")}
    done = call(*(places.get(word, word) for word in text.split()), *(["--json"] if as_json else []))
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert OBEYED.findall(done.output) == []
    if as_json and done.stdout:
        assert EVIL in walk(json.loads(done.stdout))
    else:
        assert r"\x1b[2J\x1b]0;" in done.output


def walk(found: Any) -> str:
    """All texts in the values and names of JSON, one after another."""
    if isinstance(found, dict):
        return "".join(walk(name) + walk(value) for name, value in found.items())
    return "".join(map(walk, found)) if isinstance(found, list) else str(found)


def test_the_codes_of_each_kind_are_written_out_and_all_else_stays() -> None:
    assert printable("\n\x1b\x7f\x85\udc80") == r"\n\x1b\x7f\x85\udc80"
    good = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x250)))) + "墨\u3000🪲"
    assert printable(good) == good
