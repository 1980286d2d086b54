"""Ctrl+C while it starts: quiet, unless a set-up was under way."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

INTERRUPTED = 130
# Where the key is pressed: while the commands are read in, or while one works.
PRESSED = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
READING = (
    f'"""Commands."""\n{PRESSED}import time\ntime.sleep(9)\nprint("read on")\n\n\ndef main():\n    pass\n'
)
WORKING = '"""Commands."""\nimport os, signal, time\n\n\ndef main():\n    try:\n'
WORKING += "        os.kill(os.getpid(), signal.SIGINT)\n        time.sleep(9)\n"
WORKING += '    finally:\n        print("tidied up")\n'
# As click does it: an exit of its own.
ABORTING = WORKING.replace(
    "    finally:", "    except KeyboardInterrupt as key:\n        raise SystemExit(1) from key\n    finally:"
)


@pytest.fixture(scope="module")
def place(small_checkout: Callable[[Path], Path], open_folder: Path, visitor: Any) -> Path:
    place = small_checkout(open_folder / "keys")
    assert visitor.start(place, "status").code == 0
    return place


@pytest.mark.parametrize(
    ("commands", "out"), [(READING, ""), (WORKING, "tidied up\n"), (ABORTING, "tidied up\n")]
)
def test_an_interrupted_command_leaves_quietly(place: Path, visitor: Any, commands: str, out: str) -> None:
    cli = place / "controller" / "cli.py"
    before = cli.read_text("utf-8")
    cli.write_text(commands, "utf-8")
    process = visitor.begin(place, "status")
    printed, said = process.communicate(timeout=60)
    cli.write_text(before, "utf-8")
    assert (process.returncode, said, printed) == (INTERRUPTED, "", out)


def test_a_key_at_any_moment_of_a_start_prints_no_traceback(place: Path, visitor: Any) -> None:
    codes = set()
    for step in range(24):
        process = visitor.begin(place, "status")
        time.sleep(0.03 + step * 0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert "set-up" not in said
        assert "controller" not in said
        codes.add(process.returncode)
    assert codes <= {0, 1, -signal.SIGINT, INTERRUPTED}


@pytest.mark.full
def test_an_interrupted_set_up_says_so(
    small_checkout: Callable[[Path], Path], open_folder: Path, visitor: Any
) -> None:
    place = small_checkout(open_folder / "begun")
    process = visitor.begin(place, "status")
    while not (place / ".venv" / "pyvenv.cfg").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert "interrupted" in said
    assert "Traceback" not in said.replace("Its last words", "")
    assert visitor.start(place, "status").code == 0
