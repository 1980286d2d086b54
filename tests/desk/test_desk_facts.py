"""What the panel says of the running show, in both languages, also when a part of it fails."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from controller.desk.facts import DeskFacts, OpenSession
from controller.light import LightSample
from controller.scenes.baited.scene import BaitedScene
from controller.settings import load
from controller.stepper import ManualClock

SIZE = (800, 600)


def test_the_facts_say_the_swarm_the_pictures_the_light_the_visit_the_log_and_the_sound() -> None:
    clock = ManualClock(100.0)
    light = LightSample(1, 99.8, 1.0, 2.0, True, "camera")
    show = SimpleNamespace(
        scene=BaitedScene(load(Path("/nowhere"))["baited"], SIZE, 1),
        pulse=SimpleNamespace(pictures=0, light=light),
        frames=SimpleNamespace(dropped=3),
        sound=SimpleNamespace(state=lambda: {"on": True, "device": "Built-in"}),
    )
    state = SimpleNamespace(queue_length=2, error="disk full")
    facts = DeskFacts(show, lambda: state, lambda: OpenSession(17, 12.4), clock)  # type: ignore[arg-type]
    facts("en")
    clock.now_s, show.pulse.pictures, show.scene.bugs["interest"][:50] = 102.0, 120, 0.0
    assert facts("en") == [
        ("Active / bored", "200 / 50"),
        ("Pictures", "60.0 fps, 3 dropped"),
        ("Light", "camera, on, 2.2 s"),
        ("Visitor no.", "17: 12 s"),
        ("Log", "2 waiting. disk full"),
        ("Sound", "Built-in"),
    ]
    show.pulse.light = LightSample(1, 90.0, 1.0, 2.0, False, "camera", False, "camera_lost")
    show.sound = None
    del show.frames
    told = dict(facts("en"))
    assert told["Light"] == "camera, lost camera_lost, 12.0 s"
    assert told["Sound"] == "none"
    assert "AttributeError" in told["Pictures"]
    assert dict(facts("ja"))["記録"] == "2 待. disk full"


def rate(facts: DeskFacts, language: str = "en") -> str:
    return facts(language)[1][1].split(",")[0]


def test_the_rate_of_a_panel_opened_late_is_of_now_and_not_of_the_hours_before() -> None:
    clock = ManualClock(0.0)
    show = SimpleNamespace(
        scene=BaitedScene(load(Path("/nowhere"))["baited"], SIZE, 1),
        pulse=SimpleNamespace(pictures=0, light=None),
        frames=SimpleNamespace(dropped=0),
        sound=None,
    )
    log = SimpleNamespace(queue_length=0, error="")
    facts = DeskFacts(show, lambda: log, lambda: None, clock)  # type: ignore[arg-type]
    for opened_s in (3600.0, 9000.0):
        clock.now_s, show.pulse.pictures, told = opened_s, round(60 * opened_s), []
        for _ in range(9):
            told.append(rate(facts))
            clock.now_s += 0.25
            show.pulse.pictures += 6
        assert told == ["– fps"] * 4 + ["24.0 fps"] * 5
    assert rate(facts, "ja") == "24.0 枚/秒"
