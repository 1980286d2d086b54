"""The twins once more with the JIT off: the kernels as plain Python say the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FILES = ["tests/behavior", "tests/scenes/test_baited_twins.py", "tests/scenes/test_baited_measures.py"]


def test_all_twins_agree_also_with_the_jit_off(checkout: Path) -> None:
    """Warnings are errors there: one would tell of a number that the compiled code passes over.

    Without the conftest of all tests, which would load compiled kernels.
    """
    options = ["-q", "-W", "error", "-p", "no:cacheprovider", "--confcutdir=tests/behavior"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--ignore={__file__}", *FILES],
        cwd=checkout,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = int(done.stdout.splitlines()[-1].split(" passed")[0].split()[-1])
    assert passed > 400, done.stdout[-200:]
