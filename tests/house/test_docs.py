"""The documents keep up with the program: commands, options and settings stand in a README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from controller.cli import main
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.settings import default_file

SHARED = {"home", "as_json", "help"}


def commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


@pytest.fixture(scope="module")
def readme(checkout: Path) -> str:
    return (checkout / "controller" / "README.md").read_text(encoding="utf-8")


def test_every_command_and_option_has_help_and_stands_in_the_readme(readme: str) -> None:
    found = dict(commands(main))
    assert len(found) >= 10
    for name, command in found.items():
        assert command.help, f"{name} has no help"
        row = next((line for line in readme.splitlines() if line.startswith(f"| `{name}` |")), "")
        assert row, f"{name} is not in the table of controller/README.md"
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.name not in SHARED:
                assert parameter.opts[0] in row, f"{name} {parameter.opts[0]} is not in its row"
                assert parameter.help, f"{name} {parameter.opts[0]} has no help"


def test_the_readme_names_no_command_that_is_not_there(readme: str, checkout: Path) -> None:
    known = {name for name, _ in commands(main)}
    for text in (readme, (checkout / "README.md").read_text(encoding="utf-8")):
        for words in re.findall(r"python3 -m controller ((?:[a-z]+ ?){1,2})", text):
            assert any(words.strip() == name or words.split()[0] == name for name in known), words


def test_every_command_takes_a_home(readme: str) -> None:
    for name, command in commands(main):
        assert "home" in {parameter.name for parameter in command.params}, f"{name} takes no --home"


def test_the_settings_in_the_readme_are_those_of_the_program(readme: str) -> None:
    block = readme.split("```toml\n")[1].split("\n```")[0]
    assert block == default_file().rstrip()


def test_every_folder_has_a_readme(checkout: Path) -> None:
    for folder in ("controller", "calibration", "display", "logs", "firmware", "tests"):
        assert (checkout / folder / "README.md").stat().st_size > 200


def test_links_between_documents_lead_somewhere(checkout: Path, project_files: list[str]) -> None:
    for name in project_files:
        if name.endswith(".md"):
            path = checkout / name
            for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
                assert (path.parent / target).exists(), f"{name} links to {target}, which is not there"


def test_every_measure_of_a_visit_stands_in_the_curators_readme(checkout: Path) -> None:
    scene = BaitedScene(BaitedSettings(bugs=40, decay_min=0.002, decay_max=0.003), (400, 300), 1)
    scene.begin_visit()
    for _ in range(900):
        scene.advance(True, 200.0, 150.0)
    measures = scene.measures()
    assert {"first_reached_s", "half_reached_s", "first_grew_bored_s", "half_grew_bored_s"} <= set(measures)
    text = (checkout / "logs" / "README.md").read_text(encoding="utf-8")
    assert [name for name in measures if f"`{name}`" not in text] == []
