"""What the panel says of the running show, in the language of the panel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from controller.frametimes import PictureRate
from controller.show import Show

# Longer without a question, the panel was closed: what passed meanwhile is no part of the rate.
# A figure of a second or more; after the panel was closed it begins anew.
RATE_SPAN_S, RATE_GAP_S = 1.0, 2.0
LABELS = {
    "en": ("Active / bored", "Pictures", "Light", "Visitor no.", "Log", "Sound"),
    "ja": ("反応中 / 飽き", "画像", "光", "来場者", "記録", "音"),
}
WORDS = {
    "en": {
        "a second": "fps",
        "dropped": "dropped",
        "on": "on",
        "off": "off",
        "lost": "lost",
        "none": "none",
        "waiting": "waiting",
    },
    "ja": {
        "a second": "枚/秒",
        "dropped": "抜け",
        "on": "点灯",
        "off": "消灯",
        "lost": "切断",
        "none": "無",
        "waiting": "待",
    },
}


class LogState(Protocol):
    """What is asked of the log's state."""

    @property
    def queue_length(self) -> int: ...

    @property
    def error(self) -> str: ...


class OpenSession(NamedTuple):
    """The session under way."""

    number: int
    length_s: float


class DeskFacts:
    """Called at most four times a second, on the frame thread: plain values only."""

    def __init__(
        self,
        show: Show,
        log_state: Callable[[], LogState],
        session: Callable[[], OpenSession | None],
        clock: Callable[[], float],
    ) -> None:
        self._show, self._log_state, self._session, self._clock = show, log_state, session, clock
        self._rate = PictureRate(clock(), RATE_SPAN_S, RATE_GAP_S)

    def __call__(self, language: str) -> list[tuple[str, str]]:
        """Label and value of each line; a value that cannot be had says why."""
        words = WORDS[language]
        parts = (self._swarm, self._steadiness, self._light, self._visit, self._log, self._sound)
        return [
            (label, text)
            for label, part in zip(LABELS[language], parts, strict=True)
            for text in _said(part, words)
        ]

    def _swarm(self, words: dict[str, str]) -> str:
        found = self._show.scene.measures()
        if "bored" not in found:
            return ""
        return f"{found['bugs'] - found['bored']:.0f} / {found['bored']:.0f}"

    def _steadiness(self, words: dict[str, str]) -> str:
        rate = self._rate(self._clock(), self._show.pulse.pictures)
        figure = "–" if rate is None else f"{rate:.1f}"
        return f"{figure} {words['a second']}, {self._show.frames.dropped} {words['dropped']}"

    def _light(self, words: dict[str, str]) -> str:
        light = self._show.pulse.light
        if light is None:
            return words["none"]
        state = (
            words["on" if light.on else "off"] if light.alive else f"{words['lost']} {light.reason}".rstrip()
        )
        return f"{light.source}, {state}, {max(0.0, self._clock() - light.at_s):.1f} s"

    def _visit(self, words: dict[str, str]) -> str:
        session = self._session()
        return words["none"] if session is None else f"{session.number}: {session.length_s:.0f} s"

    def _log(self, words: dict[str, str]) -> str:
        state = self._log_state()
        waiting = f"{state.queue_length} {words['waiting']}"
        return f"{waiting}. {state.error}" if state.error else waiting

    def _sound(self, words: dict[str, str]) -> str:
        if self._show.sound is None:
            return words["none"]
        state: dict[str, Any] = self._show.sound.state()
        if not state["on"]:
            return words["off"]
        return str(state["device"] or words["none"])


def _said(part: Callable[[dict[str, str]], str], words: dict[str, str]) -> Iterator[str]:
    try:
        text = part(words)
    except Exception as error:  # noqa: BLE001  one line that fails must not take the others along
        text = f"{type(error).__name__}: {error}"
    if text:
        yield text
