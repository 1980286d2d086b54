"""What the commands share: the home, JSON, harmless text, the settings in force, refusals in one line."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from controller.install.home import home_folder
from controller.settings import ConfigError, Settings, load

# What a terminal may take for an order (C0, DEL, C1), and what no encoding can write.
ORDERS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# JSON escapes the first 32 by itself, and has line feeds of its own between its texts.
ORDERS_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")

Command = TypeVar("Command", bound=Callable[..., Any])


class Refused(click.ClickException):
    """The command cannot be carried out; 1 = a problem here, 2 = wrong use."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]

    def format_message(self) -> str:
        """For the terminal: what the message quotes may come from a file."""
        return "\n".join(map(printable, self.message.split("\n")))


class _Home(click.ParamType):
    name = "dir"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        try:
            return home_folder(str(value) or None, os.environ)
        except PermissionError as error:
            raise Refused(str(error)) from error


def home_option(command: Command) -> Command:
    """`--home DIR`, which every command takes."""
    text = "Folder of settings, calibration, database and cache; default BAITED_HOME, else the user's."
    return click.option("--home", type=_Home(), default="", help=text)(command)


def json_option(command: Command) -> Command:
    """`--json`, for those that print data."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def finite(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """For number options: refuses nan and inf."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("give a finite number")
    return value


def settings_of(home: Path) -> Settings:
    """The settings in force, warnings said; wrong ones end the command."""
    try:
        settings = load(home)
    except ConfigError as error:
        raise Refused(str(error), 2) from error
    for warning in settings.warnings:
        say(warning, err=True)
    return settings


def print_json(data: Any) -> None:
    """Data as JSON on standard output, kanji as they are, what a terminal would obey escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=2, default=str)
    click.echo(ORDERS_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def printable(text: str) -> str:
    """The text on one line; a control code, which a file may hold, is written out: `\\x1b`."""
    return ORDERS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: str, err: bool = False) -> None:
    """One line on the terminal, whatever the text holds."""
    click.echo(printable(text), err=err)
