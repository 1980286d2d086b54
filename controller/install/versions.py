"""Which packages run here and whether their versions are among those that were tried."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


class Verdict(NamedTuple):
    """One package: `installed` is "" when it is absent, `required` a range such as "<2.5,>=2.0"."""

    name: str
    installed: str
    required: str
    ok: bool

    @property
    def remedy(self) -> str:
        """What is wrong and what to do next; empty when nothing is."""
        if self.ok:
            return ""
        if self.name == "python":
            return f"Python {self.installed} was not tried; start with a Python {self.required}."
        state = f"{self.name} {self.installed} is installed" if self.installed else f"{self.name} is missing"
        return (
            f"{state}, {self.required or 'any version'} is needed: pip install '{self.name}{self.required}'"
        )


def installed_version(name: str) -> str:
    """The version of an installed distribution, "" when it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def verdicts(
    installed: Callable[[str], str] = installed_version,
    requirements: Iterable[str] | None = None,
    python: str = platform.python_version(),
) -> list[Verdict]:
    """Python and each package this program needs on this platform, against the ranges that were tried."""
    range_of_python, needed = _declared()
    found = [_verdict("python", python, SpecifierSet(range_of_python))]
    for line in needed if requirements is None else requirements:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found.append(_verdict(requirement.name, installed(requirement.name), requirement.specifier))
    return found


def program_version() -> str:
    """The version of this program: of the checkout it runs from, else of the installed wheel."""
    if PYPROJECT.is_file():
        return str(tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["version"])
    return installed_version("baited")


def _verdict(name: str, version: str, required: SpecifierSet) -> Verdict:
    return Verdict(
        name, version, str(required), bool(version) and required.contains(version, prereleases=True)
    )


def _declared() -> tuple[str, list[str]]:
    """The range of Python and the requirements: a checkout's pyproject, or an installed wheel's metadata."""
    if PYPROJECT.is_file():
        project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
        return project["requires-python"], project["dependencies"]
    wheel = metadata.metadata("baited")
    return wheel["Requires-Python"], metadata.requires("baited") or []
