"""Remakes the locks from pyproject.toml: `python controller/install/relock.py [--upgrade]`, with uv."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

INSTALL = Path(__file__).resolve().parent
ROOT = INSTALL.parents[1]
COMPILE = ("pip", "compile", "--no-config", "--quiet", "--universal", "--python-version", "3.11")
ONE_VERSION = ("--fork-strategy", "fewest")
# No address of a registry and no path of this machine may stand in a lock: hashes say enough.
BARE = ("--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--no-header")


def relock(upgrade: bool = False) -> None:
    """Writes run.lock, then analysis.lock and test.lock around it, all at the same versions.

    Raises CalledProcessError when uv fails.
    """
    options = ["--upgrade"] if upgrade else []
    _compile(INSTALL / "run.lock", *options)
    for scope, inner in (("analysis", "run"), ("test", "analysis")):
        options += ["--extra", scope]
        _compile(INSTALL / f"{scope}.lock", *options, "--constraints", f"controller/install/{inner}.lock")


def _compile(lock: Path, *options: str) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    uv = [sys.executable, "-m", "uv", *COMPILE, *ONE_VERSION, *BARE, *options]
    command = [*uv, "--output-file", str(lock.relative_to(ROOT)), "pyproject.toml"]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


if __name__ == "__main__":
    relock("--upgrade" in sys.argv[1:])
