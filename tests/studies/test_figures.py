"""The seed's figures 1-3: what the program reads off them, the law of the step lengths, the pictures."""

from __future__ import annotations

import errno
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner, Result
from matplotlib.figure import Figure
from PIL import Image

from controller.cli import main
from controller.install.interrupts import INTERRUPTED
from controller.scenes.baited.constants_life import Character
from controller.scenes.baited.constants_steering import Search
from controller.scenes.baited.settings import BaitedSettings
from controller.studies.figure_drawing import _pictures
from controller.studies.figures import Figures, Steps, make

NAMES = ("1-step-lengths", "2-habituation", "3-on-off-on")
SHORTEST_PX, LONGEST_PX, OFFSET = 20.0, 500.0, 0.001
# Of 1000 samples that follow a law, one is farther from it than this over the root of its size.
KOLMOGOROV = 1.95


@pytest.fixture(scope="module")
def figures() -> Figures:
    return make(BaitedSettings())


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    def run(*words: str) -> Result:
        return CliRunner().invoke(main, ["figures", "--home", str(tmp_path), *words])

    return run


def share_above(x_px: npt.NDArray[np.float64], mu: float) -> npt.NDArray[np.float64]:
    """P(length > x) below the cut, from seed 001's min(20 (u + 0.001)^(-1 / (mu - 1)), 500)."""
    return np.clip((x_px / SHORTEST_PX) ** -(mu - 1.0) - OFFSET, 0.0, 1.0)


def farthest(lengths_px: npt.NDArray[np.float64], mu: float) -> float:
    """The Kolmogorov-Smirnov distance below the cut, in units of one over the root of the size."""
    ordered_px = np.sort(lengths_px)
    below = ordered_px < LONGEST_PX
    law = 1.0 - share_above(ordered_px[below], mu)
    rank = np.arange(law.size) / ordered_px.size
    return float(np.maximum(law - rank, rank + 1 / ordered_px.size - law).max() * math.sqrt(ordered_px.size))


def test_boredom_comes_when_the_article_says(figures: Figures) -> None:
    """35.4, 17.7 and 11.8 s for 0.0004, 0.0008 and 0.0012 a tick, within half of the last digit."""
    found = figures.readings()["habituation"]
    assert found["boredom_threshold"] == 0.15
    rates = {curve["decay_rate"]: curve["bored_after_s"] for curve in found["curves"]}
    assert list(rates) == [0.0004, 0.0008, 0.0012]
    assert list(rates.values()) == pytest.approx([35.4, 17.7, 11.8], abs=0.05)


def test_interest_falls_comes_back_and_jumps_as_the_article_says(figures: Figures) -> None:
    """1 -> 0.04 -> 0.58 -> 0.78 over 20 s lit, 1.5 s dark, lit again; within half of the last digit."""
    found = figures.readings()["on_off_on"]
    assert (found["decay_rate"], found["off_at_s"], found["on_again_at_s"]) == (0.0008, 20.0, 21.5)
    assert found["interest"] == pytest.approx([1.0, 0.04, 0.58, 0.78], abs=0.005)
    assert found["bored_at_s"][0] == pytest.approx(17.7, abs=0.05)
    again_s = 21.5 + (0.78 - 0.15) / 0.0008 / 60
    assert found["bored_at_s"][1:] == pytest.approx([again_s], abs=0.05)


def test_interest_never_comes_back_while_the_light_stays_on(figures: Figures) -> None:
    for curve in figures.habituation:
        assert (np.diff(curve.interest) <= 0).all()
        assert curve.interest[-1] == 0.0


def test_step_lengths_follow_the_truncated_law(figures: Figures) -> None:
    assert [steps.mu for steps in figures.steps] == [1.8, 2.0, 2.2]
    for steps in figures.steps:
        assert steps.lengths_px.size == 200_000
        assert farthest(steps.lengths_px, steps.mu) < KOLMOGOROV
        assert farthest(steps.lengths_px, steps.mu + 0.02) > KOLMOGOROV, "no law would be told apart"


def test_the_offset_of_the_random_number_makes_some_steps_shorter_than_the_shortest(figures: Figures) -> None:
    for steps in figures.steps:
        least_px = SHORTEST_PX * (1.0 + OFFSET) ** (-1.0 / (steps.mu - 1.0))
        assert least_px - 1e-6 <= steps.lengths_px.min() < SHORTEST_PX
        assert within_error((steps.lengths_px < SHORTEST_PX).mean(), OFFSET, steps)


def test_as_many_steps_are_cut_at_500_px_as_would_be_longer(figures: Figures) -> None:
    """7.5, 3.9 and 2.0 %, within four standard errors."""
    for steps, rounded in zip(figures.steps, (0.075, 0.039, 0.020), strict=True):
        exact = (LONGEST_PX / SHORTEST_PX) ** -(steps.mu - 1.0) - OFFSET
        assert exact == pytest.approx(rounded, abs=0.0005)
        assert steps.lengths_px.max() == LONGEST_PX
        assert steps.cut_share == (steps.lengths_px == LONGEST_PX).mean()
        assert within_error(steps.cut_share, exact, steps)


def within_error(share: float, exact: float, steps: Steps) -> bool:
    return abs(share - exact) < 4 * math.sqrt(exact * (1 - exact) / steps.lengths_px.size)


def test_other_constants_make_other_figures(ask: Any, tmp_path: Path) -> None:
    before = json.loads(ask("--out", str(tmp_path / "before"), "--json").stdout)
    (tmp_path / "config.toml").write_text(
        "[baited]\nboredom_threshold = 0.5\ndecay_max = 0.0008\nrecovery_rate = 0.003\n"
        "[baited.search]\nstep_max_px = 300.0\n[baited.character]\nlevy_mu_max = 2.6\n",
        encoding="utf-8",
    )
    after = json.loads(ask("--out", str(tmp_path / "after"), "--json").stdout)
    for was, now in zip(before.pop("files"), after.pop("files"), strict=True):
        assert Path(was).read_bytes() != Path(now).read_bytes()
    assert [curve["mu"] for curve in after["step_lengths"]["curves"]] == [1.8, 2.2, 2.6]
    assert after["step_lengths"]["longest_px"] == 300.0
    bored_s = [curve["bored_after_s"] for curve in after["habituation"]["curves"]]
    assert bored_s == pytest.approx([0.5 / rate / 60 for rate in (0.0004, 0.0006, 0.0008)], abs=0.03)
    interest = [1.0, 0.28, 0.28 + 90 * 0.003, 0.28 + 90 * 0.003 + 0.2]
    assert after["on_off_on"]["interest"] == pytest.approx(interest, abs=0.001)
    assert "300 px" in text_of(tmp_path / "after" / "1-step-lengths.svg")
    assert "recovery 0.003" in text_of(tmp_path / "after" / "3-on-off-on.svg")


def test_a_bug_that_is_never_bored_is_drawn_and_said(ask: Any, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\ndecay_min = 0.0\n", encoding="utf-8")
    done = ask("--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    assert "0 a tick: never bored" in done.stdout
    assert "not bored within 600 s" in text_of(tmp_path / "out" / "2-habituation.svg")


def test_a_figure_says_what_the_article_says(ask: Any, tmp_path: Path) -> None:
    done = ask("--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    steps, habituation, on_off_on = (text_of(tmp_path / "out" / f"{name}.svg") for name in NAMES)
    for words in ("μ = 1.8:", "μ = 2.0:", "μ = 2.2:", "200,000", "cut at 500 px", "step length (px)"):
        assert words in steps
    for words in ("35.4 s", "17.7 s", "11.8 s"):
        assert words in habituation
        assert words in done.stdout
    for words in ("threshold 0.15", "time in the light (s)", "interest"):
        assert words in habituation
    for words in ("1.00", "0.04", "0.58", "0.78", "ON", "OFF", "time (s)"):
        assert words in on_off_on
    assert "1.00 -> 0.04 -> 0.58 -> 0.78" in done.stdout
    for name in NAMES:
        with Image.open(tmp_path / "out" / f"{name}.png") as picture:
            assert picture.size == (1200, 690)


def text_of(path: Path) -> str:
    """The words of an SVG; raises ParseError when it is no XML."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return "\n".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))


def test_another_process_with_another_style_file_makes_the_same_bytes(
    ask: Any, tmp_path: Path, checkout: Path
) -> None:
    assert ask("--out", str(tmp_path / "here")).exit_code == 0
    (tmp_path / "matplotlibrc").write_text("axes.linewidth: 9\nxtick.major.size: 20\n", encoding="utf-8")
    command = [sys.executable, "-m", "controller.cli", "figures", "--home", str(tmp_path), "--out", "there"]
    env = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "7"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in NAMES:
        for kind in ("svg", "png"):
            here, there = ((tmp_path / place / f"{name}.{kind}").read_bytes() for place in ("here", "there"))
            assert here == there, f"{name}.{kind}"


def test_the_pictures_in_the_readme_are_those_of_the_program(
    ask: Any, tmp_path: Path, checkout: Path
) -> None:
    """To make them anew: `figures --out` a folder, and its PNG files into `controller/pictures`."""
    assert ask("--out", str(tmp_path / "out")).exit_code == 0
    readme = (checkout / "controller" / "README.md").read_text(encoding="utf-8")
    for name in (f"{name}.png" for name in NAMES):
        assert f"](pictures/{name})" in readme
        made, shown = (pixels(path / name) for path in (tmp_path / "out", checkout / "controller/pictures"))
        assert np.abs(made - shown).mean() < 0.05, f"{name} is not what `figures` makes now"


def pixels(path: Path) -> npt.NDArray[np.float64]:
    """Levels of 255, (height, width, 3)."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), np.float64)


def test_a_folder_that_cannot_be_is_one_line_and_code_1(ask: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = ask("--out", str(tmp_path / "file" / "out"))
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "--out" in done.stderr


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("fault", "code"), [(KeyboardInterrupt(), INTERRUPTED), (FULL, 1)])
def test_a_run_that_is_interrupted_leaves_all_pictures_as_they_were(
    ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException, code: int
) -> None:
    """In the middle of the fourth file of a run with another constant."""
    out = tmp_path / "out"
    assert ask("--out", str(out)).exit_code == 0
    before = {path: path.read_bytes() for path in out.iterdir()}
    save, saved = Figure.savefig, []

    def cut_short(picture: Figure, path: Path, **options: Any) -> None:
        save(picture, path, **options)
        saved.append(path)
        if len(saved) == 4:
            os.truncate(path, path.stat().st_size // 2)
            raise fault

    monkeypatch.setattr(Figure, "savefig", cut_short)
    (tmp_path / "config.toml").write_text("[baited]\nboredom_threshold = 0.5\n", encoding="utf-8")
    done = ask("--out", str(out))
    assert len(saved) == 4
    assert done.exit_code == code, done.output
    assert len(done.stderr.splitlines()) == 1
    assert {path: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize(
    ("shortest_px", "longest_px", "mu"),
    [(20.0, 500.0, 2.0), (10_000.0, 10_500.0, 1.1), (500.0, 500.0, 1.5), (1.0, 1.0, 6.0)],
)
def test_every_step_is_in_a_bin_of_its_figure(shortest_px: float, longest_px: float, mu: float) -> None:
    """Also where the offset of the random number takes more than a bin's width from the shortest."""
    search = Search(step_min_px=shortest_px, step_max_px=longest_px)
    character = Character(levy_mu_min=mu, levy_mu_max=mu)
    found = make(BaitedSettings(search=search, character=character), samples=20_000)
    (axes,) = dict(_pictures(found))["1-step-lengths"].axes
    assert len(axes.patches) == 3
    for stairs in axes.patches:
        shares, edges, _ = stairs.get_data()
        assert shares.sum() == pytest.approx(1.0, abs=1e-9)
        assert (np.diff(edges) > 0).all()


def test_no_other_command_loads_the_drawing_library(checkout: Path) -> None:
    code = "import sys, controller.cli; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=checkout, check=False).returncode == 0
