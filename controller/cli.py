"""The commands: each parses, calls and prints."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
import warnings
from pathlib import Path

import click
from pydantic import ValidationError

from controller.cli_bench import bench
from controller.cli_config import config
from controller.cli_logs_files import logs
from controller.cli_logs_purge import purge
from controller.cli_logs_recover import recover
from controller.cli_options import Refused, finite, home_option, json_option, print_json, say, settings_of
from controller.cli_record import Recorded, record_option
from controller.cli_replay import replay
from controller.cli_studies import figures, simulate
from controller.install.versions import program_version
from controller.settings import Settings


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(program_version(), message="%(version)s")
def main() -> None:
    """baited: a light moves over a dark screen, 250 bugs come to it, and every visit is logged."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"
    )
    warnings.formatwarning = lambda message, *_, **__: f"{message}\n"


@main.command()
@home_option
@click.option(
    "--source", type=click.Choice(["auto", "mouse", "demo", "camera"]), help="Where the light comes from."
)
@click.option("--camera", metavar="DEVICE|FILE", help="Camera device, or a video file that plays once.")
@click.option("--scene", type=click.Choice(["baited"]), help="The scene to show.")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Seed of the swarm."
)
@click.option("--headless", is_flag=True, help="Draw without a window.")
@click.option("--screen", metavar="NAME|required", help="Screen to use; required: wait for one, then exit 1.")
@click.option("--seconds", type=click.FloatRange(min=0.0), callback=finite, help="End after this time.")
@record_option(
    "A film (FILE.mp4, 60 pictures a second) or a recording for `replay` (FILE.jsonl), or both.",
    recording=True,
)
@click.option(
    "--snapshot", type=click.Path(dir_okay=False, path_type=Path), help="Save the last picture as PNG."
)
def run(
    home: Path,
    source: str | None,
    camera: str | None,
    scene: str | None,
    seed: int,
    headless: bool,
    screen: str | None,
    seconds: float | None,
    record: Recorded,
    snapshot: Path | None,
) -> None:
    """Run the show. Ctrl+Q in the window, Ctrl+C, SIGTERM or a closed terminal end it."""
    settings = settings_of(home)
    required = screen == "required"
    _override(settings, source, camera, scene, None if required else screen)
    _make_home(home)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    from controller.stage import StageError, Wish, WrongWish, run_show
    from display.errors import DisplayError
    from logs.lock import AlreadyRunning

    wish = Wish(headless, required and not headless, seed, seconds, snapshot, *record)
    try:
        code = run_show(home, settings, wish)
    except WrongWish as error:
        raise Refused(str(error), 2) from error
    except (StageError, AlreadyRunning, DisplayError) as error:
        raise Refused(str(error)) from error
    sys.exit(code)


def _override(
    settings: Settings, source: str | None, camera: str | None, scene: str | None, screen: str | None
) -> None:
    """Let the command line win over the file; a camera that is named is also the light."""
    if camera and source not in (None, "camera"):
        raise Refused(f"--camera {camera} goes with --source camera, not with --source {source}.", 2)
    wanted = {
        ("show", "source"): "camera" if camera else source,
        ("show", "scene"): scene,
        ("camera", "device"): camera,
        ("display", "screen"): screen,
    }
    for (section, key), value in wanted.items():
        try:
            if value:
                setattr(settings[section], key, value)
        except ValidationError as error:
            raise Refused(f"{section}.{key} = {value!r}: {error.errors()[0]['msg']}", 2) from error


def _make_home(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        click.echo(f"{home} cannot be made ({error.strerror}): visits wait in memory. See `check`.", err=True)


@main.command(context_settings={"ignore_unknown_options": True})
@home_option
@click.option("--full", is_flag=True, help="The long trials too (up to an hour).")
@click.argument("pytest_args", nargs=-1, type=click.UNPROCESSED)
def test(home: Path, full: bool, pytest_args: tuple[str, ...]) -> None:
    """Run the test suite; further arguments go to pytest."""
    from controller.install.suite import run_suite

    sys.exit(run_suite(full, pytest_args))


@main.command()
@home_option
@json_option
def check(home: Path, as_json: bool) -> None:
    """Say what is wrong here, and the remedy. Exit code 1 when something is."""
    from controller.checkup import findings

    found = list(findings(home))
    if as_json:
        print_json([finding._asdict() for finding in found])
    for finding in () if as_json else found:
        mark = "ok  " if not finding.fault else "note" if finding.level == "note" else "BAD "
        say(f"{mark} {finding.name}: {finding.state}")
        if finding.fault:
            say(f"     {finding.fault}")
    sys.exit(int(any(finding.fault and finding.level == "problem" for finding in found)))


@main.command()
@home_option
@json_option
def status(home: Path, as_json: bool) -> None:
    """The running show with the ages of what it last did. Exit code 1 when stale or unwell."""
    from controller.beacon import read_status

    facts, faults = read_status(home, time.monotonic())
    if as_json:
        print_json({**facts, "faults_found": faults})
    else:
        for name, value in facts.items():
            click.echo(f"{name}: {json.dumps(value, ensure_ascii=False)}")
        for fault in faults:
            click.echo(f"BAD  {fault}")
    sys.exit(int(bool(faults)))


@main.command()
@home_option
@json_option
@click.option("--identify", is_flag=True, help="Show on each screen its number and name for five seconds.")
def devices(home: Path, as_json: bool, identify: bool) -> None:
    """Screens, cameras and serial ports by stable identity."""
    from dataclasses import asdict

    from serial.tools import list_ports

    from controller.inputs.camera_devices import cameras
    from display.screens import list_screens

    if identify:
        _identify()
    screens, reason = list_screens()
    ports = [
        {"device": port.device, "name": port.description, "identity": port.hwid}
        for port in list_ports.comports()
    ]
    found = {
        "screens": [asdict(screen) for screen in screens],
        "screens_reason": reason or "",
        "cameras": cameras(),
        "ports": ports,
    }
    if as_json:
        print_json(found)
        return
    for kind, rows in (("screens", screens), ("cameras", found["cameras"]), ("ports", ports)):
        click.echo(f"{kind}:" + ("" if rows else f" none{f' ({reason})' if kind == 'screens' else ''}"))
        for row in rows:
            click.echo(f"  {row}")


def _identify() -> None:
    from display.errors import DisplayError
    from display.identify import identify

    try:
        identify()
    except DisplayError as error:
        raise Refused(str(error)) from error


@main.command()
@home_option
@click.argument("device")
@click.option("--moves", is_flag=True, help="Print each position too.")
@click.option("--spots", is_flag=True, help="Print each light as the detector confirms it.")
@click.option(
    "--profile", type=click.Path(path_type=Path), help="Camera calibration: positions in px of the screen."
)
def track(home: Path, device: str, moves: bool, spots: bool, profile: Path | None) -> None:
    """The tracker alone on a video FILE or camera DEVICE: a JSON line an event."""
    from calibration.profile import load as load_profile
    from controller.inputs.camera_capture import CaptureFailed, pictures
    from controller.tracking.follow import track as follow

    settings = settings_of(home)["camera"]
    found = None
    if profile is not None:
        found, warning = load_profile(profile)
        if found is None:
            raise Refused(warning or f"{profile}: there is no calibration; make one or leave --profile out.")
    try:
        for event in follow(pictures(device, settings), settings.tracking, found, moves, spots):
            click.echo(json.dumps(event))
    except (CaptureFailed, ValueError) as error:
        raise Refused(str(error)) from error


main.add_command(bench)
main.add_command(config)
main.add_command(figures)
main.add_command(logs)
logs.add_command(purge)
logs.add_command(recover)
main.add_command(replay)
main.add_command(simulate)

if __name__ == "__main__":
    main()
