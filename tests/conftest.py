"""What all tests share: the cases, and the long tests that run with --full only."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the tests that take minutes too")


def pytest_configure(config: pytest.Config) -> None:
    """Keeps one set of compiled kernels for this suite and for the shows that it starts."""
    from controller.kernelcache import OVERRIDE, load_kernels
    from controller.scenes.baited.settings import BaitedSettings

    os.environ.setdefault(OVERRIDE, str(_cache_folder()))
    load_kernels(ROOT, "baited", BaitedSettings(), print)


def _cache_folder() -> Path:
    return ROOT / ".cache" if os.access(ROOT, os.W_OK) else Path(tempfile.gettempdir()) / "baited-tests-cache"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long tests out, except with --full or when one is asked for by its name."""
    if config.getoption("--full") or any("::" in argument for argument in config.args):
        return
    long = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of recorded cases: BAITED_CASES, or `shared/cases` beside the checkout."""
    return Path(os.environ.get("BAITED_CASES", ROOT.parent / "shared" / "cases"))
