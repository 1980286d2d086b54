"""What a recorded scene is told, played to another one: the same bytes, or a word that they differ."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from controller.light import LightSample
from controller.recording.fitting import fitted
from controller.recording.player import Player
from controller.recording.reading import Recording, RecordingError
from controller.recording.recorded_scene import RecordedScene
from controller.recording.rows import (
    End,
    Head,
    NewScene,
    Reading,
    Restored,
    Row,
    Sample,
    Setting,
    Visit,
    end_row,
    read_row,
)
from controller.replay_stage import scene_of

SIZE = (640, 480)
SETTINGS = {"bugs": 60}


class Lines:
    """Keeps the rows, and makes a file of them."""

    def __init__(self, **head: Any) -> None:
        self.head = Head(format="baited recording", version=1, size=SIZE, settings=SETTINGS, seed=9, **head)
        self.rows: list[Row] = []

    def put(self, row: Row | Reading) -> None:
        self.rows.append(read_row(row.as_line()))

    def close(self, tick: int, state: bytes | None) -> bool:
        self.rows.append(end_row(tick, state))
        return True

    def played(self, folder: Path) -> Player:
        """A player after its last step."""
        path = folder / "x.jsonl"
        path.write_bytes(b"".join(line.as_line() for line in (self.head, *self.rows)))
        player = Player(Recording(path), scene_of)
        while not player.ended:
            player.step()
        return player


def light(tick: int) -> tuple[bool, float, float]:
    """Two visits at moving places within 300 ticks."""
    on = 40 <= tick < 140 or 180 <= tick < 260
    return on, 320 + 200 * math.cos(tick // 4 / 9), 240 + 150 * math.sin(tick // 4 / 7)


def walk(scene: Any, ticks: range, between: Callable[[int], None] = lambda tick: None) -> None:
    for tick in ticks:
        between(tick)
        if tick in (40, 180):
            scene.begin_visit()
        scene.step(*light(tick))


def opened() -> Any:
    return scene_of("baited", SETTINGS, SIZE, 9)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def recorded(lines: Lines) -> RecordedScene:
    return RecordedScene(opened(), lines, lambda: None)


def test_the_same_light_comes_to_the_same_bytes_and_the_same_picture(
    lines: Lines, recorded: RecordedScene, tmp_path: Path
) -> None:
    walk(recorded, range(1, 301))
    assert recorded.end()
    player = lines.played(tmp_path)
    assert player.ticks == 300
    assert player.verdict().agrees is True
    for alpha in (0.0, 0.3, 1.0):
        ours, theirs = player.frame(alpha), recorded.frame(alpha)
        assert ours[0].tobytes() == theirs[0].tobytes()
        assert ours[1] == theirs[1]
    assert player.scene.measures() == recorded.measures()


def test_a_scene_that_is_recorded_does_what_it_would_do_without(
    lines: Lines, recorded: RecordedScene
) -> None:
    bare = opened()
    walk(recorded, range(1, 301))
    walk(bare, range(1, 301))
    assert recorded.snapshot() == bare.snapshot()


def test_settings_sizes_and_numbers_changed_in_between_come_to_the_same_bytes(
    lines: Lines, recorded: RecordedScene, tmp_path: Path
) -> None:
    """One change of each kind, one that the scene refuses, and some after the last step."""

    def meddle(tick: int) -> None:
        if tick == 30:
            recorded.configure("light_radius_px", 140.0)
        if tick == 60:
            recorded.configure("bugs", 90)
            recorded.resize((800, 450))
        if tick == 61:
            recorded.configure("gait.run_min_ticks", 12)
            with pytest.raises(ValueError, match="bugs"):
                recorded.configure("bugs", -3)
        if tick == 200:
            recorded.configure("bugs", 10)
            recorded.configure("size_max_px", 40.0)

    walk(recorded, range(1, 301), meddle)
    recorded.resize((320, 200))
    recorded.configure("bugs", 25)
    assert recorded.end()
    player = lines.played(tmp_path)
    assert player.verdict().agrees is True
    assert player.size == (320, 200)
    assert player.scene.measures()["bugs"] == 25


@pytest.mark.parametrize(
    "kind", [Sample, Setting, Visit], ids=["a light moved by a pixel", "a setting", "a visit left out"]
)
def test_a_recording_that_was_altered_is_found_to_differ(
    lines: Lines, recorded: RecordedScene, tmp_path: Path, kind: type[Row]
) -> None:
    walk(
        recorded,
        range(1, 301),
        lambda tick: recorded.configure("recovery_rate", 0.0005) if tick == 90 else None,
    )
    recorded.end()
    row = [row for row in lines.rows if isinstance(row, kind) and getattr(row, "on", True)][-1]
    place = lines.rows.index(row)
    changed: dict[type[Row], list[Row]] = {
        Sample: [row.model_copy(update={"x": getattr(row, "x", 0.0) + 1.0})],
        Setting: [row.model_copy(update={"value": 0.0005000001})],
        Visit: [],
    }
    lines.rows[place : place + 1] = changed[kind]
    verdict = lines.played(tmp_path).verdict()
    assert verdict.agrees is False
    assert verdict.digest != verdict.recorded_digest


def test_a_light_that_stays_as_it_is_has_a_row_a_second(
    lines: Lines, recorded: RecordedScene, tmp_path: Path
) -> None:
    for _ in range(500):
        recorded.step(True, 100.0, 100.0)
    recorded.end()
    assert [row.tick for row in lines.rows] == [1, 61, 121, 181, 241, 301, 361, 421, 481, 500]
    assert lines.played(tmp_path).ticks == 500


def test_a_row_says_what_the_log_knows_of_the_light(lines: Lines) -> None:
    lost = LightSample(77, 1234.5, 10.0, 20.0, False, "camera", alive=False, reason="camera_lost")
    scene = RecordedScene(opened(), lines, lambda: lost)
    scene.step(False, 10.0, 20.0)
    assert lines.rows == [
        Sample(
            tick=1, on=False, x=10.0, y=20.0, source="camera", alive=False, reason="camera_lost", at_s=1234.5
        )
    ]


def test_a_recording_may_begin_in_mid_show_with_a_snapshot(tmp_path: Path) -> None:
    """The scene goes on from there, also where its seed was another one than the head's."""
    scene = scene_of("baited", SETTINGS, SIZE, 4)
    walk(scene, range(1, 101))
    lines = Lines(tick=100, snapshot=base64.b64encode(scene.snapshot()).decode())
    recorded = RecordedScene(scene, lines, lambda: None, tick=100)
    walk(recorded, range(101, 301))
    recorded.end()
    player = lines.played(tmp_path)
    assert player.ticks == 200
    assert player.verdict().agrees is True


def test_a_light_that_shines_in_the_snapshot_shines_on_until_a_row_says_otherwise(tmp_path: Path) -> None:
    """Nothing was recorded of it: its ON was before."""
    scene = scene_of("baited", SETTINGS, SIZE, 4)
    for _ in range(30):
        scene.step(True, 100.0, 120.0)
    lines = Lines(tick=30, snapshot=base64.b64encode(scene.snapshot()).decode())
    for _ in range(40):
        scene.step(True, 100.0, 120.0)
    lines.rows = [End(tick=70, end=True)]
    player = lines.played(tmp_path)
    assert player.frame(1.0)[1] == scene.frame(1.0)[1] == (100.0, 120.0, 220.0, 1.0)
    assert player.scene.snapshot() == scene.snapshot()


def test_a_scene_restored_in_mid_recording_comes_to_the_same_bytes(
    lines: Lines, recorded: RecordedScene, tmp_path: Path
) -> None:
    saved: list[bytes] = []

    def jump(tick: int) -> None:
        if tick == 100:
            saved.append(recorded.snapshot())
        if tick == 150:
            recorded.restore(saved[0])

    walk(recorded, range(1, 301), jump)
    recorded.end()
    assert lines.played(tmp_path).verdict().agrees is True


def test_a_scene_row_opens_the_scene_anew_in_the_size_of_the_moment(lines: Lines, tmp_path: Path) -> None:
    content = (
        b'{"tick": 5, "size": [320, 240]}\n{"tick": 9, "scene": "baited", "settings": {"bugs": 7}}\n'
        b'{"tick": 20, "end": true}\n'
    )
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines.head.as_line() + content)
    player = Player(Recording(path), scene_of)
    while not player.ended:
        player.step()
    fresh = scene_of("baited", {"bugs": 7}, (320, 240), 9)
    for _ in range(12):
        fresh.step(False, 320.0, 240.0)
    assert player.scene.snapshot() == fresh.snapshot()
    assert player.verdict().agrees is None


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Setting(tick=3, setting="bugs", value=-1), ["tick 3", "bugs", "greater"]),
        (Setting(tick=3, setting="bugs", value="many"), ["tick 3", "bugs"]),
        (Setting(tick=3, setting="moths", value=1), ["tick 3", "moths"]),
        (Setting(tick=3, setting="gait.moths", value=1), ["tick 3", "gait.moths"]),
        (Setting(tick=3, setting="", value=1), ["tick 3"]),
    ],
)
def test_what_the_scene_refuses_ends_the_replay_with_the_tick_and_the_reason(
    lines: Lines, tmp_path: Path, row: Row, words: list[str]
) -> None:
    lines.rows = [row, End(tick=9, end=True)]
    with pytest.raises(RecordingError) as found:
        lines.played(tmp_path)
    for word in words:
        assert word in str(found.value)


def test_a_refusal_is_one_line_without_an_address(lines: Lines, tmp_path: Path) -> None:
    lines.rows = [Setting(tick=3, setting="bugs", value=-1)]
    with pytest.raises(RecordingError) as found:
        lines.played(tmp_path)
    assert str(found.value).endswith("at tick 3: Input should be greater than or equal to 0")
    assert "\n" not in str(found.value)


def test_a_scene_row_with_wrong_settings_names_the_file_once(lines: Lines, tmp_path: Path) -> None:
    lines.rows = [NewScene(tick=3, scene="baited", settings={"bugs": -1})]
    with pytest.raises(RecordingError, match=r"baited.bugs = -1") as found:
        lines.played(tmp_path)
    assert str(found.value).count("x.jsonl") == 1


@pytest.mark.parametrize("at_tick", [None, 5])
def test_a_snapshot_brings_its_size(lines: Lines, tmp_path: Path, at_tick: int | None) -> None:
    """The picture is fitted to the screen by the size that the scene really has."""
    wide = scene_of("baited", SETTINGS, (1280, 720), 9)
    saved = base64.b64encode(wide.snapshot()).decode()
    if at_tick is None:
        lines.head = lines.head.model_copy(update={"snapshot": saved})
    else:
        lines.rows = [Restored(tick=at_tick, snapshot=saved)]
    lines.rows.append(NewScene(tick=9, scene="baited", settings={}))
    lines.rows.append(End(tick=12, end=True))
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(line.as_line() for line in (lines.head, *lines.rows)))
    player = Player(Recording(path), scene_of)
    sizes = []
    while not player.ended:
        player.step()
        sizes.append(player.size)
    first = SIZE if at_tick else (1280, 720)
    assert sizes == [first] * 4 + [(1280, 720)] * 8
    assert player.scene.size == (1280, 720)


HOSTILE = [
    struct.pack(*value)
    for value in (
        ("<q", -1),
        ("<q", 0),
        ("<q", 2**62),
        ("<q", 2**63 - 1),
        ("<d", math.nan),
        ("<d", -math.inf),
        ("<d", 1e300),
    )
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: value.hex())
def test_a_snapshot_with_impossible_numbers_is_refused_or_played(tmp_path: Path, value: bytes) -> None:
    """Any eight bytes of the first 500 overwritten: there is no other error, and no place is no number."""
    scene = scene_of("baited", {"bugs": 3}, SIZE, 4)
    walk(scene, range(1, 101))
    saved = scene.snapshot()
    refused = 0
    for offset in range(4, min(500, len(saved) - 8), 4):
        changed = saved[:offset] + value + saved[offset + 8 :]
        lines = Lines(snapshot=base64.b64encode(changed).decode())
        lines.rows = [Sample(tick=1, on=True, x=300.0, y=200.0), End(tick=10, end=True)]
        try:
            player = lines.played(tmp_path)
        except RecordingError:
            refused += 1
            continue
        assert np.isfinite(player.frame(0.5)[0]).all(), offset
        player.verdict()
    assert refused > 0


@pytest.mark.parametrize("snapshot", ["no base64!", base64.b64encode(b"BT99 of another version").decode()])
def test_a_snapshot_of_another_kind_is_refused(tmp_path: Path, snapshot: str) -> None:
    with pytest.raises(RecordingError, match="snapshot"):
        Lines(snapshot=snapshot).played(tmp_path)


def test_settings_that_cannot_be_are_refused_by_their_name(lines: Lines, tmp_path: Path) -> None:
    lines.head = lines.head.model_copy(update={"settings": {"gait": {"run_min_ticks": -4}}})
    with pytest.raises(RecordingError, match=r"baited.gait.run_min_ticks = -4"):
        lines.played(tmp_path)


def test_a_picture_on_another_screen_keeps_its_proportions_in_the_middle() -> None:
    """640 x 480 on 1280 x 1000: twice as large, 20 px black above and below."""
    rows = np.array([[0, 0, 1, 20, 1], [640, 480, 2, 10, 0.5]], np.float32)
    dust = np.array([[320, 240, 3, 0.2]], np.float32)
    placed, beam, grains = fitted((rows, (160.0, 120.0, 100.0, 1.0), dust), SIZE, (1280, 1000))
    assert placed.tolist() == [[0, 20, 1, 40, 1], [1280, 980, 2, 20, 0.5]]
    assert beam == (320.0, 260.0, 200.0, 1.0)
    assert np.allclose(grains, [[640, 500, 6, 0.2]])
    assert rows[0].tolist() == [0, 0, 1, 20, 1]


def test_a_picture_on_its_own_size_is_untouched() -> None:
    picture = opened().frame(1.0)
    assert fitted(picture, SIZE, SIZE) is picture


@pytest.mark.parametrize("place", [(-11, 100), (651, 100), (100, -11), (100, 491)])
def test_what_walks_outside_of_the_recorded_picture_is_not_seen_beside_it(place: tuple[int, int]) -> None:
    rows = np.array([[*place, 0, 20, 1], [100, 100, 0, 20, 1]], np.float32)
    (placed, _, _) = fitted((rows, (0.0, 0.0, 9.0, 0.0), np.empty((0, 4), np.float32)), SIZE, (1000, 1000))
    assert len(placed) == 1
