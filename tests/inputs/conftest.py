"""Camera sources that are closed after the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from controller.inputs.camera import CameraSource


@pytest.fixture
def made() -> Iterator[Callable[..., tuple[CameraSource, list[str]]]]:
    """made(device, **options): a source for a screen of 1920 x 1080, and the lines that it reports."""
    sources: list[CameraSource] = []

    def make(device: object, **kwargs: object) -> tuple[CameraSource, list[str]]:
        lines: list[str] = []
        sources.append(CameraSource(str(device), (1920, 1080), report=lines.append, **kwargs))
        return sources[-1], lines

    yield make
    for source in sources:
        source.close()
