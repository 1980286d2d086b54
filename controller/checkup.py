"""What is wrong here, and the remedy: one finding a line for `check`."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from calibration.profile import load as load_profile
from controller.beacon import STALE_S, read_status
from controller.inputs.camera_devices import cameras
from controller.install.home import fallback_folders
from controller.install.versions import verdicts
from controller.settings import CAMERA_PROFILE, DATABASE, ConfigError, load
from display.glyph import SHIPPED_FONT, FontRefusedError, read_glyph
from display.screens import display_available
from display.sound.device import DeviceError, NoPlayerError, open_device
from display.sound.sound_file import SoundFileError, read_loop
from logs import waiting
from logs.engine import choose
from logs.questions import UnreadableLog, loss, sessions

LOW_DISK_BYTES = 500_000_000


class Finding(NamedTuple):
    """One thing looked at. `fault` is empty when it is well; `level` "problem" or "note"."""

    name: str
    state: str
    fault: str = ""
    level: str = "problem"


def findings(home: Path) -> Iterator[Finding]:
    """Look at everything, in the order in which the show needs it."""
    yield _versions()
    yield _home(home)
    yield _disk(home)
    yield _settings(home)
    yield _kernels(home)
    yield _engine()
    yield _database(home)
    yield _waiting(home)
    yield _screen()
    yield _glyph(home)
    yield _sound(home)
    yield _cameras()
    yield _calibration(home)
    yield from _running_show(home)


def _versions() -> Finding:
    found = verdicts()
    state = ", ".join(f"{verdict.name} {verdict.installed or 'missing'}" for verdict in found)
    return Finding("versions", state, " ".join(verdict.remedy for verdict in found if not verdict.ok))


def _home(home: Path) -> Finding:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Finding(
            "home", str(home), f"cannot be made ({error.strerror}); give another one with --home DIR."
        )
    writable = os.access(home, os.W_OK | os.X_OK)
    fault = "" if writable else "cannot be written by this user; change its owner or give another --home DIR."
    return Finding("home", str(home), fault)


def _disk(home: Path) -> Finding:
    place = next((folder for folder in (home, *home.parents) if folder.exists()), Path("/"))
    free = shutil.disk_usage(place).free
    fault = (
        "" if free >= LOW_DISK_BYTES else "is nearly full; the log needs space: remove what is not needed."
    )
    return Finding("disk", f"{free / 1e9:.1f} GB free", fault)


def _settings(home: Path) -> Finding:
    try:
        settings = load(home)
    except ConfigError as error:
        return Finding("settings", "refused", str(error))
    changed = sum(origin in ("file", "panel") for origin in settings.origins.values())
    return Finding("settings", f"{changed} changed in {settings.path}", " ".join(settings.warnings))


def _kernels(home: Path) -> Finding:
    """What the next start need not compile."""
    try:
        from controller.kernelcache import is_whole, place_of
    except ImportError:
        return Finding("compiled kernels", "unknown until the versions are mended")
    place = place_of(home)
    if is_whole(place):
        return Finding("compiled kernels", str(place))
    remedy = f"normal before the first run; else see that {place.parent} can be written."
    return Finding("compiled kernels", "none kept", remedy, "note")


def _engine() -> Finding:
    engine = choose()
    return Finding("database engine", f"{engine.name}, journal {engine.journal}", engine.warning, "note")


def _database(home: Path) -> Finding:
    path = home / DATABASE
    if fault := loss(path):
        return Finding("database", "not found", fault)
    if not path.exists():
        return Finding("database", "none yet, the first show makes it")
    try:
        sessions(path, limit=1, include_demo=True)
    except UnreadableLog as error:
        return Finding("database", str(path), str(error))
    fault = "" if os.access(path, os.W_OK) else "cannot be written by this user; visits would wait in memory."
    kept = sorted(file.name for file in home.glob(f"{path.stem}.damaged-*{path.suffix}"))
    if kept:
        fault += f"Earlier visits are in {', '.join(kept)}: show them to a technician, then move them away."
    return Finding("database", str(path), fault)


def _waiting(home: Path) -> Finding:
    """Normal after a crash; lines that nobody could read are not."""
    found = waiting.find(home / DATABASE, fallback_folders())
    faults = [waiting.COMES_IN] if found.files else []
    faults += [f"{file} holds lines nobody could read: show it to a technician." for file in found.unread]
    level = "problem" if found.unread or not found.files else "note"
    return Finding("waiting visits", found.state or "none", " ".join(faults), level)


def _screen() -> Finding:
    reason = display_available()
    return Finding("screen", "there" if reason is None else "none", reason or "", "note")


def _glyph(home: Path) -> Finding:
    try:
        path = load(home)["display"].font_path
    except ConfigError:
        path = ""
    try:
        read_glyph(Path(path or SHIPPED_FONT))
    except (OSError, FontRefusedError) as error:
        return Finding("glyph", str(SHIPPED_FONT), f"{path or SHIPPED_FONT}: {error}")
    return Finding("glyph", path or SHIPPED_FONT.name)


def _sound(home: Path) -> Finding:
    """The loop's file and the loudspeakers' device, each tried where no show may hold the device."""
    if heard := _sound_of_the_show(home):
        return _heard(heard)
    try:
        settings = load(home)["sound"]
    except ConfigError:
        return Finding("sound", "unknown until the settings are mended")
    if not settings.on:
        return Finding("sound", "off")
    name = settings.file or "own loop"
    if settings.file:
        try:
            read_loop(settings.file)
        except SoundFileError as error:
            return Finding("sound", name, f"{error}. Give another sound.file; our own loop plays meanwhile.")
    try:
        device = open_device(lambda frames: memoryview(bytes(8 * frames)))
    except (DeviceError, NoPlayerError) as error:
        return Finding("sound", f"{name}, no device", f"{error}. The show runs silently.", "note")
    state = f"{name}, on {device.name}"
    device.close()
    return Finding("sound", state)


def _sound_of_the_show(home: Path) -> dict[str, Any]:
    """What a show that runs now says of its sound; empty without one, or without sound in it."""
    facts, _ = read_status(home, time.monotonic())
    alive = facts.get("state") == "running" and 0 <= facts["status_age_s"] <= STALE_S
    found = facts.get("sound") if alive else None
    return found if isinstance(found, dict) else {}


def _heard(sound: dict[str, Any]) -> Finding:
    device, file_fault = sound.get("device"), sound.get("file_fault")
    if not sound.get("on"):
        return Finding("sound", "off")
    state = f"{sound.get('file')}, " + (f"on {device}" if device else "no device")
    fault = " ".join(str(one) for one in (file_fault, sound.get("fault")) if one)
    return Finding("sound", state, fault, "problem" if file_fault or not fault else "note")


def _cameras() -> Finding:
    found = cameras()
    return Finding("cameras", ", ".join(str(camera["device"]) for camera in found) or "none")


def _calibration(home: Path) -> Finding:
    profile, warning = load_profile(home / CAMERA_PROFILE)
    if profile is None:
        return Finding("camera calibration", "none", warning)
    made = f"{profile.verdict}, made {profile.made_at:%Y-%m-%d %H:%M} UTC"
    return Finding("camera calibration", made, warning)


def _running_show(home: Path) -> Iterator[Finding]:
    facts, faults = read_status(home, time.monotonic())
    if facts.get("state") == "running":
        yield Finding("running show", f"{facts.get('fps')} pictures/s", " ".join(faults))
    else:
        yield Finding("running show", "none")
