"""The panel: knobs that land on clean values, a selection that scrolls, lines in two languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from display.panel import MESSAGE_LINES, PANEL_KEYS, Change, Knob, Panel, help_lines, with_message
from display.text import Line, columns_px, in_font


def knob(name: str = "bugs", value: Any = 250, step: float = 10, **more: Any) -> Knob:
    facts = {"unit": "", "default": value, "low": 0, "high": 1000, **more}
    return Knob("baited", name, {"en": name, "ja": "虫"}, value=value, step=step, **facts)


def in_groups(**counts: int) -> Panel:
    """So many knobs in each section; the one called `plain` has no name for people."""
    knobs = []
    for section, count in counts.items():
        group = {} if section == "plain" else {"en": section.title(), "ja": "群"}
        knobs += [replace(knob(f"{section}{n}"), section=section, group=group) for n in range(count)]
    return Panel(knobs)


def many(count: int) -> Panel:
    return Panel([knob(f"k{number}") for number in range(count)])


def pressed(panel: Panel, *keys: str) -> list[Change]:
    return [change for key in keys for change in panel.press(key)]


def shown(panel: Panel, room: int = 40, facts: int = 0) -> list[str]:
    lines = panel.lines("title", [(f"f{number}", "x") for number in range(facts)], room)
    return [line.text.split("\t")[0] for line in lines]


@pytest.mark.parametrize("step", [0.1, 0.05, 0.01, 0.001, 0.0001, 0.0005, 0.3])
def test_a_hundred_steps_up_and_down_give_only_values_as_short_as_the_step(step: float) -> None:
    panel = Panel([knob(value=0.0, step=step, low=-1.0, high=1000.0)])
    up = [change.value for change in pressed(panel, *["right"] * 100)]
    down = [change.value for change in pressed(panel, *["left"] * 100)]
    places = len(repr(step).split(".")[1]) if "e" not in repr(step) else 4
    assert all(value == round(value, places) for value in (*up, *down))
    assert up[2] == round(3 * step, places)
    assert (up[-1], down[-1]) == (round(100 * step, places), 0.0)


@pytest.mark.parametrize(
    ("value", "key", "wanted"),
    [
        (0.063, "right", 0.07),
        (0.063, "left", 0.06),
        (0.063, "shift+right", 0.16),
        (0.063, "shift+left", 0.0),
        (0.06, "right", 0.07),
        (0.999, "right", 1.0),
        (1.0, "left", 0.99),
        (0.25, "shift+left", 0.15),
    ],
)
def test_a_value_between_steps_goes_to_the_next_one_and_stops_at_the_range(
    value: float, key: str, wanted: float
) -> None:
    (change,) = Panel([knob(value=value, step=0.01, low=0.0, high=1.0)]).press(key)
    assert change == Change("baited", "bugs", wanted)


def test_whole_numbers_stay_whole_and_at_the_end_of_the_range_nothing_changes() -> None:
    panel = Panel([knob(value=995)])
    (change,) = panel.press("right")
    assert (change.value, type(change.value)) == (1000, int)
    assert pressed(panel, "right", "shift+right") == []


def test_choices_are_stepped_through_in_a_circle() -> None:
    panel = Panel([knob(value="en", choices=("en", "ja")), knob(value=True, choices=(False, True))])
    assert [change.value for change in pressed(panel, "right", "right", "left")] == ["ja", "en", "ja"]
    assert [change.value for change in pressed(panel, "down", "right", "left")] == [False, True]


def test_r_puts_one_back_as_configured_and_shift_r_all_that_were_moved() -> None:
    panel = Panel([knob("a", 0.063, 0.01), knob("b"), knob("c")])
    pressed(panel, "right", "down", "right")
    assert panel.press("r") == [Change("baited", "b", 250)]
    assert panel.press("r") == []
    pressed(panel, "down", "right")
    assert pressed(panel, "shift+r") == [Change("baited", "a", 0.063), Change("baited", "c", 250)]


def test_a_value_that_was_refused_is_shown_as_it_really_is() -> None:
    panel = Panel([knob()])
    panel.press("right")
    panel.put("baited.bugs", 250)
    panel.message = "no"
    assert "bugs\t250" in [line.text for line in panel.lines("title", [], 10)]
    panel.press("up")
    assert not panel.message


LONG = "panel.toml in the folder of this show cannot be written (no space left on device); it is tried again."
LONG_JA = "「虫の大きさ 最小」は「虫の大きさ 最大」より大きくできない"


@pytest.mark.parametrize("message", ["", "no", LONG, LONG_JA, "x" * 300, "a\tb", "、" * 90, " " * 90])
def test_a_message_comes_and_goes_without_moving_a_line(message: str) -> None:
    lines = many(5).lines("a title of some length", [], 20)
    told = with_message(lines, message)
    assert told[: -len(with_message((), ""))] == lines
    assert len(told) == len(lines) + MESSAGE_LINES
    assert not any(line.selected or "\t" in line.text for line in told[-MESSAGE_LINES:])


@pytest.mark.parametrize("message", [LONG, LONG_JA])
def test_a_long_message_is_said_whole_on_two_lines_no_wider_than_needed(message: str) -> None:
    told = with_message((Line("title"),), message)[-MESSAGE_LINES:]
    assert all(line.text for line in told)
    assert "".join(line.text for line in told).replace(" ", "") == f"! {message}".replace(" ", "")
    whole_px = columns_px([Line(f"! {message}")], 30)
    assert columns_px(told, 30) < 0.65 * whole_px


def test_what_fits_beside_the_other_lines_stays_on_one_line() -> None:
    wide = (Line("a title that is a good deal longer than the message below it"),)
    assert [line.text for line in with_message(wide, "it cannot be")[1:]] == ["! it cannot be", ""]


def test_switches_and_refusals_are_said_in_the_language() -> None:
    switch = Knob("sound", "on", {"en": "Sound", "ja": "音"}, "", False, True, choices=(False, True))
    panel = Panel([switch, knob("size_min_px"), knob("size_max_px")])
    assert panel.lines("t", [], 9)[2].text == "Sound\toff  (on)"
    refused = "size_min_px must not be larger than size_max_px"
    assert panel.in_words(refused, "baited.size_min_px") == refused
    panel.language = "ja"
    assert panel.lines("t", [], 9)[2].text == "音\t切  (入)"
    assert panel.in_words(refused, "baited.size_min_px") == "「虫」は「虫」より大きくできない"
    assert (
        panel.in_words("size_min_px must be smaller than size_max_px", "") == "「虫」は「虫」より小さくする"
    )
    assert panel.in_words("the device is gone", "sound.on") == "「音」は変更できない： the device is gone"
    assert panel.in_words("", "sound.on") == ""


def test_the_selection_goes_round_and_is_always_to_be_seen() -> None:
    panel = many(30)
    for key in ("up", *["down"] * 40, *["up"] * 45):
        panel.press(key)
        lines = panel.lines("title", [("fact", "x")] * 7, 15)
        assert len(lines) == 15
        assert [line.text.split("\t")[0] for line in lines if line.selected] == [f"k{panel.selected}"]
    assert panel.selected == (-1 + 40 - 45) % 30


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (["pagedown"], "gait0"),
        (["pagedown", "pagedown"], "milling0"),
        (["pagedown", "pagedown", "pagedown"], "plain0"),
        (["pagedown", "down", "down", "pageup"], "gait0"),
        (["pagedown", "pageup"], "plain0"),
        (["pageup"], "milling0"),
        (["down", "shift+down", "shift+down", "shift+up"], "gait0"),
    ],
)
def test_the_groups_are_gone_through_in_a_circle_each_from_its_first_knob(
    keys: list[str], wanted: str
) -> None:
    panel = in_groups(plain=3, gait=20, milling=30)
    pressed(panel, *keys)
    assert panel.knobs[panel.selected].name == wanted


def test_of_a_group_that_was_gone_to_as_much_is_in_view_as_fits() -> None:
    panel = in_groups(plain=3, gait=5, milling=30)
    pressed(panel, "pagedown")
    assert shown(panel, 9)[2:] == [*[f"gait{n}" for n in range(5)], "milling0", "milling1"]
    pressed(panel, "pagedown")
    assert shown(panel, 9)[2:] == [f"milling{n}" for n in range(7)]
    pressed(panel, "pageup", "pageup")
    assert shown(panel, 9)[2] == "plain0"


def test_the_heading_names_the_group_of_the_selected_knob_in_the_language() -> None:
    panel = in_groups(plain=1, gait=2)
    assert panel.lines("t", [], 9)[1].text == "Settings\t1 / 3"
    pressed(panel, "down", "down")
    assert panel.lines("t", [], 9)[1].text == "Settings: Gait\t3 / 3"
    panel.language = "ja"
    assert panel.lines("t", [], 9)[1].text == "設定：群\t3 / 3"


def test_where_all_fit_none_scrolls_and_in_little_room_facts_give_way_before_knobs() -> None:
    panel = many(5)
    panel.press("up")
    assert shown(panel, 40, facts=2)[-5:] == [f"k{number}" for number in range(5)]
    assert sum(name.startswith("k") for name in shown(panel, 5, facts=7)) == 3
    assert shown(panel, 1, facts=7)[-1] == "k4"


def test_a_moved_value_is_shown_with_its_unit_and_the_configured_one() -> None:
    panel = Panel([knob(value=220.0, step=5.0, unit="px"), knob(value=0.00001, step=0.00001)])
    assert panel.lines("t", [], 9)[2].text == "bugs\t220 px"
    panel.press("left")
    assert panel.lines("t", [], 9)[2].text == "bugs\t215 px  (220)"
    assert panel.lines("t", [], 9)[3].text == "bugs\t0.00001"


def test_labels_follow_the_language() -> None:
    panel = Panel([knob()], "ja")
    assert panel.lines("t", [], 9)[2].text == "虫\t250"
    panel.language = "en"
    assert panel.lines("t", [], 9)[2].text == "bugs\t250"


def test_unknown_keys_and_a_panel_without_knobs_do_nothing() -> None:
    assert pressed(many(2), "q", "ctrl+left", "alt+up", "") == []
    assert pressed(Panel([]), *[name for key in PANEL_KEYS for name in key.names]) == []
    assert len(Panel([]).lines("t", [], 9)) == 2


def test_every_key_does_something_and_its_help_can_be_drawn() -> None:
    for key in PANEL_KEYS:
        for name in key.names:
            panel = in_groups(gait=2, milling=1)
            pressed(panel, "right")
            before = (panel.selected, [one.value for one in panel.knobs])
            panel.press(name)
            assert (panel.selected, [one.value for one in panel.knobs]) != before, name
    for language in ("en", "ja"):
        lines = help_lines("t", PANEL_KEYS, language)
        assert len(lines) == len(PANEL_KEYS) + 1
        assert all(in_font(character) for line in lines for character in line.text)
