"""What the scene measured is kept with each visit: the last values, also after a crash, and only numbers."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs import engine, schema
from logs.engine import choose
from logs.questions import sessions
from logs.settings import LogSettings
from logs.visits import Visits


def put(writing: Any, event: Any, measures: Any) -> None:
    """Hand over an event with measures and wait until it is durable."""
    writing.log.put(event, measures)
    writing.acks.get(timeout=30)


def events_of(seconds: int) -> list[Any]:
    visits = Visits(LogSettings())
    told = [
        visits.step(tick, tick / 60, tick < seconds * 60, 0, 0, "mouse") for tick in range(seconds * 60 + 1)
    ]
    return [event for event in told if event is not None]


def test_the_last_measures_of_a_visit_stand_with_it(begin: Any) -> None:
    writing = begin()
    for number, event in enumerate(events_of(4)):
        put(writing, event, {"bugs": 250, f"only {number}": 0.5, "inside": number * 10})
        (row,) = sessions(writing.path)
        assert row["measures"]["inside"] == number * 10
    assert row["measures"]["bugs"] == 250.0
    assert all(row["measures"][f"only {earlier}"] == 0.5 for earlier in range(number + 1))


def test_each_visit_has_its_own_measures_and_one_without_has_none(begin: Any, visit: Any) -> None:
    writing = begin()
    for number in range(1, 5):
        put(
            writing,
            visit(number, number * 10.0, number * 10.0 + 5)[1],
            {"n": number / 3} if number % 2 else None,
        )
    assert [row["measures"] for row in sessions(writing.path)] == [{"n": 1 / 3}, {}, {"n": 1.0}, {}]
    assert [row["measures"] for row in sessions(writing.path, limit=2)] == [{"n": 1.0}, {}]


def test_what_is_no_finite_number_is_dropped_and_counted(begin: Any, visit: Any, ask: Any) -> None:
    writing = begin()
    odd = {"a": math.nan, "b": math.inf, "c": -math.inf, "d": "many", "e": None, "f": 10**400, "good": True}
    put(writing, visit(1, 10.0, 20.0)[1], odd)
    put(writing, visit(2, 30.0, 40.0)[1], 5)
    assert [row["measures"] for row in sessions(writing.path)] == [{"good": 1.0}, {}]
    assert (writing.log.state().unmeasured, writing.log.state().refused) == (7, 0)
    assert ask(writing.path, "SELECT name, typeof(value) AS kind FROM session_metric") == [
        {"name": "good", "kind": "real"}
    ]


def test_a_dictionary_that_goes_on_changing_is_kept_as_it_was(begin: Any, visit: Any) -> None:
    writing, measures = begin(), {"bugs": 1.0}
    for event in visit(1, 10.0, 20.0):
        measures["bugs"] += 1.0
        writing.log.put(event, measures)
    measures["bugs"] = 99.0
    assert writing.log.stop(20.0)
    assert sessions(writing.path)[0]["measures"] == {"bugs": 3.0}


def test_writing_an_old_event_again_does_not_bring_back_old_measures(begin: Any, visit: Any) -> None:
    writing = begin()
    on, off = visit(1, 10.0, 20.0)
    for event, value in ((on, 1.0), (off, 2.0), (on, 3.0), (off, 4.0)):
        put(writing, event, {"bugs": value})
    assert sessions(writing.path)[0]["measures"] == {"bugs": 2.0}


def test_heartbeats_folded_while_the_file_is_held_keep_the_measures_of_all(
    begin: Any, database: Path
) -> None:
    assert begin().log.stop(20.0)
    holder = choose().module.connect(database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    writing = begin()
    for number, event in enumerate(events_of(5)):
        writing.log.put(event, {"last": number, f"at {number}": 1})
    holder.close()
    assert writing.log.stop(20.0)
    measures = sessions(database)[0]["measures"]
    assert measures == {"last": 5.0, **{f"at {number}": 1.0 for number in range(6)}}


KILLED = """
import os, sys, time
from pathlib import Path
from logs.settings import LogSettings
from logs.visits import Visits
from logs.writer import Log
log, visits = Log(Path(sys.argv[1])), Visits(LogSettings())
for tick in range(601):
    log.put(visits.step(tick, tick / 60, True, 0, 0, "mouse"), {"seconds": tick // 60})
    while log.state().queue_length:
        time.sleep(0.001)
print("lit", flush=True)
time.sleep(60)
"""


def test_a_crash_keeps_the_last_measures(begin: Any, database: Path, checkout: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(database)]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"lit\n"
        child.send_signal(signal.SIGKILL)
    assert begin().log.stop(20.0)
    (row,) = sessions(database)
    assert (row["reason"], row["measures"]) == ("recovered", {"seconds": 10.0})


def test_a_deleted_visit_takes_its_measures_along(begin: Any, visit: Any, ask: Any) -> None:
    writing = begin()
    for number in (1, 2):
        put(writing, visit(number, number * 10.0, number * 10.0 + 5)[1], {"n": number})
    assert writing.log.stop(20.0)
    connection = engine.connect(choose(), writing.path)
    connection.execute("DELETE FROM session WHERE id = 1")
    connection.close()
    assert ask(writing.path, "SELECT value FROM session_metric") == [{"value": 2.0}]


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_file_of_any_version_is_read_and_brought_up_to_date(
    version: int, begin: Any, visit: Any, ask: Any, database: Path, old_file: Callable[[Path, int], None]
) -> None:
    old_file(database, version)
    assert ask(database, "PRAGMA user_version") == [{"user_version": version}]
    kept = (41.35, {"reached": 12.0} if version >= 3 else {})
    assert [(row["duration_s"], row["measures"]) for row in sessions(database)] == [kept]
    writing = begin()
    put(writing, visit(1, 5.0, 15.0)[1], {"bugs": 250.0})
    assert writing.log.stop(20.0)
    found = [(row["duration_s"], row["measures"]) for row in sessions(database)]
    assert found == [kept, (10.0, {"bugs": 250.0})]
    for view in ("session_closed", "session_valid", "gap", "visit"):
        assert ask(database, f"SELECT count(*) AS n FROM {view}") == [{"n": 2}], view
    assert ask(database, "SELECT sum(sessions) AS n FROM per_day") == [{"n": 2}]
    assert ask(database, "PRAGMA user_version") == [{"user_version": 5}]
    assert database.with_name("visits.before-migration.db").exists()
    strict = ask(database, "SELECT strict FROM pragma_table_list WHERE name = 'session_metric'")
    assert strict == [{"strict": 1}]
    assert "session_metric" in schema.TABLES
