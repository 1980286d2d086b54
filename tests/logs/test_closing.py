"""The closing time: once a day in the gallery's zone; a light left on until the morning is split there."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from logs.closing import Closing
from logs.settings import LogSettings
from logs.visits import Ended, Event, LeftOn, Started, Visits

HOUR_S = 3600.0


class Wall:
    """A wall clock and a monotonic one that begins at 0 with it."""

    def __init__(self, local: str, zone: str) -> None:
        self.zone = ZoneInfo(zone)
        self.at_s, self.stepped_s = 0.0, 0.0
        self.began_s = datetime.fromisoformat(local).replace(tzinfo=self.zone).timestamp()

    def ns(self) -> int:
        return round((self.began_s + self.at_s + self.stepped_s) * 1e9)

    def local(self) -> str:
        return datetime.fromtimestamp(self.ns() / 1e9, UTC).astimezone(self.zone).strftime("%d %H:%M")

    def closings(self, closes_at: str, hours: float) -> list[str]:
        """When it closes, asked every half second."""
        closing, found, end_s = Closing(closes_at, self.zone, self.ns), [], self.at_s + hours * HOUR_S
        while self.at_s < end_s:
            if closing(self.at_s):
                found.append(self.local())
            self.at_s += 0.5
        return found


@pytest.mark.parametrize(("start", "zone", "closes_at", "hours", "expected"), [
    ("2026-04-02 09:00", "Asia/Tokyo", "18:00", 48, ["02 18:00", "03 18:00"]),
    ("2026-04-02 18:00", "Asia/Tokyo", "18:00", 25, ["03 18:00"]),
    ("2026-04-02 22:00", "Asia/Tokyo", "00:30", 4, ["03 00:30"]),
    ("2026-03-28 12:00", "Europe/Berlin", "18:00", 30, ["28 18:00", "29 18:00"]),
    ("2026-10-24 12:00", "Europe/Berlin", "18:00", 32, ["24 18:00", "25 18:00"]),
    ("2026-04-02 09:00", "Asia/Tokyo", "", 48, []),
])  # fmt: skip
def test_it_closes_once_a_day_at_the_local_time(
    start: str, zone: str, closes_at: str, hours: float, expected: list[str]
) -> None:
    assert Wall(start, zone).closings(closes_at, hours) == expected


@pytest.mark.parametrize("step_s", [14 * 24 * HOUR_S, -14 * 24 * HOUR_S])
def test_a_clock_that_is_put_right_closes_nothing_by_it(step_s: float) -> None:
    wall = Wall("2026-04-02 09:00", "Asia/Tokyo")
    closing = Closing("18:00", wall.zone, wall.ns)
    assert not closing(wall.at_s)
    wall.stepped_s = step_s
    assert wall.closings("18:00", 8) == []
    assert wall.closings("18:00", 2) == [wall.local()[:3] + "18:00"]


@pytest.mark.parametrize("at", ["", "00:00", "23:59", "18:00"])
def test_the_setting_takes_a_time(at: str) -> None:
    assert LogSettings(closes_at=at).closes_at == at


@pytest.mark.parametrize("at", ["24:00", "18", "6:00", "18:60", "six", "18:00:00"])
def test_what_is_no_time_of_day_is_refused(at: str) -> None:
    with pytest.raises(ValueError, match="closes_at"):
        LogSettings(closes_at=at)


def test_a_torch_left_on_overnight_is_one_visit_until_closing_and_none_before_it_was_off() -> None:
    """ON at 17:00 and carried about, closing at 18:00, ON until 9:00; off for a minute; ON again at 9:01."""
    wall, events = Wall("2026-04-02 17:00", "Asia/Tokyo"), list[Event]()
    visits, closing = Visits(LogSettings()), Closing("18:00", wall.zone, wall.ns)
    left: list[LeftOn | None] = []
    for second in range(16 * 3600 + 180):
        wall.at_s = float(second)
        if closing(wall.at_s):
            events.append(visits.close(wall.at_s, "closing"))  # type: ignore[arg-type]
        on = not 16 * 3600 <= second < 16 * 3600 + 60
        x = 500.0 + 300 * (second % 2 if second < 3600 else 0)
        told = visits.step(second * 60, wall.at_s, on, x, 500.0, "torch", "" if on else "off")
        events += [told] if told is not None else []
        left += [visits.left_on] if second in (3599, 3600, 16 * 3600 - 1, 16 * 3600 + 1) else []
    begun = [event.started_at_s for event in events if isinstance(event, Started)]
    ended = [(event.duration_s, event.reason) for event in events if isinstance(event, Ended)]
    assert begun == [0.0, 16 * HOUR_S + 60]
    assert ended == [(HOUR_S, "closing")]
    lit = LeftOn("torch", HOUR_S)
    assert left == [None, lit, lit, None]


def test_a_visit_that_closing_finds_in_the_dark_of_a_hold_ended_at_its_off() -> None:
    visits = Visits(LogSettings())
    visits.step(0, 0.0, True, 5.0, 5.0, "camera")
    visits.step(1, 1.0, False, 5.0, 5.0, "camera", "off")
    ended = visits.close(1.1, "closing")
    assert isinstance(ended, Ended)
    assert (ended.at_s, ended.reason) == (1.0, "off")
    assert visits.left_on is None
    assert isinstance(visits.step(2, 1.2, True, 5.0, 5.0, "camera"), Started)
