"""What the log is told of a visit: its own measures, and none that the last visitor left."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from controller.light import LightSample
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.show import Show
from controller.stepper import ManualClock, Stepper
from logs.pointing import COLUMNS, ROWS
from logs.settings import LogSettings
from logs.visits import Beat, Ended, Event, Started, Visits

SIZE = (640, 480)
LIT_S = ((1.0, 25.0), (30.0, 30.5))


class Hand:
    """Lights the middle of the screen at the times of LIT_S."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    def poll(self, tick: int) -> LightSample:
        now_s = self._clock()
        return LightSample(tick, now_s, 320.0, 240.0, any(on <= now_s < off for on, off in LIT_S), "mouse")


class Book:
    """Keeps each event with its measures, as the log would: the last value of each name stands."""

    def __init__(self) -> None:
        self.told: list[tuple[type[Event], dict[str, float]]] = []
        self.sessions: dict[int, dict[str, float]] = {}
        self.notes: list[tuple[str, dict[str, Any]]] = []
        self.reasons: list[str] = []
        self.pointing: dict[int, array[int] | None] = {}

    def put(
        self,
        event: Event,
        measures: Mapping[str, float] | None = None,
        pointing: array[int] | None = None,
    ) -> None:
        self.pointing[event.number] = pointing or self.pointing.get(event.number)
        self.reasons += [event.reason] if isinstance(event, Ended) else []
        self.told.append((type(event), dict(measures or {})))
        self.sessions.setdefault(event.number, {}).update(measures or {})

    def note(self, kind: str, detail: Mapping[str, Any] | None = None, at_s: float | None = None) -> None:
        if kind != "frames":
            self.notes.append((kind, dict(detail or {})))


def shown(closes: Callable[[float], bool] = lambda now_s: False) -> Book:
    clock, book = ManualClock(), Book()
    canvas = SimpleNamespace(
        size=SIZE,
        refresh_rate=60.0,
        gpu_time_s=None,
        wants_to_quit=False,
        dispatch=lambda: None,
        take_resizes=list,
        draw=lambda *_: None,
        flip=lambda: None,
    )
    scene = BaitedScene(BaitedSettings(bugs=60), SIZE, 3)
    show = Show(
        canvas, Hand(clock), scene, Visits(LogSettings()), book, Stepper(clock), clock,
        lambda: clock.sleep(1 / 60), closes=closes,
    )  # fmt: skip
    assert show.run(until_s=32.0) == 0
    return book


def test_a_short_visit_after_a_long_one_has_nothing_of_it() -> None:
    """24 s in the light bore many bugs; half a second bores none, and nothing says when."""
    book = shown()
    long, short = book.sessions.values()
    assert long["grew_bored"] > 5
    assert 10 < long["first_grew_bored_s"] < 25
    assert short["grew_bored"] == 0
    assert "first_grew_bored_s" not in short
    assert short["exposure_bug_s"] < 60 * 0.5
    begun = [measures for kind, measures in book.told if kind is Started]
    assert [measures["exposure_bug_s"] for measures in begun] == [0.0, 0.0]


def test_each_visit_has_its_own_grid_of_where_the_light_was() -> None:
    """The light stands at 320, 240 px: half across, half down; each lit tick counts once."""
    book = shown()
    for number, (on_s, off_s) in enumerate(LIT_S, 1):
        grid = book.pointing[number]
        assert grid is not None
        column, row = 320 * COLUMNS // SIZE[0], 240 * ROWS // SIZE[1]
        assert grid[row * COLUMNS + column] == sum(grid)
        assert abs(sum(grid) - (off_s - on_s) * 60) <= 1


def test_a_light_that_is_on_at_closing_ends_its_visit_and_is_noted_at_its_off() -> None:
    """Lit from 1 to 25 s, closing at 11 s: one visit of 10 s, and 14 s in which the light was left on."""
    closings = iter([11.0])
    at_s = next(closings)

    def closes(now_s: float) -> bool:
        nonlocal at_s
        if now_s < at_s:
            return False
        at_s = next(closings, float("inf"))
        return True

    book = shown(closes)
    assert [kind for kind, _ in book.told if kind is not Beat] == [Started, Ended, Started, Ended]
    assert book.reasons == ["closing", "off"]
    ((kind, detail),) = book.notes
    assert (kind, detail["source"]) == ("left_on", "mouse")
    assert abs(detail["duration_s"] - 14.0) < 0.1
