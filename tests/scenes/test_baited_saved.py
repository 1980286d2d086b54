"""Snapshots of the swarm: whole or refused, and from one of them the same swarm goes on."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from controller.scenes.baited import scene as scene_module
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings

SIZE = (1280, 720)
# What stands where in the head, behind the mark and the seed.
PLACES = {"tick": (12, "q"), "x": (20, "d"), "y": (28, "d"), "width": (36, "q"), "height": (44, "q")}


def run(scene: BaitedScene, ticks: int) -> str:
    """The digest of all that is drawn in `ticks` ticks of light."""
    seen = sha256()
    for _ in range(ticks):
        scene.step(True, 600.0, 300.0)
        seen.update(scene.frame(0.5)[0].tobytes())
    return seen.hexdigest()


def with_head(saved: bytes, name: str, value: float) -> bytes:
    at, kind = PLACES[name]
    return saved[:at] + struct.pack(f"<{kind}", value) + saved[at + 8 :]


@pytest.mark.parametrize("saved", [b"", b"BT05", b"XXXX" + bytes(4000), b"BT05" + bytes(333)])
def test_what_is_no_snapshot_is_refused(saved: bytes) -> None:
    scene = BaitedScene(BaitedSettings(bugs=3), SIZE, 1)
    with pytest.raises(ValueError, match="snapshot"):
        scene.restore(saved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tick", -1),
        ("tick", 2**63 - 1),
        ("x", math.nan),
        ("y", math.inf),
        ("width", 0),
        ("width", -100),
        ("height", 2**40),
    ],
)
def test_a_snapshot_of_what_cannot_be_changes_nothing(name: str, value: float) -> None:
    """Also none of more bugs than a swarm may have, or of a bug at no place: the swarm goes on as it was."""
    scene, other = (BaitedScene(BaitedSettings(bugs=40), SIZE, 1) for _ in range(2))
    many = BaitedScene(BaitedSettings(bugs=3000), (300, 200), 2)
    for one in (scene, other):
        run(one, 20)
    with pytest.raises(ValueError, match="snapshot"):
        scene.restore(with_head(many.snapshot(), name, value))
    many.bugs["heading"][7] = math.nan
    with pytest.raises(ValueError, match="snapshot"):
        scene.restore(many.snapshot())
    assert scene.snapshot() == other.snapshot()
    assert run(scene, 60) == run(other, 60)


def test_more_bugs_than_may_be_are_refused_too() -> None:
    scene = BaitedScene(BaitedSettings(bugs=2), SIZE, 1)
    head, bug = scene.snapshot()[:-304], scene.snapshot()[-152:]
    with pytest.raises(ValueError, match="100000"):
        scene.restore(head + bug * 100_001)
    assert scene.bugs.size == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [("character.speed_max_px", 20.0), ("gait.run_pace_min", 0.1), ("moving.pace_fastest", 5.0)],
)
def test_a_swarm_from_a_snapshot_goes_on_alike_however_fast_it_was_when_it_began(
    name: str, value: float
) -> None:
    """Close together, where the order of sums shows: changed, changed back, saved, and gone on."""
    scene = BaitedScene(BaitedSettings(bugs=400), (300, 200), 7)
    section, key = name.split(".")
    usual = getattr(getattr(scene.settings, section), key)
    scene.configure(name, value)
    run(scene, 30)
    scene.configure(name, usual)
    run(scene, 20)
    other = BaitedScene(scene.settings, (300, 200), 1)
    other.restore(scene.snapshot())
    assert run(scene, 60) == run(other, 60)


def test_no_bug_goes_farther_in_a_tick_than_its_cell_looks() -> None:
    """Runs begun at a higher speed, and a pace above 1: what is near is still within the cells around."""
    scene = BaitedScene(BaitedSettings(bugs=100), SIZE, 7)
    scene.configure("character.speed_max_px", 40.0)
    scene.configure("gait.run_max_ticks", 36_000)
    run(scene, 30)
    scene.configure("moving.pace_fastest", 8.0)
    scene.configure("character.speed_max_px", 4.5)
    reach_px = scene.settings.size_max_px * scene.settings.moving.personal_space
    for _ in range(60):
        x, y = scene.bugs["x"].copy(), scene.bugs["y"].copy()
        scene.step(False, 0.0, 0.0)
        moved = [abs(after - before) for after, before in ((scene.bugs["x"], x), (scene.bugs["y"], y))]
        stayed = (moved[0] < SIZE[0] / 2) & (moved[1] < SIZE[1] / 2)
        assert max(part[stayed].max() for part in moved) <= scene.world["cell_px"][0] - reach_px


class ShortOfMemory:
    """numpy, but for the `left`-th array that it should make."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __getattr__(self, name: str) -> Any:
        if name not in ("zeros", "empty", "minimum"):
            return getattr(np, name)
        self.left -= 1
        if self.left < 0:
            raise MemoryError("no room for an array")
        return getattr(np, name)


@pytest.mark.parametrize(
    "change",
    [
        lambda scene: scene.configure("bugs", 900),
        lambda scene: scene.configure("bugs", 3),
        lambda scene: scene.configure("character.speed_max_px", 30.0),
        lambda scene: scene.resize((3000, 2000)),
        lambda scene: scene.restore(BaitedScene(BaitedSettings(bugs=700), (2000, 1000), 9).snapshot()),
    ],
    ids=["more", "fewer", "faster", "larger", "another"],
)
def test_a_change_for_which_memory_is_short_changes_nothing(
    change: Callable[[BaitedScene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever array finds no room; the kernels would write beyond arrays that do not fit each other."""
    scene, other = (BaitedScene(BaitedSettings(bugs=300), SIZE, 7) for _ in range(2))
    failures = 0
    for left in itertools.count():
        with monkeypatch.context() as patch:
            patch.setattr(scene_module, "np", ShortOfMemory(left))
            try:
                change(scene)
                break
            except MemoryError:
                failures += 1
        assert (scene.snapshot(), scene.settings) == (other.snapshot(), other.settings)
        assert run(scene, 3) == run(other, 3)
    assert failures >= 2
    change(other)
    assert run(scene, 3) == run(other, 3)


def test_another_rate_of_the_pulse_makes_no_glyph_jump() -> None:
    """A size changes by at most 1 px x the rate and the tremor, from one tick to the next."""
    scene = BaitedScene(BaitedSettings(), SIZE, 7)
    scene.tick = 1_000_000
    run(scene, 50)
    before = scene.frame(1.0)[0][:, 3].copy()
    scene.configure("looks.pulse_rate", 0.05)
    scene.step(True, 600.0, 300.0)
    assert np.abs(scene.frame(1.0)[0][:, 3] - before).max() < 0.05 + 0.15 + 1e-6
