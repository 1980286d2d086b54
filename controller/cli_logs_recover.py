"""`logs recover`: the visitor log put right without a show."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from controller.cli_logs import refusing
from controller.cli_options import home_option, json_option, print_json, say, settings_of
from controller.install.home import fallback_folders
from controller.settings import DATABASE


@click.command()
@home_option
@json_option
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def recover(home: Path, as_json: bool, files: tuple[Path, ...]) -> None:
    """Put the log right, as the next start of the show would; only while none runs.

    FILES are kept, older or exported databases: what can be read of them and is not in the log is put in;
    they stay as they are. Exit code 1 when the log had to be replaced, or a file gave nothing.
    """
    from logs.recovery import recover as put_right

    short_s = settings_of(home)["log"].short_s
    with refusing():
        found = put_right(home / DATABASE, files, fallback_folders(), lambda: time.time_ns() // 1000, short_s)
    if as_json:
        print_json({**asdict(found), "well": found.is_well})
    else:
        for line in found.moved:
            say(line)
        say(f"{found.closed} sessions were open and are closed at their last heartbeat.")
        say(f"{found.spilled} entries of spill files were put in.")
        for file, count in found.taken.items():
            say(f"{file}: {count} sessions that were not in the log.")
        say(f"The log is sound and has {found.sessions} sessions.")
        for problem in found.problems:
            say(problem, err=True)
    if not found.is_well:
        raise SystemExit(1)
