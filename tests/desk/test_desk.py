"""The technician's keys: what they open, change, save and note, and that nothing they do costs the show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from controller.desk.desk import FACTS_S, HEADING_S, Desk
from controller.desk.keys import ALL_KEYS, CORNER_KEYS, GENERAL_KEYS
from controller.panel_file import PanelSaver
from controller.scenes.baited.scene import BaitedScene
from controller.settings import Settings, load
from controller.stepper import ManualClock
from display.canvas import open_canvas
from display.panel import PANEL_KEYS
from display.patterns import PATTERNS
from display.text import Line, in_font

SIZE = (800, 600)
PERIOD_S = 1 / 60


class Picture:
    """The canvas's switches; counts how often the text is replaced."""

    def __init__(self) -> None:
        self.brightness, self.corners, self.blackout, self.pattern = 1.0, (0.0,) * 8, False, None
        self.framebuffer_size = SIZE
        self.replaced = 0
        self._lines: Sequence[Line] | None = None

    @property
    def lines(self) -> Sequence[Line] | None:
        return self._lines

    @lines.setter
    def lines(self, lines: Sequence[Line] | None) -> None:
        self.replaced += 1
        self._lines = lines


class Speaker:
    """A sound that refuses what it does not know."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def configure(self, name: str, value: Any) -> None:
        if name == "fade_out_s":
            raise ValueError("the device is gone")
        self.told.append((name, value))


class Table:
    """A desk with a real scene, real settings and a real saver, on a clock moved by hand."""

    def __init__(self, home: Path) -> None:
        self.home, self.clock = home, ManualClock()
        self.settings: Settings = load(home)
        self.canvas, self.speaker = Picture(), Speaker()
        self.scene = BaitedScene(self.settings["baited"], SIZE, 1)
        self.saver = PanelSaver(home, pause_s=0)
        self.asked = 0
        self.noted: list[tuple[str, dict[str, Any]]] = []
        self.desk = Desk(
            self.canvas,
            self.scene,
            self.speaker,
            self.settings,
            self.saver,
            self.facts,
            self.clock,
            lambda kind, detail: self.noted.append((kind, dict(detail))),
        )

    def facts(self, language: str) -> list[tuple[str, str]]:
        self.asked += 1
        return [("Pictures", f"{self.asked}")]

    def press(self, *keys: str) -> None:
        self.desk.press(keys)
        self.pass_s(PERIOD_S)

    def pass_s(self, duration_s: float) -> None:
        for _ in range(max(1, round(duration_s / PERIOD_S))):
            self.clock.now_s += PERIOD_S
            self.desk.picture(self.clock.now_s)

    def select(self, full_name: str) -> None:
        names = [knob.full_name for knob in self.desk.panel.knobs]
        for _ in range(names.index(full_name) - self.desk.panel.selected):
            self.press("down")

    def texts(self) -> list[str]:
        return [line.text for line in self.canvas.lines or ()]

    def look(self) -> tuple[Any, ...]:
        """All that people could see."""
        return self.desk.state(), self.canvas.lines, self.canvas.corners, self.canvas.brightness

    def saved(self) -> Settings:
        assert self.saver.close(60)
        return load(self.home)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_hidden_it_makes_no_line_asks_no_fact_and_touches_nothing(table: Table) -> None:
    table.pass_s(10.0)
    assert (table.asked, table.desk.panel.made, table.canvas.replaced) == (0, 0, 0)
    table.press("d")
    made = table.desk.panel.made
    assert made > 10
    table.press("d")
    table.pass_s(10.0)
    assert table.desk.panel.made == made
    assert table.canvas.lines is None


def test_open_it_looks_at_the_show_at_most_four_times_a_second(table: Table) -> None:
    table.press("d")
    asked, made = table.asked, table.desk.panel.made
    table.pass_s(10.0)
    assert 36 <= table.asked - asked <= 40
    assert table.desk.panel.made <= 41 * made
    table.press(*["right"] * 50)
    assert table.asked - asked <= 41
    assert FACTS_S == 0.25


def test_what_stays_the_same_is_not_given_to_the_canvas_again(table: Table) -> None:
    table.press("f1")
    replaced = table.canvas.replaced
    table.pass_s(5.0)
    assert table.canvas.replaced == replaced


def test_a_turn_of_a_knob_changes_the_running_show_and_is_kept(table: Table) -> None:
    table.press("d", "right", "shift+right")
    assert table.scene.measures()["bugs"] == 360
    table.select("baited.light_radius_px")
    table.press("left")
    table.select("display.brightness")
    table.press("left", "left")
    table.select("sound.volume")
    table.press("right")
    assert table.scene.frame(0.0)[1][2] == 215
    assert table.canvas.brightness == 0.9
    assert table.speaker.told == [("volume", 0.55)]
    assert table.settings.origins["baited.bugs"] == "panel"
    again = table.saved()
    assert again["baited"].bugs == 360
    assert again.panel_values() == {
        "baited.bugs": 360,
        "baited.light_radius_px": 215,
        "display.brightness": 0.9,
        "sound.volume": 0.55,
    }


def test_reset_gives_the_configured_values_back_and_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[baited]\nbugs = 40\nsize_min_px = 30.0\nsize_max_px = 40.0\n")
    (tmp_path / "panel.toml").write_text("[baited]\nsize_min_px = 3.0\nsize_max_px = 4.0\n")
    table = Table(tmp_path)
    table.press("d", "right", "r")
    assert table.scene.settings.bugs == 40
    table.press("right", "shift+r")
    assert (table.scene.settings.size_min_px, table.scene.settings.size_max_px) == (30.0, 40.0)
    assert table.saved().panel_values() == {}


def test_a_value_that_another_setting_forbids_is_refused_in_words(table: Table) -> None:
    table.press("d")
    table.select("baited.size_min_px")
    table.press("shift+right", "right")
    assert "Smallest bug must not be larger than Largest bug" in " ".join(table.texts())
    assert table.scene.settings.size_min_px == table.settings["baited"].size_min_px == 24
    assert any(text.startswith("Smallest bug\t24 px") for text in table.texts())
    table.press("up")
    assert "must not" not in " ".join(table.texts())


def test_a_part_that_refuses_leaves_the_setting_as_it_was(table: Table) -> None:
    table.press("d")
    table.select("sound.fade_out_s")
    table.press("right")
    assert any("the device is gone" in text for text in table.texts())
    assert table.settings["sound"].fade_out_s == 2.0
    assert "is gone" in table.desk.live.change({"sound.volume": 0.1, "sound.fade_out_s": 1.0})
    assert table.settings["sound"].volume == table.speaker.told[-1][1] == 0.5
    assert table.saved().panel_values() == {}


def test_the_log_hears_of_a_change_once_it_rests_not_of_each_step(table: Table) -> None:
    table.press("d")
    for _ in range(30):
        table.press("right")
    table.pass_s(0.8)
    assert table.noted == []
    table.pass_s(0.4)
    wanted = {"name": "baited.bugs", "value": 550, "before": 250, "by": "panel"}
    assert table.noted == [("setting", wanted)]
    table.press("right", "left")
    table.pass_s(2.0)
    assert len(table.noted) == 1
    table.press("left")
    table.desk.close()
    assert table.noted[-1][1]["value"] == 540


def test_the_language_changes_at_once(table: Table) -> None:
    table.press("d")
    table.select("display.language")
    table.press("right")
    assert any(text.startswith("虫の数") for text in table.texts())
    table.press("f1")
    assert table.texts()[0].startswith("操作")


def test_t_goes_through_all_patterns_in_a_circle_and_escape_back_to_the_show(table: Table) -> None:
    seen = []
    for _ in range(len(PATTERNS) + 1):
        table.press("t")
        seen.append(table.canvas.pattern)
    assert seen == [*PATTERNS, PATTERNS[0]]
    table.press("shift+t")
    assert table.canvas.pattern is PATTERNS[-1]
    assert table.desk.state()["pattern"] == PATTERNS[-1].name
    table.press("escape")
    assert table.canvas.pattern is None
    table.press("shift+t")
    assert table.canvas.pattern is PATTERNS[-1]


def test_the_heading_of_a_pattern_goes_away_by_itself(table: Table) -> None:
    table.press("t")
    assert table.texts() == [PATTERNS[0].heading("en")]
    table.pass_s(HEADING_S + 0.1)
    assert table.canvas.lines is None
    assert table.canvas.pattern is PATTERNS[0]


def test_in_blackout_only_the_way_back_is_heard_and_the_simulation_goes_on(table: Table) -> None:
    table.press("d", "b")
    assert table.canvas.blackout
    asked = table.asked
    table.press("right", "d", "t", "r", "c")
    table.pass_s(5.0)
    assert table.canvas.pattern is None
    assert table.scene.settings.bugs == 250
    assert table.asked == asked
    table.press("b")
    assert not table.canvas.blackout
    assert table.desk.state()["panel"]
    table.press("b", "escape")
    assert not table.canvas.blackout
    assert [detail for kind, detail in table.noted if kind == "blackout"] == [{"on": True}, {"on": False}] * 2


def test_a_corner_moves_by_px_of_the_screen_and_is_kept(table: Table) -> None:
    table.press("c", "right", "shift+down", "tab", "left")
    assert table.canvas.pattern is not None
    assert table.canvas.pattern.name == "border"
    moved = [share * side for share, side in zip(table.canvas.corners, SIZE * 4, strict=True)]
    assert moved == pytest.approx([1, 10, -1, 0, 0, 0, 0, 0], abs=0.01)
    for _ in range(799):
        table.press("shift+left", "shift+right")
    table.press(*["right"] * 40, *["left"] * 40)
    moved = [share * side for share, side in zip(table.canvas.corners, SIZE * 4, strict=True)]
    assert moved == pytest.approx([1, 10, -1, 0, 0, 0, 0, 0], abs=0.01)
    assert any(line.selected and line.text == "top right\t-1 +0 px" for line in table.canvas.lines or ())
    table.press("c")
    assert table.canvas.pattern is None
    assert table.saved()["display.corners"].shares == table.canvas.corners


def test_corners_go_back_one_or_all(table: Table) -> None:
    table.press("c", "right", "tab", "left", "r")
    assert table.canvas.corners == (pytest.approx(1 / SIZE[0], abs=1e-6), *(0.0,) * 7)
    table.press("shift+r")
    assert table.canvas.corners == (0.0,) * 8


def test_a_corner_that_would_fold_the_picture_stays_where_it_is(table: Table) -> None:
    table.press("c")
    for way in ("right", "down"):
        table.press(*[f"shift+{way}"] * 40)
    table.press("tab", *["shift+left"] * 40)
    kept = table.canvas.corners
    assert any("fold" in text for text in table.texts())
    table.press("shift+left")
    assert table.canvas.corners == kept


def test_escape_closes_what_is_on_top_and_never_more(table: Table) -> None:
    table.press("c", "d", "escape")
    assert table.desk.state()["corners"]
    assert not table.desk.state()["panel"]
    table.press("escape")
    assert not table.desk.state()["corners"]
    table.press("escape", "escape")
    assert table.canvas.lines is None


def test_keys_that_mean_nothing_change_nothing(table: Table) -> None:
    before = table.desk.state()
    table.press("q", "alt+f4", "f11", "left", "tab", "shift+r", "ctrl+q", "", "虫")
    assert table.desk.state() == before
    assert table.canvas.replaced == 0


def test_facts_that_fail_cost_neither_picture_nor_knobs(tmp_path: Path) -> None:
    table = Table(tmp_path)

    def failing(language: str) -> list[tuple[str, str]]:
        raise RuntimeError("no facts")

    table.desk._facts = failing
    table.press("d", "right")
    assert any("no facts" in text for text in table.texts())
    assert table.scene.settings.bugs == 260


def test_shift_tab_goes_round_the_corners_the_other_way(table: Table) -> None:
    table.press("c")
    seen = []
    for key in ("shift+tab", "shift+tab", "tab", "tab", "tab"):
        table.press(key)
        seen += [line.text.split("\t")[0] for line in table.canvas.lines or () if line.selected]
    assert seen == ["bottom left", "bottom right", "bottom left", "top left", "top right"]


def test_every_key_of_the_table_is_handled_helped_and_in_the_readme(tmp_path: Path, checkout: Path) -> None:
    readme = (checkout / "controller" / "README.md").read_text(encoding="utf-8")
    table = Table(tmp_path)
    table.press("f1")
    helped = table.texts()
    for key in ALL_KEYS:
        assert f"{key.shown}\t{key.words['en']}" in helped
        assert f"| {key.shown} | {key.words['en']} |" in readme
        assert all(in_font(character) for word in (key.shown, *key.words.values()) for character in word)
    rows = re.findall(r"^\| (.+) \| .+ \|$", readme.split("## Keys")[1].split("\n## ")[0], re.MULTILINE)
    assert rows == ["key", *(key.shown for key in ALL_KEYS)]


@pytest.mark.parametrize(
    ("key", "prepare"),
    [(key, ()) for key in GENERAL_KEYS if key.action and key.action != "close"]
    + [(key, ("d", "down", "down", "right", "up", "right")) for key in PANEL_KEYS]
    + [(key, ("c", "right", "down", "tab", "tab", "tab", "tab")) for key in CORNER_KEYS],
    ids=lambda part: getattr(part, "shown", ""),
)
def test_every_key_of_the_table_does_something_where_it_counts(table: Table, key: Any, prepare: Any) -> None:
    for name in key.names:
        table.press(*prepare)
        before = table.look()
        table.press(name)
        assert table.look() != before, name
        table.press("escape", "escape")


def test_on_a_real_picture_the_panel_covers_the_bugs_and_brightness_and_blackout_tell(tmp_path: Path) -> None:
    """With the real canvas: mean levels of 255 of pictures with one key between them."""
    table = Table(tmp_path)
    display = table.settings["display"].model_copy(update={"headless_width": 320, "headless_height": 240})
    canvas = open_canvas(display, headless=True)
    canvas._now = table.clock
    desk = Desk(canvas, table.scene, None, table.settings, table.saver, table.facts, table.clock)

    def level(*keys: str) -> float:
        desk.press(keys)
        for _ in range(12):
            table.clock.now_s += PERIOD_S
            desk.picture(table.clock.now_s)
            canvas.draw(*table.scene.frame(1.0))
            canvas.flip()
        return float(canvas.read_pixels().mean())

    table.scene.step(True, 160.0, 120.0)
    shown = level()
    panel = level("d")
    assert panel != pytest.approx(shown, abs=0.5)
    names = [knob.full_name for knob in desk.panel.knobs]
    level(*["down"] * names.index("display.brightness"), "shift+left")
    assert level("d") == pytest.approx(shown / 2, rel=0.1)
    assert level("b") == 0.0
    assert level("b") == pytest.approx(shown / 2, rel=0.1)
    assert level("t") > 0.0
    assert level("escape", "d", "r", "d") == pytest.approx(shown, rel=0.01)
    canvas.close()
