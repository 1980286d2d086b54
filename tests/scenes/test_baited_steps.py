"""The shipped kernel against the exact steps of the original, one bug and one tick a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings

TOLERANCE = 1e-9
GAITS = {"run": 0, "stop": 1, "tumble": 2}
NAMES = {
    "x": "x",
    "y": "y",
    "heading": "heading",
    "speed": "speed",
    "interest": "interest",
    "stateTimer": "gait_timer",
    "hasReacted": "reacted",
    "reactionTimer": "reaction_timer",
    "millingAngle": "milling_angle",
    "millingDir": "milling_direction",
    "millingRadius": "milling_radius",
    "preferredOrbitRadius": "orbit_radius",
    "tumbleAmount": "tumble_amount",
    "baseSpeed": "base_speed",
    "baseSize": "base_size",
    "turnRate": "turn_rate",
    "fixationAngle": "fixation_angle",
    "handedness": "handedness",
    "antennaSpread": "antenna_spread",
    "tropotaxisGain": "tropotaxis_gain",
    "detectionMult": "detection_multiple",
    "reactionDelay": "reaction_delay",
    "approachSpeedMult": "approach_multiple",
    "decayRate": "decay_rate",
    "levyMu": "levy_mu",
    "millingSpeed": "milling_speed",
}
ANGLES = {"heading", "millingAngle"}


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def scene_of(case: dict[str, Any]) -> BaitedScene:
    """A scene whose bug 0 is the case's bug and whose other bugs stand where its neighbours do."""
    light, before = case["light"], case["before"]
    settings = BaitedSettings(bugs=1 + len(case["neighbours"]), light_radius_px=light["radius"])
    scene = BaitedScene(settings, (case["width"], case["height"]), seed=1)
    bug = scene.bugs[0]
    for theirs, ours in NAMES.items():
        bug[ours] = before[theirs]
    bug["gait"] = GAITS[before["state"]]
    bug["orbit_chosen"] = before["preferredOrbitRadius"] != 0
    bug["target_chosen"] = before["levyTarget"] is not None
    if before["levyTarget"] is not None:
        bug["target_x"], bug["target_y"] = before["levyTarget"]
    for other, place in zip(scene.bugs[1:], case["neighbours"], strict=True):
        other["x"], other["y"] = (place["x"], place["y"]) if isinstance(place, dict) else place
    scene.world["on"] = light["on"]
    return scene


def difference(name: str, ours: float, theirs: float) -> float:
    if name in ANGLES:
        return abs(math.remainder(ours - theirs, 2 * math.pi))
    return abs(float(ours) - float(theirs))


def worst_field(case: dict[str, Any]) -> tuple[float, str]:
    scene = scene_of(case)
    light, after = case["light"], case["after"]
    draws, given = scene.draws[0], case["draws"]
    draws["tape"][: len(given)] = given
    draws["given"], draws["noise"] = len(given), float(case["noise"])
    scene.advance(light["on"], light["x"], light["y"])
    bug = scene.bugs[0]
    found = [(difference(theirs, bug[ours], after[theirs]), theirs) for theirs, ours in NAMES.items()]
    found.append((float(bug["gait"] != GAITS[after["state"]]), "state"))
    found.append((float(draws["used"] != len(given)), "number of draws"))
    found.append((float(bool(bug["target_chosen"]) != (after["levyTarget"] is not None)), "levyTarget"))
    if after["levyTarget"] is not None:
        found.append((abs(bug["target_x"] - after["levyTarget"][0]), "levyTarget x"))
        found.append((abs(bug["target_y"] - after["levyTarget"][1]), "levyTarget y"))
    return max(found)


def test_steps_every_line_agrees_in_every_field(cases: Path) -> None:
    files = sorted((cases / "swarm").glob("*.jsonl"))
    assert files, f"no step cases in {cases / 'swarm'}"
    checked = 0
    for path in files:
        for number, case in enumerate(lines_of(path), 1):
            worst, field = worst_field(case)
            assert worst <= TOLERANCE, f"{path.name} line {number}: {field} is off by {worst:.3g}"
            checked += 1
    assert checked


def test_steps_a_wrong_rule_would_be_seen(cases: Path) -> None:
    """The comparison itself: a light radius 1 px too large shows in at least one line."""
    path = sorted((cases / "swarm").glob("*.jsonl"))[0]
    wrong = 0
    for case in lines_of(path):
        case["light"]["radius"] += 1
        wrong += worst_field(case)[0] > TOLERANCE
    assert wrong > 0
