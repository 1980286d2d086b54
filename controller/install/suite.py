"""`python3 -m controller test`: the suite, run from the checkout by pytest in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_TESTS_FOUND = 5
INTERRUPTED = 2


def run_suite(full: bool, pytest_args: Sequence[str]) -> int:
    """pytest's exit code for the default suite, or with `full` for the long tests too; 1 for no tests.

    The arguments go to pytest as they are, paths relative to the checkout.
    """
    if not (ROOT / "tests").is_dir():
        print(
            f"No tests stand beside the program in {ROOT}: it was installed without them. "
            "Get a checkout with git clone and start `python3 -m controller test` there.",
            file=sys.stderr,
        )
        return 1
    command = [sys.executable, "-m", "pytest", *(["--full"] if full else []), *pytest_args]
    env = suite_environment(os.environ, ROOT)
    if "PYTEST_CACHE" in env:
        command += ["-o", f"cache_dir={env['PYTEST_CACHE']}"]
    try:
        code = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    except KeyboardInterrupt:
        return INTERRUPTED
    return 1 if code == NO_TESTS_FOUND else code


def suite_environment(env: Mapping[str, str], root: Path) -> dict[str, str]:
    """The environment of the suite: in a checkout that cannot be written, caches go to the temp folder."""
    paths = [str(root), *filter(None, [env.get("PYTHONPATH", "")])]
    suite = {**env, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
    if os.access(root, os.W_OK):
        return suite
    user = os.getuid() if hasattr(os, "getuid") else "user"
    caches = Path(tempfile.gettempdir()) / f"baited-tests-{user}"
    suite["PYTEST_CACHE"] = str(caches / "pytest")
    suite.setdefault("MYPY_CACHE_DIR", str(caches / "mypy"))
    suite.setdefault("RUFF_CACHE_DIR", str(caches / "ruff"))
    suite.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(caches / "hypothesis"))
    suite.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    return suite
