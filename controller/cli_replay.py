"""`replay`: a recording on the screen again, or only compared with what it came to when it was made."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from controller.cli_options import Refused, finite, home_option, json_option, print_json, say, settings_of
from controller.cli_progress import compiling, progress_bar
from controller.cli_record import Recorded, record_option
from controller.install.interrupts import INTERRUPTED
from controller.install.versions import program_version
from controller.recording.in_log import NoRecording, recording_of
from controller.recording.player import Player
from controller.recording.reading import Recording, RecordingError
from controller.recording.rows import Head
from controller.recording.sources import sources_digest
from controller.settings import DATABASE
from logs.questions import UnreadableLog

PROGRESS_TICKS = 600
NOTHING_COMPARED = 5


class _SessionOrFile(click.Path):
    """A file that is there, else a session's number, else what click says of a missing file."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).isdecimal() and not os.path.exists(value):
            with suppress(ValueError):  # of thousands of digits Python makes no number
                return int(value)
        return super().convert(value, param, ctx)


@click.command()
@home_option
@json_option
@click.argument("what", type=_SessionOrFile(), metavar="SESSION|FILE")
@click.option("--check", is_flag=True, help="No picture: compare the end, as fast as it can.")
@click.option("--headless", is_flag=True, help="Draw without a window.")
@click.option("--screen", metavar="NAME", help="Screen to use.")
@click.option("--seconds", type=click.FloatRange(min=0.0), callback=finite, help="End after this time.")
@click.option(
    "--snapshot", type=click.Path(dir_okay=False, path_type=Path), help="Save the last picture as PNG."
)
@record_option("Make a film of it: FILE.mp4, 60 pictures a second.", recording=False)
def replay(home: Path, as_json: bool, what: int | Path, check: bool, record: Recorded, **shown: Any) -> None:
    """Show a recording again, and say whether it came to the same, to the byte (else exit code 1).

    SESSION is a visit's number in `logs sessions`, FILE any recording. Nothing is logged, and it may run
    beside a show. With --check the exit code is 5 for a recording that does not tell what it came to.
    """
    if check and (record.film or any(value is not None and value is not False for value in shown.values())):
        raise Refused("--check draws nothing: leave the options of the picture out.", 2)
    file = _recording_of(home, what) if isinstance(what, int) else what
    from controller.replay_stage import player_of

    try:
        recording = Recording(file)
        for note in recording.notes:
            say(f"{file}: {note}", err=True)
        with compiling():
            player = player_of(recording, home, lambda line: say(line, err=True))
        code = _run_through(player) if check else _show(home, player, record, **shown)
        agrees = _tell(player, as_json)
    except RecordingError as error:
        raise Refused(str(error), 2) from error
    except OSError as error:
        raise Refused(f"{error.filename or 'the output'}: {error.strerror or error}") from error
    except KeyboardInterrupt as key:
        raise Refused("Interrupted: nothing is compared.", INTERRUPTED) from key
    if check and agrees is None:
        code = NOTHING_COMPARED
    sys.exit(code or int(agrees is False))


def _recording_of(home: Path, session: int) -> Path:
    """The visit's recording, as the log knows it."""
    days = settings_of(home)["log"].recordings_days
    try:
        return recording_of(home, home / DATABASE, session, days)
    except NoRecording as error:
        raise Refused(str(error), 1 if error.known else 2) from error
    except UnreadableLog as error:
        raise Refused(str(error)) from error


def _run_through(player: Player) -> int:
    """All steps without a picture; the exit code of the showing, of which there is none: 0."""
    with progress_bar() as progress:
        task = progress.add_task("ticks", total=player.recording.ticks)
        while not player.ended:
            for _ in range(min(PROGRESS_TICKS, player.recording.last_tick - player.tick)):
                player.step()
            progress.update(task, completed=player.ticks)
    return 0


def _show(
    home: Path,
    player: Player,
    record: Recorded,
    headless: bool,
    screen: str | None,
    seconds: float | None,
    snapshot: Path | None,
) -> int:
    from controller.replay_stage import run_replay
    from controller.stage import Wish
    from display.errors import DisplayError

    settings = settings_of(home)
    if screen:
        settings["display"].screen = screen
    wish = Wish(headless, seconds=seconds, snapshot=snapshot, film=record.film)
    try:
        return run_replay(settings, player, wish)
    except DisplayError as error:
        raise Refused(str(error)) from error


def _tell(player: Player, as_json: bool) -> bool | None:
    """Say what it came to; whether that is what was recorded, None where nobody can tell."""
    recording = player.recording
    found = player.verdict() if player.ended else None
    agrees = None if found is None else found.agrees
    if as_json:
        print_json(
            {
                "ticks": player.ticks,
                "recorded_ticks": recording.ticks,
                "agrees": agrees,
                "digest": None if found is None else found.digest,
                "recorded_digest": recording.digest or None,
                "recorded_by": recording.head.program,
                "program": program_version(),
                "notes": recording.notes,
            }
        )
    elif found is None:
        say(f"Ended at tick {player.ticks} of {recording.ticks}: nothing is compared.")
    else:
        say(f"{player.ticks} ticks: {_words(agrees, recording)}")
    return agrees


def _words(agrees: bool | None, recording: Recording) -> str:
    if agrees is None:
        return "the recording does not tell what it came to, so nothing is compared."
    if agrees:
        return "the same, to the byte."
    return f"it differs from what was recorded. {_reason(recording.head)}"


def _reason(head: Head) -> str:
    """Why it may differ, as far as can be told."""
    programs = f"(recorded by {head.program or 'an unknown one'}, this is {program_version()})"
    if not head.sources:
        return f"The program may be another {programs}, or the machine, or the file was changed."
    if head.sources != sources_digest():
        return f"The scene's program is another {programs}: replay it with the one that recorded it."
    return "The scene's program is the same: the machine or its libraries are others, or the file changed."
