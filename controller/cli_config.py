"""The commands about settings: what is in force, and a commented file of the defaults."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli_options import home_option, json_option, print_json, settings_of
from controller.settings import all_sections, default_file, plain_fields, unit_of


@click.group()
def config() -> None:
    """The settings in force, and a commented file of the defaults."""


@config.command("show")
@home_option
@json_option
def config_show(home: Path, as_json: bool) -> None:
    """Each setting with its value, unit and where it is from: default, file or panel."""
    settings = settings_of(home)
    rows = {
        f"{name}.{key}": {
            "value": getattr(settings[name], key),
            "unit": unit_of(model, key),
            "origin": settings.origins[f"{name}.{key}"],
        }
        for name, model in all_sections()
        for key in plain_fields(model)
    }
    if as_json:
        print_json(rows)
        return
    for name, row in rows.items():
        click.echo(f"{name} = {row['value']} {row['unit']}".rstrip() + f"  ({row['origin']})")


@config.command("default")
@home_option
def config_default(home: Path) -> None:
    """A config.toml with every default in comments, on standard output."""
    click.echo(default_file(), nl=False)
