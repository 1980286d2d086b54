"""The faults of the display: which one means wrong set-up, and which one means a lost screen."""

from __future__ import annotations


class DisplayError(RuntimeError):
    """The picture cannot be opened as asked; the message says what is there and what to do."""


class NoSuchScreenError(DisplayError):
    """The screen that the settings name is not there; the message lists the screens that are."""


class DisplayLost(DisplayError):
    """The open picture is gone (driver reset, X server ended, window destroyed): end, and start again."""
