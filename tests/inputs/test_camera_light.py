"""Records of the camera as light on the screen: the calibration's camera, and gaps within the hold."""

from __future__ import annotations

import pytest

from calibration.profile import CameraProfile
from controller.inputs.camera_light import CameraLight
from controller.inputs.camera_records import Kind, Record
from controller.tracking.settings import TrackingSettings
from controller.tracking.switch import Switch
from logs.settings import LogSettings
from logs.visits import Ended, Event, Started, Visits

STABLE = "usb-Maker_7-video-index0"
SHIFT = ((1.0, 0, 100.0), (0, 1.0, 50.0), (0, 0, 1.0))
TICKS_PER_S = 60
HOLD_S = 0.41  # no whole number of frames


def light_of(profile: CameraProfile | None, lines: list[str]) -> CameraLight:
    return CameraLight((640, 480), profile, lines.append, 0.0)


def profile(verdict: str = "accepted", camera: str = STABLE) -> CameraProfile:
    sizes = {"picture_size": (640, 480), "screen_size": (640, 480)}
    return CameraProfile(camera=camera, homography=SHIFT, verdict=verdict, **sizes)  # type: ignore[arg-type]


def lit_at(light: CameraLight) -> tuple[float, float]:
    light.contact(Record(Kind.ON, 1.0, 10, 20, True), 1.0)
    sample = light.inbox.take(1)
    return sample.x, sample.y


def test_calibration_of_another_camera_is_told_once_and_used() -> None:
    lines: list[str] = []
    light = light_of(profile(), lines)
    for _ in range(3):
        light.opened((640, 480), "usb-Other_1-video-index0")
        light.lost(0.0)
    light.opened((640, 480), "usb-Other_1-video-index0")
    assert len(lines) == 1
    assert STABLE in lines[0]
    assert "usb-Other_1" in lines[0]
    assert "calibrate camera" in lines[0]
    assert light.calibrated
    assert lit_at(light) == (110, 70)


@pytest.mark.parametrize("camera", [STABLE, None])
def test_calibration_of_this_camera_or_for_a_file_needs_no_word(camera: str | None) -> None:
    """A file does not say which camera took it."""
    lines: list[str] = []
    light = light_of(profile(), lines)
    light.opened((640, 480), camera)
    assert lines == []
    assert light.calibrated


def test_refused_calibration_is_told_once_and_not_used() -> None:
    lines: list[str] = []
    light = light_of(profile("refused"), lines)
    light.opened((640, 480), STABLE)
    light.opened((640, 480), STABLE)
    assert len(lines) == 1
    assert "refused" in lines[0]
    assert not light.calibrated
    assert lit_at(light) == (10, 20), "the picture stretched over the screen"


def watch(
    on_s: list[tuple[float, float]], rate: int, late_s: float, until_s: float
) -> tuple[list[Event], list[float]]:
    """Sessions of a lamp that burns in the given spans, seen at `rate` frames a second through switch,
    inbox and visit rules, and the switch's times; records reach the show `late_s` after the exposure."""
    switch, light, visits = (
        Switch(TrackingSettings()),
        light_of(None, []),
        Visits(LogSettings(hold_camera_s=HOLD_S)),
    )
    light.opened((640, 480), None)

    frames, events, switched_s = 0, [], []
    waiting: list[tuple[float, Record]] = []
    for tick in range(1, round(until_s * TICKS_PER_S)):
        now_s = tick / TICKS_PER_S
        while frames / rate <= now_s:
            at_s = frames / rate
            exposed = [min(end, at_s) - max(begin, at_s - 0.5 / rate) for begin, end in on_s]
            level = 200.0 * sum(max(0.0, lit_s) for lit_s in exposed) * rate / 0.5
            change = switch.step(at_s, level, 320, 240)
            if change:
                switched_s.append(change.at_s)
                kind = Kind.ON if change.on else Kind.OFF
                waiting.append((at_s, Record(kind, change.at_s, 320, 240)))
            waiting.append((at_s, Record(Kind.FRAME, at_s, 320, 240, switch.on)))
            frames += 1
        while waiting and waiting[0][0] + late_s <= now_s:
            record = waiting.pop(0)[1]
            if record.kind == Kind.FRAME:
                light.frame(record, record.at_s)
            else:
                light.contact(record, record.at_s)
        events.append(visits.step(tick, *light.inbox.take(tick).contact))
    assert visits.bad_times == 0
    return [event for event in events if isinstance(event, Started | Ended)], switched_s


@pytest.mark.parametrize("rate", [15, 30, 60])
@pytest.mark.parametrize("late_s", [0.0, 0.03, 0.08])
def test_gap_shorter_than_the_hold_joins_although_the_camera_tells_on_late(rate: int, late_s: float) -> None:
    """ON is told some frames after it happened; the gap counts up to when it happened."""
    joined = []
    for step in range(60):
        end_s = 2.0 + step / 7 / rate
        gap_s = HOLD_S + (step / 20 - 1.5) / rate
        events, switched_s = watch([(1.0, end_s), (end_s + gap_s, 3.2)], rate, late_s, 4.2)
        assert len(switched_s) == 4
        joined.append(switched_s[2] - switched_s[1] < HOLD_S)
        assert events[-1].joins == joined[-1], (switched_s[2] - switched_s[1], switched_s)
        assert len(events) == (2 if joined[-1] else 4)
    assert 15 <= sum(joined) <= 45


def test_light_that_is_gone_ends_its_session_also_when_the_picture_flickers() -> None:
    """Single bright frames never become ON, and must not hold the session open."""
    flashes = [(2.0 + k / 10, 2.0 + k / 10 + 0.02) for k in range(1, 30)]
    events, _ = watch([(1.0, 2.0), *flashes], 30, 0.03, 4.5)
    assert [type(event) for event in events] == [Started, Ended]
    assert events[-1].duration_s == pytest.approx(1.0, abs=0.05)
