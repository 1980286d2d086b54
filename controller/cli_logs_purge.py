"""The curator's retention: visits whose time is over are deleted, and only then, on demand."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli_logs import local_day, refusing, tell_what_waits
from controller.cli_options import home_option, json_option, print_json, say, settings_of
from controller.install.home import fallback_folders
from controller.settings import DATABASE

if TYPE_CHECKING:
    from logs.purging import Due, Purged


@click.command()
@home_option
@json_option
@click.option("--before", callback=local_day, help="Delete what began before this local date, YYYY-MM-DD.")
@click.option("--copies", "with_copies", is_flag=True, help="Delete copies of the log with such visits too.")
@click.option("--dry-run", is_flag=True, help="Only tell what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(home: Path, as_json: bool, before: str | None, with_copies: bool, dry_run: bool, yes: bool) -> None:
    """Delete old visits for good; of their days only sums by hour stay. 1 when any trace is left.

    Without --before: those of the show that ended on log.show_until, once log.keep_months have
    passed. Only while no show runs.
    """
    from logs import purging
    from logs.settings import zone_named

    settings = settings_of(home)["log"]
    zone = zone_named(settings.zone)
    today = datetime.now(zone).date()
    day = _given(before, today) if before else _of_the_show(settings, today, as_json)
    if day is None:
        return
    if dry_run:
        tell_what_waits(home)
    with refusing():
        due = purging.look(home / DATABASE, day, zone, fallback_folders())
        if dry_run:
            _tell_due(due, as_json)
            return
        if not yes and (due.sessions or (with_copies and due.copies)):
            for line in _lines(due, with_copies):
                say(line, err=True)
            click.confirm("Delete them for good?", abort=True, err=True)
        purged = purging.purge(home / DATABASE, day, zone, with_copies, fallback_folders())
    _tell_purged(purged, as_json)


def _given(before: str, today: date) -> date:
    day = date.fromisoformat(before)
    if day > today:
        raise click.UsageError(
            f"--before {day} has not come yet; the latest is today, {today}, which keeps today's visits"
        )
    return day


def _of_the_show(settings: Any, today: date, as_json: bool) -> date | None:
    """The day before which the visits of the ended show began; None, and told, when they are not due yet."""
    from logs.purging import due_from

    if not settings.show_until:
        raise click.UsageError(
            "give --before YYYY-MM-DD, or set show_until under [log] in config.toml to the last day of the "
            f"show, whose visits are then due {settings.keep_months} months later (keep_months)"
        )
    last_day = date.fromisoformat(settings.show_until)
    due_on = due_from(last_day, settings.keep_months)
    if today >= due_on:
        return last_day + timedelta(days=1)
    if as_json:
        print_json({"show_until": settings.show_until, "due_from": due_on.isoformat(), "due": False})
    else:
        say(f"The visits up to {last_day} are kept; they may be purged from {due_on} on.")
    return None


def _tell_due(due: Due, as_json: bool) -> None:
    if as_json:
        print_json(asdict(due))
    else:
        for line in _lines(due, with_copies=False):
            say(line)


def _lines(due: Due, with_copies: bool) -> list[str]:
    """What would be deleted."""
    span = f", {due.first_day} to {due.last_day}" if due.sessions else ""
    what = f"{due.sessions} sessions of {due.days} days{span}; {due.recordings} recordings"
    fate = "deleted too" if with_copies else "--copies deletes it too"
    copies = (f"{name} may hold such visits; {fate}" for name in due.copies)
    return [f"Before {due.before}: {what}", *copies, *due.waiting]


def _tell_purged(purged: Purged, as_json: bool) -> None:
    if as_json:
        print_json(asdict(purged))
    else:
        say(
            f"Before {purged.before}: {purged.sessions} sessions of {purged.days} days deleted, with "
            f"{purged.recordings} recordings, {purged.events} events, {purged.runs} starts of the program"
        )
        for name in purged.copies_removed:
            say(f"{name} deleted")
        for problem in purged.problems:
            say(problem, err=True)
        if not purged.problems:
            say("No trace of them was found in any file of the log.")
    if purged.problems:
        raise SystemExit(1)
