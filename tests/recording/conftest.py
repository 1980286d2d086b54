"""The rig for the visits' recordings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.recording.visit_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path / "画廊 home")
    rig.home.mkdir()
    yield rig
    rig.writing.stop()
