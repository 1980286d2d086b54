"""The curator's commands: questions to the visitor log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from controller.cli_options import (
    Refused,
    finite,
    home_option,
    json_option,
    print_json,
    printable,
    say,
    settings_of,
)
from controller.install.home import fallback_folders
from controller.settings import DATABASE

# The largest number that a query can take.
LARGEST = 2**63 - 1
out = Console(highlight=False, soft_wrap=True, markup=False)


def local_day(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """For options that take a date: refuses what is none, and other ways to write one."""
    with suppress(ValueError):
        if value is None or date.fromisoformat(value).isoformat() == value:
            return value
    raise click.BadParameter(f"{value!r} is no date; give it as 2026-04-02")


def tell_what_waits(home: Path) -> None:
    """One line where visits wait in files for a start of the show."""
    from logs import waiting

    if state := waiting.find(home / DATABASE, fallback_folders()).state:
        say(f"{state}; {waiting.COMES_IN}", err=True)


@click.group()
def logs() -> None:
    """The curator's questions to the visitor log."""


@logs.command("sessions")
@home_option
@json_option
@click.option("--day", callback=local_day, help="Only sessions that began on this local date, YYYY-MM-DD.")
@click.option("--limit", type=click.IntRange(1, LARGEST), help="Only the last so many.")
@click.option("--include-demo", is_flag=True, help="Simulated visitors too.")
def logs_sessions(home: Path, as_json: bool, day: str | None, limit: int | None, include_demo: bool) -> None:
    """The sessions, oldest first."""
    from logs.questions import sessions

    rows = _ask(sessions, home, limit, day, include_demo)
    if as_json:
        print_json(rows)
        return
    table = Table("id", "local time", "seconds", "source", "end", box=None)
    for row in rows:
        cells = (str(row["local"])[:19], f"{row['duration_s']:.2f}", row["source"], row["reason"])
        table.add_row(str(row["id"]), *map(printable, cells))
    out.print(table)


@logs.command("summary")
@home_option
@json_option
@click.option(
    "--min-seconds",
    type=click.FloatRange(min=0),
    callback=finite,
    help="Shorter contacts do not count. Default: log.short_s.",
)
@click.option("--include-demo", is_flag=True, help="Simulated visitors too.")
def logs_summary(home: Path, as_json: bool, min_seconds: float | None, include_demo: bool) -> None:
    """Number, total, mean and median of the sessions, by day and by how they ended."""
    from logs.questions import summary

    cutoff_s = settings_of(home)["log"].short_s if min_seconds is None else min_seconds
    found = _ask(summary, home, cutoff_s, include_demo)
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        say(f"{name}: {value}")


@contextmanager
def refusing() -> Iterator[None]:
    """For commands that write the log: what keeps it from being written is told in one line."""
    from logs.closed_log import CannotWrite
    from logs.lock import AlreadyRunning
    from logs.questions import UnreadableLog

    try:
        yield
    except (AlreadyRunning, CannotWrite, UnreadableLog) as error:
        raise Refused(str(error)) from error


def _ask(question: Callable[..., Any], home: Path, *values: Any) -> Any:
    from logs.questions import UnreadableLog

    tell_what_waits(home)
    try:
        return question(home / DATABASE, *values)
    except UnreadableLog as error:
        raise Refused(str(error)) from error
