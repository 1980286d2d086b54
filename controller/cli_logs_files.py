"""The curator's files: the visitor log given out, and logs of the original taken in."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controller.cli_logs import local_day, logs, refusing, tell_what_waits
from controller.cli_options import Refused, home_option, json_option, print_json, say
from controller.cli_studies import picture_size
from controller.settings import DATABASE

if TYPE_CHECKING:
    from logs.importing import Imported

__all__ = ["logs"]

EXTRA = Path(__file__).resolve().parent / "install" / "analysis.lock"


@logs.command("export")
@home_option
@json_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "parquet", "db"]),
    required=True,
    help="What kind of file.",
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to make."
)
@click.option("--day", callback=local_day, help="Only sessions that began on this local date.")
@click.option("--from", "first", callback=local_day, help="The first local date.")
@click.option("--to", "last", callback=local_day, help="The last local date.")
@click.option("--include-demo", is_flag=True, help="Simulated visitors too.")
@click.option("--excel", is_flag=True, help="CSV only: a byte-order mark, for Excel.")
def logs_export(
    home: Path,
    as_json: bool,
    form: str,
    out: Path,
    day: str | None,
    first: str | None,
    last: str | None,
    include_demo: bool,
    excel: bool,
) -> None:
    """The sessions as a file for a spreadsheet, a script or another program."""
    from logs import parquet
    from logs.exporting import CannotExport, Choice, export_csv, export_db, export_jsonl, export_parquet
    from logs.questions import UnreadableLog

    if day and (first or last):
        raise click.UsageError("give either --day, or --from and --to")
    if excel and form != "csv":
        raise click.UsageError("--excel is for --format csv")
    try:
        choice = Choice(day or first, day or last, include_demo)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    exports: dict[str, Callable[[Path, Path, Choice], int]] = {
        "csv": partial(export_csv, excel=excel),
        "jsonl": export_jsonl,
        "parquet": export_parquet,
        "db": export_db,
    }
    if form == "parquet" and not parquet.is_available():
        raise Refused(f"a Parquet file needs DuckDB, which is not installed; get it with: {_install_extra()}")
    tell_what_waits(home)
    try:
        count = exports[form](home / DATABASE, out, choice)
    except (CannotExport, UnreadableLog) as error:
        raise Refused(str(error)) from error
    if as_json:
        print_json({"sessions": count, "file": str(out), "format": form})
    else:
        say(f"{count} sessions in {out}")


def _install_extra() -> str:
    """The command that puts the extra's packages beside what runs here."""
    words = "-m pip install --require-hashes --only-binary :all: -r"
    return f"{shlex.quote(sys.executable)} {words} {shlex.quote(str(EXTRA))}"


@logs.command("import")
@home_option
@json_option
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--screen",
    "screen_px",
    default="1920x1080",
    callback=picture_size,
    help="Size of the screen of the original, which its files do not tell.",
)
def logs_import(home: Path, as_json: bool, files: tuple[Path, ...], screen_px: tuple[int, int]) -> None:
    """Take in logs of the original, or `logs export --format jsonl`; 1 when anything was left out.

    Only while no show runs. What is in the log already is not taken again.
    """
    from logs.importing import import_files

    found = []
    with refusing():
        for told in import_files(home / DATABASE, files, screen_px, time.time_ns() // 1000):
            found.append(told)
            if not as_json:
                _print_imported(told)
    if as_json:
        print_json([asdict(told) for told in found])
    if not all(told.is_well for told in found):
        raise SystemExit(1)


def _print_imported(told: Imported) -> None:
    note = f" ({told.note})" if told.note else ""
    say(f"{told.file}: {told.taken} sessions taken, {told.known} known before, {told.bad} bad lines{note}")
    for number, reason in told.bad_lines:
        say(f"{told.file}, line {number}: {reason}", err=True)
    if told.bad > len(told.bad_lines):
        say(f"{told.file}: and {told.bad - len(told.bad_lines)} more", err=True)
    if told.problem:
        say(f"{told.file}: {told.problem}", err=True)
