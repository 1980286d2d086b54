"""What is committed: a README for each section, no address of a registry, no place of one machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SECTIONS = ("controller", "calibration", "display", "logs", "firmware")
# The brackets keep this file from being its own first finding.
FORBIDDEN = re.compile(
    r"files\.[p]ythonhosted|[p]ypi\.org|registry\.[n]pmjs|[d]eb\.debian"
    r"|/[r]oot/|/[w]ork/|/[h]ome/[a-z]+/|/[t]mp/[a-z]+/"
)
HEAVY_BYTES = 1_000_000


def test_every_section_has_a_readme(project_files: list[str]) -> None:
    present = {name.split("/")[0] for name in project_files}
    wanted = ["README.md", *(f"{section}/README.md" for section in SECTIONS if section in present)]
    assert [name for name in wanted if name not in project_files] == []


def test_no_file_names_a_registry_or_a_place_of_one_machine(checkout: Path, project_files: list[str]) -> None:
    found = []
    for name in project_files:
        text = (checkout / name).read_bytes().decode("utf-8", "ignore")
        found += [f"{name}: {hit}" for hit in FORBIDDEN.findall(text)]
    assert found == []


@pytest.mark.parametrize(
    "text", ["/ro" + "ot/x", "/wo" + "rk/main", "/ho" + "me/ann/x", "py" + "pi.org", "/tm" + "p/x/y"]
)
def test_such_a_name_would_be_seen(text: str) -> None:
    assert FORBIDDEN.search(text)


def test_packages_are_empty_but_for_their_modules(checkout: Path, project_files: list[str]) -> None:
    registry = "controller/scenes/__init__.py"
    full = [
        name for name in project_files if name.endswith("__init__.py") and (checkout / name).stat().st_size
    ]
    assert [name for name in full if name != registry] == []


def test_nothing_heavy_and_nothing_compiled_is_committed(checkout: Path, project_files: list[str]) -> None:
    heavy = [name for name in project_files if (checkout / name).stat().st_size > HEAVY_BYTES]
    compiled = [name for name in project_files if name.endswith((".pyc", ".so", ".whl", ".nbi", ".nbc"))]
    assert heavy + compiled == []
