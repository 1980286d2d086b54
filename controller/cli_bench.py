"""`bench`: the figures of the READMEs, as ratios within one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from controller.cli_options import Refused, home_option, json_option, print_json
from controller.cli_progress import compiling

out = Console(highlight=False, soft_wrap=True, markup=False)


@click.group()
def bench() -> None:
    """Measure this machine: ratios within one run, which hold on a busy machine too."""


@bench.command()
@home_option
@json_option
@click.option(
    "--pictures", type=click.IntRange(12, 100_000), default=240, show_default=True, help="For each figure."
)
@click.option(
    "--memory", type=click.IntRange(0, 10_000_000), default=20_000, help="Pictures for memory; 0: none."
)
def draw(home: Path, as_json: bool, pictures: int, memory: int) -> None:
    """The picture's cost against one pyglet Sprite a bug, 20,000 bugs, and the growth of memory."""
    from controller.studies.draw_cost import figures
    from display.errors import DisplayError

    try:
        found = figures(pictures, memory)
    except DisplayError as error:
        raise Refused(str(error)) from error
    if as_json:
        print_json(found)
    else:
        _tell(found)


@bench.command()
@home_option
@json_option
@click.option("--quick", is_flag=True, help="In seconds, with less certainty.")
@click.option("--markdown", is_flag=True, help="Print the table for controller/README.md.")
def swarm(home: Path, as_json: bool, quick: bool, markdown: bool) -> None:
    """The swarm's cost against the same in C, in a frame, in a crowd, in number; 1 when over a goal."""
    values = _swarm_values(home, quick)
    from controller.studies import swarm_cost_table

    _print(swarm_cost_table.told(values), as_json, markdown)


@bench.command()
@home_option
@json_option
@click.option("--quick", is_flag=True, help="In seconds, with less certainty and fewer sessions.")
@click.option("--markdown", is_flag=True, help="Print the table for logs/README.md.")
@click.option("--sessions", type=click.IntRange(500, 10_000_000), help="In the log that is asked.")
def log(home: Path, as_json: bool, quick: bool, markdown: bool, sessions: int | None) -> None:
    """The log's cost to the show, when an event is safe, readers, a million sessions; 1 when over a goal."""
    from controller.studies import log_cost, log_cost_table

    effort = log_cost.QUICK if quick else log_cost.FULL
    try:
        values = log_cost.measured(effort._replace(sessions=sessions or effort.sessions), home)
    except OSError as error:
        raise Refused(
            f"{home}: no log can be written there for the bench ({error}); give another home"
        ) from error
    _print(log_cost_table.told(values), as_json, markdown)


def _print(measured: Any, as_json: bool, markdown: bool) -> None:
    """The table as asked for; ends the command with 1 when a figure that must reach its goal does not."""
    if as_json:
        print_json(measured.as_data())
    elif markdown:
        click.echo(measured.markdown())
    else:
        table = Table(box=None)
        for name in measured.columns:
            table.add_column(name, no_wrap=name in ("measured", "goal"))
        for row in measured.rows():
            table.add_row(*row)
        out.print(table)
        click.echo(measured.conditions)
    if measured.is_over:
        raise click.exceptions.Exit(1)


def _swarm_values(home: Path, quick: bool) -> Any:
    from controller.kernelcache import load_kernels
    from controller.scenes.baited.settings import BaitedSettings

    with compiling():
        load_kernels(home, "baited", BaitedSettings(), lambda line: click.echo(line, err=True))
        from controller.studies import swarm_cost
        from controller.studies.swarm_cost_laps import FULL, QUICK

        # Compiles a kernel too.
        return swarm_cost.measured(QUICK if quick else FULL)


def _tell(found: dict[str, Any]) -> None:
    for row in found["against_sprites"]:
        click.echo(
            f"{row['bugs']} bugs: {row['here_ms']:.3f} ms a picture (p99 {row['here_p99_ms']:.3f}), "
            f"sprites {row['sprites_ms']:.3f} ms: {row['times_cheaper_in_view']:.1f} times cheaper"
        )
        click.echo(
            f"    out of view, without the share of software drawing: {row['here_host_ms']:.3f} ms, "
            f"sprites {row['sprites_host_ms']:.3f} ms: {row['times_cheaper_host']:.1f} times cheaper"
        )
    many = found["many"]
    click.echo(f"{many['bugs']} bugs: {many['here_ms']:.3f} ms a picture (p99 {many['here_p99_ms']:.3f})")
    if memory := found["memory"]:
        click.echo(f"memory: {memory['grown_kib']:.0f} KiB more after {memory['pictures']} pictures")
