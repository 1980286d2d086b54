"""No picture of a visitor is ever written: every byte of a run with a camera is searched for one."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
import zlib
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pytest
from PIL import Image

from controller.kernelcache import OVERRIDE
from logs.questions import sessions
from tests.controller.picture_search import Rows, findings
from tests.controller.written_bytes import Written, can_trace, read_trace, tracer

PATIENCE_S = 120.0
FOLDERS = ("home", "cwd", "tmp", "user", "data", "config", "cache", "state", "run")
# Where bytes may go without being kept: no file, or the one that forgets.
NO_FILE = ("pipe:", "socket:", "UNIX", "anon_inode:", "/dev/null", "/dev/pts/", "/dev/tty")


class Ran(NamedTuple):
    """A run of the show: the folder that holds all it may write to, the clip's rows, what it wrote.

    `before`: the compiled kernels that were there already; the show copies them, and need not be searched.
    """

    folder: Path
    rows: Rows
    written: Written | None
    said: bytes
    before: set[bytes]


def make_clip(path: Path) -> None:
    """A visitor walks before a patterned ground, and points with a light for half a second."""
    chance = np.random.default_rng(1)
    coarse = chance.integers(10, 90, (60, 80, 3)).astype(np.uint8)
    ground = cv2.resize(coarse, (320, 240), interpolation=cv2.INTER_CUBIC)
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 30, (320, 240))
    for number in range(26):
        picture = np.roll(ground, number // 4, axis=1).copy()
        cv2.ellipse(picture, (150 + number, 170), (40, 60), 0, 0, 360, (70, 90, 140), -1)
        if 5 <= number < 20:
            cv2.circle(picture, (200 + number // 8, 80), 4, (255, 255, 255), -1)
        film.write(picture)
    film.release()


def pictures_of(clip: Path, most: int = 40) -> list[np.ndarray]:
    """The pictures as the show gets them; of a long clip so many, evenly."""
    film, found = cv2.VideoCapture(str(clip)), []
    while (read := film.read())[0]:
        found.append(read[1])
    return found[:: max(1, len(found) // most)]


def run_with(clip: Path, folder: Path, checkout: Path) -> Ran:
    """A whole headless run over the clip, with every folder it could write to inside `folder`."""
    at = {name: folder / name for name in FOLDERS}
    for path in at.values():
        path.mkdir()
    trace, kernels = folder.with_name("trace"), Path(os.environ[OVERRIDE])
    command = [sys.executable, "-m", "controller.cli", "run", "--headless", "--home", str(at["home"])]
    command += ["--source", "camera", "--camera", str(clip)]
    env = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"HOME": str(at["user"]), "TMPDIR": str(at["tmp"]), "XDG_DATA_HOME": str(at["data"])}
    env |= {"XDG_CONFIG_HOME": str(at["config"]), "XDG_CACHE_HOME": str(at["cache"])}
    env |= {"XDG_STATE_HOME": str(at["state"]), "XDG_RUNTIME_DIR": str(at["run"])}
    env.pop("DISPLAY", None)
    traced, before = can_trace(), {path.read_bytes() for path in kernels.rglob("*") if path.is_file()}
    show = subprocess.Popen(
        [*tracer(trace), *command] if traced else command,
        env=env, cwd=at["cwd"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        os.kill(wait_for_the_end(show, at["home"] / "status.json"), signal.SIGTERM)
        said = show.communicate(timeout=PATIENCE_S)[0]
    finally:
        show.kill()
    assert show.returncode == 0, said
    return Ran(folder, Rows(pictures_of(clip)), read_trace(trace) if traced else None, said, before)


def wait_for_the_end(show: subprocess.Popen[bytes], status: Path) -> int:
    """Wait until the clip has ended and all of it is in the log; gives the show's process id."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        assert show.poll() is None, show.communicate()[0]
        facts = json.loads(status.read_bytes()) if status.exists() else {"light": {}}
        if facts["light"].get("state") == "ended" and not facts["visitor"]:
            return int(facts["pid"])
        time.sleep(0.05)
    raise AssertionError("the clip never ended")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Ran:
    place = tmp_path_factory.mktemp("privacy")
    make_clip(place / "clip.mp4")
    (place / "all").mkdir()
    return run_with(place / "clip.mp4", place / "all", checkout)


def check_what_is_left(ran: Ran) -> None:
    files = [path for path in ran.folder.rglob("*") if path.is_file()]
    assert "visits.db" in {path.name for path in files}
    pictures = {path.name: found for path in files if (found := findings(path.read_bytes(), ran.rows))}
    assert pictures == {}
    assert findings(ran.said, ran.rows) == []


def check_what_was_written(ran: Ran) -> None:
    assert ran.written is not None
    outside = {name for name in ran.written.files if not name.startswith((str(ran.folder), *NO_FILE))}
    assert outside == set()
    assert any(name.endswith("visits.db-wal") for name in ran.written.data)
    found = {
        name: kinds for name, data in ran.written.data.items() if (kinds := findings(bytes(data), ran.rows))
    }
    assert found == {}


def test_a_run_with_a_camera_leaves_no_picture_and_no_row_of_one(ran: Ran) -> None:
    (visit,) = sessions(ran.folder / "home" / "visits.db")
    assert visit["source"] == "camera", "the camera's pictures were seen"
    assert len(ran.rows) > 100_000
    check_what_is_left(ran)


@pytest.mark.skipif(
    not can_trace(),
    reason="no strace that may trace here: apt-get install strace, in a container that allows ptrace",
)
def test_nothing_it_ever_wrote_was_a_picture_and_nothing_went_elsewhere(ran: Ran) -> None:
    """Files that are gone at the end too, and what its processes told each other."""
    check_what_was_written(ran)


@pytest.mark.full
def test_no_recorded_clip_leaves_a_picture(cases: Path, tmp_path: Path, checkout: Path) -> None:
    """Real rooms and real people of the recorded clips."""
    clips = sorted((cases / "tracking").glob("*.mp4"))
    assert clips
    for clip in clips:
        place = tmp_path / clip.stem
        (place / "all").mkdir(parents=True)
        ran = run_with(clip, place / "all", checkout)
        check_what_is_left(ran)
        if ran.written is not None:
            check_what_was_written(ran)


def picture(height: int = 48, width: int = 64) -> np.ndarray:
    return np.random.default_rng(2).integers(0, 255, (height, width, 3)).astype(np.uint8)


def saved(kind: str) -> bytes:
    """A picture as PIL saves it."""
    file = io.BytesIO()
    Image.fromarray(picture()).save(file, kind)
    return file.getvalue()


def array_file(packed: bool) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if packed else np.save)(file, picture())
    return file.getvalue()


def film(ending: str, code: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        path = folder / f"film{ending}"
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), 10, (64, 48))
        for _ in range(3):
            writer.write(picture())
        writer.release()
        return path.read_bytes()

    return make


MADE: dict[str, Callable[[Path], bytes]] = {
    "PNG": lambda _: saved("PNG"),
    "JPEG": lambda _: saved("JPEG"),
    "GIF": lambda _: saved("GIF"),
    "BMP": lambda _: saved("BMP"),
    "TIFF": lambda _: saved("TIFF"),
    "WebP or AVI": lambda _: saved("WEBP"),
    "PGM or PPM": lambda _: saved("PPM"),
    "NumPy": lambda _: array_file(packed=False),
    "NumPy in zip": lambda _: array_file(packed=True),
    "HEIC, AVIF or MP4": film(".mp4", "mp4v"),
    "Matroska": film(".mkv", "MJPG"),
    "JPEG in a film": film(".avi", "MJPG"),
    "heic": lambda _: b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + b"\x00\x00\x01\x02meta" * 8,
    "a row of pixels": lambda _: picture()[7].tobytes()[40:104],
    "a row of RGB": lambda _: picture()[7, 10:40, ::-1].tobytes(),
    "a row of grey": lambda _: cv2.cvtColor(picture(), cv2.COLOR_BGR2GRAY)[9].tobytes(),
}
NAMED = {
    "JPEG in a film": "JPEG",
    "heic": "HEIC, AVIF or MP4",
    "a row of RGB": "a row of pixels",
    "a row of grey": "a row of pixels",
}


def in_zip(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a note.txt", b"nothing")
        packed.writestr("inner", data)
    return file.getvalue()


def in_database(data: bytes) -> bytes:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE a (b)")
    connection.execute("INSERT INTO a VALUES (?)", [bytes(5000) + data])
    return connection.serialize()


WRAPPED: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "zip": in_zip,
    "base64": lambda data: b'{"a": "' + b64encode(data) + b'"}',
    "hexadecimal": lambda data: data.hex().encode(),
    "SQLite": in_database,
    "base64 of gzip": lambda data: b64encode(gzip.compress(data)),
}


@pytest.mark.parametrize("kind", MADE)
def test_the_search_finds_each_kind_of_picture_however_it_is_packed(kind: str, tmp_path: Path) -> None:
    chance, hidden, rows = np.random.default_rng(3), MADE[kind](tmp_path), Rows([picture()])
    before, after = chance.bytes(3000), chance.bytes(3000)
    for wrapping, wrap in WRAPPED.items():
        alone = wrapping == "SQLite"
        found = findings(wrap(hidden) if alone else b"\n".join([before, wrap(hidden), after]), rows)
        looked_for = NAMED.get(kind, kind).split(" in ")[0]
        assert [one for one in found if one.startswith(looked_for)], (wrapping, found)


def test_the_search_finds_nothing_in_chance_text_and_plain_grounds(checkout: Path) -> None:
    """What is no picture must not be taken for one, or nobody would believe a finding."""
    assert findings(np.random.default_rng(4).bytes(500_000), Rows([picture()])) == []
    assert findings((checkout / "controller" / "README.md").read_bytes(), Rows([picture()])) == []
    black = np.zeros((48, 64, 3), np.uint8)
    assert findings(bytes(100_000), Rows([black, picture()])) == []
