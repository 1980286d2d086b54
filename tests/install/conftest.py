"""A small checkout whose locks need no network, and starts of it as a user would make them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

# What a start leaves to the command: where it runs, and with what.
COMMANDS = '''"""The commands: tells where it runs."""
import json
import os
import sys
from importlib import metadata


def main():
    seen = {name: "" for name in ("pebble", "pond")}
    for package in metadata.distributions():
        if package.name in seen:
            seen[package.name] = package.version
    print(json.dumps({"prefix": sys.prefix, "arguments": sys.argv[1:], "cwd": os.getcwd(), **seen}))
'''


@dataclass
class Started:
    """How a start ended: its exit code, what it said, and what the command saw."""

    code: int
    said: str
    seen: dict[str, Any] = field(default_factory=dict)


def wheel(folder: Path, name: str) -> str:
    """Writes the wheel of an empty package NAME 1.0 and returns its line in a lock."""
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": f'"""{name}."""\n',
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {path: hashlib.sha256(text.encode()).digest() for path, text in files.items()}
    coded = {path: base64.urlsafe_b64encode(digest).rstrip(b"=").decode() for path, digest in digests.items()}
    record = "".join(f"{path},sha256={digest},\n" for path, digest in coded.items())
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(inner, text)
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="baited-install-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def pebble(open_folder: Path) -> Path:
    """A folder with two wheels; `run.lock` and `test.lock` beside them pin one and both."""
    folder = open_folder / "wheels"
    folder.mkdir()
    run = wheel(folder, "pebble")
    (folder / "run.lock").write_text(run, "utf-8")
    (folder / "test.lock").write_text(run + wheel(folder, "pond"), "utf-8")
    return folder


@pytest.fixture(scope="module")
def small_checkout(checkout: Path, pebble: Path) -> Callable[[Path], Path]:
    """Copies the product to a place, with the small locks and commands that tell where they run."""

    def copied(place: Path) -> Path:
        for package in ("controller", "calibration", "display", "logs"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(checkout / package, place / package, ignore=ignored)
        shutil.copy(checkout / "pyproject.toml", place)
        (place / "controller" / "cli.py").write_text(COMMANDS, "utf-8")
        for name in ("run.lock", "test.lock"):
            shutil.copy(pebble / name, place / "controller" / "install" / name)
        return place

    return copied


@pytest.fixture(scope="module")
def quiet_env(pebble: Path, open_folder: Path) -> dict[str, str]:
    """The environment of a start: no index, the small wheels, a home of its own."""
    home = open_folder / "user"
    home.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(pebble),
        "PIP_CONFIG_FILE": os.devnull,
        "LANG": "C.UTF-8",
    }


class Visitor:
    """Starts a checkout as a user would: with the Python they type, not that of this suite."""

    python = getattr(sys, "_base_executable", None) or sys.executable

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = dict(env)

    def begin(
        self, root: Path, *arguments: str, env: Mapping[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[str]:
        """`python3 -m controller ARGUMENTS`, not waited for; `env` adds to the quiet one."""
        command = [options.pop("python", self.python), "-m", "controller", *arguments]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        pipes["stdin"] = options.pop("stdin", subprocess.DEVNULL)
        # A suite in the background has the key ignored, and what it starts would inherit that.
        pipes["preexec_fn"] = options.pop("preexec_fn", lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        return subprocess.Popen(
            command, cwd=root, env={**self.env, **(env or {})}, text=True, **{**pipes, **options}
        )

    def end(self, process: subprocess.Popen[str]) -> Started:
        """Waits for a start."""
        out, said = process.communicate(timeout=300)
        return Started(process.returncode, said, json.loads(out) if out.startswith("{") else {})

    def start(self, root: Path, *arguments: str, **options: Any) -> Started:
        """`python3 -m controller ARGUMENTS` to its end."""
        return self.end(self.begin(root, *arguments, **options))


@pytest.fixture(scope="module")
def visitor(quiet_env: dict[str, str]) -> Visitor:
    return Visitor(quiet_env)
