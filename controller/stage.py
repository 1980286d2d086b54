"""Puts a show together from its settings, in the order in which its parts need each other."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from calibration.profile import CameraProfile
from calibration.profile import load as load_profile
from controller.beacon import StatusWriter
from controller.desk.desk import Desk
from controller.desk.facts import DeskFacts, OpenSession
from controller.facts import Facts
from controller.film.film_clock import FilmClock
from controller.film.recorder import RATE_HZ, Recorder
from controller.inputs.demo import DemoSource
from controller.inputs.mouse import MouseSource
from controller.install.home import fallback_folders
from controller.install.versions import program_version
from controller.kernelcache import freeze, load_kernels
from controller.light import LightSource
from controller.pacing import Rhythm
from controller.panel_file import PanelSaver
from controller.recording.in_log import recorded_files
from controller.recording.recorded_scene import RecordedScene
from controller.recording.rows import FORMAT, VERSION, Head
from controller.recording.shelf import Shelf
from controller.recording.sources import sources_digest
from controller.recording.visit_recorder import VisitRecorder
from controller.recording.visit_writing import VisitWriting
from controller.recording.writing import RecordingWriter
from controller.scenes import Beam, Rows, open_scene
from controller.settings import CAMERA_PROFILE, DATABASE, Settings
from controller.show import EXIT_DONE, EXIT_PROBLEM, EXIT_SCREEN_LOST, Show
from controller.stepper import Stepper
from display.canvas import Canvas, open_canvas
from display.errors import DisplayLost
from display.screens import display_available
from display.sound.player import Sound
from logs.closing import Closing
from logs.settings import zone_named
from logs.synchronised import boot_time_s, is_synchronised
from logs.visits import Visits
from logs.writer import Log

SWITCH_INTERVAL_S = 5e-4
SCREEN_WAIT_S = 60.0
# A closed terminal or ssh connection ends the show as properly as the others.
END_SIGNALS = [signal.SIGTERM, signal.SIGINT]
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
    END_SIGNALS.append(signal.SIGHUP)

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
    film: Path | None = None
    recording: Path | None = None


@dataclass(frozen=True)
class Built:
    """What must be ended in its order; `recorded` is the scene of `--record FILE.jsonl`."""

    show: Show
    canvas: Canvas
    film: Recorder | None
    recorded: RecordedScene | None
    visits: VisitWriting


def run_show(home: Path, settings: Settings, wish: Wish) -> int:
    """Run the show to its end; the exit code.

    Raises WrongWish, StageError when there is no screen, logs.lock.AlreadyRunning for a second
    show on the same home, display.errors.DisplayError when the picture cannot be opened.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    with ExitStack() as parts:
        shows: list[Show] = []
        log = Log(
            home / DATABASE,
            zone=settings["log"].zone,
            size_px=lambda: shows[0].size if shows else (1, 1),
            version=program_version(),
            settings=settings.as_json(),
            boot=boot_time_s,
            synchronised=is_synchronised,
            spill_at=fallback_folders(),
            short_s=settings["log"].short_s,
        )
        parts.push(_end_of(log))
        for number in END_SIGNALS:
            signal.signal(number, lambda *_: _leave(log))
        built = _build(home, settings, wish, log, parts)
        show, canvas, film = built.show, built.canvas, built.film
        shows.append(show)
        code = show.run(None if wish.seconds is None else show.clock() + wish.seconds)
        if show.desk is not None:
            show.desk.close()
        if wish.snapshot is not None and code == EXIT_DONE:
            code = save_picture(canvas, show.scene.frame(1.0), wish.snapshot)
        built.visits.stop()
        code = _written(log, code)
        if built.recorded is not None and not built.recorded.end():
            code = code or EXIT_PROBLEM
        if film is not None and not film.close():
            code = code or EXIT_PROBLEM
        return code


def _leave(log: Log) -> None:
    """A signal during the start-up: the run is closed and the process left at once.

    An exception would be raised within the compiler, which turns it into others.
    """
    log.stop()
    os._exit(EXIT_DONE)


def _end_of(log: Log) -> Callable[..., None]:
    """Whatever ends the start-up or the show, what waits is written."""

    def end(kind: type[BaseException] | None, *_: object) -> None:
        log.stop(reason="clean" if kind is None else "crash")

    return end


def _written(log: Log, code: int) -> int:
    """Write what waits; a show whose visits could not all be written did not end well."""
    if log.stop(reason="clean" if code in (EXIT_DONE, EXIT_PROBLEM) else "crash"):
        return code
    state = log.state()
    fault = state.error or "the disk does not answer"
    if state.spilled:
        logger.error(
            "The log did not take all visits (%s). %d entries wait in %s: the next start puts them in.",
            fault,
            state.spilled,
            state.spill_file,
        )
    if state.queue_length or not state.spilled:
        logger.error(
            "Not all visits could be written, %d entries are lost with this process. The last fault: %s",
            state.queue_length,
            fault,
        )
    return code or EXIT_PROBLEM


def save_picture(canvas: Canvas, picture: tuple[Rows, Beam, Rows], path: Path) -> int:
    """Draw rows, beam and dust and save them as PNG; the exit code, with a word when it is not 0."""
    try:
        canvas.draw(*picture)
        canvas.save(path)
    except OSError as error:
        logger.error("The picture cannot be saved as %s: %s", path, error.strerror or error)
        return EXIT_PROBLEM
    except DisplayLost as error:
        logger.error("%s", error)
        return EXIT_SCREEN_LOST
    return EXIT_DONE


def _build(home: Path, settings: Settings, wish: Wish, log: Log, parts: ExitStack) -> Built:
    headless = wish.headless or not display_there(wish.screen_required)
    scene_name = settings["show"].scene
    load_kernels(home, scene_name, settings[scene_name], logger.info)
    freeze()
    canvas = open_canvas(settings["display"], headless)
    parts.callback(canvas.close)
    name = _source_name(home, settings, headless)
    clock, rhythm = pacing(canvas, film=wish.film is not None and headless and name == "demo")
    source = _open_source(name, home, settings, canvas, wish.seed, clock)
    parts.callback(source.close)
    head = head_of(settings, canvas.size, wish.seed)
    writing = _visit_writing(home, settings, head, log)
    parts.callback(writing.stop)
    scene = open_scene(scene_name, settings[scene_name], canvas.size, wish.seed)
    recorder = recorded = writer = None
    if settings["log"].recordings_days:
        recorder = VisitRecorder(scene, writing, lambda: settings[scene_name], light=lambda: show.pulse.light)
        scene = recorder.scene
    if wish.recording is not None:
        writer = RecordingWriter(wish.recording, head)
        scene = recorded = RecordedScene(scene, writer, lambda: show.pulse.light)
    visits = Visits(settings["log"])
    closing = Closing(settings["log"].closes_at, zone_named(settings["log"].zone), time.time_ns)
    show = Show(
        canvas,
        source,
        scene,
        visits,
        log,
        Stepper(clock),
        clock,
        rhythm.wait,
        timer=time.perf_counter,
        closes=closing,
    )
    show.visit_recorder = recorder
    show.sound = sound = None if headless else Sound(settings["sound"])
    if sound is not None:
        parts.callback(sound.close)
    saver = PanelSaver(home)
    parts.callback(saver.close)
    facts = DeskFacts(show, log.state, lambda: _open_session(show), clock)
    show.desk = Desk(canvas, scene, sound, settings, saver, facts, clock, log.note)
    for number in END_SIGNALS:
        signal.signal(number, lambda *_: show.stop("stopped"))
    show.recorder = film = film_of(canvas, show.clock, wish.film)
    files = {"recording": writer, "film": film, "recordings": writing}
    status = Facts(show, canvas, log, settings, held_by_screen=lambda: rhythm.held_by_screen, files=files)
    parts.callback(StatusWriter(home, status).stop)
    gc.collect()
    gc.freeze()
    return Built(show, canvas, film, recorded, writing)


def _visit_writing(home: Path, settings: Settings, head: Head, log: Log) -> VisitWriting:
    """The thread for the visits' recordings; it also removes old ones where none are made."""
    options = settings["log"]
    shelf = Shelf(home, zone_named(options.zone), options.recordings_days)
    return VisitWriting(shelf, log, head, lambda: recorded_files(home / DATABASE))


def pacing(canvas: Canvas, film: bool) -> tuple[Callable[[], float], Rhythm | FilmClock]:
    """The show's clock, and whose `wait` waits for the next picture.

    A film of a simulated visitor without a screen has a time of its own, so that it is smooth on any machine.
    """
    host = time.perf_counter
    if film:
        clock = FilmClock(RATE_HZ, host, time.sleep)
        return clock, clock
    return host, Rhythm(canvas, host, time.sleep)


def _open_session(show: Show) -> OpenSession | None:
    event = show.visits.current
    return None if event is None else OpenSession(event.number, show.clock() - event.started_at_s)


def film_of(canvas: Canvas, clock: Callable[[], float], path: Path | None) -> Recorder | None:
    """Make a film from now on, when that was asked for; without haste where it has a time of its own."""
    return None if path is None else Recorder(path, canvas, patient=isinstance(clock, FilmClock))


def head_of(settings: Settings, size: tuple[int, int], seed: int) -> Head:
    """The first line of the show's recording."""
    name = settings["show"].scene
    section = settings[name].model_dump(mode="json")
    return Head(
        format=FORMAT,
        version=VERSION,
        program=program_version(),
        sources=sources_digest(),
        scene=name,
        settings=section,
        seed=seed,
        size=size,
        tick=0,
    )


def display_there(required: bool) -> bool:
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


def _source_name(home: Path, settings: Settings, headless: bool) -> str:
    """Which light: for `auto` a calibrated camera, else the mouse, without a window the simulated visitor."""
    name: str = settings["show"].source
    if name == "auto":
        name = "camera" if _camera_profile(home) is not None else "demo" if headless else "mouse"
    if headless and name == "mouse":
        raise WrongWish("A mouse needs a window: leave out --headless or choose --source demo.")
    return name


def _open_source(
    name: str, home: Path, settings: Settings, canvas: Canvas, seed: int, clock: Callable[[], float]
) -> LightSource:
    logger.info("Light: %s. Screen: %s, %d x %d.", name, canvas.name, *canvas.size)
    if name == "camera":
        return _open_camera(settings, canvas.size, _camera_profile(home))
    if name == "demo":
        return DemoSource(settings["demo"], canvas.size, seed, clock)
    return MouseSource(canvas.take_pointer, clock)


def _open_camera(settings: Settings, size: tuple[int, int], profile: CameraProfile | None) -> LightSource:
    from controller.inputs.camera import CameraSource

    camera = settings["camera"]
    return CameraSource(camera.device, size, camera, profile, report=logger.warning)


def _camera_profile(home: Path) -> CameraProfile | None:
    profile, warning = load_profile(home / CAMERA_PROFILE)
    if warning:
        logger.warning("%s", warning)
    if profile is not None and profile.verdict != "accepted":
        logger.warning("The camera's calibration was refused and is not used: calibrate again.")
        return None
    return profile
