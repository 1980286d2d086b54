"""`--record`: where a film or a recording may be written, seen before anything starts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from controller.recording.rows import SUFFIX
from controller.recording.sole_file import open_locked

FILM = ".mp4"
# While it grows the film has a longer name, and file systems take 255 bytes.
LONGEST_NAME = 200

Command = TypeVar("Command", bound=Callable[..., Any])


class Recorded(NamedTuple):
    """The files that `--record` asks for."""

    film: Path | None = None
    recording: Path | None = None


def record_option(help_text: str, recording: bool) -> Callable[[Command], Command]:
    """`--record FILE.mp4`; with `recording` a FILE.jsonl too, each once."""
    kinds = {FILM: "film", **({SUFFIX: "recording"} if recording else {})}

    def collect(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Recorded:
        found: dict[str, Path] = {}
        for value in values:
            path = Path(value).absolute()
            kind = kinds.get(path.suffix.lower())
            if kind is None or kind in found:
                raise click.BadParameter(f"give one name that ends in {' or one in '.join(kinds)}")
            found[kind] = _writable(path)
        return Recorded(**found)

    metavar = "|".join(f"FILE{suffix}" for suffix in kinds)
    return click.option("--record", multiple=True, callback=collect, help=help_text, metavar=metavar)


def _writable(path: Path) -> Path:
    """Found out by trying: rights alone say little of a system folder or a full disk. Changes no file."""
    if path.exists() and not path.is_file():
        raise click.BadParameter(f"{path} is no regular file")
    if len(os.fsencode(path.name)) > LONGEST_NAME:
        raise click.BadParameter("give a shorter name")
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise click.BadParameter(
            f"{path.parent} is no folder that can be written ({error.strerror})"
        ) from error
    if path.exists():
        _try(path)
    return path


def _try(path: Path) -> None:
    """What is there already must let itself be written, and by nobody else at this time."""
    try:
        open_locked(path).close()
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be written ({error.strerror})") from error
