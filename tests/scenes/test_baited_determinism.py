"""The same seed and the same happenings give the same rows to the last bit, wherever they run (F36)."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings

SIZE = (1280, 720)
TICKS = 3600
# What is done at the panel and with the screen, by tick.
CHANGES: dict[int, Callable[[BaitedScene], None]] = {
    400: lambda scene: scene.configure("bugs", 400),
    700: lambda scene: scene.configure("size_max_px", 40.0),
    1000: lambda scene: scene.resize((1024, 768)),
    1300: lambda scene: scene.configure("moving.turn_limit", 3.0),
    1600: lambda scene: scene.configure("decay_max", 0.003),
    1900: lambda scene: scene.begin_visit(),
    2200: lambda scene: scene.configure("bugs", 120),
    2500: lambda scene: scene.resize((1080, 1920)),
    2800: lambda scene: scene.configure("light_radius_px", 90.0),
    3100: lambda scene: scene.configure("bugs", 0),
    3200: lambda scene: scene.configure("bugs", 250),
}


def light(tick: int) -> tuple[bool, float, float]:
    """On for 380 of 500 ticks, on its way over the screen."""
    return tick % 500 > 120, 300.0 + tick % 700, 200.0 + tick % 300


def opened(seed: int, **settings: float) -> BaitedScene:
    return BaitedScene(BaitedSettings(**settings), SIZE, seed)


def live(scene: BaitedScene, first: int, last: int) -> str:
    """The digest of all that is drawn halfway between ticks, from tick `first` to before `last`."""
    seen = sha256()
    for tick in range(first, last):
        if tick in CHANGES:
            CHANGES[tick](scene)
        scene.step(*light(tick))
        rows, beam, dust = scene.frame(0.5)
        seen.update(rows.tobytes() + repr(beam).encode() + dust.tobytes())
    return seen.hexdigest()


def state(scene: BaitedScene) -> bytes:
    return scene.snapshot() + scene.bugs.tobytes() + scene.world.tobytes() + repr(scene.measures()).encode()


ELSEWHERE = """
import sys; sys.path.insert(0, sys.argv[1])
from pathlib import Path
from controller.kernelcache import load_kernels
from controller.scenes.baited.settings import BaitedSettings
load_kernels(Path(sys.argv[1]), "baited", BaitedSettings(), lambda line: None)
from test_baited_determinism import *
print(live(opened(7), 0, TICKS))
"""


def elsewhere(checkout: Path, threads: int) -> str:
    """The digest of the whole story in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(Path(__file__).parent)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), "NUMBA_NUM_THREADS": str(threads)},
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout.strip()


def test_an_eventful_minute_is_the_same_in_other_processes_with_one_thread_and_with_two(
    checkout: Path,
) -> None:
    here = live(opened(7), 0, TICKS)
    assert [elsewhere(checkout, threads) for threads in (1, 2)] == [here, here]
    assert live(opened(8), 0, TICKS) != here


@pytest.mark.parametrize("tick", [1, 250, 1001, 1750, 3150])
def test_leaving_the_scene_and_coming_back_to_its_snapshot_goes_on_to_the_same_rows(tick: int) -> None:
    """Into a scene of another seed, size, number and past, in the dark, in the light, and with no bugs."""
    stayed = opened(7)
    live(stayed, 0, tick)
    saved, settings = stayed.snapshot(), stayed.settings
    back = BaitedScene(settings, (333, 444), 99)
    live(back, 130, 160)
    back.settings = settings
    back.restore(saved)
    assert back.snapshot() == saved
    assert live(back, tick, TICKS) == live(stayed, tick, TICKS)
    assert state(back) == state(stayed)


def test_whatever_looks_at_the_scene_changes_nothing() -> None:
    watched, unwatched = opened(7), opened(7)
    for tick in range(1200):
        if tick in CHANGES:
            CHANGES[tick](watched)
            CHANGES[tick](unwatched)
        watched.step(*light(tick))
        unwatched.advance(*light(tick))
        for alpha in (0.0, 0.3, 1.0):
            watched.frame(alpha)
        watched.measures()
        watched.snapshot()
        watched.inside()
        watched.bored()
    assert state(watched) == state(unwatched)


def test_a_picture_asked_for_twice_is_the_same_picture() -> None:
    scene = opened(7)
    live(scene, 0, 300)
    first = [part.copy() for part in scene.frame(0.7)[::2]]
    for alpha in (0.0, 1.0, 0.2):
        scene.frame(alpha)
    assert [part.tobytes() for part in scene.frame(0.7)[::2]] == [part.tobytes() for part in first]


def test_scenes_side_by_side_do_not_disturb_each_other() -> None:
    alone = live(opened(7), 0, 300)
    one, other, seen = opened(7), opened(8, bugs=90), sha256()
    for tick in range(300):
        other.step(*light(tick + 200))
        one.step(*light(tick))
        other.frame(0.1)
        rows, beam, dust = one.frame(0.5)
        seen.update(rows.tobytes() + repr(beam).encode() + dust.tobytes())
    assert seen.hexdigest() == alone


def test_the_order_in_which_unrelated_settings_are_changed_does_not_matter() -> None:
    """All 120 orders of five changes between two ticks, some of which make characters or bugs anew.

    Seen from the next tick on: between the two themselves a new size may be on its way.
    """
    changes = [
        ("bugs", 300),
        ("size_max_px", 40.0),
        ("light_radius_px", 90.0),
        ("moving.turn_limit", 3.0),
        ("decay_max", 0.003),
    ]
    begun = opened(7)
    live(begun, 0, 200)
    saved = begun.snapshot()
    digests = set()
    for order in itertools.permutations(changes):
        scene = opened(7)
        scene.restore(saved)
        for name, value in order:
            scene.configure(name, value)
        digests.add(live(scene, 200, 230))
    assert len(digests) == 1
