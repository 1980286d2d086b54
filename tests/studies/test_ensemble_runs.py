"""`simulate`: the forms it writes, any scene's measures, its progress, and Ctrl+C."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from pydantic import BaseModel

from controller.cli import main
from controller.scenes import SCENES
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.settings import SECTIONS
from controller.studies.ensemble import (
    Schedule,
    ScheduleError,
    _Measured,
    light_by_frame,
    nearest_distances,
    read_schedule,
    simulate,
)

FORM = {"schedule", "scene", "width", "height", "frames", "every", "seed", "runs"}


class PondSettings(BaseModel):
    """A scene with one constant."""

    depth: float = 2.0


class Pond:
    """A scene that counts: lit ticks, visits, and a measure that is no number until the first visit."""

    on_step: Callable[[int], None] = staticmethod(lambda tick: None)

    def __init__(self, settings: PondSettings, size: tuple[int, int], seed: int) -> None:
        self.depth, self.seed = settings.depth, seed
        self.ticks = self.lit = self.visits = 0

    def step(self, on: bool, x: float, y: float) -> None:
        self.ticks += 1
        self.lit += on
        type(self).on_step(self.ticks)

    def frame(self, alpha: float) -> None:
        """Nothing to be seen."""

    def begin_visit(self) -> None:
        self.visits += 1

    def measures(self) -> dict[str, float]:
        first = float(self.lit) if self.visits else math.nan
        return {"lit": self.lit, "visits": self.visits, "depth": self.depth * self.seed, "first": first}


@pytest.fixture
def pond(monkeypatch: pytest.MonkeyPatch) -> type[Pond]:
    """A tiny scene, registered as any other."""
    module = ModuleType("pond_scene")
    module.open_scene = Pond  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pond_scene", module)
    monkeypatch.setitem(SCENES, "pond", "pond_scene")
    monkeypatch.setitem(SECTIONS, "pond", PondSettings)
    monkeypatch.setattr(Pond, "on_step", staticmethod(lambda tick: None))
    return Pond


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    """simulate with a schedule of 90 frames: lit from 11 on, dark from 41 on, lit from 71 on."""
    schedule = {"frames": 90, "light": [[11, 1, 9, 9], [41, 0, 9, 9], [71, 1, 9, 9]]}
    (tmp_path / "flicker.json").write_text(json.dumps(schedule), encoding="utf-8")

    def run(*words: str) -> Result:
        command = ["simulate", "--home", str(tmp_path), "--schedule", str(tmp_path / "flicker.json")]
        return CliRunner().invoke(main, [*command, "--out", str(tmp_path / "out.json"), *words])

    return run


def written(tmp_path: Path) -> dict[str, Any]:
    return dict(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))


def test_baited_is_the_scene_that_is_meant_and_has_the_ensemble_form(ask: Any, tmp_path: Path) -> None:
    assert ask("--runs", "2", "--seed", "5").exit_code == 0
    found = written(tmp_path)
    assert set(found) == FORM | {"bugs", "radius", "radialBinPx"}
    assert (found["schedule"], found["scene"], found["frames"]) == ("flicker", "baited", 90)
    assert [len(run["inside"]) for run in found["runs"]] == [3, 3]
    assert all(len(run["firstBoredFrame"]) == 250 for run in found["runs"])
    assert ask("--runs", "1", "--seed", "6", "--scene", "baited").exit_code == 0
    assert written(tmp_path)["runs"] == found["runs"][1:]


def test_any_other_scene_gives_its_measures_every_30_frames(ask: Any, tmp_path: Path, pond: Any) -> None:
    done = ask("--scene", "pond", "--runs", "2", "--seed", "3")
    assert done.exit_code == 0, done.output
    found = written(tmp_path)
    assert set(found) == FORM
    assert (found["scene"], found["every"], found["seed"]) == ("pond", 30, 3)
    first, second = found["runs"]
    assert first == {
        "lit": [20, 30, 50],
        "visits": [1, 1, 2],
        "depth": [6.0, 6.0, 6.0],
        "first": [20, 30, 50],
    }
    assert second == first | {"depth": [8.0, 8.0, 8.0]}


def light_of(tmp_path: Path, *rows: str, frames: int) -> list[list[float]]:
    """The light of each frame on 64 x 48 px by a schedule with these rows."""
    path = tmp_path / "plan.json"
    path.write_text(f'{{"frames": {frames}, "light": [{", ".join(rows)}]}}', encoding="utf-8")
    return light_by_frame(read_schedule(path), (64, 48)).tolist()


def test_on_may_be_said_in_either_way_of_json(tmp_path: Path) -> None:
    in_words = light_of(tmp_path, "[2, true, 9, 9]", "[4, false, 9, 9]", frames=5)
    assert in_words == light_of(tmp_path, "[2, 1, 9, 9]", "[4, 0, 9, 9]", frames=5)
    assert [on for on, _, _ in in_words] == [0, 1, 1, 0, 0]


@pytest.mark.parametrize("on", ["2", "-1", "1.0", '"on"', "null", "[]"])
def test_any_other_on_is_refused_with_what_it_may_be(tmp_path: Path, on: str) -> None:
    with pytest.raises(ScheduleError, match=r"^light\.0\.1: on must be 0, 1, true or false$"):
        light_of(tmp_path, f"[1, {on}, 9, 9]", frames=1)


def test_a_light_that_goes_off_needs_no_place_on_the_screen(tmp_path: Path) -> None:
    """It goes off where it last was, and before it ever was, in the middle."""
    rows = "[1, 0, -1, -1]", "[2, 1, 9, 8]", "[3, 0, 1e308, -1e308]", "[4, 0, 7, 7]"
    assert light_of(tmp_path, *rows, frames=4) == [[0, 32, 24], [1, 9, 8], [0, 9, 8], [0, 7, 7]]


@pytest.mark.parametrize("place", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("on", [0, 1])
def test_a_place_that_is_no_finite_number_is_refused(tmp_path: Path, on: int, place: str) -> None:
    with pytest.raises(ScheduleError, match="finite number"):
        light_of(tmp_path, f"[1, {on}, {place}, 9]", frames=1)


def test_a_measure_that_is_no_number_is_null(pond: Any) -> None:
    plan = Schedule(frames=60, light=[(31, 1, 9.0, 9.0)])
    found = simulate("pond", PondSettings(), plan, (64, 48), 1, seed=1)
    assert found["runs"][0]["first"] == [None, 30.0]


def test_a_measure_that_comes_late_or_goes_is_null_where_it_is_not(
    pond: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measures(scene: Any) -> dict[str, float]:
        return {"rain" if 60 <= scene.ticks < 120 else "sun": scene.ticks}

    monkeypatch.setattr(pond, "measures", measures)
    plan = Schedule(frames=150, light=[(1, 0, 9.0, 9.0)])
    (run,) = simulate("pond", PondSettings(), plan, (64, 48), 1, seed=1)["runs"]
    assert run == {"sun": [30, None, None, 120, 150], "rain": [None, 60, 90, None, None]}


def test_what_the_swarm_tells_only_after_its_first_visit_is_null_before() -> None:
    """The swarm as any other scene, with a visit from 0.5 s to 1 s."""
    run = _Measured(BaitedScene(BaitedSettings(bugs=3), (640, 480), 1))
    for frame in range(1, 91):
        run.step(frame, 31 <= frame <= 60, 320.0, 240.0)
    series = run.result()
    assert {len(values) for values in series.values()} == {3}
    first, *later = series["mean_interest_at_off"]
    assert first is None
    assert all(0.0 < value <= 1.0 for value in later)


CROWDS = {
    "scattered": lambda random: random.uniform(0.0, 1000.0, (2, 700)),
    "crowded with one far away": lambda random: np.append(random.normal(500, 9, (2, 700)), [[0], [0]], 1),
    "in a column": lambda random: np.stack((np.full(300, 20.0), random.uniform(0.0, 700.0, 300))),
    "in a row": lambda random: np.stack((random.uniform(0.0, 700.0, 300), np.full(300, 20.0))),
    "some at one spot": lambda random: random.integers(0, 12, (2, 400)).astype(float),
    "two": lambda random: random.uniform(0.0, 1000.0, (2, 2)),
}


@pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS.keys())
def test_the_nearest_other_is_the_nearest_of_all_others(crowd: Any) -> None:
    """To the last bit, each pair looked at."""
    x, y = crowd(np.random.default_rng(3))
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    np.fill_diagonal(apart, np.inf)
    assert (nearest_distances(x, y) == apart.min(axis=1)).all()


def test_the_memory_for_the_nearest_others_grows_as_the_number_of_bugs() -> None:
    """Not as its square, which at 40,000 bugs would be 12 GB: less than 200 bytes for each."""
    x, y = np.random.default_rng(4).uniform(0.0, 1000.0, (2, 4000))
    tracemalloc.start()
    nearest_distances(x, y)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 200 * x.size


def test_too_little_memory_is_said_in_one_line_with_what_to_do(
    ask: Any, tmp_path: Path, pond: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scene asks numpy for an exbibyte."""
    monkeypatch.setattr(pond, "on_step", staticmethod(lambda tick: np.empty(2**60, np.uint8)))
    done = ask("--scene", "pond", "--runs", "1")
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "memory" in done.stderr
    assert "--runs" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_a_scene_that_is_not_there_is_wrong_use(ask: Any, tmp_path: Path) -> None:
    done = ask("--scene", "pond")
    assert done.exit_code == 2
    assert "'pond'" in done.stderr
    assert "baited" in done.stderr
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(("name", "section"), [("baited", BaitedSettings(bugs=1)), ("pond", PondSettings())])
def test_a_long_run_moves_the_progress_once_a_second_of_the_scene(
    pond: Any, name: str, section: BaseModel
) -> None:
    told: list[int] = []
    plan = Schedule(frames=3630, light=[(1, 0, 9.0, 9.0)])
    simulate(name, section, plan, (64, 48), 2, 1, told.append)
    assert told == [*[60] * 60, 30] * 2


@pytest.mark.parametrize("before", [None, "kept"])
def test_ctrl_c_is_one_line_and_leaves_no_half_file(
    ask: Any, tmp_path: Path, pond: Any, before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.json"
    if before is not None:
        out.write_text(before, encoding="utf-8")
    files = sorted(tmp_path.iterdir())
    monkeypatch.setattr(pond, "on_step", staticmethod(lambda tick: press() if tick == 50 else None))
    done = ask("--scene", "pond", "--runs", "3")
    assert done.exit_code == 130
    assert len(done.stderr.splitlines()) == 1
    assert "Interrupted" in done.stderr
    assert sorted(tmp_path.iterdir()) == files
    assert before is None or out.read_text(encoding="utf-8") == before


def test_ctrl_c_while_the_file_is_written_does_not_cut_it(
    ask: Any, tmp_path: Path, pond: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: press())
    assert ask("--scene", "pond", "--runs", "1").exit_code == 0
    assert written(tmp_path)["frames"] == 90
    assert not list(tmp_path.glob(".*"))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_a_file_that_cannot_be_written_is_said_in_one_line(ask: Any, tmp_path: Path, pond: Any) -> None:
    done = ask("--scene", "pond", "--runs", "1", "--out", str(tmp_path / "none" / "out.json"))
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "--out" in done.stderr


def test_what_is_no_file_is_refused_in_one_line_and_left(ask: Any, tmp_path: Path, pond: Any) -> None:
    os.mkfifo(tmp_path / "out.json")
    done = ask("--scene", "pond", "--runs", "1")
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "not a regular file" in done.stderr
    assert (tmp_path / "out.json").is_fifo()
