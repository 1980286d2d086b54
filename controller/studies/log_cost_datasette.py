"""Datasette beside a log: a real process on loopback that serves the live file read-only, asked over HTTP."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

PATIENCE_S = 60.0
# What it says when it takes questions, as its last line before them.
SERVES = re.compile(r"running on (http://127\.0\.0\.1:\d+)")


def version() -> str:
    """Of the Datasette that is installed, "" without one: it comes with the extra `analysis`."""
    try:
        return importlib.metadata.version("datasette")
    except importlib.metadata.PackageNotFoundError:
        return ""


@contextmanager
def serving(path: Path) -> Iterator[Callable[[str], Any]]:
    """Datasette on this file, as ask(page): what it answers as JSON; a page such as "/visits/session.json".

    Raises OSError when it does not start; asking raises OSError for any answer but a good one.
    """
    command = [sys.executable, "-m", "datasette", "serve", str(path), "--host", "127.0.0.1", "--port", "0"]
    server = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    # No proxy stands between us and ourselves.
    opener = build_opener(ProxyHandler({}))
    try:
        address = _address(server.stderr)

        def ask(page: str) -> Any:
            with opener.open(address + page, timeout=PATIENCE_S) as answer:
                return json.load(answer)

        yield ask
    finally:
        server.terminate()
        try:
            server.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()


def _address(lines: Any) -> str:
    said = []
    for line in lines:
        said.append(line)
        if found := SERVES.search(line):
            return found[1]
    raise OSError(f"Datasette did not start: {''.join(said[-3:]).strip()}")
