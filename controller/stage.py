"""Puts a show together from its settings, in the order in which its parts need each other."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from calibration.profile import CameraProfile
from calibration.profile import load as load_profile
from controller.beacon import StatusWriter
from controller.inputs.demo import DemoSource
from controller.inputs.mouse import MouseSource
from controller.install.versions import program_version
from controller.kernelcache import freeze, load_kernels
from controller.pacing import Pacer
from controller.scenes import open_scene
from controller.settings import CAMERA_PROFILE, DATABASE, Settings
from controller.show import EXIT_DONE, EXIT_PROBLEM, Show
from controller.stepper import Stepper
from display.canvas import Canvas, open_canvas
from display.screens import display_available
from logs.visits import Visits
from logs.writer import Log

SWITCH_INTERVAL_S = 5e-4
SCREEN_WAIT_S = 60.0

logger = logging.getLogger(__name__)


class StageError(RuntimeError):
    """The show cannot be put together here; the message says what to change."""


class WrongWish(ValueError):
    """The command line asks for what cannot go together; the message says what to ask instead."""


@dataclass(frozen=True)
class Wish:
    """What the command line asks of one run, beside the settings."""

    headless: bool = False
    screen_required: bool = False
    seed: int = 1
    seconds: float | None = None
    snapshot: Path | None = None


def run_show(home: Path, settings: Settings, wish: Wish) -> int:
    """Run the show to its end; the exit code.

    Raises WrongWish, StageError when there is no screen, logs.lock.AlreadyRunning for a second
    show on the same home, display.errors.DisplayError when the picture cannot be opened.
    """
    with ExitStack() as parts:
        show, canvas, log = _build(home, settings, wish, parts)
        clock = time.perf_counter
        code = show.run(None if wish.seconds is None else clock() + wish.seconds)
        if wish.snapshot is not None and code == EXIT_DONE and not _saved(show, canvas, wish.snapshot):
            code = EXIT_PROBLEM
        if not log.stop():
            logger.error(
                "Not all visits could be written: %s", log.state().error or "the disk does not answer"
            )
            code = code or EXIT_PROBLEM
        return code


def _saved(show: Show, canvas: Canvas, path: Path) -> bool:
    try:
        canvas.draw(*show.scene.frame(1.0))
        canvas.save(path)
    except OSError as error:
        logger.error("The picture cannot be saved as %s: %s", path, error.strerror or error)
        return False
    return True


def _build(home: Path, settings: Settings, wish: Wish, parts: ExitStack) -> tuple[Show, Canvas, Log]:
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    headless = wish.headless or not _display_there(wish.screen_required)
    size: list[tuple[int, int]] = [(1, 1)]
    log = Log(
        home / DATABASE,
        zone=settings["log"].zone,
        size_px=lambda: size[0],
        version=program_version(),
        settings=settings.as_json(),
    )
    parts.callback(log.stop)
    name = settings["show"].scene
    load_kernels(home, name, settings[name], logger.info)
    freeze()
    canvas = open_canvas(settings["display"], headless)
    parts.callback(canvas.close)
    size[0] = canvas.size
    scene = open_scene(name, settings[name], canvas.size, wish.seed)
    source = _open_source(home, settings, canvas, headless, wish.seed)
    parts.callback(source.close)
    pace = Pacer(1.0 / canvas.refresh_rate, time.perf_counter, time.sleep).wait
    visits, stepper = Visits(settings["log"]), Stepper(time.perf_counter)
    show = Show(
        canvas,
        source,
        scene,
        visits,
        log,
        stepper,
        time.perf_counter,
        (lambda: None) if canvas.vsync else pace,
    )
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: show.stop("stopped"))
    status = StatusWriter(home, Facts(show, canvas, log, settings))
    parts.callback(status.stop)
    gc.collect()
    gc.freeze()
    return show, canvas, log


def _display_there(required: bool) -> bool:
    """Whether a window can be opened; with `required` wait for it, raising StageError at the end."""
    reason = display_available()
    if reason is None:
        return True
    if not required:
        logger.warning("No screen (%s): the show runs headless.", reason)
        return False
    logger.warning("Waiting up to %.0f s for a screen (%s).", SCREEN_WAIT_S, reason)
    deadline_s = time.monotonic() + SCREEN_WAIT_S
    while time.monotonic() < deadline_s:
        time.sleep(0.5)
        if display_available() is None:
            return True
    raise StageError(f"No screen after {SCREEN_WAIT_S:.0f} s: {reason}")


def _open_source(home: Path, settings: Settings, canvas: Canvas, headless: bool, seed: int) -> Any:
    profile = _camera_profile(home)
    name = settings["show"].source
    if name == "auto":
        name = "camera" if profile is not None else "demo" if headless else "mouse"
    logger.info("Light: %s. Screen: %s, %d x %d.", name, canvas.name, *canvas.size)
    if name == "camera":
        return _open_camera(settings, canvas.size, profile)
    if name == "demo":
        return DemoSource(settings["demo"], canvas.size, seed, time.perf_counter)
    if headless:
        raise WrongWish("A mouse needs a window: leave out --headless or choose --source demo.")
    return MouseSource(canvas.take_pointer, time.perf_counter)


def _open_camera(settings: Settings, size: tuple[int, int], profile: CameraProfile | None) -> Any:
    from controller.inputs.camera import CameraSource

    camera = settings["camera"]
    return CameraSource(camera.device, size, camera, profile, report=logger.warning)


def _camera_profile(home: Path) -> CameraProfile | None:
    profile, warning = load_profile(home / CAMERA_PROFILE)
    if warning:
        logger.warning("%s", warning)
    return profile if profile is not None and profile.verdict == "accepted" else None


class Facts:
    """What `status.json` says, gathered in the status thread from plain values."""

    def __init__(
        self,
        show: Show,
        canvas: Canvas,
        log: Log,
        settings: Settings,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._show, self._log, self._clock = show, log, clock
        self._fixed = {
            "scene": settings["show"].scene,
            "screen": canvas.name,
            "vsync": canvas.vsync,
            "warnings": settings.warnings,
        }
        self._since_s, self._pictures = clock(), 0
        self._began_s = clock()

    def __call__(self) -> dict[str, Any]:
        now_s, pulse = self._clock(), self._show.pulse
        log = asdict(self._log.state())
        return {
            **self._fixed,
            "size": list(self._show.size),
            "up_s": round(now_s - self._began_s, 1),
            "fps": self._rate(now_s, pulse.pictures),
            "dropped_ticks": self._show.stepper.dropped_ticks,
            "faults": pulse.faults,
            "refused_samples": pulse.refused_samples,
            "visitor": self._show.visits.open,
            "light": self._light(),
            "log": log,
            "ages": {
                "picture": round(now_s - pulse.picture_at_s, 3),
                "tick": round(now_s - pulse.tick_at_s, 3),
                "log_write": log["last_write_age_s"],
            },
        }

    def _rate(self, now_s: float, pictures: int) -> float:
        passed_s, drawn = now_s - self._since_s, pictures - self._pictures
        self._since_s, self._pictures = now_s, pictures
        return round(drawn / passed_s, 1) if passed_s > 0 else 0.0

    def _light(self) -> dict[str, Any]:
        sample = self._show.pulse.light
        if sample is None:
            return {}
        found = {"source": sample.source, "on": sample.on, "alive": sample.alive, "reason": sample.reason}
        return {**found, **self._show.source.state()}
