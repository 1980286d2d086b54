"""The lock files: hashes everywhere, no address, the test lock around the run lock."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement

from controller.install.bootstrap import NEWEST, OLDEST

PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+))? \\$")
SCOPES = ("run", "analysis", "test")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


class Pin(NamedTuple):
    version: str
    marker: str | None
    hashes: frozenset[str]


def read_lock(checkout: Path, scope: str) -> dict[str, Pin]:
    """The pins of a lock by name. Raises AssertionError for a line that is neither pin nor hash."""
    pins: dict[str, Pin] = {}
    name = ""
    for line in (checkout / "controller" / "install" / f"{scope}.lock").read_text("utf-8").splitlines():
        pin = PIN.match(line)
        assert pin or HASH.match(line), f"neither a pin nor a hash: {line}"
        if pin:
            name = pin["name"]
            assert name not in pins, f"{name} has two versions"
            pins[name] = Pin(pin["version"], (pin["marker"] or "").strip() or None, frozenset())
        else:
            pins[name] = pins[name]._replace(hashes=pins[name].hashes | {line.strip(" \\")})
    return pins


@pytest.mark.parametrize("scope", SCOPES)
def test_every_pin_has_hashes(checkout: Path, scope: str) -> None:
    pins = read_lock(checkout, scope)
    assert len(pins) > 20
    assert [name for name, pin in pins.items() if not pin.hashes] == []


@pytest.mark.parametrize("scope", SCOPES)
def test_a_lock_names_no_registry_and_no_place(checkout: Path, scope: str) -> None:
    text = (checkout / "controller" / "install" / f"{scope}.lock").read_text("utf-8")
    assert re.findall(r"https?:|file:|find-links|index-url|/", text) == []


@pytest.mark.parametrize(("inner", "outer"), list(pairwise(SCOPES)))
def test_each_lock_holds_the_one_before(inner: str, outer: str, checkout: Path) -> None:
    held, holder = read_lock(checkout, inner), read_lock(checkout, outer)
    assert {name for name in held if holder.get(name) != held[name]} == set()
    assert set(holder) > set(held)


def test_the_locks_serve_the_declared_ranges(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {"run": project["dependencies"], **project["optional-dependencies"]}
    assert set(declared) == set(SCOPES)
    for scope, lines in declared.items():
        pins = read_lock(checkout, scope)
        for requirement in map(Requirement, lines):
            name = requirement.name.lower().replace("_", "-")
            assert name in pins, f"{name} is not in {scope}.lock: remake it with controller/install/relock.py"
            assert requirement.specifier.contains(pins[name].version), name
            assert bool(requirement.marker) == bool(pins[name].marker), name


def test_the_bootstrap_takes_the_declared_pythons(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    newest = (NEWEST[0], NEWEST[1] + 1)
    assert project["requires-python"] == ">={}.{},<{}.{}".format(*OLDEST, *newest)
