"""What the commands that take their time share: a bar, and the key that interrupts while kernels compile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

from controller.install.interrupts import leave_quietly, raise_again


def progress_bar() -> Progress:
    """A bar that is gone when the work is done, and nothing where nobody looks."""
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def compiling() -> Iterator[None]:
    """Ctrl+C leaves at once: an exception within the compiler would come out as another one."""
    leave_quietly()
    try:
        yield
    finally:
        raise_again()
