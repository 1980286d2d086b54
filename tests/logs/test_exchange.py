"""A new log in the place of an old one: all that was saved is in it, or it does not come."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.logs.small_disk import fill, small_disk

VISITS = 300


@pytest.fixture
def damaged(begin: Any, visit: Any, tmp_path: Path) -> Path:
    """A log of 300 visits with a bad page at its end."""
    path = tmp_path / "before" / "visits.db"
    writing = begin(path)
    for number in range(1, VISITS + 1):
        for event in visit(number, number * 20.0, number * 20.0 + 8.0):
            writing.log.put(event, {f"measure_{name}": float(number) for name in range(10)})
    assert writing.log.stop(30.0)
    with path.open("r+b") as file:
        file.seek(-4096, 2)
        file.write(b"\xff" * 4096)
    return path


@pytest.mark.parametrize("room", [0.4, 1.2, 1.5, 1.9, 2.6])
def test_on_a_nearly_full_disk_no_half_log_takes_the_place_of_a_damaged_one(
    room: float, damaged: Path, begin: Any, ask: Any, tmp_path: Path
) -> None:
    """`room` is the space there is, in sizes of the damaged log."""
    size = damaged.stat().st_size
    with small_disk(tmp_path / "disk", "8m") as disk:
        path = disk / "visits.db"
        shutil.copy(damaged, path)
        shutil.copy(damaged.with_name("visits.db.identity"), disk)
        fill(disk / "other files", round(room * size))
        log = begin(path, sleep=lambda wait_s: time.sleep(0.002)).log
        while not (log.state().open or log.state().error):
            time.sleep(0.01)
        assert log.state().open or room < 2
        assert not log.state().open or room > 1
        (disk / "other files").unlink()
        while not log.state().open:
            time.sleep(0.01)
        assert len(list(disk.glob("visits.damaged-*.db"))) == 1
        saved = ask(path, "SELECT count(*) AS n FROM session")[0]["n"]
        assert f"{saved} sessions saved" in log.state().warning
        assert saved > VISITS * 0.9
        assert log.stop(5.0)
