"""The commands that run scenes without a screen: `simulate` and `figures`."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from controller.cli_options import Refused, home_option, json_option, print_json, settings_of
from controller.cli_progress import compiling, progress_bar
from controller.install.interrupts import INTERRUPTED
from controller.scenes import SCENES
from logs.durable import replace_text


def picture_size(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", value.lower())
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(0 < side <= 16384 for side in size):
        raise click.BadParameter("give it as 1920x1080")
    return size


def _scene(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in SCENES:
        raise click.BadParameter(f"there is no scene {value!r}, but {', '.join(SCENES)}")
    return value


@click.command()
@home_option
@click.option(
    "--schedule",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="JSON file of the light: {frames, light: [[frame, on, x, y], ...]}.",
)
@click.option("--scene", callback=_scene, metavar="NAME", help="The scene; default: the setting show.scene.")
@click.option(
    "--size", callback=picture_size, default="1280x720", show_default=True, help="Screen, WIDTHxHEIGHT px."
)
@click.option(
    "--runs", type=click.IntRange(1, 100_000), default=64, show_default=True, help="Independent runs."
)
@click.option(
    "--seed", type=click.IntRange(0, 2**62), default=1, show_default=True, help="Seed of the first run."
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="JSON file to write."
)
def simulate(
    home: Path, schedule: Path, scene: str | None, size: tuple[int, int], runs: int, seed: int, out: Path
) -> None:
    """A scene without a screen on a light schedule, many times: series of its measures as JSON."""
    settings = settings_of(home)
    name = scene or settings["show"].scene
    if not os.access(out.parent, os.W_OK):
        raise Refused(f"{out} cannot be written: {out.parent} is no folder of yours; give another --out.")
    if out.exists() and not out.is_file():
        raise Refused(f"{out} is not a regular file; give another --out.")
    try:
        _load_kernels(home, name, settings[name])
        text = _simulated(name, settings[name], schedule, size, runs, seed)
    except KeyboardInterrupt as key:
        raise Refused(f"Interrupted: {out} is as it was.", INTERRUPTED) from key
    except MemoryError as error:
        remedy = "give fewer --runs, a shorter --schedule or fewer bugs"
        raise Refused(f"Too little memory, {out} is as it was: {remedy}.") from error
    with _undisturbed():
        _write(out, text)


def _simulated(
    name: str, section: BaseModel, schedule: Path, size: tuple[int, int], runs: int, seed: int
) -> str:
    """The series of all runs as JSON, with a bar meanwhile."""
    from controller.studies.ensemble import ScheduleError, read_schedule
    from controller.studies.ensemble import simulate as run_all

    try:
        plan = read_schedule(schedule)
        with progress_bar() as progress:
            task = progress.add_task(f"{runs} x {plan.frames} frames", total=runs * plan.frames)
            found = run_all(
                name, section, plan, size, runs, seed, lambda frames: progress.advance(task, frames)
            )
    except (ScheduleError, OSError) as error:
        raise Refused(f"{schedule}: {error}", 2) from error
    return json.dumps(found)


@click.command()
@home_option
@json_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the pictures, made if need be.",
)
def figures(home: Path, as_json: bool, out: Path) -> None:
    """Step lengths, habituation and recovery under the settings in force: three SVG and PNG pictures."""
    settings = settings_of(home)
    _load_kernels(home, "baited", settings["baited"])
    from controller.studies.figure_drawing import draw
    from controller.studies.figures import make

    try:
        found = make(settings["baited"])
        out.mkdir(parents=True, exist_ok=True)
        files = draw(found, out, home / "cache" / "matplotlib")
    except OSError as error:
        raise Refused(
            f"No pictures can be written to {out} ({error.strerror}): give another --out."
        ) from error
    except KeyboardInterrupt as key:
        raise Refused(f"Interrupted: {out} is as it was.", INTERRUPTED) from key
    readings = found.readings()
    if as_json:
        print_json({**readings, "files": [str(path) for path in files]})
    else:
        _tell(readings)
        for path in files:
            click.echo(path)


def _tell(found: dict[str, Any]) -> None:
    steps, again = found["step_lengths"], found["on_off_on"]
    for curve in steps["curves"]:
        click.echo(
            f"steps, mu {curve['mu']}: half are shorter than {curve['median_px']:.1f} px, "
            f"{curve['at_longest_share']:.2%} are cut at {steps['longest_px']:g} px"
        )
    for curve in found["habituation"]["curves"]:
        after_s = curve["bored_after_s"]
        words = "never bored" if after_s is None else f"bored after {after_s:.1f} s"
        click.echo(f"in the light, {curve['decay_rate']:g} a tick: {words}")
    click.echo(
        f"on, off at {again['off_at_s']:g} s, on again at {again['on_again_at_s']:g} s: interest "
        + " -> ".join(f"{interest:.2f}" for interest in again["interest"])
    )


def _load_kernels(home: Path, scene: str, section: BaseModel) -> None:
    from controller.kernelcache import load_kernels

    with compiling():
        load_kernels(home, scene, section, lambda line: click.echo(line, err=True))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl+C is not heard: what is written now is written whole."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _write(path: Path, text: str) -> None:
    try:
        replace_text(path, text)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error
