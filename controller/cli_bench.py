"""`bench`: the figures of the READMEs, as ratios within one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from controller.cli_options import Refused, home_option, json_option, print_json


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
