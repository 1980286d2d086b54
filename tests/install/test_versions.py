"""Versions that run here against those that were tried (F53)."""

from __future__ import annotations

from importlib import metadata

from controller.install.versions import installed_version, verdicts


def test_all_is_well_where_the_suite_runs() -> None:
    found = verdicts()
    assert [verdict.remedy for verdict in found if not verdict.ok] == []
    versions = {verdict.name: verdict.installed for verdict in found}
    assert versions["numpy"] == metadata.version("numpy")
    assert {"python", "numba", "pyglet", "opencv-python-headless"} <= set(versions)


def test_a_numpy_that_is_too_new_is_seen_and_the_remedy_named() -> None:
    found = verdicts(lambda name: "2.5.0" if name == "numpy" else installed_version(name))
    (bad,) = [verdict for verdict in found if not verdict.ok]
    assert (bad.name, bad.installed, bad.required) == ("numpy", "2.5.0", "<2.5,>=2.0")
    assert bad.remedy == "numpy 2.5.0 is installed, <2.5,>=2.0 is needed: pip install 'numpy<2.5,>=2.0'"


def test_a_package_that_is_missing_is_seen() -> None:
    (bad,) = [verdict for verdict in verdicts(requirements=["no-such-lamp>=1"]) if not verdict.ok]
    assert bad.installed == ""
    assert "no-such-lamp is missing" in bad.remedy


def test_a_package_for_other_platforms_is_not_asked_for() -> None:
    found = verdicts(requirements=["no-such-lamp>=1; sys_platform == 'plan9'"])
    assert [verdict.name for verdict in found] == ["python"]


def test_a_python_that_was_not_tried_is_seen() -> None:
    python = verdicts(python="3.15.1", requirements=[])[0]
    assert not python.ok
    assert "3.15.1 was not tried" in python.remedy
